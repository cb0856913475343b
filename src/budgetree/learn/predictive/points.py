"""Points: an additive model of two classes as whole points that can be added up on paper.

    contribution per outcome        f(age) = −.9 −.8 … +.4 +.5       log odds of the class that the points count for
    isotonic, where that loses little
    cut into at most five groups    least squares, by dynamic programming; each group has enough cases
    cuts moved to round numbers     among the thresholds of the levels, so that every outcome has one group
    points = round(scale · mean)    the least 0, the most 10; the scale by log loss

One table serves every stage, which reads the total of what was bought so far: chance = logistic(intercept + slope ·
total), a line per prefix of the chain. Everything is fitted again without each fold, and what the lines promise is
corrected by how they did there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import FEW_VALUES
from budgetree.learn.predictive.basis import Basis
from budgetree.learn.predictive.ridge import Models
from budgetree.problem import Instance
from budgetree.tree import Totals
from budgetree.tree.leaves import SCORE_UNIT, softmax

CHANCE_DIGITS, LEAST_CHANCE = 4, 1e-4  # of a total's chance
MAX_GROUPS = 5  # three cost .6 points of error more
TOLERANCE = 0.03  # squared log odds that grouping may cost
MIN_CASES, MIN_SHARE = 5.0, 0.04  # of each group, by weight
ISOTONIC_LOSS = 0.1  # of the contribution's variance
MAX_POINTS = 10
TOPS = range(4, MAX_POINTS + 1)  # what the largest difference within a test may become
REACH = 1 / 40  # of the middle 90 %: how far a cut may move
LINE_UNIT = 1024  # intercepts and slopes are multiples of its inverse: the same on every processor
PRIOR = 1.0  # cases' worth of information that a line is flat, and that its correction changes nothing


@dataclass(frozen=True, slots=True, eq=False)
class PointsTable:
    """Points per group of results, by test in the order of the chain; they count for the target class."""

    tests: tuple[int, ...]
    groups: tuple[NDArray[np.int64], ...]  # per outcome its group; -1 for one that counts as the average case
    points: tuple[tuple[int, ...], ...]  # per group
    otherwise: tuple[int, ...]  # per test, of a result that is missing or not listed: the mean of the known cases
    target: int = 1

    def by_outcome(self, position: int) -> NDArray[np.int64]:
        """The points of each outcome of a test of the chain, and last of a result that is not listed."""
        own = np.array([*self.points[position], self.otherwise[position]], dtype=np.int64)
        return np.append(own[self.groups[position]], own[-1])

    def possible(self, position: int) -> list[int]:
        """The points that a test can give, ascending."""
        return sorted({*self.points[position], self.otherwise[position]})

    def highest(self, n_bought: int) -> int:
        """The highest total of the first tests."""
        return sum(self.possible(position)[-1] for position in range(n_bought))

    def totals(self, n_bought: int) -> Totals:
        """The total of the first tests."""
        bought = range(n_bought)
        return Totals.of_points({self.tests[position]: self.by_outcome(position).tolist() for position in bought})

    def add_up(self, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Prefix × case: the running totals, from that of no test on."""
        running = np.zeros((len(self.tests) + 1, len(codes)), dtype=np.int64)
        for position, test in enumerate(self.tests):
            own = self.by_outcome(position)
            running[position + 1] = running[position] + own[np.minimum(codes[:, test], len(own) - 1)]
        return running


