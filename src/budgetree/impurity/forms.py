"""Forms: impurities in whole numbers, as the growers compute them.

A form is an impurity multiplied by `stretch`, so that whole weight units give whole values: comparisons are then
exact, and multiplying by a constant changes no choice. The native core knows some functions by their `kernel`; every
other one is computed by the Python grower only.

    a user's weights   0.5  0.5  1        HingedPairs(0.75), on counts
          × scale 2  ↓                          × stretch  ↓
    weight units       1    1    2        a form with whole q, p and b, on weight units

                       form(units) = stretch × impurity(units / scale)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

WHOLE_BYTES = 128  # of the core's whole numbers
Function = Callable[[NDArray[Any]], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A function of class counts in whole weight units."""

    value: Function  # on the last axis; counts are int64, or Python integers (dtype object) when those could overflow
    stretch: Fraction | int  # it is so many times the impurity
    exact: bool = True
    bound: Callable[[int], int] | None = None  # see `largest`
    kernel: str | None = None  # what the core calls it
    numbers: Callable[[], tuple[Any, ...]] = tuple  # by which the core computes

    def largest(self, total: int) -> int | None:
        """No intermediate result exceeds this on sets of this many units; None when unknown."""
        return None if self.bound is None else self.bound(total)


def powers_form(power: int, scale: Fraction) -> Form:
    """(Σ n_i)^l − Σ n_i^l."""
    return Form(
        partial(powers, power=power), scale**power, True, lambda total: int(total**power), "powers", lambda: (power,)
    )


def hinge_form(alpha: Fraction, scale: Fraction, *, subtracts_square: bool, factor: int = 1) -> Form:
    """Σ over i ≠ j of [[q n_i − p]₊ [q n_j − p]₊ − b]₊ with whole q, p, b.

    In weight units n = scale × count, the impurity's count − α is (n − α scale) / scale. With α scale = p / q in lowest
    terms that is (q n − p) / (q scale); the product of two such factors is stretched by (q scale)², and so is α² to p².
    """
    threshold = alpha if scale == 1 else alpha * scale  # the paper's α, in weight units
    q, p = threshold.denominator, threshold.numerator
    b = p**2 if subtracts_square else 0
    return Form(
        lambda counts: hinge(counts * q, p, b),
        # Twice for Pairs: this form counts ordered pairs. Whole where it can be, since fractions take microseconds.
        factor * (q if scale == 1 else q * scale) ** 2,
        True,
        lambda total: max((q * total) ** 2, b),
        "hinge",
        lambda: (whole_bytes(q), whole_bytes(p), b > 0),
    )


def polynomial_form(terms: tuple[tuple[Fraction, tuple[int, ...]], ...], scale: Fraction) -> Form:
    """Σ of coefficient × Π n_i^power with whole coefficients."""
    degree = max(sum(exponents) for _, exponents in terms)
    # Terms of lower degree need more powers of the scale, so that all are stretched alike.
    scaled = [(gamma * scale ** (degree - sum(exponents)), exponents) for gamma, exponents in terms]
    common = math.lcm(*(gamma.denominator for gamma, _ in scaled))
    whole = [(int(gamma * common), exponents) for gamma, exponents in scaled]
    return Form(
        partial(polynomial, terms=whole),
        common * scale**degree,
        True,
        lambda total: int(sum(gamma * max(total, 1) ** sum(exponents) for gamma, exponents in whole)),
        "polynomial",
        lambda: ([whole_bytes(gamma) for gamma, _ in whole], [list(exponents) for _, exponents in whole]),
    )


def general_form(function: Function, scale: Fraction, *, exact: bool) -> Form:
    """Any function, called on true counts: fractions when it is exact, floats when it is not."""

    def value(counts: NDArray[Any]) -> NDArray[Any]:
        if not exact:
            return np.asarray(function(counts.astype(np.float64) / float(scale)), dtype=np.float64)
        whole = counts.astype(object)
        return np.asarray(function(whole if scale == 1 else whole * (1 / scale)), dtype=object)

    return Form(value, Fraction(1), exact)


def whole_bytes(number: int) -> bytes:
    return number.to_bytes(WHOLE_BYTES, "little")


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
