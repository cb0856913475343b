"""Explanations: which paid answers moved the probability of the predicted class, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.tree.leaf_models import LeafModels, Model, softmax

if TYPE_CHECKING:
    from budgetree.tree.consultation import Consultation


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one answer did for the predicted class."""

    test: str
    value: Any  # as it was answered
    outcome: str | None  # None for a value that no known case had, which moves nothing in a model
    score: float | None  # what it adds to the class's score above the mean of all classes; None without a model
    before: float  # the probability of the class by the answers before it, in the order of paying
    after: float  # and with it


@dataclass(frozen=True, slots=True)
class Explanation:
    """A prediction, and what led to it.

    With a model the scores add up: start_score and the contributions' scores are the class's score above the mean of
    all classes, and softmax makes probabilities of the scores.
    """

    prediction: Any
    probability: float
    start: float  # the probability of the class before any answer
    start_score: float | None
    contributions: tuple[Contribution, ...]  # in the order of paying
    about: Any  # the class whose probability it is: the prediction, or the likeliest where the prediction is no class

    def __str__(self) -> str:
        answer = "" if self.about == self.prediction else f"{self.prediction}; "
        lines = [f"{answer}{self.about}: {self.probability:.1%}", f"  at first {self.start:.1%}"]
        for part in self.contributions:
            shown = part.outcome if part.outcome is not None else f"{part.value!r} (unknown)"
            lines.append(f"  {part.test} is {shown}: {part.before:.1%} → {part.after:.1%}")
        return "\n".join(lines)


def explain(case: Consultation) -> Explanation:
    """Of a finished consultation."""
    tree = case.tree
    label = case.position if case.position < len(tree.class_names) else int(case.shares.argmax())
    model = None if tree.models is None else tree.models.model(case.node)
    if tree.models is None or model is None:
        moves = [float(shares[label]) for shares in case.shares_on_path]
        scores: list[float | None] = [None] * len(moves)
    else:
        sums = _sums(tree.models, model, case.codes)
        moves = softmax(sums)[:, label].tolist()
        centred = sums[:, label] - sums.mean(axis=1)
        scores = [float(centred[0]), *np.diff(centred).tolist()]
    contributions = [
        Contribution(step.test, step.value, step.outcome, score, before, after)
        for step, score, before, after in zip(case.history, scores[1:], moves, moves[1:], strict=False)
    ]
    return Explanation(
        prediction=case.prediction,
        probability=float(case.shares[label]),
        start=moves[0],
        start_score=scores[0],
        contributions=tuple(contributions),
        about=tree.class_names[label],
    )


def _sums(leaf_models: LeafModels, model: Model, codes: dict[int, int]) -> NDArray[np.float64]:
    """The scores per class before any answer, and after each, in the order of the answers."""
    tables = dict(zip(model.tests, model.contributions(leaf_models.bases), strict=True))
    sums = [model.intercept]
    for test, code in codes.items():
        table = tables[test]
        sums.append(sums[-1] + table[min(code, len(table) - 1)])
    return np.array(sums)