@dataclass(frozen=True, slots=True)
class Line:
    """The log odds of the target class at a total: intercept + slope · total; it never falls."""

    intercept: float
    slope: float

    def log_odds(self, totals: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(self.intercept + self.slope * totals, dtype=np.float64)

    def chances(self, totals: NDArray[np.int64], target: int) -> NDArray[np.float64]:
        """Total × class, the same bits on every machine."""
        return _two_classes(self.log_odds(totals), target)


@dataclass(frozen=True, slots=True, eq=False)
class FittedPoints:
    """A table of points, the chance of every total of every prefix, and how both do on cases left out."""

    table: PointsTable
    lines: tuple[Line, ...]  # per prefix, from that of no test on
    out_of_fold: tuple[NDArray[np.float64], ...]  # per prefix, case × class; NaN of cases that are never held out

    def chances(self, n_bought: int) -> NDArray[np.float64]:
        """Total × class, from the total 0 to the highest of the first tests, in as many digits as are read."""
        own = self.lines[n_bought].chances(np.arange(self.table.highest(n_bought) + 1), self.table.target)
        second = np.clip(np.round(own[:, 1], CHANCE_DIGITS), LEAST_CHANCE, 1 - LEAST_CHANCE)
        return np.asarray(np.round(np.column_stack([1 - second, second]), CHANCE_DIGITS), dtype=np.float64)


def fit_points(instance: Instance, tests: Sequence[int], additive: Models, folds: NDArray[np.int64]) -> FittedPoints:
    """The points of a chain of tests for two classes; `folds` has the fold of each case."""
    bases = [additive.cases.bases[test] for test in tests]
    target, _ = instance.schema.loss_table.positive(weight_at(instance.labels, instance.weights, 2).tolist())
    assert target is not None  # there are two classes
    is_target = (instance.labels == target).astype(np.float64)
    everyone = np.arange(len(is_target))

    def fitted(cases: NDArray[np.int64]) -> tuple[PointsTable, list[Line]]:
        parts = [part if target == 1 else -part for part in additive.contributions(tests, cases)]
        codes, of_target, weights = instance.codes[cases], is_target[cases], instance.weights[cases]
        table = make_table(tests, bases, parts, codes, of_target, weights, target)
        running = table.add_up(codes)
        return table, [fit_line(totals, of_target, weights) for totals in running]

    left_out, judged = np.full((len(tests) + 1, len(everyone)), np.nan), folds >= 0
    for fold in np.unique(folds[folds >= 0]):
        held = np.flatnonzero(folds == fold)
        table, lines = fitted(np.flatnonzero(folds != fold))
        for prefix, (line, totals) in enumerate(zip(lines, table.add_up(instance.codes[held]), strict=True)):
            left_out[prefix, held] = line.log_odds(totals)
    table, lines = fitted(everyone)
    corrected, honest = [lines[0]], np.full((*left_out.shape, 2), np.nan)
    honest[0, judged] = _two_classes(left_out[0, judged], target)
    known = is_target[judged], instance.weights[judged]
    for prefix, (line, log_odds) in enumerate(zip(lines[1:], left_out[1:, judged], strict=True), 1):
        shift, slope = _correction(log_odds, *known)
        corrected.append(_rounded(shift + slope * line.intercept, slope * line.slope))
        honest[prefix, judged] = _two_classes(_cross_fitted(log_odds, *known, folds[judged]), target)
    return FittedPoints(table, tuple(corrected), tuple(honest))


def telling_points(
    instance: Instance, tests: Sequence[int], additive: Models, folds: NDArray[np.int64]
) -> FittedPoints:
    """The points of a chain without the tests that give every case the same, which are not worth paying for."""
    fitted = fit_points(instance, tests, additive, folds)
    telling = [test for position, test in enumerate(tests) if len(fitted.table.possible(position)) > 1]
    return fitted if len(telling) == len(tests) else telling_points(instance, telling, additive, folds)


def make_table(
    tests: Sequence[int],
    bases: Sequence[Basis],
    parts: Sequence[NDArray[np.float64]],
    codes: NDArray[np.uint8],
    is_target: NDArray[np.float64],
    weights: NDArray[np.float64],
    target: int = 1,
) -> PointsTable:
    """From what each outcome contributes to the log odds of the target class."""
    groups, means, cases = [], [], []
    for test, of, part in zip(tests, bases, parts, strict=True):
        at = weight_at(codes[:, test], weights, of.n_outcomes)[: of.n_outcomes]
        group = group_outcomes(part[: of.n_outcomes], at, of, max(MIN_CASES, MIN_SHARE * float(weights.sum())))
        groups.append(group)
        listed, n_groups = group >= 0, max(int(group.max()) + 1, 1)
        cases.append(weight_at(group[listed], at[listed], n_groups))
        sums = weight_at(group[listed], (at * part[: of.n_outcomes])[listed], n_groups)
        means.append(sums / np.where(cases[-1] > 0, cases[-1], 1))
    above = [mean - mean.min() for mean in means]
    widest = max((float(each.max()) for each in above), default=0.0)
    best, least = None, np.inf
    for top in TOPS if widest > 0 else TOPS[:1]:
        scale = top / widest if widest > 0 else 0.0
        points = [np.rint(each * scale).astype(np.int64) for each in above]
        means_of = zip(points, cases, strict=True)
        otherwise = tuple(int(np.rint(np.average(own, weights=at if at.any() else None))) for own, at in means_of)
        own_points = tuple(tuple(each.tolist()) for each in points)
        table = PointsTable(tuple(tests), tuple(groups), own_points, otherwise, target)
        totals = table.add_up(codes)[-1]
        log_odds = fit_line(totals, is_target, weights).log_odds(totals)
        loss = float((weights * (np.logaddexp(0, log_odds) - is_target * log_odds)).sum())
        if loss < least - 1e-9 * weights.sum():  # of equals the fewest points
            best, least = table, loss
    assert best is not None
    return best


def group_outcomes(
    part: NDArray[np.float64], cases: NDArray[np.float64], basis: Basis, least: float
) -> NDArray[np.int64]:
    """The group of each outcome, -1 where it counts as the average case: unknown, or too rare to know."""
    group = np.full(basis.n_outcomes, -1, dtype=np.int64)
    n_levels = basis.n_levels
    if not basis.is_ordered:
        kept = np.flatnonzero(cases > 0)
        kept = kept[kept != basis.missing] if basis.missing is not None else kept
        order = kept[np.argsort(part[kept], kind="stable")]
        cuts = least_squares_cuts(part[order], cases[order], least)
        group[order] = np.searchsorted(cuts, np.arange(len(order)), side="right")
        return group
    present = np.flatnonzero(cases[:n_levels] > 0)
    smooth = _isotonic_if_cheap(part[present], cases[present])
    cuts = [int(present[cut]) for cut in least_squares_cuts(smooth, cases[present], least)]
    cuts = round_cuts(cuts, cases[:n_levels], basis, least)
    group[:n_levels] = np.searchsorted(cuts, np.arange(n_levels), side="right")
    if basis.missing is None and basis.n_outcomes > n_levels and cases[n_levels] >= least:
        group[n_levels] = len(cuts) + 1  # a blank that is a result
    return group


def least_squares_cuts(
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    least: float,
    tolerance: float = TOLERANCE,
    max_groups: int = MAX_GROUPS,
) -> list[int]:
    """Where to cut a sequence into groups of at least this weight: the first member of each group but the first.

    The fewest groups whose mean squared error is within the tolerance; else those of the least error.
    """
    n = len(values)
    if n < 2:
        return []
    zero = np.zeros(1)
    mass, first, second = (
        np.concatenate([zero, np.cumsum(each)]) for each in (weights, weights * values, weights * values**2)
    )
    held = mass[None] - mass[:, None]  # [i, j]: of the members i … j − 1
    error = second[None] - second[:, None] - (first[None] - first[:, None]) ** 2 / np.where(held > 0, held, 1)
    is_group = (held >= least - 1e-9) & (np.arange(n + 1)[None] > np.arange(n + 1)[:, None])
    error = np.where(is_group, np.maximum(error, 0), np.inf)
    best, back = error[0].copy(), []
    errors = [max(float(second[-1] - first[-1] ** 2 / mass[-1]), 0.0)]  # one group there is always
    for _ in range(1, max_groups):
        with_last = best[:, None] + error
        back.append(with_last.argmin(axis=0))
        best = with_last.min(axis=0)
        errors.append(float(best[-1]))
    slack = 1e-12 * float(second[-1]) + 1e-15
    within = [k for k, each in enumerate(errors) if each <= tolerance * float(mass[-1]) + slack]
    n_cuts = within[0] if within else next(k for k, each in enumerate(errors) if each <= min(errors) + slack)
    cuts, end = list[int](), n
    for step in reversed(back[:n_cuts]):
        end = int(step[end])
        cuts.append(end)
    return cuts[::-1]


def round_cuts(cuts: Sequence[int], cases: NDArray[np.float64], basis: Basis, least: float) -> list[int]:
    """The cuts, each moved to the roundest threshold in reach that leaves enough cases in every group.

    A cut is the first level above it, so the group of every outcome follows from the thresholds exactly.
    """
    values, thresholds = basis.numbers, np.array(basis.thresholds)
    if values is None or not cuts or len(thresholds) != len(values) - 1 or len(values) <= FEW_VALUES:
        return list(cuts)
    below = np.concatenate([[0.0], np.cumsum(cases)])
    low, high = values[np.searchsorted(below[1:], [0.05 * below[-1], 0.95 * below[-1]])]
    reach, found = REACH * float(high - low), [0]
    for cut, following in zip(cuts, [*cuts[1:], len(values)], strict=True):
        near = np.flatnonzero(np.abs(thresholds - thresholds[cut - 1]) <= reach) + 1
        enough = (below[near] - below[found[-1]] >= least) & (below[following] - below[near] >= least)
        rank = {
            int(k): (-roundness(float(thresholds[k - 1])), abs(float(thresholds[k - 1] - thresholds[cut - 1])), k)
            for k in near[enough]
        }
        found.append(min(rank, key=rank.__getitem__, default=cut))
    return found[1:]


def weight_at(positions: NDArray[Any], weights: NDArray[np.float64], size: int = 0) -> NDArray[np.float64]:
    """Per position from 0 on, the weight there."""
    return np.asarray(np.bincount(positions, weights, size), dtype=np.float64)


def roundness(number: float) -> float:
    """The largest of 1, 2, 5 · 10^k that divides a number.

    >>> roundness(150), roundness(140), roundness(0.25), roundness(37.0)
    (50.0, 20.0, 0.05, 1.0)
    """
    if number == 0:
        return np.inf
    _, digits, exponent = Decimal(str(number)).normalize().as_tuple()
    return float(Decimal(5 if digits[-1] == 5 else 2 if digits[-1] % 2 == 0 else 1).scaleb(int(exponent)))


def fit_line(totals: NDArray[np.int64], is_target: NDArray[np.float64], weights: NDArray[np.float64]) -> Line:
    """The logistic line of totals, by Newton's method on the sums of equal totals; rounded, and never falling."""
    cases, hits = weight_at(totals, weights), weight_at(totals, weights * is_target)
    at = np.flatnonzero(cases > 0)
    centre = float((at * cases[at]).sum() / cases[at].sum())
    spread = float(np.sqrt(((at - centre) ** 2 * cases[at]).sum() / cases[at].sum())) or 1.0
    x = np.asarray((at - centre) / spread, dtype=np.float64)
    intercept, slope = _newton(x, hits[at], cases[at], start=(0.0, 0.0))
    slope = max(slope, 0.0) / spread if len(at) > 1 else 0.0
    return _rounded(intercept - slope * centre, slope)


def _newton(
    x: NDArray[np.float64], hits: NDArray[np.float64], cases: NDArray[np.float64], start: tuple[float, float]
) -> tuple[float, float]:
    """Intercept and slope of the likeliest logistic line, given hits among cases at each x; the prior is the start."""
    at = np.array(start)
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(at[0] + at[1] * x, -30, 30)))
        missing, spread = hits - cases * p, cases * p * (1 - p)
        slope = np.array([missing.sum(), (missing * x).sum()]) - PRIOR * 0.25 * (at - start)
        a, b, c = (float(each.sum()) for each in (spread, spread * x, spread * x * x))
        a, c = a + PRIOR * 0.25, c + PRIOR * 0.25
        step = np.array([c * slope[0] - b * slope[1], a * slope[1] - b * slope[0]]) / (a * c - b * b)
        at = at + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < 1e-9:
            break
    return float(at[0]), float(at[1])


