"""Every sentence about what is proven, and that it is lost where it no longer holds."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

import budgetree as bt
from budgetree.services.clock import Ended
from budgetree.tree.proven import Asked, Proven, state
from budgetree.tree.provenance import Method

NOTHING = "Another tree may be cheaper or make fewer errors."

FIVE = Fraction(5)
BUDGET = Proven(Asked.BUDGET, FIVE, Method.EXACT, FIVE, Fraction(3))
ERROR = Proven(Asked.MAX_ERROR, Fraction(1, 50), Method.EXACT, FIVE, Fraction(3), FIVE)
EARLY = "The search ended early; this is the best so far."
BEST = "No tree within a budget of 5 makes fewer errors."

ENDED_EARLY = ("ended early", "ended early, but proven", "only up to a smaller budget", "might cost less")
SENTENCES = {
    "nothing": (None, f"not proven: {NOTHING}"),
    "fewest errors": (BUDGET, f"proven: {BEST}"),
    "and cheapest": (
        replace(BUDGET, least_cost=FIVE),
        f"proven: {BEST} Whatever costs less in the worst case makes more errors.",
    ),
    "any budget": (replace(BUDGET, limit=None, budget=None), "proven: No tree at any budget makes fewer errors."),
    "some might": (
        replace(BUDGET, least_errors=Fraction(1)),
        "not proven: Some tree within a budget of 5 might make as few as 1 error.",
    ),
    "none might": (
        replace(BUDGET, least_errors=Fraction(0), method=Method.GREEDY),
        "not proven: Some tree within a budget of 5 might make as few as no errors.",
    ),
    "ended early": (
        replace(BUDGET, least_errors=Fraction(2)),
        f"not proven: Some tree within a budget of 5 might make as few as 2 errors. {EARLY}",
    ),
    "ended early, but proven": (BUDGET, f"proven: {BEST}"),
    "only up to a smaller budget": (
        replace(BUDGET, limit=Fraction(8)),
        f"not proven: {BEST} Within a budget of 8 some tree might. {EARLY}",
    ),
    "least cost": (ERROR, "proven: No tree with at most 2 % wrong costs less than 5 in the worst case."),
    "least cost without errors": (
        replace(ERROR, limit=Fraction(0)),
        "proven: No tree without errors costs less than 5 in the worst case.",
    ),
    "might cost less": (
        replace(ERROR, least_cost=Fraction(7, 2)),
        "not proven: No tree with at most 2 % wrong costs less than 3.5 in the worst case. "
        f"Whether some tree costs less than 5 is not known. {EARLY}",
    ),
    "no bound on the cost": (
        replace(ERROR, limit=Fraction(0), least_cost=Fraction(0), least_errors=Fraction(0), method=Method.GREEDY),
        "not proven: No lower bound on the cost of a tree without errors is known.",
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence(name: str) -> None:
    proven, sentence = SENTENCES[name]
    statement = state(proven, Fraction(3), FIVE, ended=Ended.TIME_LIMIT if name in ENDED_EARLY else Ended.COMPLETE)
    assert str(statement) == sentence
    assert statement.is_proven == sentence.startswith("proven")


def test_what_costs_nothing_and_is_never_wrong_is_the_best_without_a_search() -> None:
    nothing = Fraction(0)
    assert str(state(None, nothing, nothing)) == "proven: No tree costs less or makes fewer errors."
    assert str(state(None, nothing, nothing, has_losses=True)) == "proven: No tree costs less or loses less."
    assert str(state(None, nothing, FIVE)) == str(state(None, FIVE, nothing)) == f"not proven: {NOTHING}"


def test_of_a_tree_for_new_cases_nothing_is_proven_and_it_says_where_the_search_ended_early() -> None:
    for loss in (Fraction(0), Fraction(3)):
        for max_cost in (Fraction(0), FIVE):
            assert (
                str(state(None, loss, max_cost, ended=Ended.TIME_LIMIT, for_new=True))
                == f"not proven: {NOTHING} {EARLY}"
            )


def test_where_there_are_losses_the_sentence_is_about_loss() -> None:
    for name, (proven, sentence) in SENTENCES.items():
        ended = Ended.INTERRUPTED if name in ENDED_EARLY else Ended.COMPLETE
        words = re.sub(r"make as few as (\w+) errors?", r"lose as little as \1", sentence).replace("as no", "as 0")
        words = re.sub(r"make(s?) fewer errors", r"lose\1 less", words)
        words = re.sub(r"make(s?) more errors", r"lose\1 more", words)
        assert str(state(proven, Fraction(3), FIVE, ended=ended, has_losses=True)) == words


@pytest.fixture(scope="module")
def best() -> bt.Tree:
    return bt.optimal(bt.datasets.load("house_votes"), budget=5).tree


def test_a_tree_that_is_cut_so_that_it_errs_more_loses_its_claim(best: bt.Tree) -> None:
    assert best.statement.is_proven
    cut = best.cut(2)
    assert cut.errors > best.errors
    assert cut.proven is None
    assert str(cut.statement) == f"not proven: {NOTHING}"


def test_a_trimmed_tree_keeps_its_claim_since_it_errs_as_before() -> None:
    claim = Proven(Asked.BUDGET, Fraction(3), Method.EXACT, Fraction(3), Fraction(0))
    tree = replace(bt.grow(bt.datasets.load("pima")).cut(3), proven=claim, ended=Ended.INTERRUPTED)
    trimmed = tree.trim()
    assert trimmed.n_leaves < tree.n_leaves
    assert trimmed.errors == tree.errors
    assert (trimmed.proven, trimmed.ended) == (claim, Ended.INTERRUPTED)


def test_other_prices_end_every_claim(best: bt.Tree) -> None:
    assert best.priced(2).proven is None
    assert best.priced(best.schema.prices).proven == best.proven
