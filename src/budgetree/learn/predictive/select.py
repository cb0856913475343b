"""Which kind of leaf a chain of tests gets: the simplest that is good enough.

    tree     a plain tree of at most eight leaves
    points   whole points, one running total, thresholds; for two classes
    model    a model of all that was bought, at the end of every stage

A kind is good enough where its out-of-fold Brier score is within half a standard error of the best, of the differences
case by case. They are compared with everything bought: what stopping early takes from the score saves money, and is no
matter of the kind. Of kinds that are good enough, one that costs much less is taken before a simpler one. Where a kind
is asked for by name, it is taken, and what it costs is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.tree.provenance import KINDS, LeafChoice, LeafKind

GOOD_ENOUGH = 0.5  # standard errors behind the best; within a whole one, many are worse on new cases
MUCH_LESS = 0.8  # of the mean cost
DIGITS = 6  # of scores, which are for people
CLEARLY = 3.0  # standard errors


def choose(
    probabilities: Mapping[LeafKind, NDArray[np.float64]],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    wanted: LeafKind | None = None,
    mean_cost: Callable[[LeafKind], float] = lambda kind: 0.0,
) -> LeafChoice:
    """The simplest kind that is good enough, or the one that is wanted, from out-of-fold probabilities.

    mean_cost  what a case pays on average in a pathway of this kind
    """
    losses = {kind: brier(probabilities[kind], labels) for kind in KINDS if kind in probabilities}
    scores = {kind: mean_and_error(loss, weights)[0] for kind, loss in losses.items()}
    best = min(scores, key=lambda kind: scores[kind])  # of equals the simplest
    compared = {kind: mean_and_error(loss - losses[best], weights) for kind, loss in losses.items()}
    good = [kind for kind, (excess, error) in compared.items() if excess <= GOOD_ENOUGH * error]
    kind = good[0] if wanted is None else wanted
    for other in good[1:] if wanted is None else []:
        kind = other if mean_cost(other) < MUCH_LESS * mean_cost(kind) else kind
    excess, error = compared[kind]
    rounded = tuple((kind, round(score, DIGITS)) for kind, score in scores.items())
    return LeafChoice(kind, rounded, best, round(excess, DIGITS), round(error, DIGITS))


def with_tree(choice: LeafChoice, score: float) -> LeafChoice:
    """The same where an exact tree of this score is taken instead."""
    scores: dict[LeafKind, float] = dict(choice.scores) | {"tree": round(score, DIGITS)}
    best = min(scores, key=lambda kind: scores[kind])
    excess = round(scores["tree"] - scores[best], DIGITS)
    ordered = tuple((kind, scores[kind]) for kind in KINDS if kind in scores)
    return LeafChoice("tree", ordered, best, excess, choice.standard_error)


def brier(probabilities: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Per case, the squared distance of its probabilities from its class."""
    missing = probabilities.copy()
    missing[np.arange(len(labels)), labels] -= 1
    return np.asarray((missing**2).sum(axis=1))


def mean_and_error(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    """The mean over cases and its standard error; a case of weight k counts as k equal cases."""
    total = float(weights.sum())
    mean = float((weights * values).sum()) / total
    return mean, float(np.sqrt((weights * (values - mean) ** 2).sum())) / total


def is_clearly_worse(
    losses: NDArray[np.floating[Any]], others: NDArray[np.floating[Any]], weights: NDArray[np.float64]
) -> bool:
    """Whether the mean of losses is above that of others, case by case, beyond what chance makes likely."""
    excess, error = mean_and_error((losses - others).astype(np.float64), weights)
    return excess > CLEARLY * error
