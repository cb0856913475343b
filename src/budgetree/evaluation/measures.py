"""All figures of some cases, of groups of them, and of two pathways side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from budgetree.evaluation.cases import Division, Judged
from budgetree.evaluation.metrics import (
    ClassMeasures,
    Floats,
    Measured,
    Unit,
    benefit_values,
    log_loss_values,
    measure_class,
)
from budgetree.problem import Schema
from budgetree.tree import Tree

SMALL = 10  # cases of the rarest class: figures of a group with fewer are marked
COMPARED_AT = (0.1, 0.2, 0.3, 0.5)  # thresholds


@dataclass(frozen=True, slots=True)
class Measures:
    """What is measured of some cases; None where it is not defined for them."""

    n: float  # weight
    n_by_class: tuple[float, ...]
    error: Measured | None
    loss: Measured | None  # where losses are given
    brier: Measured | None  # of two classes that of either, of more the sum over all
    log_loss: Measured | None
    mean_cost: Measured | None
    confusion: tuple[tuple[float, ...], ...]  # answer × class, means over repeats
    by_class: tuple[ClassMeasures, ...]
    n_impossible: float = 0  # cases of a class that got a probability of 0

    @property
    def is_small(self) -> bool:
        """Whether some class has too few cases for its figures to say much."""
        return min(self.n_by_class) < SMALL


def measure(judged: Judged, schema: Schema) -> Measures:
    """All figures of these cases."""
    sample, labels, answers, chances = judged.sample, judged.labels, judged.answers, judged.chances
    n_classes, losses = len(schema.class_names), schema.loss_table
    confusion = np.zeros((len(schema.answer_names), n_classes))
    np.add.at(confusion, (answers, labels), sample.weights)
    is_class = labels[:, None] == np.arange(n_classes)
    lost = losses.units[labels, answers] / float(losses.scale)
    squares = (chances - is_class) ** 2
    return Measures(
        n=sample.total,
        n_by_class=tuple((sample.weights @ is_class).tolist()),
        error=sample.share((answers != labels) & (answers < n_classes)),
        loss=None if schema.losses is None else sample.mean(lost),
        brier=sample.mean(squares.sum(axis=1) / (2 if n_classes == 2 else 1)),
        log_loss=sample.mean(log_loss_values(chances, labels)),
        mean_cost=sample.mean(judged.cost, "cost"),
        confusion=tuple(map(tuple, np.round(confusion, 9).tolist())),
        by_class=tuple(
            measure_class(
                sample,
                is_class[:, label],
                answers == label,
                (answers != label) & (answers < n_classes),
                chances[:, label],
            )
            for label in range(n_classes)
        ),
        n_impossible=float(sample.weights @ (chances[np.arange(len(labels)), labels] <= 0)),
    )


@dataclass(frozen=True, slots=True)
class Subgroup:
    """The figures of the cases of one group."""

    by: str
    group: str
    measures: Measures


def measure_groups(judged: Judged, divisions: Iterable[Division], schema: Schema) -> tuple[Subgroup, ...]:
    """Of each group that has cases."""
    found = []
    for division in divisions:
        number = division.number[judged.case]
        for index, name in enumerate(division.names):
            if len(rows := np.flatnonzero(number == index)):
                found.append(Subgroup(division.by, name, measure(judged.take(rows), schema)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class StageShare:
    """The share of the cases that are answered after so many stages of tests."""

    stage: int
    share: float
    mean_cost: float


@dataclass(frozen=True, slots=True)
class TestShare:
    """The share of the cases on which a test is done."""

    name: str
    share: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What cases pay, and for what."""

    worst: int | float  # that no case exceeds
    mean: Measured | None
    by_class: tuple[Measured | None, ...]
    stages: tuple[StageShare, ...]
    tests: tuple[TestShare, ...]  # the most frequent first


def measure_cost(judged: Judged, tree: Tree) -> Cost:
    """By class, stage and test."""
    sample, schema = judged.sample, tree.schema
    stages = []
    for stage in np.unique(judged.stage).tolist():
        rows = judged.stage == stage
        weight = float(sample.weights[rows].sum())
        mean = float(sample.weights[rows] @ judged.cost[rows]) / weight
        stages.append(StageShare(stage, weight / sample.total, mean))
    shares = (sample.weights @ judged.tests / sample.total).tolist()
    done = [TestShare(name, share) for name, share in zip(schema.wording.tests, shares, strict=True) if share > 0]
    of_class = [judged.labels == label for label in range(len(schema.class_names))]
    by_class = tuple(sample.take(rows).mean(judged.cost[rows], "cost") for rows in of_class)
    tests = tuple(sorted(done, key=lambda of: (-of.share, of.name)))
    return Cost(tree.max_cost, sample.mean(judged.cost, "cost"), by_class, tuple(stages), tests)


@dataclass(frozen=True, slots=True)
class Difference:
    """Of net benefits at a threshold."""

    threshold: float
    difference: Measured | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a second pathway does differently to the same cases; differences are the second less the first."""

    names: tuple[str, str]
    error: Measured | None
    loss: Measured | None
    cost: Measured | None
    net_benefit: tuple[Difference, ...]
    changed: tuple[tuple[int, int, float], ...]  # the first's answer, the second's, the cases that get them

    @property
    def n_changed(self) -> float:
        """The cases that get another answer."""
        return sum(count for *_, count in self.changed)


def compare(
    one: Judged, other: Judged, schema: Schema, names: tuple[str, str], positive: int | None, worth: float | None
) -> Comparison:
    """Case by case: what makes a case hard is the same for both."""
    sample, labels, losses = one.sample, one.labels, schema.loss_table

    def difference(values: Callable[[Judged], Floats], unit: Unit = "") -> Measured | None:
        return sample.mean(values(other) - values(one), unit)

    def benefit(of: Judged, threshold: float, positive: int) -> Floats:
        harm = np.zeros_like(of.cost) if worth is None else of.cost / worth
        return benefit_values(labels == positive, of.chances[:, positive], threshold, harm)

    pairs, at = np.unique(np.stack([one.answers, other.answers], axis=1), axis=0, return_inverse=True)
    weights = np.bincount(at.ravel(), weights=sample.weights).tolist()
    changed = [(a, b, weight) for (a, b), weight in zip(pairs.tolist(), weights, strict=True) if a != b]
    benefits = [
        Difference(threshold, difference(partial(benefit, threshold=threshold, positive=positive)))
        for threshold in COMPARED_AT
        if positive is not None
    ]
    return Comparison(
        names,
        error=difference(lambda of: ((of.answers != labels) & (of.answers < losses.n_classes)).astype(np.float64), "%"),
        loss=None
        if schema.losses is None
        else difference(lambda of: losses.units[labels, of.answers] / float(losses.scale)),
        cost=difference(lambda of: of.cost, "cost"),
        net_benefit=tuple(benefits),
        changed=tuple(sorted(changed, key=lambda entry: -entry[2])),
    )
