"""Explanations: which paid answers moved the probability of the predicted class, and by how much."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import is_missing
from budgetree.services.words import visible
from budgetree.tree.consultation import Consultation, Step
from budgetree.tree.leaf_models import LeafModels, Model, softmax

SMALLEST = 0.05  # points that are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution(Step):
    """What one answer did for the predicted class: the step of a consultation, and how it moved the probability.

    Attributes
    ----------
    score : float or None
        What it adds to the class's score above the mean of all classes; None without a model. An outcome that no known
        case had moves nothing in a model.
    before, after : float
        The probability of the class by the answers before it, in the order of paying, and with it.

    Examples
    --------
    >>> import budgetree as bt
    >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
    >>> [(part.test, part.moved) for part in tree.explain({"age": 42, "pregnant": 3}).contributions]
    [('age', '-18.5 points'), ('pregnant', '+41.4 points')]
    """

    score: float | None
    before: float
    after: float

    @property
    def points(self) -> float:
        """By how many percentage points it moved the probability."""
        return 100 * (self.after - self.before)

    @property
    def moved(self) -> str:
        """`points` in words."""
        return "no change" if abs(self.points) < SMALLEST else f"{self.points:+.1f} points"

    @property
    def answered(self) -> str:
        """What was answered, in words: the value, and what it counts as where that has another name."""
        if not self.available:
            return "not available" + (f", taken as {self.assumed}" if self.assumed is not None else "")
        if self.outcome is None:
            return f"{self.value!r} (unknown)"
        shown = self.outcome_label or self.outcome
        said = str(self.value)
        if said == shown or self.is_labelled or is_missing(self.value):
            return shown
        return f"{said} ({shown})"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A prediction, and what led to it.

    With a model the scores add up: `start_score` and the contributions' scores are the class's score above the mean of
    all classes, and softmax makes probabilities of the scores.

    Attributes
    ----------
    prediction : object
        The answer.
    probability : float
        Of the class that it is about.
    start : float
        The probability of the class before any answer; by the last model, where there is one.
    start_score : float or None
        The class's score before any answer; None without a model.
    contributions : tuple of Contribution
        In the order of paying.
    about : object
        The class whose probability it is: the prediction, or the likeliest where the prediction is no class.
    prediction_label, about_label : str
        What the two are called.

    Examples
    --------
    >>> import budgetree as bt
    >>> explanation = bt.grow(bt.datasets.load("pima"), budget=2).explain({"age": 42, "pregnant": 3})
    >>> explanation.prediction, explanation.about, round(explanation.probability, 2)
    ('neg', 'neg', 0.88)
    """

    prediction: Any
    probability: float
    start: float
    start_score: float | None
    contributions: tuple[Contribution, ...]
    about: Any
    prediction_label: str = ""
    about_label: str = ""

    @property
    def opening(self) -> str:
        """Where the probability starts, in words. Columns are centred: an average result moves no score of a model."""
        if self.start_score is not None:
            return f"average results give {self._about} {self.start:.1%}"
        return f"{self._about} has {self.start:.1%} at first"

    @property
    def _about(self) -> str:
        return self.about_label or str(self.about)

    @property
    def largest_first(self) -> tuple[Contribution, ...]:
        """The contributions, those first that moved the probability most."""
        return tuple(sorted(self.contributions, key=lambda part: -abs(part.points)))

    def __str__(self) -> str:
        answer = "" if self.about == self.prediction else f"{self.prediction_label or self.prediction}; "
        lines = [f"{answer}{self._about}: {self.probability:.1%}", f"  {self.opening}"]
        for part in self.contributions:
            lines.append(f"  {part.test_label or part.test} is {part.answered}: {part.before:.1%} → {part.after:.1%}")
        return "\n".join(map(visible, lines))


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
        Contribution(**asdict(step), score=score, before=before, after=after)
        for step, score, before, after in zip(case.history, scores[1:], moves, moves[1:], strict=False)
    ]
    return Explanation(
        prediction=case.prediction,
        probability=float(case.shares[label]),
        start=moves[0],
        start_score=scores[0],
        contributions=tuple(contributions),
        about=tree.class_names[label],
        prediction_label=case.conclusion,
        about_label=tree.schema.wording.classes[label],
    )


def _sums(leaf_models: LeafModels, model: Model, codes: dict[int, int]) -> NDArray[np.float64]:
    """The scores per class before any answer, and after each, in the order of the answers."""
    tables = dict(zip(model.tests, model.contributions(leaf_models.bases), strict=True))
    sums = [model.intercept]
    for test, code in codes.items():
        table = tables[test]
        sums.append(sums[-1] + table[min(code, len(table) - 1)])
    return np.array(sums)
