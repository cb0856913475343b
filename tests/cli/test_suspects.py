"""Columns that may not be what they are taken for are told before anything is learned from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import FIT_KNOWN, run

import budgetree as bt
from budgetree.cli import main

ROWS = 40


@pytest.fixture
def patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    lines = [f"{1000 + 37 * i},{i + 1},{i % 7},{i * 0.5},{'PN'[i % 2]},{i + 100}" for i in range(ROWS)]
    (tmp_path / "patients.csv").write_text("id,row,few,half,y,amount\n" + "\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "patients.csv"


def warnings(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(list(arguments)) == 0
    printed = capsys.readouterr()
    said = printed.out if arguments[0] == "check" else printed.err
    return sorted(line.split(":")[1].strip() for line in said.splitlines() if line.startswith("warning: "))


def test_ids_and_amounts_are_named_by_every_command(patients: str, capsys: pytest.CaptureFixture[str]) -> None:
    fit = [*FIT_KNOWN, patients, "--budget", "1", "--method", "greedy", "--folds", "0", "-o", "m.json"]
    frontier = ["frontier", patients, "--max-budget", "1", "--method", "greedy", "--folds", "0"]
    for command in (["check", patients], fit, frontier):
        assert warnings(capsys, *command, "-t", "y", "--drop", "amount") == ["id", "row"]
        assert warnings(capsys, *command, "-t", "y", "--drop", "amount", "--drop", "id", "--drop", "row") == []
        assert "amount" in warnings(capsys, *command, "-t", "amount", "--drop", "id", "--drop", "row")


def test_warnings_stay_out_of_what_programs_read(patients: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frontier", patients, "-t", "y", "--max-budget", "1", "--folds", "0", "--json"]) == 0
    printed = capsys.readouterr()
    json.loads(printed.out)
    assert "warning: id: is a whole number that differs in every row, as an ID does" in printed.err
    assert "--drop 'id'" in printed.err


@pytest.mark.parametrize("command", [["check"], [*FIT_KNOWN, "--budget", "9", "--folds", "0", "-o", "m.json"]])
def test_classes_of_one_case_each_get_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [",".join([*format(i, "08b"), f"fault {i}"]) for i in range(200)]
    Path("t.csv").write_text("\n".join(["a,b,c,d,e,f,g,h,y", *lines]), encoding="utf-8")
    assert warnings(capsys, *command, "t.csv", "-t", "y") == ["every class has one case, as in a troubleshooting table"]


@pytest.mark.parametrize("command", [["check"], [*FIT_KNOWN, "--budget", "1", "--folds", "0", "-o", "m.json"]])
def test_texts_that_are_dates_numbers_or_names_are_told_by_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        f"2024-01-{1 + i % 28},{'unknown' if i % 3 else i % 7},Dr. {i},{'lh'[i % 2]},{'PN'[i % 2]}" for i in range(ROWS)
    ]
    Path("t.csv").write_text("\n".join(["seen,bmi,by,level,y", *lines]), encoding="utf-8")
    assert warnings(capsys, *command, "t.csv", "-t", "y") == ["bmi", "by", "seen"]


@pytest.mark.parametrize("command", [["check"], ["fit", "--budget", "1", "-o", "m.json"], ["frontier"]])
def test_a_single_class_is_told_by_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,y\n1,P\n2,P\n3,P\n", encoding="utf-8")
    assert warnings(capsys, *command, "t.csv", "-t", "y") == ["every case is 'P'; there is nothing to predict."]


def test_of_a_troubleshooting_table_fit_tells_the_cases_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [",".join([*format(i, "04b"), f"fault {i}"]) for i in range(16)]
    Path("t.csv").write_text("\n".join(["a,b,c,d,y", *lines]), encoding="utf-8")
    fit = ["fit", "t.csv", "-t", "y", "--budget", "4", "-o", "m.json", "--json"]
    facts = json.loads(run(capsys, *fit))
    assert (facts["objective"], facts["errors"], facts["new_error"]) == ("known", 0, None)
    assert json.loads(run(capsys, *fit, "--objective", "new"))["objective"] == "new"


def test_limits_are_read_as_numbers_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{'<5' if i % 2 else 5 + i},{'no' if i % 2 else 'ill'}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["troponin,y", *rows]), encoding="utf-8")
    message = "troponin: is a number in 30 of 60 rows, but '<5' in others; so all are taken as text. --censored reads"
    assert message in run(capsys, "check", "t.csv", "-t", "y")
    fit = [*FIT_KNOWN, "t.csv", "-t", "y", "--budget", "1", "--folds", "0", "-o", "m.json", "--censored"]
    assert "warning" not in run(capsys, *fit)
    (tmp_path / "new.csv").write_text("troponin\n4800\n<5\n< 3\n", encoding="utf-8")
    predicted = json.loads(run(capsys, "predict", "m.json", "new.csv", "--censored", "--json"))
    assert [row["prediction"] for row in predicted] == ["ill", "no", "no"]
    refused = run(capsys, "predict", "m.json", "new.csv", code=1)
    assert "line 3: 'troponin' is '<5'; the model knows it as a number. Use --censored" in refused
    read = bt.Instance.from_file("t.csv", "y", reading=bt.Reading(censored=True))
    assert read.outcome_names[0][0] == "below 5"
