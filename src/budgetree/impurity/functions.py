"""The paper's impurities: Pairs and Powers, which leave no errors; hinged ones, which forgive a few; Polynomial.

For comparison: Gini and Entropy, which are not supermodular, and ObjectPairs, which knows no classes. The paper's
theorems do not apply to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from math import gcd, lcm
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import ImpurityError
from budgetree.impurity.base import Counts, Form, Impurity, non_negative_fraction

WHOLE_BYTES = 128  # of the core's whole numbers


class Pairs(Impurity):
    """The number of pairs of cases with different classes: Σ over i < j of n_i n_j.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Pairs()([30, 30])
    900
    """

    admissible = True
    exact = True
    unit = Fraction(1)

    def value(self, counts: Counts) -> Any:
        before = np.cumsum(counts, axis=-1)[..., :-1]  # each class meets all the classes before it
        return (counts[..., 1:] * before).sum(axis=-1)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return hinge_form(Fraction(0), scale, subtracts_square=False, factor=2)


class Powers(Impurity):
    """(Σ n_i)^l − Σ n_i^l for a whole l of at least 2; Powers(2) is twice Pairs.

    Parameters
    ----------
    l : int
        The power.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Powers(3)([2, 1])
    18
    """

    admissible = True
    exact = True
    unit = Fraction(1)

    def __init__(self, l: int) -> None:  # noqa: E741  (the paper's l)
        if isinstance(l, bool) or not isinstance(l, (int, np.integer)) or l < 2:
            raise ImpurityError(f"Powers: l is {l!r}; expected a whole number of at least 2.", subject="l", found=l)
        self.l = int(l)

    def value(self, counts: Counts) -> Any:
        return counts.sum(axis=-1) ** self.l - (counts**self.l).sum(axis=-1)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return Form(self.value, scale**self.l, True, lambda total: int(total**self.l), "powers", lambda: (self.l,))

    def __repr__(self) -> str:
        return f"Powers({self.l})"


class Hinged(Impurity):
    """What both hinged functions share: α, the number of cases of a class that a leaf may leave unsettled."""

    admissible = True
    exact = True
    zero_only_if_pure = False
    subtracts_square: ClassVar[bool]  # the −α² of the paper's formula

    def __init__(self, alpha: Any) -> None:
        self.alpha = non_negative_fraction(alpha, f"{type(self).__name__}: alpha", "alpha")

    @property
    def unit(self) -> Fraction:  # type: ignore[override]
        """Every value for whole counts is a multiple of it."""
        return Fraction(1, self.alpha.denominator**2)

    def value(self, counts: Counts) -> Any:
        alpha = float(self.alpha) if counts.dtype.kind == "f" else self.alpha
        exact = counts if counts.dtype.kind == "f" else counts.astype(object)
        return hinge(exact, alpha, alpha**2 if self.subtracts_square else 0)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return hinge_form(self.alpha, scale, subtracts_square=self.subtracts_square)

    def __repr__(self) -> str:
        whole = self.alpha.denominator == 1
        return f"{type(self).__name__}({int(self.alpha) if whole else float(self.alpha)})"


class HingedPairs(Hinged):
    """The paper's P_α: Σ over i ≠ j of [[n_i − α]₊ [n_j − α]₊ − α²]₊.

    It forgives small classes: a leaf may leave about α cases of a class unsettled.

    Parameters
    ----------
    alpha : number
        The paper's α, at least 0.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.HingedPairs(8)([30, 30])
    840
    """

    subtracts_square = True


class HingedProduct(Hinged):
    """Σ over i ≠ j of [n_i − α]₊ [n_j − α]₊: what the paper's Figure 1 computes. A smaller zero set, same theorem.

    Parameters
    ----------
    alpha : number
        As in `HingedPairs`.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.HingedProduct(8)([30, 30])
    968
    """

    subtracts_square = False


class Polynomial(Impurity):
    """Σ of γ · n_1^p1 · … · n_k^pk over terms (γ, (p1, …, pk)), each with at least two classes in it.

    Parameters
    ----------
    terms : iterable of (number, sequence of int)
        Per term its coefficient γ of at least 0, and an exponent for each class.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Polynomial([(1, (1, 1, 0)), (2, (0, 1, 3))])([2, 1, 3])
    56
    """

    admissible = True
    exact = True
    zero_only_if_pure = False  # a pair of classes may be in no term at all

    def __init__(self, terms: Iterable[tuple[Any, Sequence[int]]]) -> None:
        if not isinstance(terms, Iterable):
            raise _refusal(f"terms is {terms!r}; expected a list of (coefficient, exponents)", "terms", terms)
        self.terms = tuple(_checked_term(index, term) for index, term in enumerate(terms))
        if not self.terms:
            raise _refusal("no terms; expected at least one (coefficient, exponents)", "terms", self.terms)
        lengths = sorted({len(exponents) for _, exponents in self.terms})
        if len(lengths) > 1:
            raise _refusal(f"terms speak of {lengths} classes; all must have one length", "terms", lengths)

    @property
    def unit(self) -> Fraction:  # type: ignore[override]
        """Every value for whole counts is a multiple of it."""
        factors = [gamma for gamma, _ in self.terms if gamma]
        return Fraction(gcd(*(each.numerator for each in factors)) or 1, lcm(*(each.denominator for each in factors)))

    def value(self, counts: Counts) -> Any:
        self._check_classes(counts.shape[-1])
        if counts.dtype.kind == "f":
            return polynomial(counts, [(float(gamma), exponents) for gamma, exponents in self.terms])
        return polynomial(counts.astype(object), self.terms)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        self._check_classes(n_classes)
        degree = max(sum(exponents) for _, exponents in self.terms)
        # Terms of lower degree need more powers of the scale, so that all are stretched alike.
        scaled = [(gamma * scale ** (degree - sum(exponents)), exponents) for gamma, exponents in self.terms]
        common = lcm(*(gamma.denominator for gamma, _ in scaled))
        whole = [(int(gamma * common), exponents) for gamma, exponents in scaled]

        def largest(total: int) -> int:
            return int(sum(gamma * max(total, 1) ** sum(exponents) for gamma, exponents in whole))

        def numbers() -> tuple[Any, ...]:
            return [whole_bytes(gamma) for gamma, _ in whole], [list(exponents) for _, exponents in whole]

        value = partial(polynomial, terms=whole)
        return Form(value, common * scale**degree, True, largest, "polynomial", numbers)

    def _check_classes(self, n_classes: int) -> None:
        expected = len(self.terms[0][1])
        if n_classes != expected:
            reason = f"its terms have {expected} exponents, but there are {n_classes} classes"
            raise _refusal(reason, "n_classes", n_classes)

    def __repr__(self) -> str:
        shown = ", ".join(f"({gamma}, {exponents})" for gamma, exponents in self.terms)
        return f"Polynomial([{shown}])"


class Gini(Impurity):
    """n times the Gini index: n − Σ n_i² / n. For comparison: it is not supermodular, and no theorem holds for it.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Gini()([2, 2])
    2.0
    """

    def value(self, counts: Counts) -> Any:
        floats = counts.astype(np.float64)
        total = floats.sum(axis=-1)
        return total - (floats**2).sum(axis=-1) / np.maximum(total, np.finfo(float).tiny)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return Form(self.value, scale, exact=False, kernel="gini")  # of degree 1: weight units serve as counts


class Entropy(Impurity):
    """n times the entropy, in nats: n ln n − Σ n_i ln n_i. For comparison: it is not supermodular.

    Examples
    --------
    >>> import budgetree as bt
    >>> round(bt.Entropy()([2, 2]), 4)
    2.7726
    """

    def value(self, counts: Counts) -> Any:
        floats = counts.astype(np.float64)
        total, parts = (x * np.log(np.where(x > 0, x, 1.0)) for x in (floats.sum(axis=-1), floats))
        return total - parts.sum(axis=-1)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return Form(self.value, scale, exact=False, kernel="entropy")


class ObjectPairs(Impurity):
    """n (n − 1): pairs of cases, as if each were a class of its own.

    With it the rule is generalised binary search: it takes the test whose largest part is smallest. A set of one class
    is not 0, which is why it is not admissible; trees still end there.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.ObjectPairs()([2, 1])
    6
    """

    exact = True

    def value(self, counts: Counts) -> Any:
        total = counts.sum(axis=-1)
        return total * (total - 1)


def _checked_term(index: int, term: Any) -> tuple[Fraction, tuple[int, ...]]:
    name = f"term {index}"
    try:
        gamma, exponents = term
        powers = tuple(exponents)
    except (TypeError, ValueError):
        raise _refusal(f"{name} is {term!r}; expected (coefficient, exponents)", name, term) from None
    coefficient = non_negative_fraction(gamma, f"Polynomial: the coefficient of {name}", name)
    for power in powers:
        if isinstance(power, bool) or not isinstance(power, (int, np.integer)) or power < 0:
            raise _refusal(f"{name} has the exponent {power!r}; expected whole numbers ≥ 0", name, power)
    if sum(power > 0 for power in powers) < 2:
        lacks = "fewer than two classes, so it would not be zero on a pure set"
        needs = "each term needs at least two positive exponents"
        raise _refusal(f"{name} with exponents {powers} involves {lacks}; {needs}", name, powers)
    return coefficient, tuple(int(power) for power in powers)


def _refusal(reason: str, subject: str, found: object) -> ImpurityError:
    return ImpurityError(f"Polynomial: {reason}.", subject=subject, found=found)


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


def whole_bytes(number: int) -> bytes:
    return number.to_bytes(WHOLE_BYTES, "little")


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
