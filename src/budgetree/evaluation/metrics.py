"""Shares and means of cases that were judged, with 95 % intervals; and one class against all others.

predictions   a a b b c c …   of a case there is one per repeat, which share its weight
draws         0 0 1 1 1 1 …   a case, or the cases of one group: what they have in common is drawn once
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Unit = Literal["%", "cost", ""]
Z = 1.959963984540054  # of 95 %
MAX_DIGITS = 4
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
THRESHOLDS = np.arange(1, 100) / 100
N_BINS = 10
MIN_IN_BIN = 5  # cases; where there are fewer, calibration curves have fewer points
LEAST_CHANCE = 1e-3  # calibration is on the scale of logits: a probability of 0 or 1 stands for this, or 1 less it
SMALLEST = float(np.finfo(np.float64).eps)  # the chance that log loss takes for none at all, as scikit-learn does
STEPS, CONVERGED, MAX_SLOPE = 50, 1e-10, 50.0


@dataclass(frozen=True, slots=True)
class Measured:
    """A value with its 95 % interval, which is None where none can be given.

    >>> print(Measured(0.9568, 0.92, 0.98, "%"), Measured(0.8712, 0.83, 0.91))
    96 % (92 to 98) 0.87 (0.83 to 0.91)
    """

    value: float
    low: float | None = None
    high: float | None = None
    unit: Unit = ""

    @property
    def digits(self) -> int:
        """The decimals that are worth showing: as many as the interval's half width has zeros, and one."""
        factor = 100 if self.unit == "%" else 1
        if self.low is None or self.high is None or self.high <= self.low:
            return {"%": 0, "cost": 2, "": 2}[self.unit]
        least = 2 if self.unit == "" else 0
        return min(max(least, -math.floor(math.log10(factor * (self.high - self.low) / 2))), MAX_DIGITS)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The value, and where there are any the ends of its interval, as people read them."""
        factor = 100 if self.unit == "%" else 1
        ends = (self.value,) if self.low is None or self.high is None else (self.value, self.low, self.high)
        shown = tuple(f"{factor * number:.{self.digits}f}" for number in ends)
        return tuple(text.lstrip("-") if float(text) == 0 else text for text in shown)

    def __str__(self) -> str:
        value, *ends = self.numbers
        shown = f"{value} %" if self.unit == "%" else value
        return f"{shown} ({' to '.join(ends)})" if ends else shown

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"value": self.value, "low": self.low, "high": self.high, "unit": self.unit, "digits": self.digits}


def _sums(number: NDArray[np.int64], values: Floats) -> Floats:
    return np.asarray(np.bincount(np.unique(number, return_inverse=True)[1], weights=values), dtype=np.float64)


def wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's interval of a share of n draws."""
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True, eq=False)
class Sample:
    """Predictions of cases, with what each counts.

    inflation  1 for a fixed pathway. Of what is learned in folds, other cases would have made other pathways: the
               variance is larger by 1 + held out / learned from (Nadeau and Bengio 2003)
    """

    weights: Floats  # those of one case add up to its weight
    case: NDArray[np.int64]
    draw: NDArray[np.int64]
    fold: NDArray[np.int64]  # which pathway it was
    inflation: float = 1.0

    def take(self, chosen: NDArray[Any]) -> Sample:
        """Only these predictions."""
        chosen_ones = (self.weights[chosen], self.case[chosen], self.draw[chosen], self.fold[chosen])
        return Sample(*chosen_ones, inflation=self.inflation)

    @cached_property
    def total(self) -> float:
        """The weight of all."""
        return float(self.weights.sum())

    @cached_property
    def n_draws(self) -> int:
        """Draws that count."""
        return len(np.unique(self.draw[self.weights > 0]))

    @cached_property
    def _draw_numbers(self) -> NDArray[np.int64]:
        return np.unique(self.draw, return_inverse=True)[1]

    def by_draw(self, values: Floats) -> Floats:
        """Sums of weighted values over each draw."""
        return np.asarray(np.bincount(self._draw_numbers, weights=self.weights * values), dtype=np.float64)

    def _effective(self, number: NDArray[np.int64]) -> float:
        """How many cases or draws of equal weight say as much."""
        sums = _sums(number, self.weights)
        return float(sums.sum() ** 2 / (sums**2).sum())

    def share(self, is_hit: Bools) -> Measured | None:
        """The share of hits, with Wilson's interval."""
        if self.total <= 0:
            return None
        share, n = self.share_of(is_hit)
        return Measured(share, *wilson(share, n), "%")

    def share_of(self, is_hit: Bools) -> tuple[float, float]:
        """The share of hits, and how many independent cases would say it as surely.

        Of draws with several cases that is by how alike those are, of several pathways by how these differ.
        """
        share = min(float(self.weights @ is_hit) / self.total, 1.0)
        variance = float((self.by_draw(np.asarray(is_hit - share, dtype=np.float64)) ** 2).sum()) / self.total**2
        if variance <= 0:
            return share, self._effective(self.draw) / self.inflation
        chance = share * (1 - share)
        n = min(chance / variance, self._effective(self.case))
        return share, chance / (chance * self.inflation / n + self._between_folds(is_hit, share))

    def _between_folds(self, is_hit: Bools, share: float) -> float:
        """By how much pathways differ beyond chance: the variance of one (DerSimonian and Laird 1986); 0 of one alone.

        Where answers are traded for each other, one fold's pathway finds more of a class and another's fewer.
        """
        n = _sums(self.fold, (self.weights > 0).astype(np.float64))
        hits = _sums(self.fold, self.weights * is_hit) / np.maximum(_sums(self.fold, self.weights), 1e-300)
        excess = float(n @ (hits - share) ** 2) / (share * (1 - share)) - (len(n) - 1)
        spread = float(n.sum() - (n**2).sum() / n.sum())
        return max(excess * share * (1 - share) / spread, 0.0) if spread > 0 else 0.0

    def mean(self, values: Floats, unit: Unit = "") -> Measured | None:
        """The mean with Student's interval; without one where all values are the same, or there is one draw."""
        from scipy.stats import t

        if self.total <= 0:
            return None
        mean, n = float(self.weights @ values) / self.total, self.n_draws
        square = float((self.by_draw(values - mean) ** 2).sum())
        if n < 2 or square <= (1e-12 * self.total * max(1.0, abs(mean))) ** 2:
            return Measured(mean, unit=unit)
        half = float(t.ppf(0.975, n - 1)) * math.sqrt(self.inflation * square * n / (n - 1)) / self.total
        return Measured(mean, mean - half, mean + half, unit)


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """Cases of similar probabilities: the mean of those, and how many were of the class."""

    predicted: float
    observed: Measured
    n: float  # weight


