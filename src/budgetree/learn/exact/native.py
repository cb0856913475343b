"""Exact search by the native core (core/exact/)."""

from __future__ import annotations

from typing import Any

import numpy as np

from budgetree._native import core
from budgetree.learn.exact.answer import ANY_TEST, EVERYTHING, NEVER, Answer, LongAnswer, Pass, TreeWanted
from budgetree.learn.exact.layout import Layout
from budgetree.learn.exact.nodes import FoundNodes, as_nodes
from budgetree.services.clock import Clock
from budgetree.tree import Nodes

BOUND_SECONDS = 1.5  # for the bound that rises, where there is no time limit
BOUND_SHARE = 0.85  # of the time left for it, where there is a limit: a search that does not end says nothing else


class NativeSearch:
    """Searches one layout; what it learns stays in its caches, one per thread."""

    def __init__(self, layout: Layout, cache_bytes: int, threads: int, *, may_count_pairs: bool = True) -> None:
        self._layout, self._threads = layout, threads
        every_case_counts_once = bool((layout.weights == 1).all())
        cases = core.Cases(
            layout.codes,
            layout.labels,
            None if every_case_counts_once else layout.weights,
            layout.n_outcomes.astype(np.int32),
            layout.n_classes,
            codes_are_checked=True,  # by the instance
        )
        costs = core.CostModel(layout.own, layout.fees, layout.fee_mask.astype(np.uint64))
        policy = core.LeafPolicy(layout.losses, layout.n_classes, layout.min_cases)
        self._search = core.Search(cases, costs, policy, layout.unavoidable, cache_bytes // threads, may_count_pairs)

    @property
    def counts_pairs(self) -> bool:
        """Whether the last two tests come from counts of pairs of binary tests."""
        return bool(self._search.counts_pairs)

    def search(
        self, budget: int, cutoff: int, clock: Clock, *, by: Pass = EVERYTHING, only: int = ANY_TEST
    ) -> Answer | None:
        """The whole set's answer, or None when the clock is over.

        With `only` other trees than those that begin with this test are left out; what a narrow
        pass answers bounds nothing from below.
        """
        with clock.in_core() as core_clock:
            found = self._search.ask(_question(budget, cutoff, only), core_clock, _pass(by))
        return None if found is None else _answer(found)

    def search_long(self, budget: int, cutoff: int, clock: Clock) -> LongAnswer:
        """The same, split by the first test among threads, and with a bound that rises while it lasts."""
        left = clock.seconds_left
        bound_seconds = BOUND_SECONDS if left is None else BOUND_SHARE * left
        with clock.in_core() as core_clock:
            question = _question(budget, cutoff, ANY_TEST)
            found, tree = self._search.search_in_parallel(question, core_clock, self._threads, bound_seconds)
        answer = None if found.answer is None else _answer(found.answer)
        return LongAnswer(
            answer, found.lower_bound, None if tree is None else as_nodes(FoundNodes(**tree), self._layout)
        )

    def tree(self, wanted: TreeWanted, clock: Clock) -> Nodes | None:
        """The tree behind an answer, or the canonical one; None when the clock is over."""
        question = _question(wanted.budget, NEVER, wanted.first_test)
        question.is_canonical = wanted.is_canonical
        with clock.in_core() as core_clock:
            tree = self._search.tree(question, core_clock, _pass(wanted.by))
        return None if tree is None else as_nodes(FoundNodes(**tree), self._layout)


def _question(budget: int, cutoff: int, only: int) -> Any:
    return core.Question(budget, min(cutoff, NEVER), only)


def _pass(by: Pass) -> Any:
    return core.Pass(by.breadth, by.is_wide_first, by.max_pair_work)


def _answer(found: Any) -> Answer:
    return Answer(found.value, found.changes, found.need, found.test)
