"""`budgetree ask`: a consultation in the terminal."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import budgetree as bt
from budgetree.cli.main import main
from budgetree.tree.explanation import explain
from built_trees import confident_tree
from losing import losing_tree
from new_cases import new_tree


def test_a_consultation_can_go_back_and_start_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    tree.to_json(tmp_path / "m.json")
    says = ["back", "42", "nonsense", "list", "?", "back", "30", "again", "42", "3"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(says) + "\n"))
    printed = run(capsys, "ask", str(tmp_path / "m.json"))
    assert "this is the first test" in printed
    assert "'nonsense' is not one of its outcomes" in printed
    assert f"→ {tree.ask({'age': 42, 'pregnant': 3}.__getitem__).prediction}" in printed
    for early in ("42\nquit\n", "42\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(early))
        assert "ended before the answer was clear" in run(capsys, "ask", str(tmp_path / "m.json"), code=1)


def test_whoever_types_missing_is_told_of_unavailable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bt.grow(bt.datasets.load("pima"), budget=1).to_json(tmp_path / "m.json")
    hint = "If there is no result, type unavailable."
    monkeypatch.setattr(sys, "stdin", io.StringIO("nonsense\nunavailable\n"))
    assert hint not in run(capsys, "ask", str(tmp_path / "m.json"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("missing\nNA\nunavailable\n"))
    assert run(capsys, "ask", str(tmp_path / "m.json")).count(hint) == 2
    frame = pd.DataFrame({"a": ["x", "y", None] * 4, "class": [0, 1, 2] * 4})
    bt.grow(bt.Instance.from_frame(frame, "class")).to_json(tmp_path / "m.json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("missing\n"))
    assert hint not in run(capsys, "ask", str(tmp_path / "m.json")), "which is an outcome there"


def test_a_value_beyond_the_known_ones_is_remarked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bt.grow(bt.datasets.load("pima"), budget=1).to_json(tmp_path / "m.json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("86\n"))
    assert "86 is beyond the known values (21 to 81)" in run(capsys, "ask", str(tmp_path / "m.json"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("375\n375!\n"))
    printed = run(capsys, "ask", str(tmp_path / "m.json"))
    assert "'375' is far beyond the known values; expected a number (the known ones run from 21 to 81)" in printed
    assert "If it is right, type 375!" in printed
    assert "375 is beyond the known values (21 to 81), and counts as" in printed
    monkeypatch.setattr(sys, "stdin", io.StringIO("35,5\n"))
    assert "beyond" not in run(capsys, "ask", str(tmp_path / "m.json"))


def asked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, model: Path, *says: str) -> str:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(says) + "\n"))
    return run(capsys, "ask", str(model))


@pytest.mark.parametrize("word", ["unavailable", "Not available", "n/a"])
def test_a_result_that_is_not_available_is_not_paid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    confident_tree().to_json(tmp_path / "m.json")
    case = bt.Consultation(confident_tree())
    first = case.next_test
    case.unavailable()
    says = [word, "back", word]
    while not case.done:
        says.append(case.outcomes[0])
        case.answer(case.outcomes[0])
    printed = asked(capsys, monkeypatch, tmp_path / "m.json", *says)
    assert "unavailable (there is no result; the test is not paid)" in printed
    assert printed.count(f"note: {first} is not available and not paid; the other tests have to answer.") == 2
    assert f"→ {case.prediction}  spent {case.spent}\n" in printed
    assert f"    {first} not available" in printed


def test_an_ordinary_tree_says_what_it_takes_the_result_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bt.grow(bt.datasets.load("pima"), budget=1).to_json(tmp_path / "m.json")
    printed = asked(capsys, monkeypatch, tmp_path / "m.json", "unavailable")
    assert (
        "age is not available and not paid; all its results stay possible, and the case goes on as with 21.0 to 24.3."
        in printed
    )
    assert (
        "  neg has 64.5% at first. What moved it:\n    age not available, path of 21.0 to 24.3 followed: no change"
        in printed
    )
    assert "neg 65%, pos 35%\n  These are shares of all that is possible without age: 753 known cases." in printed
    monkeypatch.setattr(sys, "stdin", io.StringIO("unavailable\n"))
    printed = run(capsys, "ask", str(tmp_path / "m.json"), "--charge-unavailable")
    assert "(there is no result; the test is paid all the same)" in printed
    assert "age is not available and paid all the same; " in printed
    assert "spent 1\n" in printed


def test_known_results_are_not_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    tree.to_json(tmp_path / "m.json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("back\n3\n"))
    printed = run(capsys, "ask", str(tmp_path / "m.json"), "--known", "age=42")
    assert "age costs" not in printed
    assert "this is the first test." in printed
    assert f"→ {tree.ask({'age': 42, 'pregnant': 3}).prediction}  spent 1\n" in printed
    assert "--known is 'age'; expected TEST=RESULT" in run(
        capsys, "ask", str(tmp_path / "m.json"), "--known", "age", code=2
    )
    assert "known: there is no test 'agee'" in run(capsys, "ask", str(tmp_path / "m.json"), "--known", "agee=1", code=1)


def test_the_result_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = new_tree("model", None)
    tree.to_json(tmp_path / "m.json")
    case = bt.Consultation(tree)
    says = []
    shown = []
    while not case.done:
        says.append(case.outcomes[-1])
        case.answer(case.outcomes[-1])
        shown.append(f"{case.prediction} {max(case.distribution.values()):.0%}")
    printed = asked(capsys, monkeypatch, tmp_path / "m.json", *says)
    assert all(words in printed for words in shown)  # the probabilities after each answer
    explanation = explain(case)
    lines = [f"    {part.test} = {part.answered}: {part.moved}\n" for part in explanation.largest_first]
    assert f"  {explanation.opening}. What moved it:\n{''.join(lines)}" in printed
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(says) + "\n"))
    assert main(["ask", str(tmp_path / "m.json"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["at_first"] == explanation.start
    assert [step["after"] for step in found["steps"]] == [part.after for part in explanation.contributions]
    assert [step["available"] for step in found["steps"]] == [True] * len(says)


@pytest.mark.parametrize("leaves", [None, "model"])
def test_an_answer_that_is_no_class_is_given_with_its_expected_loss(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, leaves: str | None
) -> None:
    tree = losing_tree(leaves)
    tree.to_json(tmp_path / "m.json")
    case, says = bt.Consultation(tree), []
    while not case.done:
        says.append(case.outcomes[len(case.outcomes) // 2])
        case.answer(says[-1])
    assert case.prediction == "refer"
    printed = asked(capsys, monkeypatch, tmp_path / "m.json", *says)
    assert f"→ refer  spent {case.spent}" in printed
    assert "  expected loss 0.4, the least of all answers" in printed
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(says) + "\n"))
    assert main(["ask", str(tmp_path / "m.json"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["prediction"], found["expected_loss"]) == ("refer", pytest.approx(0.4))


def test_an_early_end_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = new_tree("model", 0.8)
    tree.to_json(tmp_path / "m.json")
    ends = set()
    for outcome in (0, -1):
        case = bt.Consultation(tree)
        says = []
        while not case.done:
            says.append(case.outcomes[outcome])
            case.answer(case.outcomes[outcome])
        is_early = case.is_early
        printed = asked(capsys, monkeypatch, tmp_path / "m.json", *says)
        assert ("certain enough: no further tests are bought" in printed) == is_early
        ends.add(is_early)
    assert True in ends


def test_a_test_that_costs_nothing_is_free(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = bt.Prices({"look": 0, "scan": 3})
    cases = bt.Instance([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], prices=prices, test_names=["look", "scan"])
    bt.grow(cases).to_json(tmp_path / "m.json")
    printed = asked(capsys, monkeypatch, tmp_path / "m.json", "1", "0")
    assert "look is free" in printed
    assert "scan costs 3" in printed
    assert "already paid" not in printed
