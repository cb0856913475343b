"""Growth: which test to buy next, and where what is paid sends cases different ways.

A test is bought where the set of all that is paid then has the least out-of-bag loss; a branch costs nothing, and is
made only on evidence (branching.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.branching import Here, best_split, find_branch
from budgetree.learn.predictive.judge import Judge
from budgetree.learn.predictive.ridge import TestSet
from budgetree.learn.predictive.select import mean_and_error
from budgetree.problem import CostModel, PathState
from budgetree.problem.cost_model import mask_of
from budgetree.services.clock import OutOfTimeError

MIN_CASES = 8.0  # on each side of a branch, by weight
MIN_SHARE = 0.06  # the same, of all cases
PATIENCE = 2  # purchases in a row that may fail to lower the loss
MAX_CANDIDATES = 8  # that are judged by all cases; a first look finds them
MIN_GLANCED = 100  # fewer cases than this at a node say little in a first look: all cases of it count then
MAX_EVIDENCE = 3_000  # cases that say whether to branch: a branch that they do not show is not worth much
BRANCHED_MARGIN = 2.0  # standard errors by which a policy with branches must be better than one without
MIN_GAIN = 0.05  # of the loss: a branch that saves less is not worth another page
PRIOR = 50.0  # cases that a test would do nothing for, beside those whose result is known
MAX_ENDS = 4  # of a policy: each has a model of its own, and people must find their way

BuyingRule = Literal["gain", "gain per price"]


@dataclass(eq=False, slots=True)
class Place:
    """A node while it grows: the cases of the sample that come there, and what they have bought.

    With `after`, the test is bought, and that is where its cases go. With `sides`, a test bought before separates them.
    With neither it is an end.
    """

    cases: NDArray[np.int64]
    state: PathState
    test: int | None = None
    after: Place | None = None
    goes: NDArray[np.int64] | None = None  # per result a position in sides, the last for one that is not listed
    sides: tuple[Place, ...] = ()
    is_partial: bool = False  # more must be bought: no path may end here

    @property
    def following(self) -> tuple[Place, ...]:
        """The places that cases go on to from here."""
        return self.sides if self.after is None else (self.after,)

    def ends(self) -> Iterator[Place]:
        """The places where cases stop."""
        waiting = [self]
        while waiting:
            place = waiting.pop()
            waiting.extend(place.following)
            if not place.following:
                yield place

    def end_here(self) -> None:
        """Leaves out what follows."""
        self.test, self.after, self.goes, self.sides = None, None, None, ()


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """Grows policies for one sample of cases and one cost model."""

    judge: Judge
    costs: CostModel

    def grow(
        self, budget: int, rule: BuyingRule = "gain", first: Sequence[int] = (), chain: Place | None = None
    ) -> Place:
        """What to buy within the budget, and `first` these tests. Where the time ends, so do the paths.

        Without a chain to be better than there are no branches. A policy with branches that is not better once all its
        sides have bought something ends there: it would not be taken, whatever it bought.
        """
        grower = replace(self, costs=self.costs.within_units(budget))
        root, number, n_ends, branched_at = self.root, count(), 1, -1
        start = root
        for test in first:
            start = start if test in start.state.tests else grower._buy(start, test)
        waiting = [(0, next(number), start)]
        try:
            # Who has paid least goes first. So what grows within a smaller budget is the beginning of this, and where
            # the time ends, all paths have had their share.
            while waiting:
                _, _, place = heappop(waiting)
                spent = place.state.spent[0]
                if n_ends > 1 and spent > branched_at and chain is not None and not self._is_ahead(root, chain, spent):
                    break
                following = grower._step(place, rule, chain is not None and n_ends < MAX_ENDS)
                n_ends += max(len(following) - 1, 0)
                branched_at = spent if len(following) > 1 else branched_at
                for after in following:
                    heappush(waiting, (after.state.spent[0], next(number), after))
        except OutOfTimeError:
            pass  # what still waits ends where it is
        return root

    def _is_ahead(self, policy: Place, chain: Place, spent: int) -> bool:
        """Whether a policy is better than what the chain has bought for so much, by what a branch must save."""
        while chain.after is not None and chain.after.state.spent[0] <= spent:
            chain = chain.after
        loss = float(self.judge.sample.weights @ self.judge.loss(chain.state.tests))
        return self.total(policy) <= (1 - MIN_GAIN) * loss

    @property
    def rules(self) -> tuple[BuyingRule, ...]:
        """By which to grow."""
        return ("gain",) if self.costs.one_price is not None else ("gain", "gain per price")

    @property
    def root(self) -> Place:
        """Where all cases begin."""
        return Place(np.arange(self.judge.sample.n_cases), self.costs.begun)

    def loss(self, root: Place) -> NDArray[np.float64]:
        """The loss of every case where it ends."""
        losses = np.empty(self.judge.sample.n_cases)
        for end in root.ends():
            losses[end.cases] = self.judge.loss(end.state.tests)[end.cases]
        return losses

    def total(self, root: Place) -> float:
        """The loss of all cases, by weight."""
        return float(self.judge.sample.weights @ self.loss(root))

    def ordered(self, tests: Sequence[int], place: Place | None = None) -> list[int]:
        """The same tests in the order to buy them from a place on: by gain per price, so that cheap ones come first."""
        place = place or self.root
        state, chain = place.state, list(place.state.tests)
        left = [test for test in tests if test not in chain]
        weights = self.judge.sample.weights[place.cases]
        while left:
            next_ones = self._may_follow(state, left)
            found = self.judge.losses([chain, *((*chain, test) for test in next_ones)])
            before, *losses = (float(weights @ loss[place.cases]) for loss in found)
            prices = _nearly_free(self.costs.weighed_prices(state)[next_ones])
            best = int(np.argmax((before - np.array(losses)) / prices))
            chain.append(next_ones[best])
            left.remove(chain[-1])
            state = self.costs.after_buying(state, chain[-1])
        return chain[len(place.state.tests) :]

    def cheap_first(self, place: Place) -> Place:
        """A copy, in which the tests between two branches are bought in that order."""
        bought, last = list[int](), place
        while last.after is not None and last.test is not None:
            bought.append(last.test)
            last = last.after
        first = end = Place(place.cases, place.state)
        for test in self.ordered(bought, place):
            end = self._buy(end, test)
        if last.goes is not None and last.test is not None:
            end.test, end.goes = last.test, last.goes
            end.sides = tuple(
                self.cheap_first(replace(side, state=self._seen(end.state, last.test, last.goes, number)))
                for number, side in enumerate(last.sides)
            )
        return first

    def _seen(self, state: PathState, test: int, goes: NDArray[np.int64], side: int) -> PathState:
        return self.costs.after_seeing(state, test, mask_of(goes == side))

    def _step(self, place: Place, rule: BuyingRule, may_branch: bool) -> tuple[Place, ...]:
        if self._is_settled(place):
            return ()
        may_branch = may_branch and bool(place.state.tests)
        candidates = self._candidates(place, rule, may_branch)
        if not len(candidates):
            return ()
        scores = self._scores(place, candidates, rule, place.cases, self.judge.losses)
        may_branch = may_branch and len(candidates) > 1
        if may_branch and (sides := self._branch(place, candidates, scores, rule)):
            return sides
        return (self._buy(place, int(candidates[self._totals(scores, candidates, place.cases).argmin()])),)

    def _is_settled(self, place: Place) -> bool:
        """Whether the last purchases did the cases here no good."""
        tests, cases = place.state.tests, place.cases
        if len(tests) < PATIENCE:
            return False
        before, now = self.judge.losses([tests[:-PATIENCE], tests])
        weights = self.judge.sample.weights[cases]
        return bool(weights @ now[cases] >= weights @ before[cases])

    def _candidates(self, place: Place, rule: BuyingRule, may_branch: bool = False) -> NDArray[np.int64]:
        """The tests that may be bought; of many, those that do best in a first look, or on a branch's side."""
        allowed = self._allowed(place.state)
        if len(allowed) <= MAX_CANDIDATES:
            return allowed
        judge = self.judge
        seen = place.cases[place.cases < judge.n_quick]
        seen = seen if len(seen) >= MIN_GLANCED else np.arange(judge.n_quick)
        scores = self._scores(place, allowed, rule, seen, judge.glance)
        kept = set(np.argsort(self._totals(scores, allowed, seen), kind="stable")[:MAX_CANDIDATES].tolist())
        if may_branch and (split := best_split(self._here(place, seen, scores), judge.sample.bases)) is not None:
            kept |= {split.best_left, split.best_right}
        return allowed[sorted(kept)]

    def _scores(
        self,
        place: Place,
        candidates: NDArray[np.int64],
        rule: BuyingRule,
        cases: NDArray[np.int64],
        judged: Callable[[list[TestSet]], list[NDArray[np.float32]]],
    ) -> NDArray[np.float64]:
        """Candidate × case, by weight, the change of its loss, or that per price: the lower the better."""
        state, weights = place.state, self.judge.sample.weights[cases]
        sets = [(*state.tests, *self._bundle(state, test)) for test in candidates.tolist()]
        before, *losses = judged([state.tests, *sets])
        prices, scores = self._divisors(place, candidates, rule), np.empty((len(candidates), len(cases)))
        for row, loss, price in zip(scores, losses, prices, strict=True):
            np.multiply((loss[cases].astype(np.float64) - before[cases]) / price, weights, out=row)
        return scores

    def _totals(
        self, scores: NDArray[np.float64], candidates: NDArray[np.int64], cases: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The scores added up; of a test that some cases lack, as if all had it.

        Those cases are judged as without it, although it would do for them what it does for the others of their class:
        as much, on average, as these are evidence for. Class by class, since blanks may go with the class, and what
        does one class good and another harm is no use.
        """
        sample, totals = self.judge.sample, np.asarray(scores.sum(axis=1))
        labels, weights = sample.labels[cases], sample.weights[cases]
        for position, test in enumerate(candidates.tolist()):
            if (missing := sample.bases[test].missing) is not None:
                key = 2 * labels + (sample.codes[cases, test] == missing)
                (has, lacks), (of_has, of_lacks) = (
                    np.bincount(key, of_case, 2 * sample.n_classes).reshape(-1, 2).T
                    for of_case in (weights, scores[position])
                )
                totals[position] = (of_has * (1 + lacks / (has + PRIOR)) + of_lacks * PRIOR / (has + PRIOR)).sum()
        return totals

    def _divisors(self, place: Place, candidates: NDArray[np.int64], rule: BuyingRule) -> NDArray[np.float64]:
        """Per candidate, what its gain is divided by."""
        if rule == "gain":
            return np.ones(len(candidates))
        if self.costs.is_plain:
            return _nearly_free(self.costs.weighed_prices(place.state)[candidates])
        return _nearly_free(np.array([self._price(place.state, test) for test in candidates.tolist()]))

    def _buy(self, place: Place, test: int) -> Place:
        for each in self._bundle(place.state, test):
            place.test = each
            state = self.costs.after_buying(place.state, each)
            place.after = Place(place.cases, state, is_partial=self.costs.missing(state) is not None)
            place = place.after
        return place

    def _allowed(self, state: PathState) -> NDArray[np.int64]:
        """The tests that can be had here, also those that need others before; one of each purchase."""
        if self.costs.is_plain:
            return self.costs.allowed(state)
        found = [test for test in self.costs.purchases if self._bundle(state, test)]
        return np.array(found, dtype=np.int64)

    def _bundle(self, state: PathState, test: int) -> tuple[int, ...]:
        """What is bought with a test: mostly itself alone."""
        return (test,) if self.costs.is_plain else self.costs.bundle(state, test)

    def _price(self, state: PathState, test: int) -> float:
        """To compare tests by."""
        total = 0.0
        for each in self._bundle(state, test):
            total += float(self.costs.weighed_prices(state)[each])
            state = self.costs.after_buying(state, each)
        return total

    def _may_follow(self, state: PathState, tests: list[int]) -> list[int]:
        """Those of a chain that may come next by the order; all fit the limits together, whatever comes first."""
        due = self.costs.missing(state)
        if due is not None and due in tests:
            return [due]
        unlocked = self.costs.unlocked(state)
        return [test for test in tests if unlocked[test]]

    def _here(self, place: Place, cases: NDArray[np.int64], scores: NDArray[np.float64]) -> Here:
        sample = self.judge.sample
        share = len(cases) / sample.n_cases if len(cases) != len(place.cases) else 1.0
        min_weight = max(MIN_CASES, MIN_SHARE * share * float(sample.weights.sum()))
        codes = {test: sample.codes[cases, test] for test in place.state.tests}
        return Here(scores, sample.weights[cases], sample.folds[cases], codes, min_weight)

    def _branch(
        self, place: Place, candidates: NDArray[np.int64], scores: NDArray[np.float64], rule: BuyingRule
    ) -> tuple[Place, ...]:
        """Where the cases go on, if there is evidence for a branch."""
        cases = place.cases[:MAX_EVIDENCE]
        here = self._here(place, cases, scores[:, :MAX_EVIDENCE])
        if here.weights.sum() < 2 * here.min_weight:
            return ()
        loss = float(here.weights @ self.judge.loss(place.state.tests)[cases])
        divisors = self._divisors(place, candidates, rule)
        split = find_branch(here, self.judge.sample.bases, divisors, MIN_GAIN * loss)
        if split is None:
            return ()
        taken = np.where(split.left[self.judge.sample.codes[place.cases, split.test]], 0, 1)
        heavy = np.bincount(taken, self.judge.sample.weights[place.cases], 2)
        unlisted = int(heavy[1] > heavy[0])  # with the larger side
        place.test, place.goes = split.test, np.r_[np.where(split.left, 0, 1), unlisted]
        states = [self._seen(place.state, split.test, place.goes, side) for side in range(2)]
        place.sides = tuple(Place(place.cases[taken == side], state) for side, state in enumerate(states))
        return place.sides


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """What is worth buying within a budget: without branches, and with those that there is evidence for."""

    chain: Place
    policy: Place


def best_growth(growth: Growth, budget: int) -> Grown:
    """What to keep; where prices differ, from the better of two growths, cheap tests first."""
    chains = [growth.grow(budget, rule) for rule in growth.rules]
    best = int(np.argmin([growth.total(chain) for chain in chains]))
    chain = chains[best]
    trim(chain, growth.judge)
    first = () if chain.test is None else (chain.test,)
    grown = _branched(growth, chain, growth.grow(budget, growth.rules[best], first, chain))
    if growth.costs.one_price is not None:
        return grown
    try:
        return Grown(growth.cheap_first(grown.chain), growth.cheap_first(grown.policy))
    except OutOfTimeError:
        return grown


def _branched(growth: Growth, chain: Place, policy: Place) -> Grown:
    """The policy with branches, where all that it buys is better than the chain.

    Each branch has evidence of its own, but of many that were tried; and what the chain buys later makes up for much.
    """
    trim(policy, growth.judge)
    weights, loss = growth.judge.sample.weights, growth.loss(chain)
    gain, error = mean_and_error(loss - growth.loss(policy), weights)
    is_better = gain > BRANCHED_MARGIN * error and gain >= MIN_GAIN * mean_and_error(loss, weights)[0]
    return Grown(chain, policy if is_better else chain)


def trim(place: Place, judge: Judge) -> float:
    """Ends paths where what they would still buy does not lower the loss; the loss that is left."""
    here = float(judge.sample.weights[place.cases] @ judge.loss(place.state.tests)[place.cases])
    if not place.following:
        return here
    below = sum(trim(after, judge) for after in place.following)
    if below < here or place.is_partial:
        return below
    place.end_here()
    return here


def _nearly_free(prices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Prices to divide by: what is free is nearly so."""
    return np.maximum(prices, max(prices.max(initial=0.0) * 1e-6, 1e-6))
