"""The solver: exact search for one budget after another, with a clock and the best trees so far.

A question is first put to the search for a moment, which settles most. For a longer one good trees are looked for in
narrow passes (a few tests at each set) before the search goes on; a really long one takes all threads, and a bound that
rises while it lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from budgetree.core import core, say_once
from budgetree.learn.clock import Clock
from budgetree.learn.exact.answer import ANY_TEST, NEVER, Answer, Search
from budgetree.learn.exact.layout import Layout
from budgetree.learn.found import Found, found_tree
from budgetree.learn.progress import Report
from budgetree.problem import Instance
from budgetree.tree import LEAF, Nodes, Tree

MOMENT = 0.2  # seconds after which good trees are looked for before the search goes on
LONG, LONG_SHARE = 4.0, 0.05  # seconds after which a search counts as long, and their share of a time limit
QUICK, BROADER = (1, 2, 3), (5, 8, 13)  # tests to try at each set, in passes that find good trees early
HURRY = 5.0  # seconds: with less time left, greedy trees are grown before the search goes on
QUICK_SECONDS, BROADER_SECONDS = 0.3, 2.0
NEVER_AGAIN = NEVER // 8  # budgets beyond it come from adding to "never"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of the errors within a budget."""

    budget: int
    lower_bound: int  # no tree within the budget has fewer errors
    proven: bool  # as far as the question went: the best tree reaches the bound, or none is below the cutoff
    changes: int  # the least budget at which the bound may no longer hold; only if proven
    first_test: int = ANY_TEST  # of the canonical tree, where the search found it by first tests


def _no_trees() -> list[Found]:
    return []


def _do_nothing(solver: Solver, budget: int) -> None:
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Help:
    """What a solver works with: memory and threads, and whom to ask or tell when a question takes long."""

    cache_bytes: int
    threads: int
    report: Report | None = None
    greedy: Callable[[], list[Found]] = _no_trees  # trees to start from
    when_long: Callable[[Solver, int], None] = _do_nothing  # once, before the first long search


