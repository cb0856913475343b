"""Growth level by level, from shards: one pass counts all nodes of a level. The nodes are those of every other grower.

the driver                                       the shards
splits of the last level, what to count   ──►    cases move to their new nodes; those that are wanted are counted
counts, added up                          ◄──    (nothing else leaves a shard)
the rule chooses a test for each; children
that are leaves already end here
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import LevelCounter, Moves, ShardedCases, Step
from budgetree.counts.shard import NOWHERE
from budgetree.learn.greedy.count_cache import CountCache, LevelTimes
from budgetree.learn.greedy.growing import EndedEarlyError, GrowingTree
from budgetree.learn.greedy.level_rule import LevelNodes, rule_for
from budgetree.learn.greedy.rule import Choice
from budgetree.learn.greedy.settings import Settings
from budgetree.learn.greedy.spots import Spot, Work, fill_left_over, moves_to, to_count
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport, no_report
from budgetree.tree import Nodes

MAX_TABLE_BYTES = 256 * 2**20  # of the counts that are held at once; a larger level is counted in batches


class LevelGrower:
    """Grows one tree. A pass over the shards is put off until counts are wanted that are not known yet."""

    def __init__(
        self,
        cases: ShardedCases,
        settings: Settings,
        counter: LevelCounter,
        cache: CountCache | None = None,
        max_table_bytes: int = MAX_TABLE_BYTES,
        clock: Clock | None = None,
    ) -> None:
        self._counter, self._cache = counter, cache
        self._clock = Clock(None) if clock is None else clock
        self._times = LevelTimes() if cache is None else cache.times
        self._began = 0.0
        self._rule = rule_for(cases, settings)
        self._factors = cases.factors
        # Leaves that need several cases ask for counts of cases, where those of weight are not the same.
        self._needs_cases = settings.min_cases > 1 and not (cases.counts_once and cases.factors is None)
        self._n_outcomes = cases.schema.n_outcomes
        self._first_cell = np.cumsum(self._n_outcomes) - self._n_outcomes
        n_numbers = int(self._n_outcomes.sum()) * cases.n_classes
        self._work = Work(cases.class_order.n_cases, cases.n_tests, n_numbers)
        self._max_tables = max(2, max_table_bytes // (8 * n_numbers))
        self._tree = GrowingTree(cases.schema, cases.class_order.counts)
        self._total = cases.class_order.total
        self._places: Any = counter.start()
        self._before: list[Spot] = []  # the last level's, by place
        self._put_off: tuple[Moves, ...] = ()

    def grow(self, report: ProgressReport = no_report) -> Nodes:
        """All levels; EndedEarlyError where the clock is over before the last, though not before there is a test."""
        root = Spot(0, None, 0, None if self._cache is None else frozenset(), 1.0)
        if root.path is not None and self._cache is not None:
            root.table = self._cache.get(root.path)
        spots = self._without_leaves([root])
        n_levels = 0
        while any(spot.is_open for spot in spots):
            n_open = sum(spot.is_open for spot in spots)
            settled = 1 - sum(spot.share for spot in spots if spot.is_open)
            report(settled, 1.0, f"level {n_levels + 1}: {n_open:,} of {len(self._tree):,} nodes are open")
            spots = self._without_leaves(self._grow_level(spots))
            n_levels += 1
        return self._tree.nodes()

    def _grow_level(self, spots: list[Spot]) -> list[Spot]:
        """Count the open nodes and split them; their children."""
        is_open = [spot for spot in spots if spot.is_open]
        fits = 2 * len(is_open) <= self._max_tables  # with their parents' tables
        counted, left_over = to_count(spots, self._work if fits else None)
        if len(counted) > self._max_tables:
            counted, left_over = to_count(spots, None)
        wanted = set(map(id, counted))
        self._place(spots, [spot for spot in spots if spot.is_open or id(spot) in wanted])
        if len(counted) <= self._max_tables:
            self._begin(len(is_open))
            self._count(counted)
            fill_left_over(spots, left_over)
            self._remember(left_over)
            below = self._split(is_open)
            _forget_parents(spots)
            return below
        _forget_parents(spots)
        below = []
        for first in range(0, len(is_open), self._max_tables):
            batch = is_open[first : first + self._max_tables]
            self._begin(len(batch))
            self._count([spot for spot in batch if spot.table is None])
            below += self._split(batch)
            for spot in batch:
                spot.table = None
        return below

    def _place(self, spots: Sequence[Spot], placed: list[Spot]) -> None:
        """Cases will be at these spots, once they are asked to move."""
        for place, spot in enumerate(placed):
            spot.place = place
        if self._before:
            moves = moves_to(spots, self._before, int(self._n_outcomes.max()))
            self._put_off = (*self._put_off, moves)
        self._before = placed

    def _count(self, spots: Sequence[Spot]) -> None:
        """One pass."""
        if not spots:
            return
        for spot, table in zip(spots, self._pass(spots, by_case=False), strict=True):
            spot.table = table
        self._remember(spots)

    def _remember(self, spots: Sequence[Spot]) -> None:
        """For other trees."""
        for spot in spots:
            if self._cache is not None and spot.path is not None and spot.table is not None:
                self._cache.put(spot.path, spot.table)

    def _pass(self, spots: Sequence[Spot], *, by_case: bool) -> NDArray[np.int64]:
        slots = np.full(len(self._before), NOWHERE, dtype=np.int32)
        slots[[spot.place for spot in spots]] = range(len(spots))
        step = Step(self._put_off, slots, len(spots), by_case)
        counts, self._places = self._counter.advance(self._places, step)
        self._put_off = ()
        return counts

    def _begin(self, n_nodes: int) -> None:
        """The time of a level or batch begins, if there is enough: nobody can stop a pass in the middle."""
        left = self._clock.seconds_left
        if len(self._tree) > 1 and left is not None and self._times.expected(n_nodes) > left:
            self._clock.end()
        self._end_if_over()
        self._began = time.monotonic()

    def _end_if_over(self) -> None:
        if len(self._tree) > 1 and self._clock.is_over:
            raise EndedEarlyError(self._tree)

    def _split(self, spots: Sequence[Spot]) -> list[Spot]:
        """Spots whose tables are known, by the rule; the children of those that it splits."""
        tables = self._weighted(np.stack([spot.table for spot in spots if spot.table is not None]))
        cases = self._pass(spots, by_case=True) if self._needs_cases else None
        choices = self._rule.choose(self._nodes(spots), tables, cases)
        self._times.add(len(spots), time.monotonic() - self._began)
        children: list[Spot] = []
        for spot, table, choice in zip(spots, tables, choices, strict=True):
            if choice is not None:
                self._end_if_over()
                spot.test = choice.test
                children += self._children(spot, table, choice)
        return children

    def _children(self, spot: Spot, table: NDArray[np.int64], choice: Choice) -> list[Spot]:
        first = self._first_cell[choice.test]
        shown = table[first : first + self._n_outcomes[choice.test]].copy()  # the rest of the table may go
        share = (shown.sum(axis=1) / self._total).tolist()
        children = []
        for outcome, node in self._tree.split(spot.node, choice, shown).items():
            path = None if spot.path is None else spot.path | {(choice.test, outcome)}
            child = Spot(node, spot, outcome, path, share[outcome])
            if self._cache is not None and path is not None:
                child.table = self._cache.get(path)
            children.append(child)
        return children

    def _without_leaves(self, spots: list[Spot]) -> list[Spot]:
        """The same spots, of which some are closed: they are leaves whatever the tests show."""
        if spots:
            for spot, is_leaf in zip(spots, self._rule.stops(self._nodes(spots)).tolist(), strict=True):
                spot.is_open = not is_leaf
        return spots

    def _nodes(self, spots: Sequence[Spot]) -> LevelNodes:
        tree = self._tree
        return LevelNodes(
            np.array([tree.counts[spot.node] for spot in spots], dtype=np.int64),
            np.array([tree.paid[spot.node] for spot in spots], dtype=np.int64),
            np.array([tree.fees_paid[spot.node] for spot in spots], dtype=np.uint64),
        )

    def _weighted(self, table: NDArray[np.int64]) -> NDArray[np.int64]:
        return table if self._factors is None else table * self._factors


def _forget_parents(spots: Sequence[Spot]) -> None:
    """Their counts have been used."""
    for spot in spots:
        if spot.parent is not None:
            spot.parent.table, spot.parent.parent = None, None