def _correction(
    log_odds: NDArray[np.float64], is_target: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Intercept and slope that make these log odds, of cases left out, as likely as they came true."""
    shift, slope = _newton(log_odds, weights * is_target, weights, start=(0.0, 1.0))
    return shift, max(slope, 0.0)


def _cross_fitted(
    log_odds: NDArray[np.float64],
    is_target: NDArray[np.float64],
    weights: NDArray[np.float64],
    folds: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The log odds of each fold, corrected by how those of the other folds did."""
    found = log_odds.copy()
    for fold in (numbers := np.unique(folds)):
        held = folds == fold
        others = ~held if len(numbers) > 1 else held  # two parameters fit no noise of many cases
        shift, slope = _correction(log_odds[others], is_target[others], weights[others])
        found[held] = shift + slope * log_odds[held]
    return found


def _rounded(intercept: float, slope: float) -> Line:
    return Line(float(np.rint(intercept * LINE_UNIT)) / LINE_UNIT, float(np.rint(slope * LINE_UNIT)) / LINE_UNIT)


def _two_classes(log_odds: NDArray[np.float64], target: int) -> NDArray[np.float64]:
    """Case × class."""
    scores = np.zeros((len(log_odds), 2), dtype=np.int64)
    scores[:, target] = np.rint(np.clip(log_odds, -30, 30) * SCORE_UNIT)
    return softmax(scores)


def _isotonic_if_cheap(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The closer of the rising and the falling fit, where it loses little of the variance; else the values."""
    if len(values) < 3:
        return values
    fits = [isotonic(values, weights), -isotonic(-values, weights)]
    lost = [float((weights * (values - fit) ** 2).sum()) for fit in fits]
    mean = float((weights * values).sum() / weights.sum())
    closer = int(lost[1] < lost[0])
    return fits[closer] if lost[closer] <= ISOTONIC_LOSS * float((weights * (values - mean) ** 2).sum()) else values


def isotonic(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least squares fit that never falls, by pooling neighbours that do; weights are above 0."""
    means, masses, sizes = list[float](), list[float](), list[int]()
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, mass, size = value, weight, 1
        while means and means[-1] >= mean:
            other = masses.pop()
            mean, mass, size = (means.pop() * other + mean * mass) / (other + mass), other + mass, size + sizes.pop()
        means.append(mean)
        masses.append(mass)
        sizes.append(size)
    return np.repeat(means, sizes)
