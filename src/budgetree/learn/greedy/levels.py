"""Growth level by level: one pass over the partitions counts all nodes of a level.

the driver                                       the partitions
splits of the last level, what to count   ──►    cases move to their new nodes; those that are wanted are counted
counts, added up                          ◄──    (nothing else leaves a partition)
the rule chooses a test for each; children
that are leaves already end here
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.distributed.cases import Engine, LocalCases
from budgetree.distributed.partition import NOWHERE, Moves, Step
from budgetree.impurity import Impurity
from budgetree.learn.greedy.native import NativeRule, grow_native, native_instance, native_totals
from budgetree.learn.greedy.rule import Choice, LevelNodes, PythonRule, Settings
from budgetree.problem import Instance, PathState
from budgetree.problem.units import as_fraction
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.services.progress import ProgressReport, no_report
from budgetree.tree import LEAF, NO_BRANCH, Nodes
from budgetree.tree.grown import grown_nodes
from budgetree.tree.provenance import Function, Method, Origin

MAX_TABLE_BYTES = 256 * 2**20  # of the counts that are held at once; a larger level is counted in batches
TABLE_COST = 8  # what adding up and sending a cell takes, in cells counted
Path = frozenset[tuple[int, int]]  # of (test, outcome), in whichever order: the cases there are the same


class EndedEarlyError(OutOfTimeError):
    """A growth whose time was over; the tree so far is a tree, whose open nodes are leaves."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__()
        self.nodes = nodes


@dataclass(slots=True)
class LevelTimes:
    """What the last two levels took, from their counts to their tests: a pass, and something for each node."""

    _nodes: tuple[int, int] = (0, 0)
    _seconds: tuple[float, float] = (0.0, 0.0)

    def add(self, n_nodes: int, seconds: float) -> None:
        """A level of so many nodes."""
        self._nodes, self._seconds = (self._nodes[1], n_nodes), (self._seconds[1], seconds)

    def expected(self, n_nodes: int) -> float:
        """What the next level may take: on the straight line through both, and no less than the last."""
        (few, many), (before, last) = self._nodes, self._seconds
        slope = max(last - before, 0.0) / (many - few) if many > few else 0.0
        return last + slope * max(n_nodes - many, 0)


class CountCache:
    """Tables of counts that trees of one portfolio share, as long as they fit; a pass is what each saves."""

    def __init__(self, max_bytes: int) -> None:
        self._bytes_left = max_bytes
        self._known: dict[Path, NDArray[np.int64]] = {}
        self.times = LevelTimes()

    def get(self, path: Path | None) -> NDArray[np.int64] | None:
        return None if path is None else self._known.get(path)

    def put(self, path: Path | None, counts: NDArray[np.int64] | None) -> None:
        if path in self._known or path is None or counts is None:
            return
        if counts.nbytes <= self._bytes_left:
            self._known[path] = counts.copy()
            self._bytes_left -= counts.nbytes


_caches: WeakKeyDictionary[Any, CountCache] = WeakKeyDictionary()


def cache_of(cases: DistributedCases, max_bytes: int) -> CountCache:
    """One for all trees of the same cases, whatever their prices and class weights."""
    return _caches.setdefault(cases.origin, CountCache(max_bytes))


@dataclass(slots=True, eq=False)
class Node:
    """A node of a tree in the making: a leaf until it is split."""

    parent: Node | None
    outcome: int  # of the parent's test, that leads here
    counts: NDArray[np.int64]  # per class, with class weights
    weight: int  # their sum
    state: PathState
    path: Path | None = None  # None where counts are not shared
    test: int = LEAF
    fallback: bool = False
    is_open: bool = True  # it may still be split
    position: int = NOWHERE  # of its cases, in the partitions
    table: NDArray[np.int64] | None = None  # cell × class, without class weights, while it is needed


@dataclass(frozen=True, slots=True)
class Work:
    """What a pass costs, for a choice between two."""

    cases_per_weight: float
    n_tests: int
    n_numbers: int  # of one table

    def of(self, nodes: Sequence[Node]) -> float:
        weight = sum(node.weight for node in nodes)
        return weight * self.cases_per_weight * self.n_tests + len(nodes) * self.n_numbers * TABLE_COST


