"""`budgetree evaluate`: both forms, its files, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from command_line import FIT_KNOWN, run

import budgetree as bt


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Known and new cases, with a column that is not a test."""
    monkeypatch.chdir(tmp_path)
    frame = bt.datasets.frame("pima")[["age", "mass", "glucose", "diabetes"]]
    frame = frame.assign(sex=["f", "m", "m"] * 256, id=range(768))
    frame.iloc[:200].to_csv("known.csv", index=False)
    frame.iloc[600:].to_csv("new.csv", index=False)
    return tmp_path


LEARN = ["known.csv", "-t", "diabetes", "--drop", "id", "--drop", "sex"]


def test_the_procedure_with_its_tables_figures_and_predictions(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--by", "sex", "--by", "age:30,50", "--prevalence", "0.05", "--worth", "100", "--repeats", "1"]
    files = ["--predictions", "out.csv", "--out", "paper", "--report", "page.html"]
    printed = run(capsys, "evaluate", *LEARN, "--budget", "2", *more, *files)
    assert "positive: pos (it is the rarer class)" in printed
    assert "at a prevalence of 5 %" in printed
    assert "a found case is worth 100" in printed
    assert "age 50 or more *" in printed
    assert "for the methods section:\nThe pathway was learned from 200 cases" in printed
    with open("out.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["row"] for row in rows] == [str(row) for row in range(1, 201)]
    found = json.loads(Path("paper/evaluation.json").read_text(encoding="utf-8"))
    assert found["error"]["value"] == pytest.approx(sum(row["class"] != row["answer"] for row in rows) / 200)
    names = {"evaluation.json", "methods.txt", "figures.csv", "calibration.csv", "decision_curve.csv"}
    pictures = {f"{name}.{form}" for name in ("calibration", "decision_curve") for form in ("svg", "png")}
    assert {file.name for file in Path("paper").iterdir()} == names | pictures
    assert '"decision_curve"' in Path("page.html").read_text(encoding="utf-8")
    again = run(capsys, "evaluate", *LEARN, "--budget", "2", *more, "--json")
    assert json.loads(again)["by_class"] == found["by_class"]


def test_pathways_on_other_cases(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, budget in (("a.json", "1"), ("b.json", "2")):
        run(capsys, *FIT_KNOWN, *LEARN, "--budget", budget, "--folds", "0", "-o", name)
    printed = run(capsys, "evaluate", "a.json", "new.csv", "-t", "diabetes", "--by", "sex", "--groups", "id")
    assert "a fixed pathway, on cases given as new to it\n168 cases" in printed
    printed = run(capsys, "evaluate", "a.json", *LEARN[:3])
    assert "a fixed pathway, on what seem to be the cases that it was learned from\n" in printed
    assert "note: every leaf gets just the cases that it was learned from" in printed
    printed = run(capsys, "evaluate", "a.json", "b.json", "new.csv", "-t", "diabetes", "--predictions", "out.csv")
    assert "b.json less a.json" in printed
    assert "get another answer" in printed
    with open("out.csv", encoding="utf-8") as file:
        changed = sum(row["answer"] != row["answer of the other"] for row in csv.DictReader(file))
    assert f"{changed} cases get another answer" in printed


def test_what_does_not_fit_together_is_refused(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, *FIT_KNOWN, *LEARN, "--budget", "1", "--folds", "0", "-o", "a.json")
    assert "give --budget B" in run(capsys, "evaluate", *LEARN, code=2)
    complaint = run(capsys, "evaluate", "a.json", "new.csv", "-t", "diabetes", "--budget", "2", code=2)
    assert "--budget is about learning" in complaint
    assert "missing --target" in run(capsys, "evaluate", "a.json", "new.csv", code=1)
    assert "4 files are given" in run(capsys, "evaluate", *["a.json"] * 3, "new.csv", code=2)
    assert "no column 'height'" in run(
        capsys, "evaluate", "a.json", "new.csv", "-t", "diabetes", "--by", "height", code=1
    )
    assert "there is no class 'x'" in run(
        capsys, "evaluate", "a.json", "new.csv", "-t", "diabetes", "--positive", "x", code=1
    )
