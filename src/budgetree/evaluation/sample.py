"""Sample: cases that were judged, as draws by chance; shares and means of them with 95 % intervals.

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