class LevelGrower:
    """Grows one tree. A pass over the partitions is put off until counts are wanted that are not known yet."""

    def __init__(
        self,
        cases: DistributedCases,
        settings: Settings,
        engine: Engine,
        cache: CountCache | None = None,
        max_table_bytes: int = MAX_TABLE_BYTES,
        clock: Clock | None = None,
        rule: NativeRule | PythonRule | None = None,
    ) -> None:
        self._engine, self._cache = engine, cache or CountCache(0)
        self._clock = Clock(None) if clock is None else clock
        self._began = 0.0
        native = native_totals(cases)
        if rule is None and native.serves(settings.form, settings.min_cases):
            rule = NativeRule(cases.schema, native, settings)
        self._rule = rule or PythonRule(cases.schema, settings)
        self._factors = cases.factors
        # Leaves that need several cases ask for counts of cases, where those of weight are not the same.
        self._needs_cases = not native.counts_cases(settings.min_cases)
        self._schema, self._costs, self._n_outcomes = cases.schema, cases.schema.costs, cases.schema.n_outcomes
        self._first_cell = np.cumsum(self._n_outcomes) - self._n_outcomes
        n_numbers = int(self._n_outcomes.sum()) * cases.n_classes
        totals = cases.class_order
        self._work = Work(totals.n_cases / totals.total, cases.n_tests, n_numbers)
        self._max_tables = max(2, max_table_bytes // (8 * n_numbers))
        path: Path | None = None if cache is None else frozenset()
        self._nodes = [Node(None, 0, totals.counts, totals.total, self._costs.start, path)]
        self._n_nodes = 1
        self._done: list[tuple[NDArray[Any], ...]] = []  # levels that do not change any more
        self._branches: list[int] = []
        self._positions: Any = engine.start()
        self._before: list[Node] = []  # the last level's, by position
        self._put_off: tuple[Moves, ...] = ()

    def grow(self, report: ProgressReport = no_report) -> Nodes:
        """All levels; EndedEarlyError where the clock is over before the last, though not before there is a test."""
        root = self._nodes[0]
        root.table = self._cache.get(root.path)
        level, n_levels = self._without_leaves([root]), 0
        while is_open := [node for node in level if node.is_open]:
            n_levels += 1
            settled = 1 - sum(node.weight for node in is_open) / root.weight
            report(settled, 1.0, f"level {n_levels}: {len(is_open):,} of {self._n_nodes:,} nodes are open")
            below = self._grow_level(level, is_open)
            self._done.append(_arrays(level))  # which takes a tenth of the memory
            for node in level:
                node.parent = None
            level, self._nodes = self._without_leaves(below), [*below]
        return self._tree()

    def _grow_level(self, level: list[Node], is_open: list[Node]) -> list[Node]:
        """Count the open nodes and split them; their children."""
        fits = 2 * len(is_open) <= self._max_tables  # with their parents' tables
        counted, left_over = to_count(level, self._work if fits else None)
        if len(counted) > self._max_tables:
            counted, left_over = to_count(level, None)
        wanted = set(map(id, counted))
        held = [node for node in level if node.is_open or id(node) in wanted]
        for position, node in enumerate(held):  # where its cases will be, once they are asked to move
            node.position = position
        if self._before:
            self._put_off += (moves_to(level, self._before, int(self._n_outcomes.max())),)
        self._before = held
        n_at_once = len(is_open)
        if in_batches := len(counted) > self._max_tables:
            n_at_once = self._max_tables
            _forget(level)
        below = []
        for first in range(0, len(is_open), n_at_once):
            batch = is_open[first : first + n_at_once]
            self._begin(len(batch))
            if in_batches:
                counted = [node for node in batch if node.table is None]
            for node, table in zip(counted, self._pass(counted, by_case=False) if counted else (), strict=True):
                node.table = table
            fill_left_over(level, left_over)
            for node in (*counted, *left_over):
                self._cache.put(node.path, node.table)  # for other trees
            below += self._split(batch)
            for node in batch if in_batches else ():
                node.table = None
        _forget(level)
        return below

    def _pass(self, nodes: Sequence[Node], *, by_case: bool) -> NDArray[np.int64]:
        """The counts at these nodes."""
        slots = np.full(len(self._before), NOWHERE, dtype=np.int32)
        slots[[node.position for node in nodes]] = range(len(nodes))
        step = Step(self._put_off, slots, len(nodes), by_case)
        counts, self._positions = self._engine.advance(self._positions, step)
        self._put_off = ()
        return counts

    def _begin(self, n_nodes: int) -> None:
        """The time of a level or batch begins, if there is enough: a pass cannot be stopped in the middle."""
        left = self._clock.seconds_left
        if self._n_nodes > 1 and left is not None and self._cache.times.expected(n_nodes) > left:
            self._clock.end()
        self._end_if_over()
        self._began = self._clock.seconds_passed

    def _end_if_over(self) -> None:
        if self._n_nodes > 1 and self._clock.is_over:
            raise EndedEarlyError(self._tree())

    def _split(self, nodes: Sequence[Node]) -> list[Node]:
        """Those whose tables are known, by the rule; the children of those that it splits."""
        tables = np.stack([node.table for node in nodes if node.table is not None])
        if self._factors is not None:
            tables = tables * self._factors
        cases = self._pass(nodes, by_case=True) if self._needs_cases else None
        choices = self._rule.choose(_states(nodes), tables, cases)
        self._clock.spend(self._work.of(nodes) * self._clock.plan.seconds_per_level_cell)
        if self._clock.seconds_left is not None:  # else the seconds may be others than a later tree's
            self._cache.times.add(len(nodes), self._clock.seconds_passed - self._began)
        children: list[Node] = []
        for node, table, choice in zip(nodes, tables, choices, strict=True):
            if choice is None:
                node.table = node.path = None
            else:
                self._end_if_over()
                children += self._children(node, table, choice)
        return children

    def _children(self, node: Node, table: NDArray[np.int64], choice: Choice) -> list[Node]:
        """Do the test; the new node of each outcome that is present."""
        test, first = choice.test, self._first_cell[choice.test]
        shown = table[first : first + self._n_outcomes[test]]
        node.test, node.fallback = test, choice.fallback
        present = np.flatnonzero(shown.any(axis=1))
        below = np.full(len(shown), NO_BRANCH)
        below[present] = np.arange(len(present)) + self._n_nodes
        self._branches += below.tolist()
        children: list[Node] = []
        shown = shown[present]
        weights = shown.sum(axis=1).tolist()
        for outcome, counts, weight in zip(present.tolist(), shown, weights, strict=True):
            path = None if node.path is None else node.path | {(test, outcome)}
            known = self._cache.get(path)
            state = self._costs.after_result(node.state, test, outcome)
            children.append(Node(node, outcome, counts, weight, state, path, table=known))
        self._nodes += children
        self._n_nodes += len(children)
        return children

    def _without_leaves(self, level: list[Node]) -> list[Node]:
        """The same nodes, of which some are closed: they are leaves whatever the tests show."""
        if level:
            for node, is_leaf in zip(level, self._rule.stops(_states(level)).tolist(), strict=True):
                node.is_open = not is_leaf
        return level

    def _tree(self) -> Nodes:
        """The tree as it is now."""
        levels = [*self._done, _arrays(self._nodes)] if self._nodes else self._done
        test, counts, fallback = [np.concatenate(parts) for parts in zip(*levels, strict=True)]
        return grown_nodes(self._schema, test, counts, np.array(self._branches, dtype=np.int32), fallback)


def to_count(level: Sequence[Node], work: Work | None) -> tuple[list[Node], list[Node]]:
    """The nodes to count, and those whose counts are what all their siblings leave of their parent's.

    parent 100 cases      children 60 (open)   30 (open)   10 (a leaf)
    counted alone         60 + 30 cases
    or                    30 + 10 cases, and the 60 are left over
    """
    counted: list[Node] = []
    left_over: list[Node] = []
    for parent, children in groupby(level, key=lambda node: node.parent):
        family = list(children)
        wanted = [node for node in family if node.is_open and node.table is None]
        if wanted and work is not None and parent is not None and parent.table is not None:
            largest = max(wanted, key=lambda node: node.weight)
            others = [node for node in family if node is not largest and node.table is None]
            if work.of(others) < work.of(wanted):
                counted += others
                left_over.append(largest)
                continue
        counted += wanted
    return counted, left_over


def fill_left_over(level: Sequence[Node], left_over: Sequence[Node]) -> None:
    """The counts of those that were not counted themselves."""
    of_parent = {id(node.parent): node for node in left_over}
    for node in left_over:
        assert node.parent is not None
        assert node.parent.table is not None
        node.table = node.parent.table.copy()
    for sibling in level:
        node = of_parent.get(id(sibling.parent), sibling)
        if node is not sibling:
            assert node.table is not None
            assert sibling.table is not None
            node.table -= sibling.table


def moves_to(level: Sequence[Node], before: Sequence[Node], width: int) -> Moves:
    """From the positions of the last level to those of the next; what gets none has ended."""
    test = np.array([node.test for node in before], dtype=np.int32)
    below = np.full((len(before), width), NOWHERE, dtype=np.int32)
    for node in level:
        if node.position != NOWHERE and node.parent is not None:
            below[node.parent.position, node.outcome] = node.position
    return Moves(test, below)


def _forget(level: Sequence[Node]) -> None:
    """What is not needed after a level: its parents' counts, and what its leaves know."""
    for node in level:
        if node.parent is not None:
            node.parent.table = node.parent.path = None
        if not node.is_open:
            node.table = node.path = None


def _arrays(nodes: Sequence[Node]) -> tuple[NDArray[Any], ...]:
    """Test, counts and fallback of each."""
    test, fallback = ([getattr(node, name) for node in nodes] for name in ("test", "fallback"))
    counts = np.array([node.counts for node in nodes], dtype=np.int64)
    return np.array(test, dtype=np.int32), counts, np.array(fallback, dtype=bool)


def _states(nodes: Sequence[Node]) -> LevelNodes:
    return LevelNodes(
        np.array([node.counts for node in nodes], dtype=np.int64),
        np.array([node.state.spent for node in nodes], dtype=np.int64),
        np.array([node.state.flags for node in nodes], dtype=np.uint64),
    )


def grow_nodes(
    instance: AnyCases,
    settings: Settings,
    threads: int = 1,
    clock: Clock | None = None,
    report: ProgressReport = no_report,
    cache: CountCache | None = None,
) -> Nodes:
    """The nodes of one tree. EndedEarlyError where a clock is over in the middle; the core, which is quick, ends it.

    By levels, trees that share a cache share what they count.
    """
    if not isinstance(instance, Instance):
        cases = instance
    elif native_instance(instance).serves(settings.form, settings.min_cases):
        return grow_native(instance, settings, threads)
    else:
        cases = LocalCases.of_instance(instance)
    return LevelGrower(cases, settings, cases.engine(threads), cache, clock=clock).grow(report)


def greedy_origin(impurity: Impurity, delta: Fraction = Fraction(0), budget: Any = None, rule: str = "worst") -> Origin:
    """The settings of a growth; a budget without limit is none.

    Of the impurity its class, so that a user's Powers is not taken for ours, and its numbers; the rest is in its repr.
    """
    limit = None if budget is None or budget == math.inf else as_fraction(budget)
    kind, numbers = type(impurity), [pair for pair in vars(impurity).items() if isinstance(pair[1], (int, Fraction))]
    if kind.__module__.startswith("budgetree.impurity."):
        parameters = tuple((key, Fraction(value)) for key, value in numbers if value >= 0)
        function = Function(kind.__name__, parameters, repr(impurity))
    else:
        function = Function(f"{kind.__module__}.{kind.__qualname__}", (), repr(impurity))
    return Origin(Method.GREEDY, function, delta, limit, rule)