@dataclass(frozen=True, slots=True)
class ClassMeasures:
    """One class against all others; None where something is not defined for these cases.

    Referred cases stay in the denominators of sensitivity and specificity: they are neither found nor cleared.
    """

    n: float  # weight of the cases of this class
    sensitivity: Measured | None
    specificity: Measured | None
    ppv: Measured | None
    npv: Measured | None
    auc: Measured | None
    brier: Measured | None
    slope: Measured | None
    intercept: Measured | None
    curve: tuple[CalibrationPoint, ...] = ()


RATES = ("sensitivity", "specificity", "ppv", "npv", "auc", "brier", "slope", "intercept")


def measure_class(sample: Sample, is_class: Bools, found: Bools, cleared: Bools, chances: Floats) -> ClassMeasures:
    """From what each prediction is, whether it says so, whether it says another class, and the probability."""
    slope, intercept = calibration(sample, is_class, chances)
    return ClassMeasures(
        n=float(sample.weights @ is_class),
        sensitivity=sample.take(is_class).share(found[is_class]),
        specificity=sample.take(~is_class).share(cleared[~is_class]),
        ppv=sample.take(found).share(is_class[found]),
        npv=sample.take(cleared).share(~is_class[cleared]),
        auc=auc(sample, is_class, chances),
        brier=sample.mean((chances - is_class) ** 2),
        slope=slope,
        intercept=intercept,
        curve=calibration_curve(sample, is_class, chances),
    )


