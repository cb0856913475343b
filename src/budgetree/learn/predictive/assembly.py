"""Assembly: from what grew to a policy."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np

from budgetree.learn.predictive.growth import Place
from budgetree.learn.predictive.policy import Branch, Buy, End, Node, Policy
from budgetree.learn.predictive.ridge import Models, TestSet
from budgetree.problem import Instance
from budgetree.tree.leaf_models import Model


@dataclass(slots=True, eq=False)
class Assembly:
    """Numbers places and the models that they need, breadth first."""

    models: Models
    sure: float | None
    is_plain: bool = False  # fixed probabilities at every end, and so nobody who asks a model whether to stop
    numbers: dict[TestSet, int] = field(default_factory=dict)
    kept: list[Model] = field(default_factory=list)

    def policy(self, root: Place, instance: Instance, budget: int, source: str) -> Policy:
        """The policy of all places from the root on."""
        nodes = [self._node(place, children) for place, children in number_places(root)]
        policy = Policy(
            nodes=tuple(nodes),
            models=tuple(self.kept),
            bases=self.models.cases.bases,
            prices=instance.schema.table,
            n_classes=instance.n_classes,
            sure=self.sure,
            budget_units=budget,
            source=source,
        )
        return with_counts(policy, instance)

    def _node(self, place: Place, children: tuple[int, ...]) -> Node:
        none = np.zeros(0, dtype=np.int64)
        if place.after is not None:
            assert place.test is not None
            before = None if self.is_plain else self._model(place)
            return Buy(place.test, children[0], before, none)
        if place.sides is not None:
            assert place.test is not None
            assert place.goes is not None
            return Branch(place.test, children, place.goes, none)
        if place.probabilities is not None:
            return End(None, place.probabilities, none)
        return End(self._model(place), None, none)

    def _model(self, place: Place) -> int:
        tests = tuple(sorted(place.paid.tests))
        if tests not in self.numbers:
            self.numbers[tests] = len(self.kept)
            self.kept.append(self.models.model(tests))
        return self.numbers[tests]


def number_places(root: Place) -> list[tuple[Place, tuple[int, ...]]]:
    """The places, breadth first, and the numbers of those that follow each."""
    numbered: list[tuple[Place, tuple[int, ...]]] = []
    waiting, given = deque([root]), 1
    while waiting:
        place = waiting.popleft()
        following = [place.after] if place.after is not None else list(place.sides or ())
        numbered.append((place, tuple(range(given, given + len(following)))))
        given += len(following)
        waiting.extend(following)
    return numbered


def with_counts(policy: Policy, instance: Instance) -> Policy:
    """The same, with the known cases counted where they come."""
    arrivals = policy.arrivals(instance.codes, instance.labels, instance.weight_units)
    nodes = tuple(replace(node, counts=counts) for node, counts in zip(policy.nodes, arrivals.counts, strict=True))
    return replace(policy, nodes=nodes)
