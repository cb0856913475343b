"""Spots: the nodes that a pass over shards is about, and which of them it must count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import Moves
from budgetree.counts.shard import NOWHERE
from budgetree.learn.greedy.count_cache import Path

TABLE_COST = 8  # what adding up and sending a cell takes, in cells counted


@dataclass(slots=True, eq=False)
class Spot:
    """A node on its way to being split; of its counts those before class weights are kept."""

    node: int
    parent: Spot | None
    outcome: int  # of the parent's test, that leads here
    path: Path | None  # None where nobody shares counts
    share: float  # of all cases, about
    is_open: bool = True  # no leaf yet
    place: int = NOWHERE
    test: int = NOWHERE  # chosen
    table: NDArray[np.int64] | None = None  # cell × class, once known


@dataclass(frozen=True, slots=True)
class Work:
    """What a pass costs, for a choice between two."""

    n_cases: int
    n_tests: int
    n_numbers: int  # of one table

    def of(self, spots: Sequence[Spot]) -> float:
        return (
            sum(spot.share for spot in spots) * self.n_cases * self.n_tests + len(spots) * self.n_numbers * TABLE_COST
        )


def to_count(spots: Sequence[Spot], work: Work | None) -> tuple[list[Spot], list[Spot]]:
    """The spots to count, and those whose counts are what all their siblings leave of their parent's.

    parent 100 cases      children 60 (open)   30 (open)   10 (a leaf)
    counted alone         60 + 30 cases
    or                    30 + 10 cases, and the 60 are left over
    """
    counted: list[Spot] = []
    left_over: list[Spot] = []
    for parent, children in groupby(spots, key=lambda spot: spot.parent):
        family = list(children)
        wanted = [spot for spot in family if spot.is_open and spot.table is None]
        if wanted and work is not None and parent is not None and parent.table is not None:
            largest = max(wanted, key=lambda spot: spot.share)
            others = [spot for spot in family if spot is not largest and spot.table is None]
            if work.of(others) < work.of(wanted):
                counted += others
                left_over.append(largest)
                continue
        counted += wanted
    return counted, left_over


def fill_left_over(spots: Sequence[Spot], left_over: Sequence[Spot]) -> None:
    """The counts of those that were not counted themselves."""
    wanted = {id(spot.parent): spot for spot in left_over}
    for spot in left_over:
        assert spot.parent is not None
        assert spot.parent.table is not None
        spot.table = spot.parent.table.copy()
    for sibling in spots:
        spot = wanted.get(id(sibling.parent), sibling)
        if spot is not sibling:
            assert spot.table is not None
            assert sibling.table is not None
            spot.table -= sibling.table


def moves_to(spots: Sequence[Spot], before: Sequence[Spot], width: int) -> Moves:
    """From the places of the last level to those of the next; whoever gets none has ended."""
    test = np.array([spot.test for spot in before], dtype=np.int32)
    below = np.full((len(before), width), NOWHERE, dtype=np.int32)
    for spot in spots:
        if spot.place != NOWHERE and spot.parent is not None:
            below[spot.parent.place, spot.outcome] = spot.place
    return Moves(test, below)
