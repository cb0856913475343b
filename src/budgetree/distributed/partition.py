"""Partition: some of many coded cases, and the two tasks done on it: move its cases, and count them where they are.

Learning needs class counts alone: nothing but these leaves a partition, and they are the same wherever it lies.
Duplicates are found by a group-by in two steps:

partition ──► tally ──► pieces by a number mixed from the codes ─┐
partition ──► tally ──► pieces …                                 ├──► bucket: duplicates are all in one
partition ──► tally ──► pieces …                                 ┘
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.data.profile import MAX_VALUES
from budgetree.problem import Instance, LossTable, Schema
from budgetree.problem.duplicates import Unavoidable, code_words, identical_groups, loss_among_identical, mix
from budgetree.services.clock import Clock, OutOfTimeError

NOWHERE = -1  # the position of a case whose path has ended, the slot of a position that is not counted
Positions = NDArray[np.int32]  # per case, which of a level's nodes it is at
Counts = NDArray[np.int64] | NDArray[np.uint32]  # half the bytes where each case counts once


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is written, sent or compared at once; no result depends on it."""

    file_bytes: int = 64 * 2**20  # of codes: read as a stream, and small enough for many to be counted at once
    bucket_bytes: int = 64 * 2**20  # of cases that are compared with each other, before duplicates are one
    task_bytes: int = 128 * 2**20  # of codes in a cluster's partition: Dask takes milliseconds for any task
    tasks_per_thread: int = 4  # so that all have something to do until the end
    fan_in: int = 8  # tables that one task of a cluster adds up
    column_values: int = MAX_VALUES  # different values of a column that are kept; more classes are refused


SIZES = Sizes()


@dataclass(frozen=True, eq=False)
class Partition:
    """Coded cases, each of which counts: those of weight 0 are left out when a partition is made."""

    codes: NDArray[np.uint8]  # case × test
    labels: NDArray[np.int32]
    weight_units: NDArray[np.int64] | None  # None: each counts one
    n_outcomes: NDArray[np.int32]  # per test
    n_classes: int
    are_checked: bool = False  # codes and labels are known to be outcomes and classes

    def __len__(self) -> int:
        return len(self.labels)

    def __reduce__(self) -> tuple[Any, ...]:
        return Partition, tuple(getattr(self, field.name) for field in fields(self))  # without what the core made

    def windows(self) -> Iterator[Partition]:
        """The cases, as many at a time as are held in memory: all of them."""
        yield self

    @property
    def units(self) -> NDArray[np.int64]:
        """The weight units, also where each counts one."""
        return np.ones(len(self), dtype=np.int64) if self.weight_units is None else self.weight_units

    @property
    def nbytes(self) -> int:
        weights = 0 if self.weight_units is None else self.weight_units.nbytes
        return int(self.codes.nbytes + self.labels.nbytes + weights)

    @cached_property
    def in_core(self) -> Any:
        """As the core sees it, nothing copied; a ValueError where a code is not an outcome, or a label not a class."""
        known = (self.codes, self.labels, self.weight_units, self.n_outcomes, self.n_classes)
        return core.Cases(*known, codes_are_checked=self.are_checked)

    @cached_property
    def unweighted(self) -> Partition:
        """The same, where each case counts one."""
        return self if self.weight_units is None else replace(self, weight_units=None)


def shape_of(schema: Schema) -> tuple[NDArray[np.int32], int]:
    """What partitions must know of the schema: the outcomes of each test, and how many classes there are."""
    return schema.n_outcomes.astype(np.int32), len(schema.class_names)


