"""What a certificate is as a document, its sentences, made from its numbers, and what a check says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from budgetree.proof.check.facts import digest

FORMAT, VERSION = "budgetree certificate", 1
TREE_KEYS = ("tree", "max_cost", "known_max_cost", "errors", "error_rate", "error_bounds")
BOUND_KEYS = ("lower_bound", "ratio", "winner", "bounds", "guarantee")
LOSS_KEYS = ("losses", "loss", "spared", "not_applicable", "rounded")
KEYS = ("format", "version", "instance", *TREE_KEYS, *BOUND_KEYS, "reason", "seal", *LOSS_KEYS)


def seal(document: Mapping[str, Any]) -> str:
    """The digest of the document without its own seal."""
    return digest({key: value for key, value in document.items() if key != "seal"})


@dataclass(frozen=True)
class CheckReport:
    """What is wrong with a certificate, and what was not verified: it is the issuer's word.

    Attributes
    ----------
    problems : tuple of str
        What is wrong, and where.
    unverified : tuple of str
        What was not checked.

    Examples
    --------
    >>> import budgetree as bt
    >>> figure1 = bt.datasets.load("figure1")
    >>> bt.certify(figure1, bt.grow(figure1)).check().ok
    True
    """

    problems: tuple[str, ...]
    unverified: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; `unverified` may still hold a claim that has to be believed."""
        return not self.problems

    def __str__(self) -> str:
        head = "The certificate holds."
        if self.unverified:
            head = "Nothing is wrong as far as it was checked."
        if self.problems:
            head = "The certificate does not hold."
        lines = [head, *(f"  wrong: {text}" for text in self.problems)]
        return "\n".join([*lines, *(f"  not verified: {text}" for text in self.unverified)])


GUARANTEE = (
    "The paper's guarantee compares a greedy tree with trees whose leaves are pure; one that loses as little may be "
    "cheaper than those. With losses none is stated."
)
ERROR_BOUNDS = (
    "The paper's bounds on the share of errors are about leaves that answer with the most common class. With losses "
    "leaves answer what loses least, and none is stated."
)
NO_STAKES = (
    "The ratio and cover bounds need answers that all cost something more for every class but one. Here some answer "
    "costs nothing more for several classes, and neither bound is stated."
)


@dataclass(frozen=True)
class Claim:
    """What a certificate says about its tree and about all others."""

    errors: Fraction
    loss: Fraction | None  # None where an error costs 1
    max_cost: Fraction  # what no case exceeds
    known_max_cost: Fraction
    lower_bound: Fraction
    winner: Mapping[str, Any] | None  # the bound from which the lower bound follows


def reason(claim: Claim) -> str:
    """Why no tree that gets as little wrong costs less, or less than the lower bound."""
    costs = "costs" if claim.max_cost == claim.known_max_cost else "costs a known case"
    one, several = _trees(claim)
    if claim.known_max_cost == 0:
        return f"this tree {costs} nothing"
    if claim.winner is None:
        return f"nothing above 0 is proven for {several}"
    than = "" if claim.lower_bound == claim.known_max_cost else f" than {number(claim.lower_bound)}"
    return f"no {one} {costs} less{than}: {_why(claim.winner, claim.loss is not None)}"


def not_applicable(has_losses: bool, has_stakes: bool) -> dict[str, str]:
    """What a certificate cannot state, and why."""
    if not has_losses:
        return {}
    without = {"guarantee": GUARANTEE, "error_bounds": ERROR_BOUNDS}
    return without if has_stakes else without | {"ratio": NO_STAKES, "cover": NO_STAKES}


def number(amount: Fraction) -> str:
    """A short text: 2, 17.61, 0.3333, 193457.2."""
    value = float(amount)
    if float(f"{value:.10g}") == value:
        return f"{value:.10g}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.1f}"


def function_name(impurity: Mapping[str, Any]) -> str:
    """As Python shows it."""
    if impurity["parameter"] is None:
        return f"{impurity['name']}()"
    parameter = Fraction(impurity["parameter"])
    return f"{impurity['name']}({int(parameter) if parameter.denominator == 1 else float(parameter)})"


def _trees(claim: Claim) -> tuple[str, str]:
    """A tree that is as good, and all that are."""
    if claim.loss is not None:
        how = f"at most {number(claim.loss)}" if claim.loss else "nothing"
        return f"tree that loses {how}", f"trees that lose {how}"
    few = f"at most {number(claim.errors)} error{'' if claim.errors == 1 else 's'}" if claim.errors else "no errors"
    return f"tree with {few}", f"trees with {few}"


def _why(winner: Mapping[str, Any], has_losses: bool) -> str:
    if winner["kind"] == "search":
        what = "loses so little" if has_losses else "makes so few errors"
        return f"exhaustive search: no tree that costs less {what}"
    cases = winner["objects"]
    if winner["kind"] == "ratio":
        by = ", each counted by what is at stake" if has_losses else ""
        return f"min R · F over {len(cases)} cases{by}, with {function_name(winner['impurity'])}"
    what = f"case {cases[0]['object']}" if len(cases) == 1 else f"each of {len(cases)} cases"
    return f"the cheapest tests that tell {what} from the other classes"
