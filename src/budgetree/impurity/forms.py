"""Forms: impurities in whole numbers, as the growers compute them.

A form is an impurity multiplied by `stretch`, so that whole weight units give whole values: comparisons are then
exact, and multiplying by a constant changes no choice. The native core knows the forms below by their `kind`;
GeneralForm stands for every other function and is computed by the plain grower only.

    a user's weights   0.5  0.5  1        HingedPairs(0.75), on counts
          × scale 2  ↓                          × stretch  ↓
    weight units       1    1    2        a form with whole q, p and b, on weight units

                       form(units) = stretch × impurity(units / scale)
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

GENERAL, POWERS, HINGE, POLYNOMIAL, GINI, ENTROPY = range(6)


class Form(ABC):
    """A function of class counts in whole weight units."""

    kind: int = GENERAL
    exact: bool = True
    stretch: Fraction | int  # this form is so many times the impurity

    @abstractmethod
    def value(self, counts: NDArray[Any]) -> Any:
        """Values on the last axis; counts are int64, or Python integers (dtype object) when those could overflow."""

    def largest(self, total: int) -> int | None:
        """No intermediate result exceeds this on sets of this many units; None when unknown."""
        return None


class PowersForm(Form):
    """(Σ n_i)^l − Σ n_i^l."""

    kind = POWERS

    def __init__(self, power: int, scale: Fraction) -> None:
        self.power = power
        self.stretch = scale**power

    def value(self, counts: NDArray[Any]) -> Any:
        return powers(counts, self.power)

    def largest(self, total: int) -> int | None:
        return int(total**self.power)


class HingeForm(Form):
    """Σ over i ≠ j of [[q n_i − p]₊ [q n_j − p]₊ − b]₊ with whole q, p, b.

    In weight units n = scale × count, the impurity's count − α is (n − α scale) / scale. With α scale = p / q in lowest
    terms that is (q n − p) / (q scale); the product of two such factors is stretched by (q scale)², and so is α² to p².
    """

    kind = HINGE

    def __init__(self, alpha: Fraction, scale: Fraction, *, subtracts_square: bool, factor: int = 1) -> None:
        threshold = alpha if scale == 1 else alpha * scale  # the paper's α, in weight units
        self.q = threshold.denominator
        self.p = threshold.numerator
        self.b = self.p**2 if subtracts_square else 0
        # Twice for Pairs: this form counts ordered pairs. Whole where it can be, since fractions take microseconds.
        self.stretch = factor * (self.q if scale == 1 else self.q * scale) ** 2

    def value(self, counts: NDArray[Any]) -> Any:
        return hinge(counts * self.q, self.p, self.b)

    def largest(self, total: int) -> int | None:
        return max((self.q * total) ** 2, self.b)


class PolynomialForm(Form):
    """Σ of coefficient × Π n_i^power with whole coefficients."""

    kind = POLYNOMIAL

    def __init__(self, terms: tuple[tuple[Fraction, tuple[int, ...]], ...], scale: Fraction) -> None:
        degree = max(sum(exponents) for _, exponents in terms)
        # Terms of lower degree need more powers of the scale, so that all are stretched alike.
        scaled = [(gamma * scale ** (degree - sum(exponents)), exponents) for gamma, exponents in terms]
        common = math.lcm(*(gamma.denominator for gamma, _ in scaled))
        self.terms = [(int(gamma * common), exponents) for gamma, exponents in scaled]
        self.stretch = common * scale**degree

    def value(self, counts: NDArray[Any]) -> Any:
        return polynomial(counts, self.terms)

    def largest(self, total: int) -> int | None:
        return int(sum(gamma * max(total, 1) ** sum(exponents) for gamma, exponents in self.terms))


@dataclass(frozen=True, slots=True)
class Hinges:
    """A family of hinges whose α's are multiples of a step."""

    step: Fraction
    scale: Fraction
    subtracts_square: bool

    @property
    def in_units(self) -> Fraction:
        """The step in weight units: q n − multiple × p with whole q and p."""
        return self.step * self.scale

    def form(self, multiple: int) -> HingeForm:
        """The hinge at one α."""
        return HingeForm(multiple * self.step, self.scale, subtracts_square=self.subtracts_square)


class GeneralForm(Form):
    """Any function, called on true counts: fractions when it is exact, floats when it is not."""

    def __init__(self, function: Callable[[NDArray[Any]], Any], scale: Fraction, *, exact: bool) -> None:
        self.function = function
        self.scale = scale
        self.exact = exact
        self.stretch = Fraction(1)

    def value(self, counts: NDArray[Any]) -> NDArray[Any]:
        if not self.exact:
            return np.asarray(self.function(counts.astype(np.float64) / float(self.scale)), dtype=np.float64)
        whole = counts.astype(object)
        return np.asarray(self.function(whole if self.scale == 1 else whole * (1 / self.scale)), dtype=object)


class FloatForm(GeneralForm):
    """A function of floats that the core knows too; both are homogeneous, so weight units serve as counts."""

    def __init__(self, function: Callable[[NDArray[Any]], Any], scale: Fraction, kind: int) -> None:
        super().__init__(function, Fraction(1), exact=False)
        self.kind = kind
        self.stretch = scale


def powers(counts: NDArray[Any], power: int) -> Any:
    """The Powers function on the last axis."""
    return counts.sum(axis=-1) ** power - (counts**power).sum(axis=-1)


def hinge(counts: NDArray[Any], threshold: Any, subtracted: Any) -> Any:
    """Σ over ordered pairs of [[n_i − t]₊ [n_j − t]₊ − s]₊ on the last axis."""
    above = np.maximum(counts - threshold, 0)
    if above.dtype == object:
        return _whole_hinge(above, subtracted)
    total: Any = 0
    for shift in range(1, counts.shape[-1]):
        product = above * np.roll(above, shift, axis=-1)
        total = total + np.maximum(product - subtracted, 0).sum(axis=-1)
    return total if counts.shape[-1] > 1 else np.zeros_like(counts[..., 0])


def _whole_hinge(above: NDArray[Any], subtracted: Any) -> Any:
    """The same in numbers of any size, of the classes that are above: of hundreds most nodes show a few."""
    if not subtracted:
        return above.sum(axis=-1) ** 2 - (above**2).sum(axis=-1)
    rows = above.reshape(-1, above.shape[-1])
    total = np.zeros(len(rows), dtype=object)
    for index, row in enumerate(rows):
        shown = row[row > 0]
        pairs = np.maximum(np.multiply.outer(shown, shown) - subtracted, 0).sum()
        total[index] = pairs - np.maximum(shown * shown - subtracted, 0).sum()
    return total.reshape(above.shape[:-1])[()]


def polynomial(counts: NDArray[Any], terms: Any) -> Any:
    """Σ of coefficient × Π n_i^power on the last axis."""
    total: Any = 0
    for gamma, exponents in terms:
        product: Any = gamma
        for index, exponent in enumerate(exponents):
            if exponent:
                product = product * counts[..., index] ** exponent
        total = total + product
    return total
