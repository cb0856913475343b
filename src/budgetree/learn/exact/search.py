"""Questions to the core's exact search, and its answers (core/exact/)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from budgetree._native import core
from budgetree.learn.exact.layout import ALL_TESTS, Layout
from budgetree.services.clock import Clock
from budgetree.tree import LEAF, NO_BRANCH, Grown

if TYPE_CHECKING:
    from budgetree._core import Answer

ANY_TEST = -1  # no particular test: as a question any will do, as an answer the tree is a leaf
NEVER = 2**62  # a budget beyond all sums


@dataclass(frozen=True, slots=True)
class LongAnswer:
    """What a search that may take long has found when it ends, by itself or not."""

    answer: Answer | None  # None if the clock was over first
    lower_bound: int  # no tree within the budget has fewer errors
    nodes: Grown | None  # the best tree that it found below the cutoff


@dataclass(frozen=True, slots=True)
class Pass:
    """How many tests a search tries at each set; less than all proves nothing and finds good trees early."""

    breadth: int = ALL_TESTS
    is_wide_first: bool = False  # all at the first set: each test is judged by what the pass makes of its parts
    max_pair_work: int = NEVER  # nanoseconds that counting all pairs of a set may take, in a pass that proves nothing


EVERYTHING = Pass()


class Search:
    """Searches one layout; what it learns stays in its caches, one per worker.

    Long searches are split among workers. Where work is limited there are always as many, so that the answer does not
    depend on the machine; else there is one for each thread.
    """

    def __init__(
        self,
        layout: Layout,
        cache_bytes: int,
        threads: int,
        *,
        limits_work: bool = False,
        may_count_pairs: bool = True,
    ) -> None:
        self._layout, self._threads = layout, threads
        n_workers = core.WORKERS if limits_work else threads
        every_case_counts_once = bool((layout.weights == 1).all())
        cases = core.Cases(
            layout.codes,
            layout.labels,
            None if every_case_counts_once else layout.weights,
            layout.n_outcomes.astype(np.int32),
            layout.n_classes,
            codes_are_checked=True,  # by the instance
        )
        costs = core.CostModel(**layout.costs.lowered)
        policy = core.LeafPolicy(layout.losses, layout.n_classes, layout.min_cases)
        self._search = core.Search(cases, costs, policy, layout.unavoidable, cache_bytes // n_workers, may_count_pairs)

    @property
    def counts_pairs(self) -> bool:
        """Whether the last two tests come from counts of pairs of binary tests."""
        return bool(self._search.counts_pairs)

    def search(
        self, budget: int, cutoff: int, clock: Clock, *, by: Pass = EVERYTHING, only: int = ANY_TEST
    ) -> Answer | None:
        """The whole set's answer, or None when the clock is over.

        Its `value` is the fewest errors if below the cutoff, else a lower bound of at least the cutoff; `changes` the
        least larger budget at which that may no longer hold; `need` the least budget that the tree found is known to
        fit; `test` its first test, in the layout's order, or ANY_TEST where it is a leaf.

        With `only` other trees than those that begin with this test are left out; what a narrow
        pass answers bounds nothing from below.
        """
        with clock.in_core() as core_clock:
            answer: Answer | None = self._search.ask(_question(budget, cutoff, only), core_clock, _pass(by))
        return answer

    def search_long(
        self, budget: int, cutoff: int, clock: Clock, bound_seconds: float = 0.0, known_bound: int = 0
    ) -> LongAnswer:
        """The same, split by the first test among threads, after so long for a lower bound beyond the known one.

        Asked again with no larger cutoff it goes on where the clock had ended it.
        """
        with clock.in_core() as core_clock:
            question = _question(budget, cutoff, ANY_TEST)
            found, tree = self._search.search_in_parallel(
                question, core_clock, self._threads, bound_seconds, known_bound
            )
        return LongAnswer(found.answer, found.lower_bound, None if tree is None else as_nodes(self._layout, **tree))

    def tree(
        self,
        budget: int,
        clock: Clock,
        *,
        by: Pass = EVERYTHING,
        first_test: int = ANY_TEST,
        is_canonical: bool = False,
    ) -> Grown | None:
        """The tree behind an answer to this pass, with its first test where that is known; None when the clock is over.

        The canonical one is the tree that the budget defines, whatever was searched before.
        """
        question = _question(budget, NEVER, first_test)
        question.is_canonical = is_canonical
        with clock.in_core() as core_clock:
            tree = self._search.tree(question, core_clock, _pass(by))
        return None if tree is None else as_nodes(self._layout, **tree)


def as_nodes(layout: Layout, test: Any, parent: Any, outcome: Any, paid: Any, counts: Any) -> Grown:
    """A tree whose tests are in the layout's order, with the instance's tests and a branch for every outcome.

    The arguments are arrays, per node and breadth first: its test (ANY_TEST for a leaf), its parent (−1 for the root)
    with the outcome that leads here, what is paid, and the counts by class in weight units.
    """
    inner = test != ANY_TEST
    width = np.where(inner, layout.n_outcomes[test], 0)
    first_branch = np.where(inner, np.cumsum(width) - width, -1)
    branches = np.full(int(width.sum()), NO_BRANCH, dtype=np.int32)
    below = np.arange(1, len(test))
    branches[first_branch[parent[below]] + outcome[below]] = below
    return Grown(
        test=np.where(inner, layout.by_price[test], LEAF).astype(np.int32),
        parent=parent.astype(np.int32),
        counts=counts.astype(np.int64),
        paid=paid.astype(np.int64),
        first_branch=first_branch.astype(np.int64),
        branches=branches,
        fallback=np.zeros(len(test), dtype=bool),
    )


def _question(budget: int, cutoff: int, only: int) -> Any:
    return core.Question(budget, min(cutoff, NEVER), only)


def _pass(by: Pass) -> Any:
    return core.Pass(by.breadth, by.is_wide_first, by.max_pair_work)
