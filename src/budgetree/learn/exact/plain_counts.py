"""What one or two more tests make of a set of cases, counted by NumPy: for the search in plain.py.

Counts are whole numbers in floating point, which is exact here: NumPy multiplies such matrices much faster. Errors are
losses where the layout has any.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.exact.answer import NEVER
from budgetree.learn.exact.layout import Layout
from budgetree.problem.prices import fees_due

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cases:
    """A set of cases as a path reaches it."""

    numbers: NDArray[np.int32]  # which cases, in ascending order
    fees_paid: int  # on the path, a bit for each
    leaf: int  # what is wrong if the set becomes a leaf
    least: int  # what every tree gets wrong

    @property
    def key(self) -> tuple[bytes, int]:
        return self.numbers.tobytes(), self.fees_paid


@dataclass(frozen=True, slots=True)
class Part:
    """The cases of a set that show one outcome of a test."""

    cases: Cases
    outcome: int
    spent: int  # on the test, fees included

    @property
    def is_mixed(self) -> bool:
        """Whether another test may help."""
        return self.cases.leaf > self.cases.least


class Columns:
    """A layout with a column for each outcome of each test, and the votes of each case."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.test = np.repeat(np.arange(layout.n_tests), layout.n_outcomes)
        self.outcome = np.concatenate([np.arange(n) for n in layout.n_outcomes])
        self.own = layout.own[self.test, self.outcome]
        self.shown = layout.codes[:, self.test] == self.outcome  # case × column
        self.losses = 1 - np.eye(layout.n_classes, dtype=np.int64) if layout.losses is None else layout.losses
        # Exact either way: what all cases of an instance can lose is below 2**53 units.
        most = int((layout.weights * np.maximum(self.losses.max(axis=1), 1)[layout.labels]).sum())
        self.kind: Any = np.float32 if most <= 2**24 else np.float64
        # Case × class, its weight; and behind the classes what is unavoidable.
        self.votes = np.zeros((layout.n_cases, layout.n_classes + 1), dtype=self.kind)
        self.votes[np.arange(layout.n_cases), layout.labels] = layout.weights
        self.votes[:, -1] = layout.unavoidable

    def whole(self) -> Cases:
        layout = self.layout
        return Cases(np.arange(layout.n_cases, dtype=np.int32), 0, layout.leaf_loss, layout.unavoidable_loss)

    def fees_due(self, test: int, fees_paid: int) -> int:
        return int(fees_due(self.layout.fee_mask[[test]] & ~fees_paid, self.layout.fees)[0])

    def parts(self, cases: Cases, test: int) -> list[Part]:
        """What the test makes of the cases, outcome by outcome as far as shown."""
        layout, numbers = self.layout, cases.numbers
        due = self.fees_due(test, cases.fees_paid)
        fees_paid = cases.fees_paid | int(layout.fee_mask[test])
        codes = layout.codes[numbers, test]
        parts = []
        for outcome in np.flatnonzero(np.bincount(codes)).tolist():
            there = numbers[codes == outcome]
            votes = self.votes[there].sum(axis=0).astype(np.int64)
            part = Cases(there, fees_paid, int(self.leaf_losses(votes[:-1])), int(votes[-1]))
            parts.append(Part(part, outcome, due + int(layout.own[test, outcome])))
        return parts

    def leaf_losses(self, votes: Numbers) -> Numbers:
        """… × class weights: what the best answer loses."""
        lost: Numbers = (votes @ self.losses).min(axis=-1)
        return lost

    def are_too_few(self, sizes: Numbers) -> NDArray[np.bool_]:
        """Parts that some cases show, but fewer than a leaf must have."""
        return np.asarray((sizes > 0) & (sizes < self.layout.min_cases))


