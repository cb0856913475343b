"""Growth: which test to buy next, by the honest loss of the model of all that is paid then; branches are free."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.branching import Here, find_branch
from budgetree.learn.predictive.ridge import Cases, Models
from budgetree.problem import CostModel, Instance, PathState
from budgetree.problem.cost_model import mask_of
from budgetree.services.clock import Clock, OutOfTimeError, WorkPlan

MIN_CASES = 8.0  # on each side of a branch, by weight
MIN_SHARE = 0.06  # the same, of all cases
PATIENCE = 2  # purchases in a row that may fail to lower the honest loss

BuyingRule = Literal["gain", "gain per price"]


@dataclass(eq=False, slots=True)
class Place:
    """A node while it grows: the cases that come there, and what they have paid.

    With `after`, the test is bought, and that is where its cases go. With `sides`, a test already paid separates them.
    With neither it is an end, whose answer is a model's unless it has probabilities of its own.
    """

    cases: NDArray[np.int64]
    paid: PathState
    test: int | None = None
    after: Place | None = None
    goes: NDArray[np.int64] | None = None  # per outcome a position in sides, and one for answers not on the list
    sides: tuple[Place, ...] | None = None
    probabilities: NDArray[np.float64] | None = None

    @property
    def following(self) -> tuple[Place, ...]:
        """The places that cases go on to from here."""
        return self.sides or () if self.after is None else (self.after,)

    def ends(self) -> Iterator[Place]:
        """The places where cases stop."""
        for place in self.following:
            yield from place.ends()
        if not self.following:
            yield self

    def breadth_first(self) -> Iterator[Place]:
        """This place and those below."""
        waiting = deque([self])
        while waiting:
            yield (place := waiting.popleft())
            waiting.extend(place.following)

    def end_here(self) -> None:
        """Leaves out what follows."""
        self.test = self.after = self.goes = self.sides = None

    @property
    def n_visits(self) -> int:
        """How many cases come to this place and those below, each place for itself."""
        return sum(len(place.cases) for place in self.breadth_first())


@dataclass(frozen=True, slots=True)
class Finishing:
    """About how long it takes to make a tree of a policy, by the size of the table: growth ends early enough for it."""

    seconds_per_visit: float = 0.0
    seconds_for_losses: float = 0.0

    @classmethod
    def of(cls, instance: Instance, plan: WorkPlan) -> Finishing:
        n_classes, n_answers = instance.n_classes, len(instance.schema.answer_names)
        n_losses = 0 if instance.losses is None else instance.n_objects * n_classes * n_answers
        return cls(plan.seconds_per_visit + plan.seconds_per_score * n_classes, plan.seconds_per_loss * n_losses)

    def seconds(self, n_visits: int) -> float:
        """For a policy in which so many cases come to places, each place for itself."""
        return self.seconds_per_visit * n_visits + self.seconds_for_losses

    def before(self, clock: Clock, n_visits: int) -> Clock:
        """The clock without the time that finishing takes."""
        left = clock.seconds_left
        return clock if left is None else clock.share(max(left - self.seconds(n_visits), 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """Grows policies for one table of cases and prices."""

    models: Models
    prices: CostModel
    folds: NDArray[np.int64]  # per case, for the evidence of branches
    finishing: Finishing = field(default_factory=Finishing)

    def grow(
        self, budget: int, rule: BuyingRule = "gain", first: int | None = None, rival: Place | None = None
    ) -> Place:
        """A policy within the budget; `first` is the test to begin with.

        Where the time ends, so do the paths; what making a tree of it, or of its rival, takes is kept free.
        """
        root = Place(np.arange(self.models.cases.n_cases), self.prices.start)
        waiting = deque([root])  # breadth first: where the time ends, all paths have had their share
        n_visits, n_rival = len(root.cases), 0 if rival is None else rival.n_visits
        try:
            if first is not None:
                waiting = deque([self._buy(root, first)])
            while waiting:
                if self.is_late(max(n_visits, n_rival)):
                    break
                following = self._step(waiting.popleft(), budget, rule)
                n_visits += sum(len(place.cases) for place in following)
                waiting.extend(following)
        except OutOfTimeError:
            pass  # what still waits ends where it is
        return root

    def is_late(self, n_visits: int) -> bool:
        """Whether the time left is needed for making a tree of a policy with so many visits."""
        return self.finishing.before(self.models.clock, n_visits).is_over

    def first_tests(self, budget: int, rule: BuyingRule = "gain") -> list[int]:
        """The tests to begin with, the best first; none where there is no time to tell."""
        root = Place(np.arange(self.models.cases.n_cases), self.prices.start)
        candidates = self._candidates(root, budget)
        if not len(candidates):
            return []
        try:
            scores = self._totals(root, candidates, rule)
        except OutOfTimeError:
            return []
        return [int(candidates[at]) for at in np.argsort(scores, kind="stable")]

    def loss(self, root: Place) -> NDArray[np.float64]:
        """The honest loss of every case where it ends."""
        losses = np.empty(self.models.cases.n_cases)
        for end in root.ends():
            losses[end.cases] = self.models.loss(end.paid.tests, Clock(None))[end.cases]  # known, unless forgotten
        return losses

    def _candidates(self, place: Place, budget: int) -> NDArray[np.int64]:
        fits = self.prices.prices(place.paid) <= budget - place.paid.spent
        fits[list(place.paid.tests)] = False
        return np.flatnonzero(fits)

    def _scores(self, place: Place, candidates: NDArray[np.int64], rule: BuyingRule) -> NDArray[np.float64]:
        """Candidate × case, to be as low as can be: the loss with it, or how it changes the loss, per price."""
        scores = np.empty((len(candidates), len(place.cases)))
        deque(self._each_score(place, candidates, rule, scores), maxlen=0)
        return scores

    def _totals(self, place: Place, candidates: NDArray[np.int64], rule: BuyingRule) -> NDArray[np.float64]:
        """The sums of scores over cases; of thousands of tests and cases, all scores would take long to write."""
        rows = repeat(np.empty(len(place.cases)))
        return np.array([row.sum() for row in self._each_score(place, candidates, rule, rows)])

    def _each_score(
        self, place: Place, candidates: NDArray[np.int64], rule: BuyingRule, rows: Iterable[NDArray[np.float64]]
    ) -> Iterator[NDArray[np.float64]]:
        """A row of scores per candidate, each written where it is wanted."""
        cases, paid = place.cases, place.paid.tests
        losses = self.models.losses([(*paid, int(test)) for test in candidates])
        before: NDArray[np.float64] | float = 0.0
        prices = np.ones(len(candidates))
        if rule == "gain per price":
            before = self.models.loss(paid)[cases].astype(np.float64)
            more = self.prices.prices(place.paid)[candidates].astype(np.float64)
            prices = np.maximum(more, max(more.max() * 1e-6, 1e-6))  # what is free is nearly so
        weights = self.models.cases.weights[cases]
        for row, loss, price in zip(rows, losses, prices, strict=False):
            if self.models.clock.is_over:
                raise OutOfTimeError
            yield np.multiply((loss[cases] - before) / price, weights, out=row)

    def _step(self, place: Place, budget: int, rule: BuyingRule) -> list[Place]:
        candidates = self._candidates(place, budget)
        if not len(candidates) or self._is_idle(place):
            return []
        if place.paid.tests and len(candidates) > 1:
            scores = self._scores(place, candidates, rule)
            if sides := self._branch(place, scores):
                return list(sides)
            totals = scores.sum(axis=1)
        else:
            totals = self._totals(place, candidates, rule)
        return [self._buy(place, int(candidates[totals.argmin()]))]

    def _is_idle(self, place: Place) -> bool:
        """Whether the last purchases did the cases here no good."""
        paid, cases = place.paid.tests, place.cases
        if len(paid) < PATIENCE:
            return False
        before, now = self.models.losses([paid[:-PATIENCE], paid])
        weights = self.models.cases.weights[cases]
        return bool(weights @ now[cases] >= weights @ before[cases])

    def _buy(self, place: Place, test: int) -> Place:
        paid = self.prices.after_buying(place.paid, test)
        self.models.loss(paid.tests)  # so that there is a model where the time ends here
        place.test, place.after = test, Place(place.cases, paid)
        return place.after

    def _branch(self, place: Place, scores: NDArray[np.float64]) -> tuple[Place, ...]:
        """Where the cases go on, if there is evidence for a branch."""
        cases = self.models.cases
        weights = cases.weights[place.cases]
        min_weight = max(MIN_CASES, MIN_SHARE * float(cases.weights.sum()))
        if weights.sum() < 2 * min_weight:
            return ()
        codes = {test: cases.codes[place.cases, test] for test in place.paid.tests}
        split = find_branch(Here(scores, weights, self.folds[place.cases], codes, min_weight), cases.bases)
        if split is None:
            return ()
        goes_left = split.left[codes[split.test]]
        unlisted = bool(weights[goes_left].sum() >= weights[~goes_left].sum())  # with the larger side
        return branch(place, split.test, np.where(np.r_[split.left, unlisted], 0, 1), cases, self.prices)


def branch(place: Place, test: int, goes: NDArray[np.int64], cases: Cases, prices: CostModel) -> tuple[Place, ...]:
    """Separates the cases of a place by a test that is paid there."""
    taken = goes[cases.codes[place.cases, test]]
    place.test, place.goes = test, goes
    place.sides = tuple(
        Place(place.cases[taken == side], prices.after_seeing(place.paid, test, mask_of(goes == side)))
        for side in range(int(goes.max()) + 1)
    )
    return place.sides


def trim(place: Place, models: Models) -> float:
    """Ends paths where what they would still buy does not lower the honest loss; the loss that is left."""
    weights = models.cases.weights[place.cases]
    here = float(weights @ models.loss(place.paid.tests, Clock(None))[place.cases])
    if not place.following:
        return here
    below = sum(trim(after, models) for after in place.following)
    if below < here:
        return below
    place.end_here()
    return here


def cut(place: Place, budget: float = math.inf, price: int = 0) -> Place:
    """A copy: what growth within a smaller budget gives, where all tests have one price: no path buys a test more."""
    if place.paid.spent + price > budget:
        return Place(place.cases, place.paid)
    after = None if place.after is None else cut(place.after, budget, price)
    sides = None if place.sides is None else tuple(cut(side, budget, price) for side in place.sides)
    return Place(place.cases, place.paid, place.test, after, place.goes, sides)
