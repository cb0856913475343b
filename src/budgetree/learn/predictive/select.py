"""Which kind of leaf a chain of tests gets: the simplest that is good enough.

    tree     a plain tree of at most eight leaves
    points   whole points, one running total, thresholds; for two classes
    model    a model of all that was bought, at the end of every stage

A kind is good enough where its out-of-fold Brier score is within one standard error of the best, of the differences
case by case. They are compared with everything bought: what stopping early takes from the score saves money, and is no
matter of the kind. Where a kind is asked for by name, it is taken, and what it costs is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import SettingError
from budgetree.learn.predictive.points import Blanks, FittedPoints, fit_points, round_levels
from budgetree.learn.predictive.small_tree import brier, fit_small_tree, mean_and_error
from budgetree.learn.predictive.stages import Chain, Stages, find_stages, prefix_costs
from budgetree.learn.predictive.staging import model_tree, points_tree
from budgetree.problem import Instance
from budgetree.tree import Model, Origin, Tree

LeafKind = Literal["tree", "points", "model"]  # the simplest first
KINDS: tuple[LeafKind, ...] = get_args(LeafKind)


class Learner(Protocol):
    """What learns the models of a chain's prefixes."""

    def probabilities(self, tests: Sequence[int]) -> NDArray[np.float64]:
        """Case × class: the probabilities of each case by a model that was not fitted to it."""
        ...

    def model(self, tests: Sequence[int]) -> Model:
        """The model of a set of tests, fitted to all cases."""
        ...

    def contributions(self, tests: Sequence[int], cases: NDArray[np.int64]) -> list[NDArray[np.float64]]:
        """Per test, what each outcome adds to the log odds of class 1, fitted to the cases at these positions."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """The kind of leaf that was taken, and how it compares."""

    kind: LeafKind
    scores: Mapping[LeafKind, float]  # the out-of-fold Brier score of every kind that was tried, everything bought
    best: LeafKind  # of the lowest score
    excess: float  # by how much the score of the kind taken is above that
    standard_error: float  # of the excess

    @property
    def is_good_enough(self) -> bool:
        """Whether the kind taken is within one standard error of the best; where it was named, it may not be."""
        return self.excess <= self.standard_error


def choose(
    probabilities: Mapping[LeafKind, NDArray[np.float64]],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    wanted: LeafKind | None = None,
) -> Choice:
    """The simplest kind that is good enough, or the one that is wanted, from out-of-fold probabilities."""
    losses = {kind: brier(probabilities[kind], labels) for kind in KINDS if kind in probabilities}
    scores = {kind: mean_and_error(loss, weights)[0] for kind, loss in losses.items()}
    best = min(scores, key=lambda kind: scores[kind])  # of equals the simplest
    for kind, loss in losses.items():
        excess, error = mean_and_error(loss - losses[best], weights)
        if kind == wanted or (wanted is None and excess <= error):
            return Choice(kind, scores, best, excess, error)
    message = f"leaves is {wanted!r}; expected one of {', '.join(map(repr, losses))} for these cases."
    raise SettingError(message, subject="leaves", found=wanted, expected=tuple(losses))


@dataclass(frozen=True, slots=True)
class Pathway:
    """A tree for a chain of tests, and how its kind of leaf was chosen."""

    tree: Tree
    choice: Choice
    stages: Stages | None  # None of a plain tree


def learn_pathway(
    instance: Instance,
    tests: Sequence[int],
    learner: Learner,
    folds: NDArray[np.int64],
    *,
    budget: Any = None,
    leaves: LeafKind | None = None,
    confidence: float | None = None,
    blanks: Blanks = "unknown",
    origin: Origin | None = None,
) -> Pathway:
    """The pathway of a chain of tests, whose cases all count.

    leaves      None for the simplest kind that is good enough
    confidence  a case stops where its likeliest class has this probability; None: where going on would hardly change
                its answer
    """
    tests, table = tuple(tests), instance.schema.loss_table
    instance = round_levels(instance, tests)

    def chain(of: Sequence[int], probabilities: Sequence[NDArray[np.float64]]) -> Chain:
        return Chain(probabilities, prefix_costs(instance, of), table, instance.weights, confidence)

    by_model = chain(tests, [learner.probabilities(tests[:end]) for end in range(len(tests) + 1)])
    model_stages = find_stages(by_model)
    small = fit_small_tree(instance, tests, folds, budget=budget, blanks=blanks)
    found: dict[LeafKind, NDArray[np.float64]] = {"tree": small.out_of_fold, "model": by_model.probabilities[-1]}
    fitted, points_stages = None, None
    if table.n_classes == 2:
        fitted = telling_points(instance, tests, learner, folds, blanks)
        points_stages = find_stages(chain(fitted.table.tests, fitted.out_of_fold))
        found["points"] = fitted.out_of_fold[-1]
    choice = choose(found, instance.labels, instance.weights, leaves)
    if choice.kind == "tree":
        return Pathway(small.tree(instance, budget=budget, origin=origin), choice, None)
    if choice.kind == "model":
        tree = model_tree(instance, tests, learner, model_stages, budget=budget, origin=origin)
        return Pathway(tree, choice, model_stages)
    assert fitted is not None
    assert points_stages is not None
    tree = points_tree(instance, fitted, points_stages, budget=budget, origin=origin)
    return Pathway(tree, choice, points_stages)


def telling_points(
    instance: Instance, tests: Sequence[int], learner: Learner, folds: NDArray[np.int64], blanks: Blanks = "unknown"
) -> FittedPoints:
    """The points of a chain without the tests that give everybody the same: nobody should pay for these."""
    while True:
        fitted = fit_points(instance, tests, learner, folds, blanks)
        telling = [test for position, test in enumerate(tests) if len(fitted.table.possible(position)) > 1]
        if len(telling) == len(tests):
            return fitted
        tests = telling
