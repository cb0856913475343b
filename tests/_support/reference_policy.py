"""Policies as nodes that buy a test, nodes that branch on what is paid, and ends: plain NumPy, a node at a time.

What trees for new cases must agree with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.fit import cases_of
from budgetree.learn.predictive.growth import Place
from budgetree.learn.predictive.tree_making import Policy
from budgetree.problem import CostModel, Instance
from budgetree.tree.leaf_models import Basis, Model

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Buy:
    """A test is paid, and the case goes on to `child`; but it stops here where `model` is sure already."""

    test: int
    child: int
    model: int | None  # of what is paid before; None where ends are plain, and nobody stops early
    counts: Counts  # of the known cases that come here, per class in weight units


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A test paid above tells cases apart, for nothing."""

    test: int
    children: tuple[int, ...]
    goes: NDArray[np.int64]  # per outcome the position in children, and a last one for answers not on the list
    counts: Counts


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """The answer: by a model of what is paid, or fixed probabilities."""

    model: int | None
    probabilities: NDArray[np.float64] | None
    counts: Counts


Node = Buy | Branch | End


@dataclass(frozen=True, slots=True, eq=False)
class Arrivals:
    """Where cases end and what they have paid."""

    node: NDArray[np.int64]  # an End, or a Buy where the case stops before it
    units: NDArray[np.int64]
    counts: NDArray[np.int64]  # node × class: how many of the cases come there, by weight


@dataclass(frozen=True, slots=True, eq=False)
class ReferencePolicy:
    """Which test to buy next, and what to answer at the end. A child's number is larger than its parent's."""

    nodes: tuple[Node, ...]  # the root first
    models: tuple[Model, ...]  # one per set of tests that some node needs
    bases: tuple[Basis, ...]  # per test of the table
    prices: CostModel
    n_classes: int
    sure: float | None  # a case stops where its likeliest class has this probability

    def predict_proba(self, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The probability of each class; codes that are not outcomes are answers nobody has seen."""
        return self.probabilities_at(codes, self.end(codes))

    def end(self, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The node where each case stops."""
        return self.arrivals(codes).node

    def cost(self, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
        """What each case pays, in price units; an answer not on the list costs as much as the costliest."""
        return self.arrivals(codes).units

    def probabilities_at(self, codes: NDArray[np.uint8], node: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities of cases that stop at these nodes."""
        probabilities = np.empty((len(codes), self.n_classes))
        for number in np.unique(node).tolist():
            stop, here = self.nodes[number], node == number
            assert not isinstance(stop, Branch)
            if isinstance(stop, End) and stop.probabilities is not None:
                probabilities[here] = stop.probabilities
            else:
                assert stop.model is not None
                probabilities[here] = self.models[stop.model].predict_proba(self.bases, codes[here])
        return probabilities

    def arrivals(
        self,
        codes: NDArray[np.uint8],
        labels: NDArray[np.int64] | None = None,
        weights: NDArray[np.int64] | None = None,
    ) -> Arrivals:
        """Walks all cases down, node by node."""
        n_cases = len(codes)
        at, units, fees = (np.zeros(n_cases, dtype=np.int64) for _ in range(3))
        counts = np.zeros((len(self.nodes), self.n_classes), dtype=np.int64)
        for number, node in enumerate(self.nodes):
            here = np.flatnonzero(at == number)
            if labels is not None:
                np.add.at(counts[number], labels[here], 1 if weights is None else weights[here])
            if isinstance(node, Branch):
                at[here] = np.array(node.children)[node.goes[np.minimum(codes[here, node.test], len(node.goes) - 1)]]
            elif isinstance(node, Buy):
                if node.model is not None and self.sure is not None:
                    model = self.models[node.model]
                    here = here[model.predict_proba(self.bases, codes[here]).max(axis=1) < self.sure]
                at[here] = node.child
                units[here] += self._price(node.test, codes[here, node.test], fees[here])
                fees[here] |= self.prices.flags[node.test]
        return Arrivals(at, units, counts)

    def _price(self, test: int, answers: NDArray[np.uint8], fees: NDArray[np.int64]) -> NDArray[np.int64]:
        own = np.r_[self.prices.amounts[test, : self.bases[test].n_outcomes], self.prices.costliest[test]]
        price = own[np.minimum(answers, len(own) - 1)]
        for fee in self.prices.fees_of(test):
            price += np.where(fees >> fee & 1, 0, self.prices.fees[fee])
        return np.asarray(price)


def reference_policy(policy: Policy, instance: Instance) -> ReferencePolicy:
    """The same purchases, branches and ends, each a node of its own, with the known cases counted where they come."""
    places, cases = list(policy.root.breadth_first()), cases_of(instance)
    numbers = {id(place): number for number, place in enumerate(places)}
    models: dict[tuple[int, ...], int] = {}

    def model_of(place: Place) -> int | None:
        return None if policy.models is None else models.setdefault(tuple(sorted(place.paid.tests)), len(models))

    nodes: list[Node] = []
    none = np.zeros(0, dtype=np.int64)
    for place in places:
        children = tuple(numbers[id(following)] for following in place.following)
        if place.test is None:
            is_plain = place.probabilities is not None
            nodes.append(End(None if is_plain else model_of(place), place.probabilities, none))
        elif place.after is not None:
            nodes.append(Buy(place.test, children[0], model_of(place), none))
        else:
            assert place.goes is not None
            nodes.append(Branch(place.test, children, place.goes, none))
    fitted = () if policy.models is None else tuple(map(policy.models.model, models))
    made = ReferencePolicy(tuple(nodes), fitted, cases.bases, instance.schema.costs, instance.n_classes, policy.sure)
    counts = made.arrivals(instance.codes, instance.labels, instance.weight_units).counts
    return replace(made, nodes=tuple(replace(node, counts=here) for node, here in zip(nodes, counts, strict=True)))
