"""Proven: what was proven about all trees when one of them was found, and the sentence that says so.

`fit`, `show`, `report` and the page all say what `state` says. A claim is about what was asked: of a tree for a budget
it is about errors (or loss, where losses are given), of a tree for a max_error it is about cost. That no tree makes
fewer than no errors is never a proof that none is cheaper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from budgetree.services.clock import Ended
from budgetree.services.words import counted, show_number
from budgetree.tree.provenance import Method

Amount = Callable[[Fraction], str]


@dataclass(frozen=True, slots=True)
class _Verbs:
    """What trees do with errors or losses."""

    fewer: str
    more: str
    may: str


ERRORS = _Verbs("makes fewer errors", "makes more errors", "make fewer errors")
LOSS = _Verbs("loses less", "loses more", "lose less")
EARLY = "The search ended early; this is the best so far."


class Asked(StrEnum):
    """What a tree was asked for."""

    BUDGET = "budget"
    MAX_ERROR = "max_error"


@dataclass(frozen=True, slots=True)
class Proven:
    """Lower bounds on what any tree for the same cases and prices gets wrong and costs."""

    asked: Asked
    limit: Fraction | None  # the budget, or the share of errors; None for no limit
    method: Method  # of the search: exact or greedy
    budget: Fraction | None  # no tree within this budget (None: whatever it costs) …
    least_errors: Fraction  # … makes fewer errors than this, by weight; where losses are given, loses less than this
    # No tree has a max_cost below this that makes as few errors as were asked for, or as this tree where a budget was
    # asked for. 0 where nothing is known.
    least_cost: Fraction = Fraction(0)
    min_cases: int = 1  # all of it is about trees whose leaves have so many known cases


@dataclass(frozen=True, slots=True)
class Statement:
    """What may be said about a tree."""

    is_proven: bool  # what was asked for cannot be done better
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return ("proven: " if self.is_proven else "not proven: ") + " ".join(self.sentences)


def state(
    proven: Proven | None,
    loss: Fraction,
    max_cost: Fraction,
    *,
    ended: Ended = Ended.COMPLETE,
    has_losses: bool = False,
    for_new: bool = False,
    amount: Amount = show_number,
) -> Statement:
    """What was proven about a tree with this loss and this max_cost, in words; without losses, errors are the loss.

    amount writes a cost, with its unit where it has one. Of a tree for new cases nothing is proven, however few known
    ones it gets wrong.
    """
    verbs = LOSS if has_losses else ERRORS
    early = () if ended is Ended.COMPLETE else (EARLY,)
    if proven is None or for_new:
        if proven is None and loss == max_cost == 0 and not early:  # that needs no search
            return Statement(True, (f"No tree costs less or {verbs.fewer}.",))
        return Statement(False, (f"Another tree may be cheaper or {verbs.may}.", *early))
    by_budget = proven.asked == Asked.BUDGET
    found = _about_loss(proven, loss, max_cost, verbs, amount) if by_budget else _about_cost(proven, max_cost, amount)
    sentences = found.sentences
    if proven.min_cases > 1:
        sentences = (f"Only trees with at least {proven.min_cases} cases in every leaf were asked for.", *sentences)
    return Statement(found.is_proven, sentences if found.is_proven else (*sentences, *early))


def _about_loss(proven: Proven, loss: Fraction, max_cost: Fraction, verbs: _Verbs, amount: Amount) -> Statement:
    within = _within(proven.budget, amount)
    if loss > proven.least_errors:
        few = counted(proven.least_errors, "error") if proven.least_errors else "no errors"
        might = f"make as few as {few}" if verbs is ERRORS else f"lose as little as {show_number(proven.least_errors)}"
        return Statement(False, (f"Some tree {within} might {might}.",))
    best = f"No tree {within} {verbs.fewer}."
    if proven.budget is not None and (proven.limit is None or proven.limit > proven.budget):
        beyond = _within(proven.limit, amount)
        return Statement(False, (best, f"{beyond[0].upper()}{beyond[1:]} some tree might."))
    if max_cost and proven.least_cost == max_cost:
        return Statement(True, (best, f"Whatever costs less in the worst case {verbs.more}."))
    return Statement(True, (best,))


def _about_cost(proven: Proven, max_cost: Fraction, amount: Amount) -> Statement:
    share = proven.limit or Fraction(0)
    few = f"with at most {show_number(share * 100)} % wrong" if share else "without errors"
    if proven.least_cost >= max_cost:
        than = f" than {amount(max_cost)}" if max_cost else ""
        return Statement(True, (f"No tree {few} costs less{than} in the worst case.",))
    if proven.least_cost:
        least = f"No tree {few} costs less than {amount(proven.least_cost)} in the worst case."
        return Statement(False, (least, f"Whether some tree costs less than {amount(max_cost)} is not known."))
    return Statement(False, (f"No lower bound on the cost of a tree {few} is known.",))


def _within(budget: Fraction | None, amount: Amount) -> str:
    return "at any budget" if budget is None else f"within a budget of {amount(budget)}"
