"""Explanations: which paid answers moved the probability of the predicted class, and by how much."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import is_missing
from budgetree.services.words import visible
from budgetree.tree.consultation import Consultation, Step
from budgetree.tree.leaves import SCORE_UNIT, Points, Scored, class_scores

SMALLEST = 0.05  # points that are shown


class ProbabilityChange:
    """How the probability of a class moved."""

    __slots__ = ()

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution(ProbabilityChange, Step):
    """What one answer did for the predicted class: the step of a consultation, and how it moved the probability.

    Attributes
    ----------
    score : float or None
        What it adds to the class's score above the mean of all classes, or to the points; None where neither decides.
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
    def answered(self) -> str:
        """What was answered, in words: the value, and what it counts as where that has another name."""
        if not self.available:
            return "not available" + (f", path of {self.assumed} followed" if self.assumed is not None else "")
        if self.outcome is None:
            return f"{self.value!r} (unknown)"
        shown = self.outcome_label or self.outcome
        said = str(self.value)
        if said == shown or self.is_labelled or is_missing(self.value):
            return shown
        return f"{said} ({shown})"


@dataclass(frozen=True, slots=True)
class Correction(ProbabilityChange):
    """What several answers say together, beyond what each says alone: the small trees of a model."""

    score: float  # what it adds to the class's score above the mean of all classes, or to the points
    before: float  # the probability of the class by the answers one by one …
    after: float  # … and with it


@dataclass(frozen=True, slots=True)
class Explanation:
    """A prediction, and what led to it.

    With a model the scores add up: `start_score`, the contributions' scores and that of the correction are the class's
    score above the mean of all classes, and softmax makes probabilities of the scores. Points add up to the total.

    Attributes
    ----------
    prediction, prediction_label : object, str
        The answer, and what it is called.
    about, about_label : object, str
        The class whose probability it is: the prediction, or the likeliest where the prediction is not a class.
    probability, start : float
        Of that class; and before any answer, by the leaf's model or points, where it has some.
    start_score : float or None
        The class's score, or the points, before any answer; None where neither decides.
    contributions : tuple of Contribution
        In the order of paying.
    by : {'cases', 'points', 'model'}
        What says the probabilities.
    correction : Correction or None
        What the answers say together, after the contributions; None where each counts alone.

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
    by: Literal["cases", "points", "model"] = "cases"
    correction: Correction | None = None

    @property
    def opening(self) -> str:
        """Where the probability starts, in words. Columns are centred: an average result moves no score of a model."""
        if self.by == "model":
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
        if (last := self.correction) is not None:
            lines.append(f"  the answers together: {last.before:.1%} → {last.after:.1%}")
        return "\n".join(map(visible, lines))


def explain(case: Consultation) -> Explanation:
    """Of a finished consultation."""
    tree, rule, correction = case.tree, case.rule, None
    label = case.position if case.position < len(tree.class_names) else int(case.shares.argmax())
    if rule is None:
        moves = [float(shares[label]) for shares in case.shares_on_path]
        scores: list[float | None] = [None] * len(moves)
    else:
        totals = _running_totals(rule, case)
        moves = rule.probabilities(totals)[:, label].tolist()
        own = totals[:, 0]
        if not isinstance(rule, Points):
            by_class = class_scores(totals)
            own = (by_class[:, label] - by_class.mean(axis=1)) / SCORE_UNIT
        scores = [float(own[0]), *np.diff(own).tolist()]
        if rule.totals.trees is not None:
            correction = Correction(scores.pop() or 0.0, *moves[-2:])
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
        correction=correction,
        by="cases" if rule is None else "points" if isinstance(rule, Points) else "model",
    )


def _running_totals(rule: Scored, case: Consultation) -> NDArray[np.int64]:
    """The totals before any answer, after each in the order of the answers, and last with the small trees, if any."""
    intercept, tables = rule.totals.intercept, dict(zip(rule.tests, rule.totals.points, strict=True))
    nothing = np.zeros((1, len(intercept)), dtype=np.int64)  # of a test that it does not read
    added = [(own := tables.get(test, nothing))[min(code, len(own) - 1)] for test, code in case.codes.items()]
    sums = np.cumsum([intercept, *added], axis=0)
    return sums if rule.totals.trees is None else np.vstack([sums, rule.totals.add_up(case.row)])
