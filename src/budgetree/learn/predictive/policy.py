"""From what grew to a tree whose leaves are models: the same purchases and branches, and rules for stopping early.

    buy age ─ buy pressure ─ by the chance ─┬─ at most 4 %: leaf
                                            ├─ else: buy scan ─ …
                                            └─ at least 93 %: leaf

A case may stop before a test that costs something, where going on would hardly change its answer (stages.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.growth import Place
from budgetree.learn.predictive.select import Learner
from budgetree.learn.predictive.stages import CHEAP, MAX_STAGES, SAVING, Chain, StopRule, stop_rule
from budgetree.learn.predictive.staging import model_split
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.tree import Model, Origin, Tree, TreeBuilder
from budgetree.tree.builder import OpenEnd
from budgetree.tree.nodes import Split


@dataclass(eq=False)
class PolicyTree:
    """Makes the tree of a policy; `final` has the out-of-fold probabilities of cases where they end at last.

    judged      the cases that have such probabilities; all that is decided here is decided by them
    confidence  a case stops where its likeliest class has this probability, and only there
    clock       when it is over, no model is fitted to find out who could stop
    """

    root: Place
    instance: Instance  # whose cases all count
    learner: Learner
    judged: NDArray[np.int64]
    confidence: float | None = None
    clock: Clock = field(default_factory=lambda: Clock(None))
    final: NDArray[np.float64] = field(init=False)
    _paid: NDArray[np.int64] = field(init=False)  # per case, what its whole path costs at most

    def __post_init__(self) -> None:
        n_cases = self.instance.n_objects
        self.final = np.full((n_cases, self.instance.n_classes), np.nan)
        self._paid = np.zeros(n_cases, dtype=np.int64)
        waiting = [(self.root, self.judged)]
        while waiting:
            place, cases = waiting.pop()
            if place.goes is not None:
                waiting += zip(place.sides, self._sides(place, cases), strict=True)
            elif place.after is not None:
                waiting.append((place.after, cases))
            else:
                tests = place.state.tests
                self.final[cases] = self.learner.probabilities(tests)[cases]
                self._paid[cases] = place.state.spent

    def tree(self, *, budget: Any = None, origin: Origin | None = None) -> Tree:
        """The tree."""
        builder = TreeBuilder(self.instance, budget=budget)
        waiting = [(builder.root, self.root, self.judged, 1)]  # … the stage
        while waiting:
            end, place, cases, stage = waiting.pop()
            if place.goes is not None and place.test is not None:
                ends = builder.branch(end, Split.by_result(place.test, place.goes.tolist()))
                waiting += zip(ends, place.sides, self._sides(place, cases), [stage] * len(ends), strict=True)
                continue
            if place.after is None or place.test is None:
                builder.leaf(end, self._model(place))
                continue
            if self._is_stage_end(place, cases):
                if self._is_settled(place, cases):
                    builder.leaf(end, self._model(place))
                    continue
                rule = self._rule(place, cases) if stage < MAX_STAGES else None
                if rule is not None and (after := self._stop(builder, end, place, rule)) is not None:
                    end, stage = after, stage + 1
                    cases = cases[~rule.stops(self._now(place, cases), self.instance.schema.loss_table)]
            waiting.append((builder.buy(end, place.test), place.after, cases, stage))
        return builder.build(origin=origin)

    def _sides(self, place: Place, cases: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """The cases of each side of a branch."""
        assert place.goes is not None
        taken = place.goes[self.instance.codes[cases, place.test]]
        return [cases[taken == side] for side in range(len(place.sides))]

    def _model(self, place: Place) -> Model:
        return self.learner.model(place.state.tests)

    def _now(self, place: Place, cases: NDArray[np.int64]) -> NDArray[np.float64]:
        """The out-of-fold probabilities by what is bought so far."""
        return self.learner.probabilities(place.state.tests)[cases]

    def _is_stage_end(self, place: Place, cases: NDArray[np.int64]) -> bool:
        """Whether cases may stop here: something was bought, and the next test is a part of what is to be paid."""
        if not place.state.tests or not len(cases) or (self.confidence is None and self.clock.is_over):
            return False
        assert place.test is not None
        price = int(self.instance.schema.costs.prices(place.state)[place.test])
        return price > 0 and price >= CHEAP * float(self._paid[cases].max())

    def _is_settled(self, place: Place, cases: NDArray[np.int64]) -> bool:
        """Whether what follows changes the answer of no known case, each answered by models not fitted to it."""
        best = self.instance.schema.loss_table.best
        return bool((best(self._now(place, cases)) == best(self.final[cases])).all())

    def _rule(self, place: Place, cases: NDArray[np.int64]) -> StopRule | None:
        """Who stops here; None where that saves too little."""
        weights, table = self.instance.weights[cases], self.instance.schema.loss_table
        left = (self._paid[cases] - place.state.spent).astype(np.float64)
        now = self._now(place, cases)
        whole = float(self.instance.weights[self.judged] @ self._paid[self.judged])
        chain = Chain([now, self.final[cases]], np.zeros(2), table, weights, self.confidence)
        rule = stop_rule(chain, 0, np.ones(len(cases), dtype=bool))
        saved = float(weights @ np.where(rule.stops(now, table), left, 0.0))
        return rule if saved > 0 and saved >= SAVING * whole else None

    def _stop(self, builder: TreeBuilder, end: OpenEnd, place: Place, rule: StopRule) -> OpenEnd | None:
        """Leaves for those who stop, and where the others go on; None where the rule has several such ranges."""
        model = self._model(place)
        split, is_stop = model_split(model, rule, self.instance.schema.loss_table)
        if is_stop.count(False) != 1 or split.n_sides < 2:
            return None
        going = None
        for side, stops in zip(builder.branch(end, split), is_stop, strict=True):
            if stops:
                builder.leaf(side, model)
            else:
                going = side
        return going
