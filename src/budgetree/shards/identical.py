"""Cases that agree on every test, found where they are: a group-by in two steps.

shard ──► tally ──► pieces by a number mixed from the codes ─┐
shard ──► tally ──► pieces …                                 ├──► bucket: all cases alike are in one
shard ──► tally ──► pieces …                                 ┘
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import Shard
from budgetree.problem import LossTable
from budgetree.problem.duplicates import Unavoidable, identical_groups, loss_among_identical, mixed_numbers
from budgetree.problem.raw_rows import Duplicates

BUCKET_BYTES = 64 * 2**20  # of cases, before those alike are one


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Cases that differ in their codes or their class, and how many there are of each."""

    codes: NDArray[np.uint8]
    labels: NDArray[np.int32]
    units: NDArray[np.int64]  # of weight
    n_cases: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: NDArray[np.int64]) -> Tally:
        """Only these."""
        return Tally(self.codes[rows], self.labels[rows], self.units[rows], self.n_cases[rows])


def n_buckets(n_bytes: int) -> int:
    """How many buckets cases of so many bytes are grouped in."""
    return max(1, -(-n_bytes // BUCKET_BYTES))


def tally(shard: Shard) -> Tally:
    """A shard's cases, those alike as one."""
    each = np.ones(len(shard), dtype=np.int64)
    units = each if shard.weight_units is None else shard.weight_units
    return _added_up(Tally(shard.codes, shard.labels, units, each))


def split(whole: Tally, n_parts: int) -> list[Tally]:
    """By the codes alone, so that cases that differ only in their class stay together."""
    if n_parts == 1:
        return [whole]
    bucket = mixed_numbers(whole.codes) % np.uint64(n_parts)
    return [whole.take(np.flatnonzero(bucket == part)) for part in range(n_parts)]


def join(parts: Sequence[Tally]) -> Tally:
    """Pieces of one bucket."""
    return _added_up(
        Tally(
            np.concatenate([part.codes for part in parts]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.units for part in parts]),
            np.concatenate([part.n_cases for part in parts]),
        )
    )


def merged_shard(bucket: Tally, duplicates: Duplicates, n_outcomes: NDArray[np.int32], n_classes: int) -> Shard:
    """A bucket's cases as a shard: with the most common label (ties: the first), or with what they add up to."""
    if duplicates == "add up":
        units = None if bool((bucket.units == 1).all()) else bucket.units
        return Shard(bucket.codes, bucket.labels, units, n_outcomes, n_classes)
    if not len(bucket):
        return Shard(bucket.codes, bucket.labels, None, n_outcomes, n_classes)
    first, group = identical_groups(bucket.codes)
    votes = np.zeros((len(first), n_classes), dtype=np.int64)
    np.add.at(votes, (group, bucket.labels), bucket.n_cases)
    return Shard(bucket.codes[first], votes.argmax(axis=1).astype(np.int32), None, n_outcomes, n_classes)


def unavoidable(bucket: Tally, losses: LossTable) -> Unavoidable:
    """What every tree loses on the cases of a bucket."""
    if not len(bucket):
        return Unavoidable(0, 0)
    lost, is_mixed = loss_among_identical(bucket.codes, bucket.labels.astype(np.int64), bucket.units, losses)
    return Unavoidable(int(lost.sum()), int(bucket.n_cases[is_mixed].sum()))


def all_unavoidable(buckets: Iterator[Unavoidable]) -> Unavoidable:
    """Of all buckets."""
    found = list(buckets)
    return Unavoidable(sum(one.units for one in found), sum(one.n_objects for one in found))


def _added_up(every: Tally) -> Tally:
    if not len(every):
        return every
    label_bytes = np.ascontiguousarray(every.labels).view(np.uint8).reshape(len(every), -1)
    first, group = identical_groups(np.hstack([every.codes, label_bytes]))
    units, n_cases = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(units, group, every.units)
    np.add.at(n_cases, group, every.n_cases)
    return Tally(every.codes[first], every.labels[first], units, n_cases)
