"""Labels on the command line: beside the prices, in a file of their own, and for a model that is there already."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from command_line import run

from _support.refusals import refused
from budgetree.cli.inputs import Request, given_settings, located
from budgetree.errors import LabelsError
from labelled import heart_frame, heart_tree

LABELS = """
[labels]
unit = "€"
[labels.tests.sex]
name = "Sex"
outcomes = { 0 = "female", 1 = "male" }
[labels.classes]
0 = "healthy"
1 = "heart disease"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    heart_frame().to_csv("cases.csv", index=False)
    Path("prices.toml").write_text("[tests]\nsex = 1\nchol = 7.5\n" + LABELS, encoding="utf-8")
    Path("labels.toml").write_text(LABELS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("objective", ["known", "new"])
def test_fit_writes_a_model_that_speaks_in_these_words(
    place: Path, capsys: pytest.CaptureFixture[str], objective: str
) -> None:
    table = ["cases.csv", "--target", "ill", "--prices", "prices.toml", "--folds", "0", "--objective", objective]
    assert "worst case 8.50 €" in run(capsys, "fit", *table, "--budget", "9", "-o", "m.json")
    shown = run(capsys, "show", "m.json", "--confusion")
    assert "heart disease" in shown
    assert "Sex" in shown
    assert "sex" not in shown


def test_frontier_and_check_speak_in_these_words(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = ["cases.csv", "--target", "ill", "--prices", "prices.toml"]
    printed = run(capsys, "frontier", *table, "--objective", "known", "--folds", "0", "--out", "result")
    assert "8.50 €" in printed
    assert '"female"' in Path("result/report.html").read_text(encoding="utf-8")
    assert "tests cost 1 € to 7.50 €" in run(capsys, "check", *table)
    # What programs read stays as it is.
    assert "€" not in Path("result/frontier.csv").read_text(encoding="utf-8")


def test_a_model_is_labelled_later(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    heart_tree().with_labels(None).to_json("m.json")
    assert "sex?" in run(capsys, "show", "m.json")
    assert "Sex?" in run(capsys, "show", "m.json", "--labels", "labels.toml")
    assert "Sex is male" in run(capsys, "show", "m.json", "--labels", "labels.toml", "--as", "rules")
    run(capsys, "report", "m.json", "--labels", "labels.toml", "-o", "r.html")
    assert '"heart disease"' in Path("r.html").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("male\nquit\n250\nmale\n"))
    assert "ended" in run(capsys, "ask", "m.json", "--labels", "labels.toml", code=1)


def test_ask_takes_labels_and_its_json_keeps_the_names(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = heart_tree()
    tree.to_json("m.json")
    first = tree.test_names[tree.nodes.test[0]]
    monkeypatch.setattr(sys, "stdin", io.StringIO("male\n250\n" if first == "sex" else "250\nmale\n"))
    found = json.loads(run(capsys, "ask", "m.json", "--json"))
    assert {step["test"] for step in found["steps"]} <= {"sex", "chol"}
    assert found["prediction"] in (0, 1)


@pytest.mark.parametrize("command", ["show", "ask", "report"])
def test_labels_that_do_not_fit_a_model_are_refused_with_their_file(
    place: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    heart_tree().to_json("m.json")
    Path("bad.toml").write_text('[labels.tests]\nsexx = "Sex"')
    more = ["-o", "r.html"] if command == "report" else []
    said = run(capsys, command, "m.json", "--labels", "bad.toml", *more, code=1)
    assert said == "error: bad.toml: labels: there is no test 'sexx'. There are: chol, sex. Did you mean 'sex'?\n"


def test_labels_that_do_not_fit_a_table_are_refused_with_their_file(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.toml").write_text('[labels.classes]\n7 = "x"')
    table = ["cases.csv", "--target", "ill", "--labels", "bad.toml"]
    said = run(capsys, "fit", *table, "--budget", "3", "-o", "m.json", code=1)
    assert said == "error: bad.toml: labels: there is no class '7'. There are: 0, 1.\n"
    assert not Path("m.json").exists()


def test_one_file_serves_with_and_without_a_column(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open("prices.toml", "a", encoding="utf-8") as file:
        file.write('[order]\nchol = { after = ["sex"] }\n[order_of]\nchol = [200, 100]\nsex = [1, 0]\n')
    table = ["cases.csv", "--target", "ill", "--prices", "prices.toml", "--default-price", "1", "--folds", "0"]
    run(capsys, "fit", *table, "--drop", "chol", "--budget", "9", "-o", "m.json")
    assert "heart disease" in run(capsys, "show", "m.json", "--confusion")
    given = given_settings(Request("cases.csv", prices="prices.toml", drop=["sex"]))
    assert given.labels is not None
    assert (given.left_out, dict(given.labels.tests), given.order_of) == (("sex", "chol"), {}, {})


def test_labels_are_those_of_their_own_file_before_those_of_the_price_list(place: Path) -> None:
    assert given_settings(Request("cases.csv")).labels is None
    listed = given_settings(Request("cases.csv", prices="prices.toml")).labels
    assert listed is not None
    assert listed.tests["sex"].name == "Sex"
    Path("bad.toml").write_text('[labels.tests]\nsexx = "Sex"')
    for request, file in (
        (Request("cases.csv", prices="prices.toml", labels="bad.toml"), "bad.toml"),
        (Request("cases.csv", prices="bad.toml"), "bad.toml"),
    ):
        with refused(LabelsError, subject="sexx", source=file), located(request, "cases.csv"):
            heart_tree().with_labels(given_settings(request).labels)
