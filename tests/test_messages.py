"""Every sentence about what is proven and what a tree is for; and that a claim is lost where it no longer holds."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import budgetree as bt
from budgetree.cli import main
from budgetree.messages import Statement, cases_sentence, objective_sentence, statement
from budgetree.problem import drawing
from budgetree.services.clock import Ended
from budgetree.tree.provenance import Bounds, LeafChoice, LeafKind, Objective, ObjectiveChoice, ProofState, Reason

NOTHING = "Another tree may be cheaper or make fewer errors."
LOSS, COST = 3, 10  # in units: 3 errors, and a cost of 5 with prices in halves
EARLY = "The search ended early; this is the best so far."
ONE_BY_ONE = "outcomes that share a leaf count one by one."
BEST = "No tree within a budget of 5 makes fewer errors."


def bounds(**numbers: Any) -> Bounds:
    settings: dict[str, Any] = {"least_loss": 3, "within": 10, **numbers}
    return Bounds.of(LOSS, COST, **settings)


ENDED_EARLY = ("ended early", "ended early, but proven", "might cost less")
SENTENCES = {
    "nothing": (None, f"not proven: {NOTHING}"),
    "fewest errors": (bounds(), f"proven: {BEST}"),
    "and cheapest": (
        bounds(least_cost=10),
        f"proven: {BEST} Any tree that costs less in the worst case makes more errors.",
    ),
    "any budget": (bounds(within=None), "proven: No tree at any budget makes fewer errors."),
    "some might": (
        bounds(least_loss=1),
        "not proven: Some tree within a budget of 5 might make as few as 1 error.",
    ),
    "none might": (
        bounds(least_loss=0, searched=False),
        "not proven: Some tree within a budget of 5 might make as few as no errors.",
    ),
    "a larger budget was asked for": (
        bounds(least_loss=0, within=12),
        "not proven: Some tree within a budget of 6 might make as few as no errors.",
    ),
    "ended early": (
        bounds(least_loss=2),
        f"not proven: Some tree within a budget of 5 might make as few as 2 errors. {EARLY}",
    ),
    "ended early, but proven": (bounds(), f"proven: {BEST}"),
    "large leaves": (
        bounds(min_cases=9),
        f"proven: Only trees with at least 9 cases at every outcome were asked for; {ONE_BY_ONE} {BEST}",
    ),
    "least cost": (
        bounds(max_error=Fraction(1, 50), least_cost=10),
        "proven: No tree with at most 2 % wrong costs less than 5 in the worst case.",
    ),
    "least cost without errors": (
        bounds(max_error=Fraction(0), least_cost=10),
        "proven: No tree without errors costs less than 5 in the worst case.",
    ),
    "might cost less": (
        bounds(max_error=Fraction(1, 50), least_cost=7),
        "not proven: No tree with at most 2 % wrong costs less than 3.5 in the worst case. "
        f"Whether some tree costs less than 5 is not known. {EARLY}",
    ),
    "no bound on the cost": (
        bounds(max_error=Fraction(0), least_loss=0, searched=False),
        "not proven: No lower bound on the cost of a tree without errors is known.",
    ),
}


def said(
    of: Bounds | None, loss: int = LOSS, cost: int = COST, *, losses: Any = None, ended: Ended, **others: Any
) -> Statement:
    cases = bt.Instance([[0], [1]], ["a", "b"], prices=0.5).with_losses(losses)
    assert cases.schema.costs.scale == 2
    return statement(of, loss, cost, cases.schema, ended=ended, **others)


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence(name: str) -> None:
    of, sentence = SENTENCES[name]
    found = said(of, ended=Ended.TIME_LIMIT if name in ENDED_EARLY else Ended.COMPLETE)
    assert str(found) == sentence
    assert found.is_proven == sentence.startswith("proven")


def test_the_state_says_whether_there_was_a_search() -> None:
    assert bounds().state is ProofState.OPTIMAL
    assert bounds(least_loss=1).state is ProofState.BOUNDED
    assert bounds(least_loss=1, searched=False).state is ProofState.NOT_SEARCHED
    assert bounds(max_error=Fraction(0), least_cost=9).state is ProofState.BOUNDED


def test_what_costs_nothing_and_is_never_wrong_is_the_best_without_a_search() -> None:
    done, losses = Ended.COMPLETE, {"a": 2}
    assert str(said(None, 0, 0, ended=done)) == "proven: No tree costs less or makes fewer errors."
    assert str(said(None, 0, 0, losses=losses, ended=done)) == "proven: No tree costs less or loses less."
    assert str(said(None, 0, 5, ended=done)) == str(said(None, 5, 0, ended=done)) == f"not proven: {NOTHING}"


def test_of_a_tree_for_new_cases_nothing_is_proven_and_it_says_where_the_search_ended_early() -> None:
    for loss in (0, 3):
        for cost in (0, 5):
            found = said(None, loss, cost, ended=Ended.TIME_LIMIT, for_new=True)
            assert str(found) == f"not proven: {NOTHING} {EARLY}"


@pytest.mark.parametrize(("kind", "begins"), [("points", "Points have"), ("tree", "A plain tree has")])
def test_a_kind_of_leaf_that_costs_more_than_a_standard_error_says_how_much(kind: LeafKind, begins: str) -> None:
    choice = LeafChoice(kind, ((kind, 0.198), ("model", 0.174)), "model", 0.024, 0.006)
    found = said(None, 3, 5, ended=Ended.COMPLETE, for_new=True, choice=choice)
    assert found.sentences == (
        NOTHING,
        f"{begins} a Brier score of 0.198 on cases held out, a model 0.174: 0.024 ± 0.006 less.",
    )
    good = said(None, 3, 5, ended=Ended.COMPLETE, for_new=True, choice=replace(choice, standard_error=0.03))
    assert good.sentences == (NOTHING,)


def test_where_there_are_losses_the_sentence_is_about_loss() -> None:
    for name, (of, sentence) in SENTENCES.items():
        ended = Ended.INTERRUPTED if name in ENDED_EARLY else Ended.COMPLETE
        words = re.sub(r"make as few as (\w+) errors?", r"lose as little as \1", sentence).replace("as no", "as 0")
        words = re.sub(r"make(s?) fewer errors", r"lose\1 less", words)
        words = re.sub(r"make(s?) more errors", r"lose\1 more", words)
        assert str(said(of, losses={"a": 2}, ended=ended)) == words


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (ObjectiveChoice(Objective.NEW, Reason.ROWS, 768, 2), "objective: new cases (768 rows of 2 classes)"),
        (
            ObjectiveChoice(Objective.KNOWN, Reason.FACTS, 40, 30, 29),
            "objective: known cases (29 of 30 classes have fewer than three rows)",
        ),
        (ObjectiveChoice(Objective.KNOWN, Reason.ASKED, 9, 2), "objective: known cases (as asked)"),
        (
            ObjectiveChoice(Objective.KNOWN, Reason.SETTING, 9, 2, 0, "min_cases"),
            "objective: known cases (min_cases is about them)",
        ),
    ],
)
def test_which_cases_a_tree_is_for_and_why(choice: ObjectiveChoice, sentence: str) -> None:
    assert objective_sentence(choice) == sentence


@pytest.fixture(scope="module")
def best() -> bt.Tree:
    return bt.optimal(bt.datasets.load("house_votes"), budget=5).tree


def test_a_tree_that_is_cut_so_that_it_errs_more_loses_its_claim(best: bt.Tree) -> None:
    assert best.statement.is_proven
    cut = best.cut(2)
    assert cut.errors > best.errors
    assert cut.bounds is None
    assert str(cut.statement) == f"not proven: {NOTHING}"


def test_a_trimmed_tree_keeps_its_claim_since_it_errs_as_before() -> None:
    claim = Bounds(ProofState.BOUNDED, 0, 300)
    tree = replace(bt.grow(bt.datasets.load("pima")).cut(3), bounds=claim, ended=Ended.INTERRUPTED)
    trimmed = tree.trim()
    assert trimmed.n_leaves < tree.n_leaves
    assert trimmed.errors == tree.errors
    assert (trimmed.bounds, trimmed.ended) == (claim, Ended.INTERRUPTED)


def test_other_prices_end_every_claim(best: bt.Tree) -> None:
    assert best.priced(2).bounds is None
    assert best.priced(best.schema.prices).bounds == best.bounds


def test_which_rows_count_and_how_numbers_are_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("a,y\n" + "".join(f"{k % 25},{'pq'[k % 3 == 0]}\n" for k in range(100)), encoding="utf-8")
    for options, expected in {
        "--objective known": "every row counts; numbers in at most 10 levels with about as many cases each",
        "--objective known --binning uniform --levels 4": "every row counts; numbers in at most 4 levels "
        "of equal width",
        "--objective known --duplicates merge": "10, of 100 rows, of which identical ones are merged; numbers in at "
        "most 10 levels with about as many cases each",
        "--objective new": "every row counts; numbers as they are",
    }.items():
        for command in ("fit --budget 1 -o " + str(tmp_path / "tree.json"), "frontier"):
            assert main(f"{command} {path} -t y --folds 0 {options}".split()) == 0
            printed = capsys.readouterr()
            assert f"cases: {expected}" in printed.out.splitlines()
            assert "no effect" not in printed.err
    for option in ("--levels 4", "--binning uniform"):
        assert main(f"frontier {path} -t y --folds 0 --objective new {option}".split()) == 0
        assert f"{option.split()[0]}: no effect" in capsys.readouterr().err


def test_that_rows_are_drawn_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MAX_ROWS", 500)
    pima = bt.datasets.load("pima")
    drawn = "cases: 500 of 768 rows, sampled by content; one fifth estimates the error; numbers as they are"
    assert cases_sentence(pima, Objective.NEW) == drawn
    assert "drawn" not in cases_sentence(pima, Objective.KNOWN)


def test_a_point_for_new_cases_is_about_its_budget() -> None:
    """Its known line and its error are those of the budget, of which its tree may leave some."""
    pima = bt.Instance.from_frame(bt.datasets.frame("pima"), target="diabetes", prices=bt.datasets.load("pima").prices)
    found, known = bt.frontier(pima, objective="new", folds=0), bt.frontier(pima, folds=0, objective="known")
    assert found.columns[0] == "budget"
    assert any(point.budget > point.max_cost for point in found)
    for point in found:
        assert point.known_least == known.best(budget=point.budget).errors


def test_copies_of_rows_are_reported_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = tmp_path / "cases.csv", tmp_path / "tree.json"
    rows = [f"{k * 37 % 101},{k * 53 % 89},{'pq'[k % 3 == 0]}" for k in range(60)]
    path.write_text("\n".join(["a,b,y", *rows, *rows[:20]]), encoding="utf-8")
    expected = "20 of 80 rows are exact copies of another row"
    for command in ("check", f"fit --budget 1 --folds 2 -o {model}", "frontier --folds 2"):
        assert main([*command.split(), str(path), "-t", "y"]) == 0
        printed = "".join(capsys.readouterr())
        assert expected in printed
        assert "--groups" in printed
    assert main(f"fit {path} -t y --budget 1 --folds 2 --groups b -o {model}".split()) == 0
    assert expected not in capsys.readouterr().err
