"""Forms: impurities in whole numbers, as the growers compute them.

A form is an impurity multiplied by `stretch`, so that whole weight units give whole values: comparisons are then
exact, and multiplying by a constant changes no choice. The growth kernel knows the forms below by their `kind`;
GeneralForm stands for every other function and is computed by the plain grower only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

GENERAL, POWERS, HINGE, POLYNOMIAL, GINI, ENTROPY = range(6)
MOST_NUMBERS = 3  # of any form but a polynomial's


class Form(ABC):
    """A function of class counts in whole weight units."""

    kind: ClassVar[int] = GENERAL
    exact: bool = True
    numbers: NDArray[np.float64]  # what the kernel needs to know beside the kind
    roundings: int  # bounds the float operations behind one value, for the kernel's error bound

    @property
    @abstractmethod
    def stretch(self) -> Fraction:
        """This form is so many times the impurity."""

    @abstractmethod
    def value(self, counts: NDArray[Any]) -> Any:
        """Values on the last axis; counts are int64, or Python integers (dtype object) when those could overflow."""

    def largest(self, total: int) -> int | None:
        """No intermediate result exceeds this on sets of this many units; None when unknown."""
        return None


class PowersForm(Form):
    """(Σ n_i)^l − Σ n_i^l."""

    kind = POWERS

    def __init__(self, power: int, scale: Fraction, n_classes: int) -> None:
        self.power = power
        self.scale = scale
        self.numbers = np.array([power], dtype=np.float64)
        self.roundings = 4 * (power + n_classes + 2)

    @property
    def stretch(self) -> Fraction:
        return self.scale**self.power

    def value(self, counts: NDArray[Any]) -> Any:
        return powers(counts, self.power)

    def largest(self, total: int) -> int | None:
        return int(total**self.power)


class HingeForm(Form):
    """Σ over i ≠ j of [[q n_i − p]₊ [q n_j − p]₊ − b]₊ with whole q, p, b."""

    kind = HINGE

    def __init__(
        self, alpha: Fraction, scale: Fraction, n_classes: int, *, subtract_square: bool, factor: int = 1
    ) -> None:
        threshold = alpha if scale == 1 else alpha * scale  # the paper's α, in weight units
        self.q = threshold.denominator
        self.p = threshold.numerator
        self.b = self.p**2 if subtract_square else 0
        self.scale = scale
        self.factor = factor  # this form counts ordered pairs: twice as many as there are pairs
        self.numbers = np.array([self.q, self.p, self.b], dtype=np.float64)
        self.roundings = 4 * (n_classes**2 + 4)

    @property
    def stretch(self) -> Fraction:
        return self.factor * (self.q * self.scale) ** 2

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
        common = np.lcm.reduce(np.array([gamma.denominator for gamma, _ in scaled], dtype=object))
        self.terms = [(int(gamma * common), exponents) for gamma, exponents in scaled]
        self.scale = scale
        self.common = int(common)
        self.degree = degree
        rows = [[float(gamma), *map(float, exponents)] for gamma, exponents in self.terms]
        self.numbers = np.array(rows, dtype=np.float64).ravel()
        self.roundings = 4 * (degree + len(terms) + 2)

    @property
    def stretch(self) -> Fraction:
        return self.common * self.scale**self.degree

    def value(self, counts: NDArray[Any]) -> Any:
        return polynomial(counts, self.terms)

    def largest(self, total: int) -> int | None:
        return int(sum(gamma * max(total, 1) ** sum(exponents) for gamma, exponents in self.terms))


@dataclass(frozen=True, slots=True, eq=False)
class FormRow:
    """Several forms side by side, as the kernel takes them; `form(i)` is one of them by itself."""

    kinds: NDArray[np.int64]
    numbers: NDArray[np.float64]  # form × number, filled up with zeros; nothing for a polynomial
    roundings: NDArray[np.float64]
    form: Callable[[int], Form]

    def __len__(self) -> int:
        return len(self.kinds)


def row_of_forms(forms: Sequence[Form]) -> FormRow:
    """Any forms in a row."""
    numbers = np.zeros((len(forms), MOST_NUMBERS))
    for row, form in zip(numbers, forms, strict=True):
        if form.kind != POLYNOMIAL:  # whose numbers say by their length how many terms it has
            row[: len(form.numbers)] = form.numbers
    kinds = np.array([form.kind for form in forms])
    return FormRow(kinds, numbers, np.array([form.roundings for form in forms], np.float64), forms.__getitem__)


def row_of_hinges(
    multiples: Sequence[int], step: Fraction, scale: Fraction, n_classes: int, *, subtract_square: bool
) -> FormRow:
    """Hinges at several α's, given as multiples of a step, without making a form for each."""
    in_units = step * scale

    def form(i: int) -> Form:
        return HingeForm(multiples[i] * step, scale, n_classes, subtract_square=subtract_square)

    size = len(multiples)
    numbers = np.empty((size, MOST_NUMBERS))
    numbers[:, 0] = in_units.denominator
    numbers[:, 1] = multiples
    numbers[:, 1] *= in_units.numerator
    numbers[:, 2] = numbers[:, 1] ** 2 if subtract_square else 0.0
    return FormRow(np.full(size, HINGE), numbers, np.full(size, 4.0 * (n_classes**2 + 4)), form)


class GeneralForm(Form):
    """Any function, called on true counts: fractions when it is exact, floats when it is not."""

    def __init__(self, function: Callable[[NDArray[Any]], Any], scale: Fraction, *, exact: bool) -> None:
        self.function = function
        self.scale = scale
        self.exact = exact
        self.numbers = np.zeros(0)
        self.roundings = 0

    @property
    def stretch(self) -> Fraction:
        return Fraction(1)

    def value(self, counts: NDArray[Any]) -> NDArray[Any]:
        if not self.exact:
            return np.asarray(self.function(counts.astype(np.float64) / float(self.scale)), dtype=np.float64)
        whole = counts.astype(object)
        return np.asarray(self.function(whole if self.scale == 1 else whole * (1 / self.scale)), dtype=object)


class FloatForm(GeneralForm):
    """A function of floats that the kernel knows too; both are homogeneous, so weight units serve as counts."""

    def __init__(self, function: Callable[[NDArray[Any]], Any], scale: Fraction, kind: int) -> None:
        super().__init__(function, Fraction(1), exact=False)
        self.kind = kind  # type: ignore[misc]
        self.true_scale = scale

    @property
    def stretch(self) -> Fraction:
        return self.true_scale


def powers(counts: NDArray[Any], power: int) -> Any:
    """The Powers function on the last axis."""
    return counts.sum(axis=-1) ** power - (counts**power).sum(axis=-1)


def hinge(counts: NDArray[Any], threshold: Any, subtracted: Any) -> Any:
    """Σ over ordered pairs of [[n_i − t]₊ [n_j − t]₊ − s]₊ on the last axis."""
    above = np.maximum(counts - threshold, 0)
    total: Any = 0
    for shift in range(1, counts.shape[-1]):
        product = above * np.roll(above, shift, axis=-1)
        total = total + np.maximum(product - subtracted, 0).sum(axis=-1)
    return total if counts.shape[-1] > 1 else np.zeros_like(counts[..., 0])


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