class Splits:
    """The tests that split a set, in the layout's order, and the parts they make of it, one after another.

    The parts of the test tests[s] begin at starts[s].
    """

    def __init__(self, columns: Columns, cases: Cases) -> None:
        layout = columns.layout
        self.cases, self._columns = cases, columns
        shown = columns.shown[cases.numbers]
        counted = (shown.T.astype(columns.kind) @ columns.votes[cases.numbers]).astype(np.int64)
        is_shown = counted[:, :-1].any(axis=1)
        n_shown = np.bincount(columns.test[is_shown], minlength=layout.n_tests)
        self.tests = np.flatnonzero(n_shown > 1)
        self.columns = np.flatnonzero(is_shown & (n_shown > 1)[columns.test])
        n_parts = n_shown[self.tests]
        self.starts = np.cumsum(n_parts) - n_parts
        self.test_of = np.repeat(np.arange(len(self.tests)), n_parts)  # per part, the position of its test
        self.votes = counted[self.columns, :-1]  # part × class
        self.leaf = columns.leaf_losses(self.votes)
        too_few = columns.are_too_few(shown[:, self.columns].sum(axis=0))
        self.is_allowed = ~np.logical_or.reduceat(too_few, self.starts) if len(self.tests) else too_few  # per test
        self.least = counted[self.columns, -1]
        self._unpaid = layout.fee_mask[self.tests] & ~cases.fees_paid
        due = fees_due(self._unpaid, layout.fees)
        self.price = layout.costliest[self.tests] + due  # what a path must have left to do the test
        self.spent = columns.own[self.columns] + due[self.test_of]  # what each part has paid

    def least_cost(self, n_tests: int) -> int:
        """Below this budget no path has so many of the tests that split the set."""
        return least_cost(self._columns.layout, self.tests, n_tests) if len(self.tests) >= n_tests else NEVER

    def next_price(self, budget: int) -> int:
        """The least price beyond the budget."""
        return int(self.price[self.price > budget].min(initial=NEVER))

    def affordable(self, budget: int) -> list[int]:
        """The tests within the budget that leave every part enough cases, in the layout's order."""
        within: list[int] = self.tests[(self.price <= budget) & self.is_allowed].tolist()
        return within

    def ranked(self, budget: int) -> list[int]:
        """The affordable tests, the most promising first; a free one alone, because doing it is never wrong.

        (Where leaves need several cases it may be, and a free test is one among others.) Promising is what leaves few
        pairs of cases of different classes together; for a binary layout, few for the size of the part.
        """
        free = np.flatnonzero(self.price == 0)
        if len(free) and self._columns.layout.min_cases == 1:
            return [int(self.tests[free[0]])]
        if self._columns.layout.is_binary:
            squares = (self.votes**2).sum(axis=1) / self.votes.sum(axis=1)
            score = -squares[1::2] - squares[::2]
        else:
            # One class and one part after another, so that doubles that are not exact are at least the same everywhere.
            votes = self.votes.T.astype(np.float64)
            score = np.bincount(self.test_of, weights=sum(votes) ** 2 - sum(votes**2))
        order = np.argsort(score, kind="stable")
        ranked: list[int] = self.tests[order[((self.price <= budget) & self.is_allowed)[order]]].tolist()
        return ranked

    def last_two(self, budget: int) -> tuple[Numbers, Numbers, int]:
        """Where no path affords three tests: per test the errors of the best tree that begins with it, and its need.

        And the least larger budget at which any of them may be others.

        Nothing is searched. Each part of each first test takes the second test that loses least, among those that the
        part still affords; what two tests lose together comes from one matrix (_count_pairs):

            first test s                          second test t
            ├─ part 0: cases with s = 0   ×   ├─ t = 0   the best answer for the cases in both: 2 ┐ 2 + 1 lost, if the
            │                                 └─ t = 1                                          1 ┘ money suffices
            └─ part 1 …

        A part that is as good as it gets, or that no second test improves, stays a leaf.
        """
        affordable = (self.price <= budget) & self.is_allowed
        fewer, need = np.zeros_like(self.leaf), np.zeros_like(self.leaf)  # what the second test does for each part
        mixed = np.flatnonzero((self.leaf > self.least) & affordable[self.test_of])
        changes = min(self.next_price(budget), self.least_cost(2 if budget < self.least_cost(2) else 3))
        if budget >= self.least_cost(2) and len(mixed):
            costs = self.spent[mixed, None] + self._prices_after()[self.test_of[mixed]]  # part × second test
            is_possible = (costs <= budget) & self._leaves_enough(mixed)
            lost = np.where(is_possible, np.add.reduceat(self._count_pairs(mixed), self.starts, axis=1), NEVER)
            second = lost.argmin(axis=1)[:, None]
            less = self.leaf[mixed] - np.take_along_axis(lost, second, axis=1)[:, 0]
            fewer[mixed] = np.maximum(less, 0)
            need[mixed] = np.where(less > 0, np.take_along_axis(costs, second, axis=1)[:, 0], 0)
            changes = min(changes, int(costs[costs > budget].min(initial=NEVER)))
        errors = np.where(affordable, np.add.reduceat(self.leaf - fewer, self.starts), NEVER)
        return errors, np.maximum(self.price, np.maximum.reduceat(need, self.starts)), changes

    def _prices_after(self) -> Numbers:
        """First test × second test: what the second costs once the fees of the first are paid."""
        layout = self._columns.layout
        due = fees_due(self._unpaid & ~self._unpaid[:, None], layout.fees)
        prices: Numbers = layout.costliest[self.tests] + due
        return prices

    def _leaves_enough(self, parts: NDArray[np.intp]) -> NDArray[np.bool_]:
        """These parts × all tests: whether every leaf that the test makes of the part has enough cases."""
        if self._columns.layout.min_cases == 1:
            return np.ones((len(parts), len(self.tests)), dtype=bool)
        shown = self._columns.shown[self.cases.numbers][:, self.columns].astype(self._columns.kind)
        sizes = (shown[:, parts].T @ shown).astype(np.int64)
        return np.asarray(~np.logical_or.reduceat(self._columns.are_too_few(sizes), self.starts, axis=1))

    def _count_pairs(self, parts: NDArray[np.intp]) -> Numbers:
        """These parts × all parts: what the best answer loses on the cases that are in both.

        With a row per case and a column per part, 1 where the case is in the part, the cases of one class that two
        parts share are a product of matrices, parts × cases by cases × parts. What an answer loses is the sum of these
        by class, each times the loss.
        """
        numbers, layout, losses = self.cases.numbers, self._columns.layout, self._columns.losses
        shown = self._columns.shown[numbers][:, self.columns].astype(self._columns.kind)
        firsts = shown[:, parts] * layout.weights[numbers, None].astype(self._columns.kind)
        labels = layout.labels[numbers]
        if layout.losses is None:  # what is not of the largest class, without a matrix for each of many answers
            shared = [(firsts[labels == label].T @ shown[labels == label]) for label in np.unique(labels).tolist()]
            return np.asarray(sum(shared) - reduce(np.maximum, shared)).astype(np.int64)
        lost = np.zeros((losses.shape[1], len(parts), len(self.columns)), dtype=np.int64)
        for label in np.unique(labels).tolist():
            in_class = (firsts[labels == label].T @ shown[labels == label]).astype(np.int64)
            lost += losses[label][:, None, None] * in_class
        least: Numbers = lost.min(axis=0)
        return least


def least_cost(layout: Layout, tests: NDArray[np.intp], n_tests: int) -> int:
    """Below this budget no path has so many of these tests: all but its last may show their cheapest outcome."""
    return int(layout.costliest[tests].min() + np.sort(layout.cheapest[tests])[: n_tests - 1].sum())