class AnyPartition(Protocol):
    """Cases in memory, or persisted in files."""

    def __len__(self) -> int: ...

    def windows(self) -> Iterator[Partition]:
        """At least one, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Where cases go from each position: by their outcome of the test that is done there."""

    test: NDArray[np.int32]  # per position; NOWHERE in a leaf
    below: NDArray[np.int32]  # position × outcome: the next position; NOWHERE where the path has ended


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One pass over the partitions: cases move, level by level, and then some positions are counted.

    positions  0  1  2  3        slots   0 NOWHERE 1 0        counts of slots 0 (positions 0 and 3) and 1
    """

    moves: tuple[Moves, ...]
    slots: NDArray[np.int32]  # per position after the moves, where its counts go
    n_slots: int
    by_case: bool = False  # each case counts one, whatever its weight


def move(partition: AnyPartition, positions: Positions | None, step: Step) -> Positions:
    """The new position of each case; None for where all are at first, position 0.

    Nothing is remembered anywhere else: what is lost can be computed again.
    """
    parts = []
    for window, at in _windows(partition, positions):
        for moves in step.moves if len(window) else ():
            at = core.move_cases(window.in_core, at, moves.test, moves.below, core.Clock())
        parts.append(at)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def count(partition: AnyPartition, positions: Positions, step: Step) -> Counts:
    """What is at the slots, slot × cell × class, after the moves."""
    tables = (_count(window, at, step) for window, at in _windows(partition, positions))
    return reduce(lambda total, table: narrowed([total, table]), tables)  # large ones are not held side by side


def add(tables: Iterable[Counts]) -> NDArray[np.int64]:
    total: NDArray[np.int64] | None = None
    for table in tables:
        total = table.astype(np.int64) if total is None else np.add(total, table, out=total)
    assert total is not None
    return total


def narrowed(tables: Iterable[Counts]) -> Counts:
    """The sum, in half the bytes where they hold it."""
    total = add(tables)
    return total.astype(np.uint32) if int(total.max(initial=0)) < 2**32 else total


def joined(partitions: Sequence[Partition]) -> Partition:
    if len(partitions) == 1:
        return partitions[0]
    units = None
    if any(one.weight_units is not None for one in partitions):
        units = np.concatenate([one.units for one in partitions])
    codes, labels = (np.concatenate([getattr(one, name) for one in partitions]) for name in ("codes", "labels"))
    return Partition(codes, labels, units, partitions[0].n_outcomes, partitions[0].n_classes)


def partitions_of(instance: Instance, max_rows: int | None = None) -> Iterator[Partition]:
    """The cases of an instance that count, in their order."""
    kept = np.flatnonzero(instance.weight_units)
    counts_once = bool((instance.weight_units[kept] == 1).all())
    for first in range(0, len(kept), max_rows or len(kept)):
        rows = kept[first : first + (max_rows or len(kept))]
        yield Partition(
            np.ascontiguousarray(instance.codes[rows]),
            instance.labels[rows].astype(np.int32),
            None if counts_once else instance.weight_units[rows],
            *shape_of(instance.schema),
            are_checked=True,  # by the instance
        )


def class_counts(partitions: Iterable[AnyPartition], n_classes: int) -> NDArray[np.int64]:
    """Weight units per class; a label that is not a class counts nowhere."""
    counts = np.zeros(n_classes + 1, dtype=np.int64)
    for window in (window for partition in partitions for window in partition.windows()):
        labels = np.minimum(window.labels.view(np.uint32), n_classes)  # in which -1 is beyond the classes too
        counts += np.bincount(labels, window.weight_units, n_classes + 1).astype(np.int64)
    return counts[:n_classes]


def _windows(partition: AnyPartition, positions: Positions | None) -> Iterator[tuple[Partition, Positions]]:
    if positions is None:
        positions = np.zeros(len(partition), dtype=np.int32)
    for window in partition.windows():
        yield window, positions[: len(window)]
        positions = positions[len(window) :]


def _count(partition: Partition, positions: Positions, step: Step) -> Counts:
    if not len(partition) or not step.n_slots:
        return np.zeros((step.n_slots, int(partition.n_outcomes.sum()), partition.n_classes), dtype=np.uint32)
    cases = partition.unweighted if step.by_case else partition
    return np.asarray(core.count_places(cases.in_core, positions, step.slots, step.n_slots, core.Clock()))


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Cases that differ in their codes or their class, and how many there are of each."""

    codes: NDArray[np.uint8]
    labels: NDArray[np.int32]
    units: NDArray[np.int64]  # of weight
    n_cases: NDArray[np.int64]


def n_buckets(n_bytes: int, bucket_bytes: int) -> int:
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
    bucket = mix(code_words(whole.codes)) % np.uint64(n_parts)
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


def _tallies(partitions: Sequence[Partition], clock: Clock | None) -> Iterator[Tally]:
    began = time.monotonic()
    for n_done, partition in enumerate(partitions, 1):
        yield tally(partition)
        left = None if clock is None else clock.seconds_left
        n_to_do = 2 * len(partitions) - n_done  # the buckets take as long again
        if left is not None and n_to_do * (time.monotonic() - began) / n_done > left:
            raise OutOfTimeError
