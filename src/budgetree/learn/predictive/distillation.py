"""Distillation: a leaf's model becomes a small plain tree of free branches on what is paid, for the wall.

The tree is fitted to the model's probabilities rather than to the labels, on all known cases, because the model knows
more than the few cases of a leaf do; these count four times, because it is for them.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.growth import Place, branch, cut
from budgetree.learn.predictive.ridge import Cases, Models
from budgetree.problem import CostModel
from budgetree.problem.cost_model import mask_of
from budgetree.services.clock import Clock
from budgetree.tree import Model

MAX_LEAVES = 16
MIN_WEIGHT = 2.0  # on each side, of all cases and of the leaf's own
OWN_CASES = 4.0  # what a case of the leaf counts
TOLERANCE = 1e-9


def distil(root: Place, models: Models, prices: CostModel, sure: float | None, clock: Clock) -> Place:
    """The same purchases and branches; every end branches on until it is plain, or its share of the time is over.

    Nothing is bought where every end is `sure` of the same class, or that no branch asks for.
    """
    plain = cut(root)
    ends = list(plain.ends())
    for place, end in enumerate(ends):
        _distil_end(end, models, prices, clock.share(clock.seconds_of(1 / (len(ends) - place))))
    if sure is not None:
        _settle(plain, sure, models.cases)
    _drop_unasked(plain)
    return plain


_Cut = tuple[float, int, NDArray[np.bool_]]  # the gain of a split, its test, and which of its outcomes go left


@dataclass(frozen=True, slots=True, eq=False)
class _Teacher:
    """What is imitated: probabilities of all known cases, with how much each counts."""

    cases: Cases
    probabilities: NDArray[np.float64]
    weights: NDArray[np.float64]

    def mean(self, region: NDArray[np.int64]) -> NDArray[np.float64]:
        weights = self.weights[region]
        return np.asarray(weights @ self.probabilities[region] / weights.sum())

    def best_cut(self, region: NDArray[np.int64], tests: Sequence[int]) -> _Cut | None:
        """The cut that lowers the squared error most."""
        weights = self.weights[region]
        values = np.column_stack([weights, self.cases.weights[region], weights[:, None] * self.probabilities[region]])
        whole = values.sum(axis=0)
        best: _Cut | None = None
        for test in tests:
            basis = self.cases.bases[test]
            sums = np.zeros((basis.n_outcomes, values.shape[1]))
            np.add.at(sums, self.cases.codes[region, test], values)
            left = np.cumsum(sums, axis=0) if basis.is_ordered else sums
            right = whole - left
            fits = np.flatnonzero((left[:, 1] >= MIN_WEIGHT) & (right[:, 1] >= MIN_WEIGHT))
            if not len(fits):
                continue
            gains = _explained(left[fits]) + _explained(right[fits]) - _explained(whole[None])
            at = int(gains.argmax())
            if gains[at] > (TOLERANCE if best is None else best[0] + TOLERANCE):
                outcomes, outcome = np.arange(basis.n_outcomes), fits[at]
                best = float(gains[at]), test, outcomes <= outcome if basis.is_ordered else outcomes == outcome
        return best


def _probabilities(model: Model, cases: Cases) -> NDArray[np.float64]:
    return model.probabilities(model.totals.add_up(cases.codes))


def _explained(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((sums[:, 2:] ** 2).sum(axis=1) / sums[:, 0])


def _distil_end(end: Place, models: Models, prices: CostModel, clock: Clock) -> None:
    cases, tests = models.cases, end.paid.tests
    weights = cases.weights.copy()
    weights[end.cases] *= OWN_CASES
    teacher = _Teacher(cases, _probabilities(models.model(tests), cases), weights)
    n_leaves, order = 1, count()  # the order breaks ties
    waiting: list[tuple[float, int, Place, NDArray[np.int64], _Cut]] = []

    def consider(place: Place, region: NDArray[np.int64]) -> None:
        place.probabilities = teacher.mean(region)
        best = None if clock.is_over else teacher.best_cut(region, tests)
        if best is not None:
            heapq.heappush(waiting, (-best[0], next(order), place, region, best))

    consider(end, np.arange(cases.n_cases))
    while waiting and n_leaves < MAX_LEAVES and not clock.is_over:
        _, _, place, region, (_, test, left) = heapq.heappop(waiting)
        goes_left = left[cases.codes[region, test]]
        sides = region[goes_left], region[~goes_left]
        possible = [_is_possible(place, test, side, cases) for side in (left, ~left)]
        if not all(possible):  # one side is all that there is here
            if any(possible):
                consider(place, sides[0] if possible[0] else sides[1])
            continue
        unlisted = weights[sides[0]].sum() >= weights[sides[1]].sum()
        places = branch(place, test, np.where(np.r_[left, unlisted], 0, 1), cases, prices)
        for side, part in zip(places, sides, strict=True):
            consider(side, part)
        n_leaves += 1


def _is_possible(place: Place, test: int, outcomes: NDArray[np.bool_], cases: Cases) -> bool:
    """Whether new cases can go there, by the branches above, and some known ones do."""
    own = place.cases[outcomes[cases.codes[place.cases, test]]]
    possible = dict(place.paid.results)[test] & mask_of(outcomes)
    return bool(cases.weights[own].sum() >= MIN_WEIGHT and possible)


def _settle(place: Place, sure: float, cases: Cases) -> None:
    """Where all ends below are sure of one class, nothing more is bought."""
    ends = list(place.ends())
    probabilities = np.array([end.probabilities for end in ends])
    label = probabilities.argmax(axis=1)
    if (label == label[0]).all() and probabilities.max(axis=1).min() >= sure:
        weights = np.array([cases.weights[end.cases].sum() for end in ends])
        place.probabilities = np.average(probabilities, axis=0, weights=weights if weights.any() else None)
        place.end_here()
    for following in place.following:
        _settle(following, sure, cases)


def _drop_unasked(place: Place) -> frozenset[int]:
    """Leaves out purchases that nothing below makes use of; the tests that branches ask for, from here on."""
    asked = frozenset[int]().union(*map(_drop_unasked, place.following))
    after = place.after
    if after is not None and place.test not in asked:
        place.test, place.after, place.goes, place.sides = after.test, after.after, after.goes, after.sides
        place.probabilities = after.probabilities
    elif place.sides is not None and place.test is not None:
        asked |= {place.test}
    return asked
