"""From what grew to a tree whose leaves are models: the same purchases and branches, and rules for stopping early.

    buy age ─ buy pressure ─ by the chance ─┬─ at most 4 %: leaf
                                            ├─ else: buy scan ─ …
                                            └─ at least 93 %: leaf

A case may stop before a test that costs something, where going on would hardly change its answer (stages.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.boosting import BoostedModels
from budgetree.learn.predictive.growth import Place
from budgetree.learn.predictive.judge import Judge
from budgetree.learn.predictive.ridge import Models, TestSet
from budgetree.learn.predictive.stages import MAX_STAGES, Chain, StopRule, find_stages, with_rules
from budgetree.learn.predictive.staging import model_split
from budgetree.problem import Instance, LossTable
from budgetree.services.clock import Clock
from budgetree.tree import Model, Split, Tree, TreeBuilder
from budgetree.tree.builder import OpenEnd

Learner = Models | BoostedModels  # has a model of every set of tests, and what it thinks of cases left out


class Followed:
    """Cases on their way through a policy: what is thought of them at any place, and in the end."""

    def __init__(
        self,
        root: Place,
        codes: NDArray[np.uint8],
        weights: NDArray[np.float64],
        predictor: Judge | Learner,
        followed: NDArray[np.int64],
    ) -> None:
        self._codes, self._weights, self._predictor, self.everyone = codes, weights, predictor, followed
        self._spent = np.zeros(len(codes))  # in the end, at most
        self.final = predictor.probabilities(()).copy()
        waiting = [(root, followed)]
        while waiting:
            place, cases = waiting.pop()
            if place.following:
                waiting += zip(place.following, self.sides(place, cases), strict=True)
            else:
                self.final[cases] = predictor.probabilities(place.state.tests)[cases]
                self._spent[cases] = place.state.spent[0]

    def sides(self, place: Place, cases: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Of these cases, those that go each of the ways on from here."""
        if place.goes is None:
            return [cases]
        taken = place.goes[self._codes[cases, place.test]]
        return [cases[taken == side] for side in range(len(place.sides))]

    def chain(
        self, places: Sequence[Place], cases: NDArray[np.int64], table: LossTable, confidence: float | None
    ) -> Chain:
        """A step to each of these places, and one to the end."""
        weights, final = self._weights[cases], self.final[cases]
        now = [self._predictor.probabilities(place.state.tests)[cases] for place in places]
        costs = [0.0, *(place.state.spent[0] for place in places), weights @ self._spent[cases] / weights.sum()]
        return Chain([final, *now, final], np.array(costs, dtype=np.float64), table, weights, confidence)


@dataclass(frozen=True, slots=True, eq=False)
class _Stop:
    """Who stops at a place, and who goes on."""

    rule: StopRule
    cases: NDArray[np.int64]
    seen: NDArray[np.int64]  # of the scout's


@dataclass(eq=False)
class PolicyTree:
    """Makes the tree of a policy.

    judged      the cases that have out-of-fold probabilities; they decide who stops
    confidence  a case stops where its likeliest class has this probability, and only there
    clock       when it is over, no model is fitted to find out who could stop
    scout       where to stop is found by these cases, and models are fitted only there; else at every place
    """

    root: Place
    instance: Instance  # whose cases all count
    learner: Learner
    judged: NDArray[np.int64]
    confidence: float | None = None
    clock: Clock = field(default_factory=lambda: Clock(None))
    scout: Followed | None = None
    _all: Followed = field(init=False)
    _found: dict[int, dict[int, _Stop]] = field(default_factory=dict)  # where each way between branches begins

    def __post_init__(self) -> None:
        self._all = Followed(self.root, self.instance.codes, self.instance.weights, self.learner, self.judged)

    @property
    def final(self) -> NDArray[np.float64]:
        """The out-of-fold probabilities of cases where they end at last."""
        return self._all.final

    def tree(self, *, budget: Any = None, models: Mapping[TestSet, Model] | None = None) -> Tree:
        """The tree; of the sets that are among them, `models` answer instead of the learner's."""
        builder = TreeBuilder(self.instance, budget=budget)
        self._lay_out(builder, dict(models or {}))
        return builder.build()

    def models(self) -> dict[TestSet, Model]:
        """The learner's models that the tree has."""
        used: dict[TestSet, Model] = {}
        self._lay_out(TreeBuilder(self.instance), used)
        return used

    def _lay_out(self, builder: TreeBuilder, models: dict[TestSet, Model]) -> None:
        scout = self.scout or self._all

        def model_of(place: Place) -> Model:
            tests = tuple(sorted(place.state.tests))
            return models.get(tests) or models.setdefault(tests, self.learner.model(tests))

        waiting = [(builder.begin(), self.root, self._all.everyone, scout.everyone, MAX_STAGES)]
        while waiting:
            end, place, cases, seen, n_stages = waiting.pop()
            if id(place) not in self._found:
                self._found[id(place)] = self._stops(place, cases, seen, n_stages)
            stops = self._found[id(place)]
            while place.after is not None and place.test is not None:
                end, place = builder.buy_alone(end, place.test), place.after
                stop = stops.get(id(place))
                if stop is not None and not len(stop.cases):  # no case goes on
                    place = Place(place.cases, place.state)
                elif stop is not None and (after := self._stop(builder, end, model_of(place), stop.rule)) is not None:
                    end, cases, seen = after, stop.cases, stop.seen
            if place.goes is None or place.test is None:
                builder.leaf(end, model_of(place))
                continue
            ends = builder.branch(end, Split.by_result(place.test, place.goes.tolist()))
            sides = self._all.sides(place, cases), scout.sides(place, seen), [n_stages - len(stops)] * len(ends)
            waiting += zip(ends, place.sides, *sides, strict=True)

    def _stops(
        self, place: Place, cases: NDArray[np.int64], seen: NDArray[np.int64], n_stages: int
    ) -> dict[int, _Stop]:
        """Where cases stop between this place and the next branch, by the identity of the places."""
        places = []
        while place.after is not None:
            place = place.after
            places.append(place)
        if places and not place.sides:
            del places[-1]  # the end
        if not places or not len(cases) or not len(seen) or (self.confidence is None and self.clock.is_over):
            return {}
        scout, table = self.scout or self._all, self.instance.schema.loss_table
        scouted = scout.chain(places, seen, table, self.confidence)
        stages = find_stages(scouted, n_stages)
        chosen = [places[end - 1] for end in stages.ends[:-1]]
        chain = self._all.chain(chosen, cases, table, self.confidence)
        rules = with_rules(chain, range(1, len(chosen) + 2)).rules
        found, goes_on, seen_on = {}, np.ones(len(cases), dtype=bool), np.ones(len(seen), dtype=bool)
        for number, (place, rule) in enumerate(zip(chosen, rules, strict=True)):
            goes_on &= ~rule.stops(chain.probabilities[number + 1])
            seen_on &= ~stages.rules[number].stops(scouted.probabilities[stages.ends[number]])
            if not goes_on.all():
                found[id(place)] = _Stop(rule, cases[goes_on], seen[seen_on])
        return found

    def _stop(self, builder: TreeBuilder, end: OpenEnd, model: Model, rule: StopRule) -> OpenEnd | None:
        """Leaves for those who stop, and where the others go on; None where none stops."""
        if (found := model_split(model, rule, self.instance.n_classes)) is None:
            return None
        split, going = found
        ends = builder.branch(end, split)
        for side in (*ends[:going], *ends[going + 1 :]):
            builder.leaf(side, model)
        return ends[going]
