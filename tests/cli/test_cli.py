"""The command line, from a spreadsheet's CSV through every command: output, exit codes, files and kind errors."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from budgetree.cli import main
from budgetree.learn.exact.solver import Solver
from budgetree.proof.check import seal
from budgetree.services import files

PRICES = """
default = 1
[tests]
"Blutdruck (mmHg)" = 4
EKG = { normal = 20, "auffällig" = 35, missing = 20 }
[shared.Blutabnahme]
fee = 2.10
tests = ["Troponin", "D-Dimer"]
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A table as a clinic might send it: quotes, gaps, dates, umlauts, a semicolon in a cell, a line break."""
    rng = random.Random(7)
    rows = []
    for number in range(120):
        pressure = rng.gauss(130, 20)
        ekg = rng.choice(["normal", "normal", "auffällig", ""])
        troponin, dimer = rng.choice(["hoch", "niedrig"]), f"{rng.uniform(0, 3):.2f}"
        pain = rng.choice(["drückend; links", "stechend,\nbeim Atmen", "keiner"])
        ill = (troponin == "hoch") + (ekg == "auffällig") + (pressure > 150) + (pain == "keiner") * -1
        answer = "Infarkt" if ill >= 2 else "Angina pectoris" if ill == 1 else 'anderes ("harmlos")'
        day = f"2024-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        rows.append(
            [f"P{number:04d}", day, f"{pressure:.1f}", ekg, troponin, dimer if number % 9 else "n/a", pain, answer]
        )
    names = ["Patient", "Aufnahme", "Blutdruck (mmHg)", "EKG", "Troponin", "D-Dimer", "Schmerz", "Befund"]
    text = io.StringIO()
    csv.writer(text).writerows([names, *rows])
    (tmp_path / "fälle.csv").write_text(text.getvalue(), encoding="utf-8-sig", newline="")
    (tmp_path / "preise.toml").write_text(PRICES, encoding="utf-8")
    os.chdir(tmp_path)
    return tmp_path


LEAVE_OUT = ["--drop", "Patient", "--drop", "Aufnahme"]
TABLE = ["fälle.csv", "--target", "Befund", "--prices", "preise.toml", *LEAVE_OUT]


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    ended = main(list(arguments))
    printed = capsys.readouterr()
    assert ended == code, printed.out + printed.err
    assert "Traceback" not in printed.err
    return printed.err if code else printed.out


def test_a_clinics_table_through_every_command(
    clinic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = run(capsys, "check", "fälle.csv", "--target", "Befund", "--prices", "preise.toml")
    assert "Patient: is different in nearly every row (120 of 120)" in checked
    assert "Aufnahme: holds dates" in checked
    assert "120 cases, 7 tests, 3 classes" in checked

    printed = run(capsys, "frontier", *TABLE, "--out", "ergebnis")
    assert "proven" in printed
    assert "●" in printed
    models = sorted((clinic / "ergebnis").glob("model-*.json"))
    points = rows_of(clinic / "ergebnis" / "frontier.csv")
    assert len(models) == len(points) > 3
    assert "Blutdruck (mmHg)" in (clinic / "ergebnis" / "report.html").read_text(encoding="utf-8")
    for model, point in zip(models, points, strict=True):
        tree = bt.Tree.from_json(model)
        assert tree.max_cost == float(point["max_cost"])
        assert tree.errors == float(point["errors"])

    summary = run(capsys, "fit", *TABLE, "--budget", "8", "-o", "pfad.json", "--certificate", "beweis.json")
    assert "proven: No tree within a budget of 8 makes fewer errors." in summary
    tree = bt.Tree.from_json("pfad.json")
    assert tree.max_cost <= 8
    error = tree.errors / 120
    run(capsys, "fit", *TABLE, "--max-error", str(error), "-o", "billig.json")
    assert bt.Tree.from_json("billig.json").max_cost == tree.max_cost

    said = run(capsys, "predict", "pfad.json", "fälle.csv", "-o", "vorhersage.csv")
    assert "120 rows" in said
    frame = pd.read_csv("fälle.csv", dtype={"EKG": "object"}, na_values=["n/a"])
    codes = tree.encode(frame)
    predicted = rows_of(clinic / "vorhersage.csv")
    assert [row["prediction"] for row in predicted] == tree.predict(codes).tolist()
    assert [float(row["cost"]) for row in predicted] == pytest.approx(tree.cost(codes).tolist())
    assert [row["Schmerz"] for row in predicted] == frame["Schmerz"].tolist()
    assert sum(row["prediction"] != row["Befund"] for row in predicted) == tree.errors
    assert set(predicted[0]["tests"].split("; ")) <= set(tree.test_names)

    row = frame.iloc[0]
    case = tree.ask(lambda test: row[test])
    answers = "\n".join("missing" if step.value != step.value else str(step.value) for step in case.history)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers + "\n"))
    asked = run(capsys, "ask", "pfad.json")
    assert f"→ {predicted[0]['prediction']}" in asked
    assert f"spent {case.spent}" in asked

    run(capsys, "report", "pfad.json", "-o", "pfad.html", "--certificate", "beweis.json", "--title", "Brustschmerz")
    page = (clinic / "pfad.html").read_text(encoding="utf-8")
    assert "<title>Brustschmerz</title>" in page
    assert "exhaustive search" in page

    assert run(capsys, "show", "pfad.json").strip() == f"{tree.to_text()}\n{tree.statement}"
    assert run(capsys, "show", "pfad.json", "--as", "rules").strip() == tree.to_rules()
    assert run(capsys, "show", "pfad.json", "--as", "sql") == tree.to_sql()
    shown = json.loads(run(capsys, "show", "pfad.json", "--json"))
    assert shown["tree"] == json.loads(json.dumps(tree.to_dict()))
    assert "pima" in run(capsys, "datasets")
    assert not [name for name in os.listdir(clinic) if name.endswith(".part")]


def test_json_for_programs(clinic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    points = json.loads(run(capsys, "frontier", *TABLE, "--max-budget", "9", "--json"))
    assert points["complete"] is True
    assert {"max_cost", "errors", "error_rate", "lower_bound", "proven", "source"} == set(points["points"][0])
    facts = json.loads(run(capsys, "fit", *TABLE, "--budget", "9", "-o", "m.json", "--json"))
    assert facts["errors"] == points["points"][-1]["errors"]
    rows = json.loads(run(capsys, "predict", "m.json", "fälle.csv", "--json"))
    assert len(rows) == 120
    assert {"prediction", "cost", "tests"} == set(rows[0])
    findings = json.loads(run(capsys, "check", *TABLE, "--json"))
    assert all({"kind", "about", "message"} == set(each) for each in findings)
    assert len(json.loads(run(capsys, "datasets", "--json"))) == 11
    tree = bt.Tree.from_json("m.json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("missing\nniedrig\nkeiner\n100\n1\nnormal\n" * 3))
    assert main(["ask", "m.json", "--json"]) in (0, 1)
    printed = capsys.readouterr()
    if printed.out:
        assert json.loads(printed.out)["prediction"] in tree.class_names


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


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["fit", "fälle.csv", "--target", "Befund", "-o", "x.json"], 2, "give either --budget B or --max-error E"),
        (["fit", "fälle.csv", "--target", "Befund", "--budget", "3"], 2, "Missing option '-o'"),
        (["fit", "fälle.csv", "--budget", "3", "-o", "x.json"], 1, "--target COL. There are: Patient, Aufnahme"),
        (["fit", "fälle.csv", "--target", "befund", "--budget", "3", "-o", "x"], 1, "there is no column 'befund'"),
        (["fit", *TABLE, "--drop", "Befund", "--budget", "3", "-o", "x.json"], 1, "that is the target"),
        (["fit", *TABLE, "--budget", "-3", "-o", "x.json"], 1, "a budget must be a number of at least 0"),
        (["fit", *TABLE, "--max-error", "7", "-o", "x.json"], 2, "is not in the range 0<=x<=1"),
        (["fit", *TABLE, "--levels", "1", "--budget", "3", "-o", "x.json"], 1, "expected a whole number from 2"),
        (["fit", *TABLE, "--budget", "3", "-o", "nowhere/x.json"], 1, "nowhere/x.json: its folder does not exist"),
        (["frontier", "nothing.csv", "--target", "a"], 1, "nothing.csv: No such file"),
        (["frontier", "pima", "--target", "diabetes"], 1, "--target, --drop and --duplicates are for files"),
        (["frontier", *TABLE[:3], "--prices", "no.toml"], 1, "no.toml: No such file"),
        (["frontier", *TABLE[:3], "--prices", "fälle.csv"], 1, "names with spaces or special letters need quotes"),
        (["frontier", "--nonsense"], 2, "No such option"),
        (["predict", "fälle.csv", "fälle.csv"], 1, "fälle.csv: not valid JSON"),
        (["predict", "no.json", "fälle.csv"], 1, "no.json: No such file"),
        (["show", "."], 2, "is a directory"),
    ],
    ids=str,
)
def test_errors_are_kind_and_codes_are_kept(
    clinic: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    before = sorted(os.listdir(clinic))
    assert message in run(capsys, *arguments, code=code)
    assert sorted(os.listdir(clinic)) == before


def test_three_columns_of_one_name_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("puls,alter,puls,befund,puls\n1,2,3,a,4\n", encoding="utf-8")
    for command in (["check"], ["frontier"], ["fit", "--budget", "3", "-o", "x.json"]):
        told = run(capsys, command[0], str(path), "--target", "befund", *command[1:], code=1)
        assert "line 1: column names must differ, but there is 'puls' in columns 1, 3, 5" in told


def test_an_empty_answer_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("a,b\n1,x\n2,\n3,y\n4,n/a\n", encoding="utf-8")
    told = run(capsys, "frontier", str(path), "--target", "b", code=1)
    assert "'b' is empty in 2 row(s), first in line 3, line 5" in told
    assert "error: 'b' is empty in 2 row(s)" in _failing_check(capsys, path)


def _failing_check(capsys: pytest.CaptureFixture[str], path: Path) -> str:
    assert main(["check", str(path), "--target", "b"]) == 1
    return capsys.readouterr().out


def test_check_finds_what_will_go_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = 300
    frame = pd.DataFrame(
        {
            "number": range(1, rows + 1),
            "same": ["x"] * rows,
            "text": [f"text {i}" for i in range(rows)],
            "typo": ["l2" if i == 17 else str(i % 50) for i in range(rows)],
            "gaps": [None if i % 3 else i % 2 for i in range(rows)],
            "useful": [i % 2 for i in range(rows)],
            "answer": ["rare" if i == 3 else "even" if i % 4 else "odd" for i in range(rows)],
        }
    )
    frame.to_csv(tmp_path / "odd.csv", index=False)
    assert main(["check", str(tmp_path / "odd.csv"), "--target", "answer"]) == 1
    told = capsys.readouterr().out
    assert "error: text: has 300 different texts; a test may have at most 255 outcomes" in told
    assert "warning: number: seems to number the rows; leave it out: --drop 'number'" in told
    assert "warning: same: has the same value in every row" in told
    assert "warning: gaps: is missing in 200 of 300 rows" in told
    assert "typo: is a number in 299 of 300 rows, but 'l2' in line 19" in told
    leave = ["--drop", "text", "--drop", "number", "--missing", "l2"]
    told = run(capsys, "check", str(tmp_path / "odd.csv"), "--target", "answer", *leave)
    assert "only one case is 'rare'" in told
    assert "cases agree on every test with a case of another class" in told
    assert "error" not in told.replace("errors", "")


def test_prices_that_do_not_fit_are_found_by_check(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clinic / "falsch.toml").write_text("default = 1\n[tests]\nMRT = 300\n", encoding="utf-8")
    assert main(["check", "fälle.csv", "--target", "Befund", "--prices", "falsch.toml", *LEAVE_OUT]) == 1
    assert "error: prices: no test is named 'MRT'" in capsys.readouterr().out


def test_parquet_and_bundled_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = bt.datasets.frame("pima")
    frame.to_parquet(tmp_path / "pima.parquet")
    model = str(tmp_path / "m.json")
    run(capsys, "fit", str(tmp_path / "pima.parquet"), "--target", "diabetes", "--budget", "2", "-o", model)
    from_parquet = run(capsys, "predict", model, str(tmp_path / "pima.parquet"), "--json")
    frame.to_csv(tmp_path / "pima.csv", index=False)
    assert run(capsys, "predict", model, str(tmp_path / "pima.csv"), "--json") == from_parquet
    assert run(capsys, "predict", model, "pima", "--json") == from_parquet
    every = {name: [1.0, None] for name in frame.columns[:-1]}
    pd.DataFrame(every).to_parquet(tmp_path / "gaps.parquet")
    assert run(capsys, "predict", model, str(tmp_path / "gaps.parquet")).splitlines()[2].startswith(",,")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nonsense")
    assert "cannot be read" in run(capsys, "predict", model, str(tmp_path / "broken.parquet"), code=1)
    (tmp_path / "sheet.xlsx").write_bytes(b"PK\x03\x04 and more")
    assert "save the table as CSV" in run(capsys, "predict", model, str(tmp_path / "sheet.xlsx"), code=1)


@pytest.mark.parametrize("name", ["synthetic", "figure1", "soybean"])
def test_every_bundled_set_goes_round(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    model = str(tmp_path / "m.json")
    run(capsys, "fit", name, "--max-error", "0.3", "--method", "greedy", "-o", model)
    rows = json.loads(run(capsys, "predict", model, name, "--json"))
    truth = bt.datasets.frame_columns(name)[-1].to_list()
    wrong = np.mean([row["prediction"] != answer for row, answer in zip(rows, truth, strict=True)])
    assert wrong <= 0.35


def test_a_model_may_be_used_on_a_table_with_other_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "known.csv").write_text("a,b,y\n1,1,p\n2,1,q\n1,2,p\n2,2,q\n", encoding="utf-8")
    model = str(tmp_path / "m.json")
    run(capsys, "fit", str(tmp_path / "known.csv"), "--target", "y", "--budget", "1", "-o", model)
    (tmp_path / "new.csv").write_text("id,cost,a\n7,x,2\n8,y,\n9,z,5\n", encoding="utf-8")
    printed = run(capsys, "predict", model, str(tmp_path / "new.csv"))
    assert printed.splitlines() == [
        "id,cost,a,prediction,budgetree cost,tests",
        "7,x,2,q,1,a",
        "8,y,,p,1,a",
        "9,z,5,p,1,a",
    ]
    (tmp_path / "other.csv").write_text("id,b\n7,2\n", encoding="utf-8")
    told = run(capsys, "predict", model, str(tmp_path / "other.csv"), code=1)
    assert "there is no column 'a', which the model may ask for. There are: id, b" in told


def test_a_folder_is_replaced_only_when_asked(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["frontier", *TABLE, "--max-budget", "2", "--out", "out"]
    run(capsys, *quick)
    (clinic / "out" / "mine.txt").write_text("precious")
    assert "out is there already and not empty; --force replaces" in run(capsys, *quick, code=2)
    (clinic / "out" / "model-09-budget-99.json").write_text("of an earlier frontier")
    run(capsys, *quick, "--force")
    assert (clinic / "out" / "mine.txt").read_text() == "precious"
    assert not (clinic / "out" / "model-09-budget-99.json").exists()
    assert "does not exist" in run(capsys, *quick[:-1], "nowhere/out", code=2)
    before = set(os.listdir(clinic))
    run(capsys, *quick[:-1], ".", "--force")  # even here nothing of others is touched
    assert before < set(os.listdir(clinic))
    assert bt.Tree.from_json(clinic / "model-00-budget-0.json").depth == 0


def test_outputs_never_replace_inputs(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "fit", *TABLE, "--budget", "2", "-o", "m.json")
    before = {name: (clinic / name).read_bytes() for name in os.listdir(clinic)}
    for arguments in (
        ["fit", *TABLE, "--budget", "2", "-o", "fälle.csv"],
        ["fit", *TABLE, "--budget", "2", "-o", "./preise.toml"],
        ["fit", *TABLE, "--budget", "2", "-o", "new.json", "--certificate", "new.json"],
        ["report", "m.json", "-o", "m.json"],
        ["predict", "m.json", "fälle.csv", "-o", "m.json"],
        ["predict", "m.json", "fälle.csv", "-o", "fälle.csv"],
    ):
        assert "in use by the same command" in run(capsys, *arguments, code=1)
    assert {name: (clinic / name).read_bytes() for name in os.listdir(clinic)} == before


def test_predict_says_what_is_unknown_and_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "known.csv").write_text("a,y\n" + "0,P\n1,N\n2,Q\n" * 10, encoding="utf-8")
    model, new = str(tmp_path / "m.json"), tmp_path / "new.csv"
    run(capsys, "fit", str(tmp_path / "known.csv"), "--target", "y", "--budget", "2", "-o", model)
    new.write_text("a,y\n0,P\n1,N\n2,P\nx,N\n,\n7,Q\n", encoding="utf-8")
    assert main(["predict", model, str(new), "--target", "y", "--json"]) == 0
    printed = capsys.readouterr()
    assert [row["prediction"] for row in json.loads(printed.out)] == ["P", "N", "Q", "N", "N", "N"]
    assert "3 row(s) have a value of 'a' that no known case had" in printed.err
    assert "3 of 6 predictions are wrong (50.0%)" in printed.err
    assert "P: 1 of 2 missed" in printed.err
    assert "there is no column 'z'" in run(capsys, "predict", model, str(new), "--target", "z", code=1)


def test_models_carry_between_kinds_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = pd.to_datetime(["2024-02-29", "2024-03-01"] * 10)
    frame = pd.DataFrame({"flag": [True, False] * 10, "day": days, "y": ["P", "N"] * 10})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for column in ("flag", "day"):
        for learned, used in (("csv", "parquet"), ("parquet", "csv")):
            model = str(tmp_path / "m.json")
            other = "day" if column == "flag" else "flag"
            data = str(tmp_path / f"t.{learned}")
            run(capsys, "fit", data, "--target", "y", "--drop", other, "--budget", "1", "-o", model)
            rows = json.loads(run(capsys, "predict", model, str(tmp_path / f"t.{used}"), "--json"))
            assert [row["prediction"] for row in rows] == ["P", "N"] * 10, (column, learned)


def test_empty_rows_are_no_known_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,P\n,\n2,N\n,\n", encoding="utf-8")
    facts = json.loads(
        run(capsys, "fit", str(tmp_path / "t.csv"), "-t", "y", "--budget", "1", "-o", str(tmp_path / "m"), "--json")
    )
    assert facts["n_objects"] == 2
    assert "2 cases, 1 tests, 2 classes" in run(capsys, "check", str(tmp_path / "t.csv"), "-t", "y")


def test_numbers_written_oddly_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f'"{i},5",{i}.2 %,"{i} mg",{"PN"[i % 2]}' for i in range(40)]
    (tmp_path / "t.csv").write_text("comma,share,dose,y\n" + "\n".join(lines), encoding="utf-8")
    told = run(capsys, "check", str(tmp_path / "t.csv"), "-t", "y")
    for column in ("comma", "share", "dose"):
        assert f"{column}: looks like numbers, such as" in told
    assert "Leave it out" not in told


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_any_terminal_can_show_it(tmp_path: Path, encoding: str) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "budgetree", "frontier", "figure1"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment, check=True)
    assert b"errors" in ended.stdout


def test_names_cannot_speak_to_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = "\x1b[31mred\x1b]0;title\x07\u202e"
    instance = bt.Instance([[0], [1]], [evil, "b"], test_names=[evil], outcome_names=[[evil, "no"]])
    bt.grow(instance).to_json(tmp_path / "m.json")
    (tmp_path / "t.csv").write_text(f"{evil},y\n1,2\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("list\nno\n"))
    for arguments in (
        ["show", str(tmp_path / "m.json")],
        ["show", str(tmp_path / "m.json"), "--as", "rules"],
        ["ask", str(tmp_path / "m.json")],
        ["check", str(tmp_path / "t.csv"), "-t", "nothing"],
        ["fit", str(tmp_path / "t.csv"), "-t", "nothing", "--budget", "1", "-o", str(tmp_path / "x")],
        ["predict", str(tmp_path / evil), "pima"],
    ):
        main(arguments)
        printed = capsys.readouterr()
        assert not {"\x1b", "\x07", "\u202e"} & set(printed.out + printed.err), arguments


def test_a_value_beyond_the_known_ones_is_remarked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bt.grow(bt.datasets.load("pima"), budget=1).to_json(tmp_path / "m.json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("375\n"))
    assert "375 is beyond the known values (21 to 81)" in run(capsys, "ask", str(tmp_path / "m.json"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("35,5\n"))
    assert "beyond" not in run(capsys, "ask", str(tmp_path / "m.json"))


def test_a_failure_while_writing_leaves_nothing(
    clinic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(os.listdir(clinic))

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", stopped)
    run(capsys, "frontier", *TABLE, "--max-budget", "2", "--out", "out", code=130)
    run(capsys, "fit", *TABLE, "--budget", "2", "-o", "m.json", code=130)
    assert sorted(os.listdir(clinic)) == before


def test_ctrl_c_ends_with_130(tmp_path: Path) -> None:
    bt.grow(bt.datasets.load("pima"), budget=2).to_json(tmp_path / "m.json")
    command = [sys.executable, "-m", "budgetree", "ask", "m.json"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = subprocess.Popen(command, cwd=tmp_path, text=True, **pipes)
    assert started.stdout.read(4) == "Type"  # it is up, and asks
    started.send_signal(signal.SIGINT)
    told = started.communicate(timeout=60)[1]
    # Python may also end by the signal itself (-2), which a shell calls 130 too.
    assert started.returncode in (130, -signal.SIGINT)
    assert "stopped." in told
    assert "Traceback" not in told
    assert os.listdir(tmp_path) == ["m.json"]


def test_ctrl_c_in_a_search_gives_the_best_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = Solver.decide

    def stopped_at_three(self: Solver, budget: int, fewer_than: int) -> Any:
        if budget >= 3:
            raise KeyboardInterrupt
        return decide(self, budget, fewer_than)

    monkeypatch.setattr(Solver, "decide", stopped_at_three)
    printed = run(capsys, "fit", "house_votes", "--budget", "5", "-o", str(tmp_path / "m.json"))
    assert "The search ended early; this is the best so far." in printed
    assert "--time-limit gives the search longer." in printed
    assert bt.Tree.from_json(tmp_path / "m.json").max_cost <= 5


def test_another_trees_certificate_is_refused(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "fit", *TABLE, "--budget", "2", "-o", "a.json", "--certificate", "a.cert")
    run(capsys, "fit", *TABLE, "--budget", "9", "-o", "b.json")
    told = run(capsys, "report", "b.json", "-o", "b.html", "--certificate", "a.cert", code=1)
    assert "this is no certificate of b.json: it is about another tree." in told


def test_a_certificate_that_was_edited_is_not_shown(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "fit", *TABLE, "--budget", "2", "-o", "a.json", "--certificate", "a.cert")
    document = json.loads(Path("a.cert").read_text())
    false = document | {"lower_bound": "999"}
    for content, reason in [
        (false, "it was changed after it was sealed"),
        (false | {"seal": seal(false)}, "its lower bound or ratio cannot be true of this tree"),
        ({"format": "budgetree certificate"}, "'version' is missing"),
        (document | {"ratio": "1/0"}, 'ratio is \'1/0\'; expected an exact number as text, "p" or "p/q"'),
    ]:
        Path("b.cert").write_text(json.dumps(content))
        assert reason in run(capsys, "report", "a.json", "-o", "a.html", "--certificate", "b.cert", code=1)
    assert not Path("a.html").exists()


def test_a_mistake_of_ours_is_said_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("oh")

    monkeypatch.setattr("budgetree.datasets.bundled.names", broken)
    monkeypatch.setattr("budgetree.datasets.names", broken)
    assert "this is a mistake of budgetree: RuntimeError: oh. BUDGETREE_DEBUG=1" in run(capsys, "datasets", code=70)
    monkeypatch.setenv("BUDGETREE_DEBUG", "1")
    with pytest.raises(RuntimeError, match="oh"):
        main(["datasets"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert "_BUDGETREE_COMPLETE" in run(capsys, "completion", shell)


def test_completion_knows_commands_options_and_data_sets() -> None:
    def complete(words: str, place: int) -> str:
        environment = os.environ | {
            "_BUDGETREE_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(place),
        }
        command, root = [sys.executable, "-m", "budgetree"], Path(__file__).parents[2]
        return subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=True).stdout

    assert "plain,frontier" in complete("budgetree fr", 1)
    assert "plain,--max-budget" in complete("budgetree frontier --max", 2)
    assert "plain,pima" in complete("budgetree frontier pi", 2)
    assert "plain,README.md" in complete("budgetree frontier READ", 2)


def test_help_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "--help")
    for command in ("frontier", "fit", "predict", "ask", "report", "show", "datasets", "check", "completion"):
        assert command in printed
        detail = run(capsys, command, "--help")
        assert len(detail.splitlines()) > 5
    assert "Exit codes: 0 done, 1 failed" in printed


HEAVY = ("pandas", "polars", "pyarrow", "scipy", "sklearn", "matplotlib", "rich", "narwhals")


@pytest.mark.parametrize("arguments", [["--help"], ["predict", "m.json", "new.csv"], ["show", "m.json"]], ids=str)
def test_small_commands_import_nothing_heavy(tmp_path: Path, arguments: list[str]) -> None:
    bt.grow(bt.datasets.load("pima"), budget=2).to_json(tmp_path / "m.json")
    bt.datasets.frame("pima").to_csv(tmp_path / "new.csv", index=False)
    script = (
        "import sys; from budgetree.cli import main; code = main(sys.argv[1:]); "
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    command = [sys.executable, "-c", script, *arguments]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stderr.strip() == "[]"


def test_colours_are_for_terminals_only(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "budgetree", "fit", "figure1", "--budget", "1", "-o", "m.json"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "\x1b[" not in printed
    assert "proven" in printed


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    bt.grow(bt.datasets.load("soybean")).to_json(tmp_path / "m.json")
    command = f"{sys.executable} -m budgetree show m.json | head -1; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert ended.stderr == ""
