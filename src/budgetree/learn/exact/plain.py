"""The exact search as a readable program: what the native core computes, and what runs where there is none.

err(G, b, F), the fewest errors on a set G of cases with a remaining budget b and the fees F paid, is the least of G's
errors as a leaf and, over the tests that b affords, the sum of err over the test's parts:

    err(G, b, F) = min of leaf(G) and, over all t with costliest(t) + due(t, F) ≤ b,
                   Σ over outcomes i of err(G where t shows i, b − own(t, i) − due(t, F), F with the fees of t)

where due(t, F) are the fees of t that F lacks. To that come: a cache of sets; the budget up to which each answer holds;
the last two tests counted rather than tried; cutoffs; and a free test that splits a set is done first, which is never
wrong. Where cases have losses, err and leaf are losses. Where leaves must have several cases (min_cases), a test is
left out at a set if it shows some outcome there in fewer; free tests are then like others.

The canonical tree depends on the instance and the budget alone. At every set, with its remaining budget b:
1. If err is leaf(G), the set becomes a leaf.
2. Otherwise it gets the cheapest test, among those that split it and that b affords, whose parts' err add up to err:
   by its costliest outcome with the fees due, and of equally cheap ones the first. First
   (a) in the layout's order, which is by price without fees, where b is below the least costliest price plus the two
       least cheapest prices of all the instance's tests, fees left out: no path affords three tests then;
   (b) elsewhere a free test, if any splits the set: the first in the layout's order;
   (c) or else by score, lowest first, ties in the layout's order. With n_ic cases of class c in part i, the score is
       −Σ_c n_1c²/n_1 − Σ_c n_0c²/n_0 for a binary layout, else Σ_i (n_i² − Σ_c n_ic²), by weight; both in doubles.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np

from budgetree.learn.exact.answer import ALL_TESTS, ANY_TEST, EVERYTHING, NEVER, Answer, LongAnswer, Pass, TreeWanted
from budgetree.learn.exact.layout import Layout
from budgetree.learn.exact.nodes import FoundNodes, as_nodes
from budgetree.learn.exact.plain_counts import Cases, Columns, Splits, least_cost
from budgetree.services.clock import Clock
from budgetree.tree import Nodes

CACHE_BYTES = 2**28
ENTRY_BYTES = 400  # of a cache entry, beside the numbers of its cases
FRAMES_PER_TEST = 4  # Python's calls for each test of a path, and some to spare


@dataclass(slots=True)
class _Known:
    """What is known of a set: at least `bound` errors below one budget, a tree from another one on."""

    bound: int = 0
    below: int = 0
    errors: int = NEVER
    need: int = NEVER
    test: int = ANY_TEST
    narrow: tuple[int, int, int] | None = None  # which narrow pass found the tree: see _kind


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of a tree in the making."""

    cases: Cases
    parent: int
    outcome: int
    paid: int


class _OverError(Exception):
    """The clock is over."""


