"""Policy: what a fit gives. Nodes that buy a test, nodes that branch on what is paid, and ends; and the models.

The methods are the reference: plain NumPy, a node at a time, what every faster or exported form must agree with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import PriceTable
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
class Policy:
    """Which test to buy next, and what to answer at the end. A child's number is larger than its parent's."""

    nodes: tuple[Node, ...]  # the root first
    models: tuple[Model, ...]  # one per set of tests that some node needs
    bases: tuple[Basis, ...]  # per test of the table
    prices: PriceTable
    n_classes: int
    sure: float | None  # a case stops where its likeliest class has this probability
    budget_units: int  # that nobody exceeds
    source: str  # how it was found, for those who wonder

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
                fees[here] |= self.prices.fee_mask[node.test]
        return Arrivals(at, units, counts)

    def _price(self, test: int, answers: NDArray[np.uint8], fees: NDArray[np.int64]) -> NDArray[np.int64]:
        own = np.r_[self.prices.own[test, : self.bases[test].n_outcomes], self.prices.costliest[test]]
        price = own[np.minimum(answers, len(own) - 1)]
        for fee in self.prices.fees_in(int(self.prices.fee_mask[test])):
            price += np.where(fees >> fee & 1, 0, self.prices.fees[fee])
        return np.asarray(price)
