"""Shard: some of many cases, and the two tasks that are done on it: move its cases, and count them where they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core

NOWHERE = -1  # the place of a case whose path has ended, the slot of a place that nobody counts
Counts = NDArray[np.int64] | NDArray[np.uint32]  # half the bytes where each case counts once
CELLS_AT_ONCE = 1 << 20  # bounds the memory of NumPy's index arrays


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Shard:
    """Coded cases, each of which counts: those of weight 0 are left out when a shard is made."""

    codes: NDArray[np.uint8]  # case × test
    labels: NDArray[np.int32]
    weight_units: NDArray[np.int64] | None  # None: each counts one
    n_outcomes: NDArray[np.int32]  # per test
    n_classes: int
    are_checked: bool = False  # codes and labels are known to be outcomes and classes

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def nbytes(self) -> int:
        """Of the codes and what belongs to them."""
        weights = 0 if self.weight_units is None else self.weight_units.nbytes
        return int(self.codes.nbytes + self.labels.nbytes + weights)

    @property
    def n_cells(self) -> int:
        """The outcomes of all tests."""
        return int(self.n_outcomes.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Where cases go from each place: by their outcome of the place's test."""

    test: NDArray[np.int32]  # per place; NOWHERE in a leaf
    below: NDArray[np.int32]  # place × outcome: the next place; NOWHERE where the path has ended


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One pass over the shards: cases move, level by level, and then some places are counted.

    places    0  1  2  3        slots   0 NOWHERE 1 0        counts of slots 0 (places 0 and 3) and 1
    """

    moves: tuple[Moves, ...]
    slots: NDArray[np.int32]  # per place after the moves, where its counts go
    n_slots: int
    by_case: bool = False  # each case counts one, whatever its weight


def move(shard: Shard, places: NDArray[np.int32] | None, step: Step) -> NDArray[np.int32]:
    """The new place of each case; None for where all are at first, place 0.

    Nothing is kept anywhere else: whoever lost the result can ask again.
    """
    at = np.zeros(len(shard), dtype=np.int32) if places is None else places
    for moves in step.moves:
        at = _moved(shard, at, moves)
    return at


def count(shard: Shard, places: NDArray[np.int32], step: Step) -> Counts:
    """What is at the slots, slot × cell × class, after the moves."""
    if not len(shard) or not step.n_slots:
        return np.zeros((step.n_slots, shard.n_cells, shard.n_classes), dtype=np.uint32)
    if core is None:
        return count_in_numpy(shard, places, step)
    cases = _cases_of(shard, by_case=step.by_case)
    counts: Counts = core.count_places(cases, places, step.slots, step.n_slots, core.Clock())
    return counts


def add(parts: Sequence[Counts]) -> NDArray[np.int64]:
    """The sum of several tables of counts."""
    total = parts[0].astype(np.int64)
    for part in parts[1:]:
        total += part
    return total


def _moved(shard: Shard, places: NDArray[np.int32], moves: Moves) -> NDArray[np.int32]:
    if not len(shard):
        return places
    if core is None:
        return move_in_numpy(shard, places, moves)
    moved: NDArray[np.int32] = core.move_cases(_cases_of(shard), places, moves.test, moves.below, core.Clock())
    return moved


def joined(shards: Sequence[Shard]) -> Shard:
    """One shard of the cases of several."""
    if len(shards) == 1:
        return shards[0]
    first = shards[0]
    units = None
    if any(shard.weight_units is not None for shard in shards):
        units = np.concatenate(
            [np.ones(len(s), dtype=np.int64) if s.weight_units is None else s.weight_units for s in shards]
        )
    return Shard(
        np.concatenate([shard.codes for shard in shards]),
        np.concatenate([shard.labels for shard in shards]),
        units,
        first.n_outcomes,
        first.n_classes,
    )


def check_codes(shard: Shard) -> None:
    """A ValueError where a code is no outcome, or a label no class."""
    if core is not None and len(shard):
        _cases_of(shard)


def class_counts(shards: Iterable[Shard], n_classes: int) -> NDArray[np.int64]:
    """Weight units per class; a label that is none counts nowhere."""
    counts = np.zeros(n_classes + 1, dtype=np.int64)
    for shard in shards:
        labels = np.minimum(shard.labels.view(np.uint32), n_classes)  # in which -1 is beyond the classes too
        if shard.weight_units is None:
            counts += np.bincount(labels, minlength=n_classes + 1)
        else:
            np.add.at(counts, labels, shard.weight_units)
    return counts[:n_classes]


_known: WeakKeyDictionary[Shard, dict[bool, Any]] = WeakKeyDictionary()


def _cases_of(shard: Shard, *, by_case: bool = False) -> Any:
    """The shard as the core sees it; nothing is copied, and the codes are checked once."""
    assert core is not None
    known = _known.setdefault(shard, {})
    without_weights = by_case or shard.weight_units is None
    if without_weights not in known:
        weights = None if without_weights else shard.weight_units
        known[without_weights] = core.Cases(
            shard.codes,
            shard.labels,
            weights,
            shard.n_outcomes,
            shard.n_classes,
            codes_are_checked=shard.are_checked or bool(known),
        )
    return known[without_weights]


def move_in_numpy(shard: Shard, places: NDArray[np.int32], moves: Moves) -> NDArray[np.int32]:
    """The plain twin of the core's moves."""
    moved = np.full(len(shard), NOWHERE, dtype=np.int32)
    test = np.where(places >= 0, moves.test[places], NOWHERE)
    rows = np.flatnonzero(test >= 0)
    moved[rows] = moves.below[places[rows], shard.codes[rows, test[rows]]]
    return moved


def count_in_numpy(shard: Shard, places: NDArray[np.int32], step: Step) -> NDArray[np.int64]:
    """The plain twin of the core's counting."""
    counts = np.zeros((step.n_slots, shard.n_cells, shard.n_classes), dtype=np.int64)
    slot = np.where(places >= 0, step.slots[places], NOWHERE)
    rows = np.flatnonzero(slot >= 0)
    first_cell = np.cumsum(shard.n_outcomes) - shard.n_outcomes
    at_once = max(1, CELLS_AT_ONCE // len(first_cell))
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        units = 1 if step.by_case or shard.weight_units is None else shard.weight_units[part][:, None]
        np.add.at(counts, (slot[part][:, None], first_cell + shard.codes[part], shard.labels[part][:, None]), units)
    return counts