def auc(sample: Sample, is_class: Bools, chances: Floats) -> Measured | None:
    """The area under the ROC curve, of pairs that one pathway judged; DeLong's variance, on the scale of logits."""
    from sklearn.metrics import roc_auc_score

    areas, pairs, placed = list[float](), list[float](), np.zeros(len(chances))
    share = np.zeros(len(chances))  # of a prediction's opponents among all pairs
    for number in np.unique(sample.fold):
        rows = np.flatnonzero((sample.fold == number) & (sample.weights > 0))
        positive, negative = rows[is_class[rows]], rows[~is_class[rows]]
        if not len(positive) or not len(negative):
            continue
        weights = sample.weights[rows]
        areas.append(float(roc_auc_score(is_class[rows], chances[rows], sample_weight=weights)))
        pairs.append(float(sample.weights[positive].sum() * sample.weights[negative].sum()))
        for own, others, sign in ((positive, negative, 1), (negative, positive, -1)):
            placed[own] = _beaten(sign * chances[own], sign * chances[others], sample.weights[others])
            share[own] = sample.weights[others].sum()
    if not pairs:
        return None
    area = float(np.average(areas, weights=pairs))
    n = np.array([len(np.unique(sample.draw[(share > 0) & chosen])) for chosen in (is_class, ~is_class)])
    unbiased = np.sqrt(n / np.maximum(n - 1, 1))[np.where(is_class, 0, 1)]
    influence = unbiased * share * (placed - area) / sum(pairs)
    variance = float((sample.by_draw(influence) ** 2).sum()) * sample.inflation
    if variance <= 0 or not 0 < area < 1:  # no pair is against it: as sure as so many draws can be
        return Measured(area, *wilson(area, int(n.min()) / sample.inflation))
    centre, half = math.log(area / (1 - area)), Z * math.sqrt(variance) / (area * (1 - area))
    return Measured(area, 1 / (1 + math.exp(half - centre)), 1 / (1 + math.exp(-half - centre)))


def _beaten(own: Floats, others: Floats, weights: Floats) -> Floats:
    """Per own number, the share of the others that are below it; equal ones count half."""
    order = np.argsort(others, kind="stable")
    sums = np.append(0.0, np.cumsum(weights[order]))
    below, up_to = (sums[np.searchsorted(others[order], own, side)] for side in ("left", "right"))
    return np.asarray((below + up_to) / (2 * sums[-1]))


def log_loss_values(chances: Floats, labels: NDArray[np.int64]) -> Floats:
    """Per prediction, minus the logarithm of the probability of what the case is."""
    return np.asarray(-np.log(np.clip(chances[np.arange(len(labels)), labels], SMALLEST, 1)))


def calibration(sample: Sample, is_class: Bools, chances: Floats) -> tuple[Measured | None, Measured | None]:
    """Slope of a logistic regression on the logit of the probability; intercept of one whose slope is 1.

    None where the classes are not both there, the probabilities are all the same, or separate the classes.
    """
    chances = np.clip(chances, LEAST_CHANCE, 1 - LEAST_CHANCE)
    logits = np.log(chances / (1 - chances))
    ones, both = np.ones((len(logits), 1)), np.stack([np.ones_like(logits), logits], axis=1)
    intercept = _logistic(sample, is_class, ones, logits)
    slope = None if np.ptp(logits) < 1e-9 else _logistic(sample, is_class, both, np.zeros_like(logits))
    return slope, intercept


def _logistic(sample: Sample, is_class: Bools, columns: Floats, offset: Floats) -> Measured | None:
    """The last coefficient, by Newton's method, with an interval by the sandwich estimator."""
    coefficients = np.zeros(columns.shape[1])
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-np.clip(columns @ coefficients + offset, -500, 500)))
        scores = columns * (is_class - expected)[:, None]
        curvature = columns.T @ (columns * (sample.weights * expected * (1 - expected))[:, None])
        try:
            step = np.linalg.solve(curvature, sample.weights @ scores)
        except np.linalg.LinAlgError:
            return None
        coefficients = coefficients + step
        if np.abs(coefficients[-1]) > MAX_SLOPE:
            return None
        if np.abs(step).max() < CONVERGED:
            sums = np.stack([sample.by_draw(score) for score in scores.T], axis=1)
            inverse = np.linalg.inv(curvature)
            half = Z * math.sqrt(max((inverse @ (sums.T @ sums) @ inverse)[-1, -1] * sample.inflation, 0))
            value = float(coefficients[-1])
            return Measured(value, value - half, value + half)
    return None


