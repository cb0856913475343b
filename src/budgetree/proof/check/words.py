"""The sentences of a certificate, made from its numbers: nobody has to believe a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

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
