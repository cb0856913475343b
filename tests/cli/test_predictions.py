"""Predictions against what is right, in as many parts as they come; and lines that a spreadsheet does not run."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest
from command_line import main

import budgetree as bt
from budgetree.cli.predictions import Judgement, safe_line
from budgetree.data.table import csv_cell
from losing import exact_losses, losing_tree
from new_cases import new_frame, new_tree


def ones(right: list[str], given: list[str]) -> list[tuple[str, str, int]]:
    return [(true, answer, 1) for true, answer in zip(right, given, strict=True)]


@pytest.mark.filterwarnings("ignore:.* (no known case had|no result of)")
@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_rows_may_come_in_parts(leaves: str | None) -> None:
    tree, frame = losing_tree(leaves), new_frame(8, 90)
    predicted = tree.predict_codes(tree.encode(frame)).tolist()
    right = frame["class"].tolist()
    judgement = Judgement(tree)
    for start in range(0, 90, 40):
        judgement.add(ones(right[start : start + 40], predicted[start : start + 40]))
    counts = Counter(zip(predicted, right, strict=True))
    assert judgement.confusion.counts == tuple(
        tuple(counts[answer, true] for true in tree.class_names) for answer in tree.answer_names
    )
    rows = exact_losses(tree.schema.losses, tree.class_names)
    place = tree.answer_names.index
    lost = sum(rows[place(true)][place(answer)] for answer, true in zip(predicted, right, strict=True))
    assert judgement.mean_loss == pytest.approx(float(lost) / 90)
    lines = list(judgement.lines())
    wrong = sum(a != t for a, t in zip(predicted, right, strict=True) if a in tree.class_names)
    assert lines[0].startswith(f"{wrong} of 90 predictions are wrong (")
    referred = sum(answer not in tree.class_names for answer in predicted)
    assert any(line.startswith(f"{referred} rows got an answer that is not a class (") for line in lines)
    assert f"mean loss {float(lost) / 90:.4g} per row." in lines
    assert lines[-6].split() == ["answer", "ill", "well", "worse"]


def test_without_losses_none_is_said() -> None:
    judgement = Judgement(new_tree("model"))
    judgement.add(ones(["ill", "well"], ["ill", "ill"]))
    assert list(judgement.lines()) == [
        "1 of 2 predictions are wrong (50.0%).",
        "  well: 1 of 1 called something else",
        "answers by class:",
        "  answer  ill  well  worse",
        "  ill       1     1      0",
        "  well      0     0      0",
        "  worse     0     0      0",
    ]


def test_a_class_that_the_model_does_not_know_is_wrong_and_has_no_loss() -> None:
    judgement = Judgement(losing_tree(None))
    judgement.add(ones(["dead", "ill"], ["ill", "refer"]))
    lines = list(judgement.lines())
    assert lines[0] == "1 of 2 predictions are wrong (50.0%)."
    assert "mean loss 0.4 per row." in lines
    assert "1 row is of a class that the model does not know, without a loss." in lines
    assert judgement.confusion.class_names[-1] == "dead"


def test_no_rows_are_no_loss() -> None:
    judgement = Judgement(losing_tree(None))
    assert judgement.mean_loss is None
    assert next(iter(judgement.lines())) == "0 of 0 predictions are wrong (0.0%)."


def test_predict_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    losing_tree(None).to_json(tmp_path / "m.json")
    new_frame(9, 40).to_csv(tmp_path / "new.csv", index=False)
    assert main(["predict", str(tmp_path / "m.json"), str(tmp_path / "new.csv"), "-t", "class"]) == 0
    printed = capsys.readouterr()
    assert "answers by class:\n  answer  ill  well  worse\n" in printed.err
    assert "mean loss " in printed.err
    assert ",refer," in printed.out
    bt.grow(bt.datasets.load("pima"), budget=1).to_json(tmp_path / "p.json")
    assert main(["predict", str(tmp_path / "p.json"), "pima", "-t", "diabetes"]) == 0
    printed = capsys.readouterr()
    assert "answers by class:\n  answer  neg  pos\n" in printed.err
    assert "mean loss" not in printed.err


@pytest.mark.parametrize("cell", ["=1+1", "+x", "-x", "@a", "\t=1", "\r", "\n=1", "\uff1d1", "-inf", '="a",b', "-1\n"])
def test_a_formula_is_made_a_text(cell: str) -> None:
    line = f"{csv_cell(cell)},plain"
    (cells,) = csv.reader(io.StringIO(safe_line(line), newline=""))
    assert cells == [f"'{cell}", "plain"]


@pytest.mark.parametrize("line", ["", "a,b", "-3,+4.5,-1e-9", 'x=1,"a, b - c",me@home', "a - b,,"])
def test_what_is_no_formula_stays(line: str) -> None:
    assert safe_line(line) == line