def calibration_curve(sample: Sample, is_class: Bools, chances: Floats) -> tuple[CalibrationPoint, ...]:
    """Parts of about as many cases, by their probability; equal probabilities are in one part.

    scikit-learn's takes no weights, of which each repeat has a share.
    """
    n_bins = int(min(N_BINS, sample.total // MIN_IN_BIN))
    if n_bins < 2:
        return ()
    edges = np.quantile(chances, np.arange(1, n_bins) / n_bins)
    number = np.searchsorted(edges, chances)  # as scikit-learn counts: an edge belongs to the part below it
    points = []
    for part in np.unique(number):
        rows = number == part
        observed = sample.take(rows).share(is_class[rows])
        if observed is not None:
            weights = sample.weights[rows]
            points.append(
                CalibrationPoint(float(np.average(chances[rows], weights=weights)), observed, float(weights.sum()))
            )
    return tuple(points)


@dataclass(frozen=True, slots=True)
class DecisionCurve:
    """Net benefit over thresholds: found cases per case, less false alarms at the threshold's odds, less harm."""

    thresholds: tuple[float, ...]
    net_benefit: tuple[Measured, ...]
    treat_all: tuple[float, ...]  # treating none has a net benefit of 0
    worth: float | None  # what one found case is worth, in the unit of prices; None: tests do no harm
    harm: float  # the mean cost in found cases

    def at(self, threshold: float) -> Measured:
        """The net benefit at the nearest threshold."""
        return self.net_benefit[int(np.abs(np.array(self.thresholds) - threshold).argmin())]


def benefit_values(is_class: Bools, chances: Floats, threshold: float, harm: Floats) -> Floats:
    """Per prediction, what treating above the threshold gains, in found cases."""
    treated = chances >= threshold
    return np.asarray(treated * np.where(is_class, 1.0, -threshold / (1 - threshold)) - harm)


def decision_curve(
    sample: Sample, is_class: Bools, chances: Floats, cost: Floats, worth: float | None
) -> DecisionCurve | None:
    """What each case really paid is its harm."""
    harm = np.zeros_like(cost) if worth is None else cost / worth
    found = [sample.mean(benefit_values(is_class, chances, float(at), harm)) for at in THRESHOLDS]
    if found[0] is None:
        return None
    prevalence = float(sample.weights @ is_class) / sample.total
    every = prevalence - (1 - prevalence) * THRESHOLDS / (1 - THRESHOLDS)
    mean_harm = float(sample.weights @ harm) / sample.total
    kept = tuple(one for one in found if one is not None)
    return DecisionCurve(tuple(THRESHOLDS.tolist()), kept, tuple(every.tolist()), worth, mean_harm)


def at_prevalence(
    sample: Sample, is_class: Bools, found: Bools, cleared: Bools, prevalence: float
) -> tuple[Measured | None, Measured | None]:
    """PPV and NPV where another share is of the class; intervals on the scale of logits (Mercaldo 2007)."""
    odds = prevalence / (1 - prevalence)
    return _predictive(sample, is_class, found, odds), _predictive(sample, ~is_class, cleared, 1 / odds)


def _predictive(sample: Sample, is_right: Bools, answered: Bools, odds: float) -> Measured | None:
    parts = [(sign, sample.take(rows), answered[rows]) for sign, rows in ((1, is_right), (-1, ~is_right))]
    if any(part.total <= 0 for _, part, _ in parts):
        return None
    (right, _), (wrong, _) = shares = [part.share_of(hits) for _, part, hits in parts]
    if right + wrong == 0:
        return None
    value, centre, variance = odds * right / (odds * right + wrong), math.log(odds), 0.0
    for (sign, *_), (share, n) in zip(parts, shares, strict=True):
        cautious = (share * n + 0.5) / (n + 1)  # a half case more either way keeps logarithms finite
        centre += sign * math.log(cautious)
        variance += (1 - cautious) / (cautious * n)
    low, high = (1 / (1 + math.exp(-centre - sign * Z * math.sqrt(variance))) for sign in (-1, 1))
    return Measured(value, min(low, value), max(high, value), "%")
