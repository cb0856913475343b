"""Polynomial: the paper's general family of admissible functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from budgetree.errors import ImpurityError
from budgetree.impurity.base import Counts, Impurity, non_negative_fraction
from budgetree.impurity.forms import Form, PolynomialForm, polynomial


class Polynomial(Impurity):
    """Σ of γ · n_1^p1 · … · n_k^pk over terms (γ, (p1, …, pk)), each with at least two classes in it.

    Parameters
    ----------
    terms : iterable of (number, sequence of int)
        Per term its coefficient γ of at least 0, and an exponent for each class.

    Raises
    ------
    ValueError
        Where a term is not that, or has fewer than two positive exponents.

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

    def value(self, counts: Counts) -> Any:
        self._check_classes(counts.shape[-1])
        if counts.dtype.kind == "f":
            return polynomial(counts, [(float(gamma), exponents) for gamma, exponents in self.terms])
        return polynomial(counts.astype(object), self.terms)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        self._check_classes(n_classes)
        return PolynomialForm(self.terms, scale)

    def _check_classes(self, n_classes: int) -> None:
        expected = len(self.terms[0][1])
        if n_classes != expected:
            reason = f"its terms have {expected} exponents, but there are {n_classes} classes"
            raise _refusal(reason, "n_classes", n_classes)

    def __repr__(self) -> str:
        shown = ", ".join(f"({gamma}, {exponents})" for gamma, exponents in self.terms)
        return f"Polynomial([{shown}])"


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
        raise _refusal(
            f"{name} with exponents {powers} involves fewer than two classes, so it would not be zero on a pure set; "
            "each term needs at least two positive exponents",
            name,
            powers,
        )
    return coefficient, tuple(int(power) for power in powers)


def _refusal(reason: str, subject: str, found: object) -> ImpurityError:
    return ImpurityError(f"Polynomial: {reason}.", subject=subject, found=found)