class PlainSearch:
    """Searches one layout; what it learns stays in its cache."""

    def __init__(self, layout: Layout, cache_bytes: int = CACHE_BYTES) -> None:
        self.layout = layout
        self._columns = Columns(layout)
        self._whole = self._columns.whole()
        self._cache: dict[tuple[bytes, int], _Known] = {}
        self._free_bytes = cache_bytes
        self._clock, self._pass = Clock(None), EVERYTHING
        # Python stops at a thousand calls within each other, long paths or not.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES_PER_TEST * layout.max_depth + 500))

    def search(
        self, budget: int, cutoff: int, clock: Clock, *, by: Pass = EVERYTHING, only: int = ANY_TEST
    ) -> Answer | None:
        """The whole set's answer, or None when the clock is over.

        With `only` other trees than a leaf and those that begin with this test are left out; what a narrow pass answers
        bounds nothing from below.
        """
        self._clock, self._pass = clock, by
        try:
            return self._fewest(self._whole, budget, cutoff, only, is_first=True)
        except _OverError:
            return None

    def search_long(self, budget: int, cutoff: int, clock: Clock) -> LongAnswer:
        """The same: there are no threads here, and no bound that rises."""
        answer = self.search(budget, cutoff, clock)
        if answer is None:
            return LongAnswer(None, self._whole.least, None)
        found = answer.value < cutoff
        nodes = self.tree(TreeWanted(budget, first_test=answer.test), Clock(None)) if found else None
        # Which test begins the canonical tree is for tree() to find out.
        return LongAnswer(replace(answer, test=ANY_TEST), min(answer.value, cutoff), nodes)

    def tree(self, wanted: TreeWanted, clock: Clock) -> Nodes | None:
        """The tree behind the search's answer, or None when the clock is over; a canonical one may take as long."""
        self._clock, self._pass = clock, EVERYTHING if wanted.is_canonical else wanted.by
        choose = self._canonical_test if wanted.is_canonical else self._found_test
        nodes, tests = [_Node(self._whole, -1, -1, 0)], []
        try:
            for number, node in enumerate(nodes):  # which grow on the way
                is_given = number == 0 and wanted.first_test != ANY_TEST
                tests.append(wanted.first_test if is_given else choose(node.cases, wanted.budget - node.paid))
                if tests[number] != ANY_TEST:
                    parts = self._columns.parts(node.cases, tests[number])
                    nodes += [_Node(part.cases, number, part.outcome, node.paid + part.spent) for part in parts]
        except _OverError:
            return None
        found = FoundNodes(
            test=np.array(tests),
            parent=np.array([node.parent for node in nodes]),
            outcome=np.array([node.outcome for node in nodes]),
            paid=np.array([node.paid for node in nodes]),
            counts=np.array([self._columns.votes[node.cases.numbers, :-1].sum(axis=0) for node in nodes]),
        )
        return as_nodes(found, self.layout)

    def _fewest(self, here: Cases, budget: int, cutoff: int, only: int = ANY_TEST, *, is_first: bool = False) -> Answer:
        """The answer for one set; with `only` the cache is neither read nor written.

        An answer lies between a floor, which is proven, and the best tree known. Each step raises the floor or lowers
        the best, and the search of a set ends where they meet, or where the floor shows that it cannot matter:

            leaf ────┐ best: becomes what the cache knows, then what a test is found to make
                     ▼
              · · · · · · · · · cutoff: who asks has a tree with so few errors; at or above it a bound will do
                     ▲
            least ───┘ floor: becomes what the cache has proven for this budget

        Which of the two an answer is, `value` says: below the cutoff it is the errors of a tree, else a lower bound.
        """
        floor, best = Answer(here.least, NEVER, 0, ANY_TEST), Answer(here.leaf, NEVER, 0, ANY_TEST)
        if here.least == here.leaf or here.least >= cutoff:
            return floor
        known = self._cache.get(here.key) if only == ANY_TEST else None
        if known is not None:
            if known.need <= budget and known.errors < best.value:
                best = Answer(known.errors, NEVER, known.need, known.test)
            if known.below > budget and known.bound > floor.value:
                floor = Answer(known.bound, known.below, 0, ANY_TEST)
            if floor.value >= cutoff:
                return floor
            if best.value == floor.value or known.narrow == self._kind(budget, is_first):
                return replace(best, changes=floor.changes)
        if self._clock.is_over:
            raise _OverError
        splits = Splits(self._columns, here)
        if only != ANY_TEST:
            order = [only] if only in splits.affordable(budget) else []
            return self._try_all(splits, order, budget, cutoff, floor, best)
        is_counted = budget < splits.least_cost(3)
        if is_counted:
            answer = self._last_two(splits, budget)
        else:
            order = splits.ranked(budget)[: self._kind(budget, is_first)[0]]
            answer = self._try_all(splits, order, budget, cutoff, floor, best)
        kind = None if is_counted or self._pass.proves else self._kind(budget, is_first)
        self._remember(here, answer, cutoff, kind)
        return answer

    def _kind(self, budget: int, is_first: bool) -> tuple[int, int, int]:
        """What a pass does at a set: how many tests it tries there and below, and with which budget."""
        breadth = ALL_TESTS if is_first and self._pass.is_wide_first else self._pass.breadth
        return breadth, self._pass.breadth, budget

    def _last_two(self, splits: Splits, budget: int) -> Answer:
        """The answer where no path affords three tests."""
        errors, need, changes = splits.last_two(budget)
        first, here = errors.argmin(), splits.cases
        if errors[first] >= here.leaf:
            return Answer(here.leaf, changes, 0, ANY_TEST)
        changes = NEVER if errors[first] == here.least else changes
        return Answer(int(errors[first]), changes, int(need[first]), int(splits.tests[first]))

    def _try_all(
        self, splits: Splits, order: list[int], budget: int, cutoff: int, floor: Answer, best: Answer
    ) -> Answer:
        """The best of the tests in this order; between what is proven, the floor, and the best tree known before.

        A test is tried only for trees below the bound, which falls with each better tree. Where it finds none, its
        answer is a lower bound of what begins with it; the least of these (`refuted`) is one for the set, if none of
        its tests was left out. The answer may change where the next test becomes affordable or where a test's own does.
        """
        here, bound = splits.cases, min(best.value, cutoff)
        refuted, changes = here.leaf, splits.next_price(budget)
        for test in order:
            answer = self._try(here, test, budget, bound)
            refuted, changes = min(refuted, answer.value), min(changes, answer.changes)
            if answer.value < bound:
                best, bound = answer, answer.value
                if bound == floor.value:  # of the tests not tried only the floor is known
                    return replace(best, changes=floor.changes)
        value = best.value if best.value < cutoff else max(min(refuted, best.value), floor.value)
        if value == floor.value:
            changes = max(changes, floor.changes)
        return Answer(value, changes, best.need, best.test)

    def _try(self, here: Cases, test: int, budget: int, bound: int) -> Answer:
        """The fewest errors of a tree that begins with this test if below the bound, else a lower bound not below.

        All parts begin with what is proven of them; they are searched one by one, each with what the others leave of
        the bound, until the sum reaches it:

            parts    3 of 9 wrong, proven   │ 0 of 5 │ 1 of 4          wrong = 3 + 0 + 1 = 4, bound 6
            search   the first, below 6 − (0 + 1) = 5: it has 4        wrong = 5
            search   the second, below 6 − (4 + 1) = 1: none           wrong = 6: refuted, the third is not searched
        """
        parts = [part for part in self._columns.parts(here, test) if part.is_mixed]
        parts.sort(key=lambda part: part.cases.least - part.cases.leaf)  # the most mixed is the soonest to refute
        answers = [self._recall(part.cases, budget - part.spent) for part in parts]
        wrong = here.least + sum(known.value - part.cases.least for part, known in zip(parts, answers, strict=True))
        for i, part in enumerate(parts):
            if wrong >= bound:
                break
            rest = wrong - answers[i].value
            answers[i] = self._fewest(part.cases, budget - part.spent, bound - rest)
            wrong = rest + answers[i].value
        changes = NEVER
        need = int(self.layout.costliest[test]) + self._columns.fees_due(test, here.fees_paid)
        for part, answer in zip(parts, answers, strict=True):
            need = max(need, part.spent + answer.need)
            if answer.value > part.cases.least:
                changes = min(changes, part.spent + answer.changes)
        return Answer(wrong, changes, need, test)

    def _recall(self, part: Cases, budget: int) -> Answer:
        """What is proven of a part without searching it."""
        known = self._cache.get(part.key)
        if known is not None and known.below > budget and known.bound > part.least:
            return Answer(known.bound, known.below, 0, ANY_TEST)
        return Answer(part.least, NEVER, 0, ANY_TEST)

    def _remember(self, here: Cases, answer: Answer, cutoff: int, narrow: tuple[int, int, int] | None) -> None:
        """Keeps a tree below the cutoff, and a bound unless a narrow pass answered."""
        known = self._cache.get(here.key)
        if known is None:
            known = self._cache[here.key] = _Known()
            self._free_bytes -= ENTRY_BYTES + here.numbers.nbytes
            while self._free_bytes < 0 and self._cache:  # the oldest first: they are the smallest sets
                numbers, _ = oldest = next(iter(self._cache))
                del self._cache[oldest]
                self._free_bytes += ENTRY_BYTES + len(numbers)
        if narrow is None and (known.below < answer.changes or known.bound < answer.value):
            known.bound, known.below = answer.value, answer.changes
        if answer.value < cutoff:
            known.errors, known.need, known.test = answer.value, answer.need, answer.test
            known.narrow = narrow

    def _found_test(self, here: Cases, budget: int) -> int:
        return self._fewest(here, budget, NEVER, is_first=True).test

    def _canonical_test(self, here: Cases, budget: int) -> int:
        """The set's test as this module's docstring defines it.

        What was searched before may have left any of several equally good trees in the cache. So the fewest errors are
        taken from the search, but the test is chosen anew: the first in order that reaches them.
        """
        fewest = self._fewest(here, budget, NEVER).value
        if fewest == here.leaf:
            return ANY_TEST
        splits = Splits(self._columns, here)
        if budget < least_cost(self.layout, np.arange(self.layout.n_tests), 3):
            return int(splits.tests[splits.last_two(budget)[0].argmin()])
        price = dict(zip(splits.tests.tolist(), splits.price.tolist(), strict=True))
        order = sorted(splits.ranked(budget), key=price.__getitem__)
        return next(test for test in order if self._try(here, test, budget, fewest + 1).value == fewest)