class Solver:
    """Answers for the budgets of one instance, and keeps the best trees."""

    def __init__(self, instance: Instance, budget: int, clock: Clock, helped: Help) -> None:
        self.layout = Layout(instance, budget)
        self.clock = clock
        self._instance, self._help = instance, helped
        self._search = make_search(self.layout, helped.cache_bytes, helped.threads)
        self._found: list[Found] = []
        self._has_looked = self._has_greedy = self._was_long = False
        self.proven: dict[int, int] = {}  # per budget a lower bound on the errors, where a question was settled
        self.keep(_single_leaf(instance), "single leaf")

    @property
    def unavoidable(self) -> int:
        return self.layout.unavoidable_errors

    @property
    def found(self) -> list[Found]:
        """The trees that no other beats, cheapest first."""
        return self._found

    def best(self, budget: int) -> Found:
        """The best tree so far within a budget."""
        return [found for found in self._found if found.need <= budget][-1]

    def next_better(self, errors: int) -> Found | None:
        """The cheapest tree so far that makes fewer errors."""
        return next((found for found in self._found if found.errors < errors), None)

    def lower_bound(self, budget: int) -> int:
        """No tree within the budget has fewer errors: what was proven for it, or for a larger one."""
        return max([self.unavoidable, *(bound for asked, bound in self.proven.items() if asked >= budget)])

    def add(self, new: Found) -> None:
        """Keeps a tree unless another is at least as good and no costlier."""
        if any(old.errors <= new.errors and old.need <= new.need for old in self._found):
            return
        kept = [old for old in self._found if old.errors < new.errors or old.need < new.need]
        self._found = sorted([*kept, new], key=lambda found: found.need)

    def keep(self, tree: Tree, source: str) -> None:
        self.add(found_tree(tree, source))

    def decide(self, budget: int, cutoff: int) -> Verdict:
        """The fewest errors within the budget, if below the cutoff; the trees on the way are kept."""
        if self.clock.is_over:
            return Verdict(budget, self.unavoidable, False, budget)
        cutoff = min(cutoff, self.best(budget).errors + 1)
        left = self.clock.seconds_left
        answer = self._ask(budget, cutoff, MOMENT if left is None else min(MOMENT, left / 4))
        if answer is None:
            if not self._has_looked:  # once: of many such questions each would be held up
                self._has_looked = True
                if (self.clock.seconds_left or HURRY) < HURRY:
                    self.start_from_greedy()  # first: on large data a narrow pass may find nothing in the time left
                self.look(budget, QUICK_SECONDS, QUICK)
            left = self.clock.seconds_left
            answer = self._ask(budget, cutoff, LONG if left is None else min(LONG, LONG_SHARE * left))
        if answer is None:
            return self._decide_long(budget, cutoff)
        return self._settled(budget, cutoff, answer)

    def look(self, budget: int, seconds: float, breadths: Sequence[int] = QUICK + BROADER) -> None:
        """Narrow passes for good trees; they prove nothing."""
        clock = self._watch(budget, seconds)
        for breadth in breadths:
            best = self.best(budget)
            if clock.is_over or best.errors == self.unavoidable:
                return
            answer = self._unless_stopped(partial(self._search.search, budget, best.errors, clock, breadth=breadth))
            if answer is not None and answer.value < best.errors:
                nodes = self._search.tree(budget, Clock(None), breadth=breadth)
                self._keep_nodes(nodes, f"search, breadth {breadth}")

    def start_from_greedy(self) -> None:
        """Adds the greedy trees, once."""
        if self._has_greedy or self.clock.is_over:
            return
        self._has_greedy = True
        for found in self._help.greedy():
            self.add(found)

    def canonical(self, verdict: Verdict) -> Tree | None:
        """The tree of a proven budget, the same whatever was searched before; None if the time is over first."""
        find = partial(self._search.tree, verdict.budget, first_test=verdict.first_test, canonical=True)
        # Where one search settled the question, its tree takes about as long: it is not held up by the clock.
        clock = Clock(None) if verdict.first_test == ANY_TEST else self._watch(verdict.budget, None)
        nodes = self._unless_stopped(partial(find, clock))
        return None if nodes is None else self._tree(nodes, "exact")

    def _ask(self, budget: int, cutoff: int, seconds: float) -> Answer | None:
        return self._unless_stopped(partial(self._search.search, budget, cutoff, self._watch(budget, seconds)))

    def _decide_long(self, budget: int, cutoff: int) -> Verdict:
        """With everything there is."""
        self.start_from_greedy()
        if not self._was_long:
            self._was_long = True
            self._help.when_long(self, budget)
        left = self.clock.seconds_left
        self.look(budget, BROADER_SECONDS if left is None else min(BROADER_SECONDS, LONG_SHARE * left))
        cutoff = min(cutoff, self.best(budget).errors + 1)
        clock = self._watch(budget, None)
        found = self._unless_stopped(partial(self._search.search_long, budget, cutoff, clock))
        if found is None:
            return Verdict(budget, self.unavoidable, False, budget)
        if found.nodes is not None:
            self._keep_nodes(found.nodes, "exact search")
        if found.answer is None:
            bound = max(self.unavoidable, found.lower_bound)
            self.proven[budget] = bound
            return Verdict(budget, bound, False, budget)
        value = min(found.answer.value, cutoff)
        if value < cutoff:
            self._must_reach(budget, value)
        self.proven[budget] = value
        first = found.answer.test if value < self.layout.leaf_errors else ANY_TEST
        return Verdict(budget, value, True, found.answer.changes, first)

    def _settled(self, budget: int, cutoff: int, answer: Answer) -> Verdict:
        """What the search's answer means; its tree is kept if it is a better one."""
        if answer.value < min(cutoff, self.best(budget).errors):
            nodes = self._search.tree(budget, Clock(None), first_test=answer.test)
            self._keep_nodes(nodes, "exact search")
            if nodes is None:
                return Verdict(budget, self.unavoidable, False, budget)
            self._must_reach(budget, answer.value)
        self.proven[budget] = min(answer.value, cutoff)
        return Verdict(budget, min(answer.value, cutoff), True, answer.changes)

    def _must_reach(self, budget: int, errors: int) -> None:
        """A value without its tree would be a mistake in this program, and nothing may be called proven then."""
        if self.best(budget).errors > errors:
            raise AssertionError(f"exact search claims {errors} errors within {budget} units, but has no such tree")

    def _watch(self, budget: int, seconds: float | None) -> Clock:
        """A share of the clock that tells how far the question is."""
        return self.clock.share(seconds, partial(self._tell, budget) if self._help.report else None)

    def _tell(self, budget: int, done: int, total: int) -> None:
        schema, report = self._instance.schema, self._help.report
        assert report is not None
        known = (self.best(budget).errors, self.lower_bound(budget))
        best, least = (float(units / schema.weight_scale) for units in known)
        words = f"budget {schema.table.amount(budget)}: best {best:g}, at least {least:g}, gap {best - least:g}"
        report(done, total or 1, words)

    def _unless_stopped(self, job: Callable[[], T]) -> T | None:
        """What the job answers; None where Ctrl-C ends it."""
        try:
            return job()
        except KeyboardInterrupt:
            self.clock.interrupt()
            return None

    def _keep_nodes(self, nodes: Nodes | None, source: str) -> None:
        if nodes is None:  # Ctrl-C came just now, on a clock without a limit
            self.clock.interrupt()
        else:
            self.keep(self._tree(nodes, source), source)

    def _tree(self, nodes: Nodes, origin: str) -> Tree:
        return Tree(self._instance.schema, nodes, self._instance.n_objects, origin)


def make_search(layout: Layout, cache_bytes: int, threads: int) -> Search:
    """By the native core where it is there."""
    if core is not None:
        from budgetree.learn.exact.native import NativeSearch

        return NativeSearch(layout, cache_bytes, threads)
    from budgetree.learn.exact.plain import PlainSearch

    say_once()
    return PlainSearch(layout, cache_bytes)


def _single_leaf(instance: Instance) -> Tree:
    counts = instance.class_order.counts[None, :].copy()
    nodes = Nodes(
        test=np.array([LEAF], dtype=np.int32),
        parent=np.array([-1], dtype=np.int32),
        counts=counts,
        paid=np.zeros(1, dtype=np.int64),
        first_branch=np.array([-1], dtype=np.int64),
        branches=np.empty(0, dtype=np.int32),
        fallback=np.zeros(1, dtype=bool),
    )
    return Tree(instance.schema, nodes, instance.n_objects, "single leaf")
