"""Duplicates, found where the cases are: a group-by in two steps.

partition ──► tally ──► pieces by a number mixed from the codes ─┐
partition ──► tally ──► pieces …                                 ├──► bucket: duplicates are all in one
partition ──► tally ──► pieces …                                 ┘
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from budgetree.distributed.partition import AnyPartition, Partition
from budgetree.problem import LossTable
from budgetree.problem.duplicates import Unavoidable, identical_groups, loss_among_identical, mixed_numbers
from budgetree.services.clock import Clock, OutOfTimeError


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Cases that differ in their codes or their class, and how many there are of each."""

    codes: NDArray[np.uint8]
    labels: NDArray[np.int32]
    units: NDArray[np.int64]  # of weight
    n_cases: NDArray[np.int64]


def n_buckets(n_bytes: int, bucket_bytes: int) -> int:
    """How many buckets cases of so many bytes are grouped in."""
    return max(1, -(-n_bytes // bucket_bytes))


def tally(partition: AnyPartition) -> Tally:
    """A partition's cases, duplicates as one."""
    windows = ((one, np.ones(len(one), dtype=np.int64)) for one in partition.windows())
    pieces = [join([Tally(one.codes, one.labels, one.units, each)]) for one, each in windows]
    return pieces[0] if len(pieces) == 1 else join(pieces)


def split(whole: Tally, n_parts: int) -> list[Tally]:
    """By the codes alone, so that cases that differ only in their class stay together."""
    if n_parts == 1:
        return [whole]
    bucket = mixed_numbers(whole.codes) % np.uint64(n_parts)
    columns = [getattr(whole, field.name) for field in fields(whole)]
    return [Tally(*(column[bucket == part] for column in columns)) for part in range(n_parts)]


def join(parts: Sequence[Tally]) -> Tally:
    every = Tally(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Tally)))
    label_bytes = np.ascontiguousarray(every.labels).view(np.uint8).reshape(-1, every.labels.itemsize)
    first, group = identical_groups(np.hstack([every.codes, label_bytes]))
    units, n_cases = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(units, group, every.units)
    np.add.at(n_cases, group, every.n_cases)
    return Tally(every.codes[first], every.labels[first], units, n_cases)


def bucketed(
    partitions: Sequence[Partition], bucket_bytes: int, folder: Path | None = None, clock: Clock | None = None
) -> Iterator[Tally]:
    """All cases of this machine, duplicates as one, in as many buckets as memory asks for; pieces wait in files.

    OutOfTimeError as soon as it is likely that the clock is over before the last bucket.
    """
    n_parts = n_buckets(sum(one.nbytes for one in partitions), bucket_bytes)
    if n_parts == 1:
        yield join(list(_tallies(partitions, clock)))
        return
    with tempfile.TemporaryDirectory(prefix="budgetree-", dir=folder, ignore_cleanup_errors=True) as scratch:
        files = [Path(scratch) / str(number) for number in range(n_parts)]
        for whole in _tallies(partitions, clock):
            for file, piece in zip(files, split(whole, n_parts), strict=True):
                with open(file, "ab") as bucket:
                    pickle.dump(piece, bucket, pickle.HIGHEST_PROTOCOL)
        for file in files:
            with open(file, "rb") as bucket:
                pieces = [pickle.load(bucket) for _ in partitions]
            yield join(pieces)


def merged(bucket: Tally, n_outcomes: NDArray[np.int32], n_classes: int) -> Partition:
    """A bucket's cases as a partition, with the most common label (ties: the first)."""
    first, group = identical_groups(bucket.codes)
    votes = np.zeros((len(first), n_classes), dtype=np.int64)
    np.add.at(votes, (group, bucket.labels), bucket.n_cases)
    return Partition(bucket.codes[first], votes.argmax(axis=1).astype(np.int32), None, n_outcomes, n_classes)


def lost_in_bucket(bucket: Tally, losses: LossTable) -> Unavoidable:
    lost, is_mixed = loss_among_identical(bucket.codes, bucket.labels.astype(np.int64), bucket.units, losses)
    return Unavoidable(int(lost.sum()), int(bucket.n_cases[is_mixed].sum()))


def lost_in_all(buckets: Iterable[Unavoidable]) -> Unavoidable:
    found = list(buckets)
    return Unavoidable(sum(one.units for one in found), sum(one.n_objects for one in found))


def _tallies(partitions: Sequence[Partition], clock: Clock | None) -> Iterator[Tally]:
    began = time.monotonic()
    for n_done, partition in enumerate(partitions, 1):
        yield tally(partition)
        left = None if clock is None else clock.seconds_left
        n_to_do = 2 * len(partitions) - n_done  # the buckets take as long again
        if left is not None and n_to_do * (time.monotonic() - began) / n_done > left:
            raise OutOfTimeError
