"""Leaf models: what a tree for new cases answers with, a linear model of everything that was paid on the way.

    score[class] = intercept[class] + Σ over the paid tests of contribution[test][outcome][class]

A model of a set of tests adds up one number per answer and class, and softmax makes probabilities of the sums. So an
answer's part in the result can be shown, and another program needs nothing but a table per test. An answer that no
known case had contributes nothing: the columns are centred, so it counts as the average case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

NO_MODEL = -1


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What the models see of one test: its outcomes as columns of a linear model."""

    values: NDArray[np.float64]  # outcome × column, centred on the known cases
    is_ordered: bool  # outcomes are in the order of numbers, but for a missing one, which comes last
    missing: int | None  # the outcome that stands for a missing number

    @property
    def n_outcomes(self) -> int:
        return int(self.values.shape[0])

    @property
    def width(self) -> int:
        return int(self.values.shape[1])


Bases = Mapping[int, Basis] | Sequence[Basis]  # by the position of a test


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """score[class] = intercept[class] + Σ over the tests of the outcome's columns · coefficients."""

    tests: tuple[int, ...]  # ascending
    intercept: NDArray[np.float64]  # per class
    coefficients: tuple[NDArray[np.float64], ...]  # per test, column × class

    def contributions(self, bases: Bases) -> tuple[NDArray[np.float64], ...]:
        """Per test, outcome × class: what an answer adds to the scores. The last row, of zeros, is for the unknown."""
        nothing = np.zeros(len(self.intercept))
        return tuple(
            np.vstack([bases[test].values @ coefficients, nothing])
            for test, coefficients in zip(self.tests, self.coefficients, strict=True)
        )

    def scores(self, bases: Bases, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Row × class; codes that are no outcomes count as the average case."""
        scores = np.tile(self.intercept, (len(codes), 1))
        for test, table in zip(self.tests, self.contributions(bases), strict=True):
            scores += table[np.minimum(codes[:, test], len(table) - 1)]
        return scores

    def predict_proba(self, bases: Bases, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Row × class."""
        return softmax(self.scores(bases, codes))


@dataclass(frozen=True, eq=False)
class LeafModels:
    """The models of a tree, and which of them answers at which node."""

    bases: Mapping[int, Basis]  # of the tests that some model uses
    models: tuple[Model, ...]
    of_node: NDArray[np.int32]  # the model of what is paid on arrival; NO_MODEL where none is needed
    sure: float | None  # a case stops at a node where its likeliest class has this probability; None: none does

    @cached_property
    def contributions(self) -> tuple[tuple[NDArray[np.float64], ...], ...]:
        """Per model and test of it: outcome × class."""
        return tuple(model.contributions(self.bases) for model in self.models)

    def probabilities(self, node: int, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Of the rows that are at this node, by the model of what they have paid."""
        return self.models[int(self.of_node[node])].predict_proba(self.bases, codes)

    def model(self, node: int) -> Model | None:
        """The model of what is paid on arrival at a node."""
        number = int(self.of_node[node])
        return None if number == NO_MODEL else self.models[number]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LeafModels):
            return NotImplemented
        return self._key == other._key

    @property
    def _key(self) -> tuple[Any, ...]:
        """Everything that models are compared by, arrays as lists."""
        bases = [(test, basis.values.tolist()) for test, basis in self.bases.items()]
        models = [(m.tests, m.intercept.tolist(), [table.tolist() for table in m.coefficients]) for m in self.models]
        return self.sure, self.of_node.tolist(), bases, models

    def __hash__(self) -> int:
        return hash((self.sure, self.of_node.tobytes()))


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores as probabilities, row by row."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
