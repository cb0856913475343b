"""What a certificate is as a document, its sentences, made from its numbers, and what a check says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from budgetree.proof.check.facts import digest

FORMAT, VERSION = "budgetree certificate", 1
KEYS = (
    *("format", "version", "instance", "tree", "max_cost", "known_max_cost", "errors", "error_rate", "error_bounds"),
    *("lower_bound", "ratio", "winner", "bounds", "guarantee", "reason", "seal"),
    *("losses", "loss", "spared", "not_applicable", "rounded"),
)


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


def reason(document: Mapping[str, Any]) -> str:
    """Why no tree that gets as little wrong costs less, or less than the lower bound: made from the numbers alone."""
    known, lower = Fraction(document["known_max_cost"]), Fraction(document["lower_bound"])
    costs = "costs" if Fraction(document["max_cost"]) == known else "costs a known case"
    has_losses = document["losses"] is not None
    one, several = ("tree that loses", "trees that lose") if has_losses else ("tree with", "trees with")
    lost = Fraction(document["loss" if has_losses else "errors"])
    if has_losses:
        few = f"at most {number(lost)}" if lost else "nothing"
    else:
        few = f"at most {number(lost)} error{'' if lost == 1 else 's'}" if lost else "no errors"
    if known == 0:
        return f"this tree {costs} nothing"
    if document["winner"] is None:
        return f"nothing above 0 is proven for {several} {few}"
    than = "" if lower == known else f" than {number(lower)}"
    return f"no {one} {few} {costs} less{than}: {_why(document['bounds'][document['winner']], has_losses)}"


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
