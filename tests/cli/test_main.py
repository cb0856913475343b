"""The command line as a whole: every command on one table, exit codes, kind errors, terminals and pipes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pandas as pd
import pytest
from command_line import FIT_KNOWN, TABLE, rows_of, run

import budgetree as bt
from budgetree.cli import main
from budgetree.cli.main import cli


def test_a_clinics_table_through_every_command(
    clinic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = run(capsys, "check", "fälle.csv", "--target", "Befund", "--prices", "preise.toml")
    assert "Patient: is different in nearly every row (120 of 120)" in checked
    assert "Aufnahme: holds dates" in checked
    assert "120 cases, 7 tests, 3 classes" in checked

    printed = run(capsys, "frontier", *TABLE, "--objective", "known", "--out", "ergebnis")
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

    summary = run(capsys, *FIT_KNOWN, *TABLE, "--budget", "8", "-o", "pfad.json", "--certificate", "beweis.json")
    assert "proven: No tree within a budget of 8 makes fewer errors." in summary
    tree = bt.Tree.from_json("pfad.json")
    assert tree.max_cost <= 8
    error = tree.errors / 120
    run(capsys, *FIT_KNOWN, *TABLE, "--max-error", str(error), "-o", "billig.json")
    assert bt.Tree.from_json("billig.json").max_cost == tree.max_cost

    said = run(capsys, "predict", "pfad.json", "fälle.csv", "-o", "vorhersage.csv")
    assert "120 rows" in said
    frame = pd.read_csv("fälle.csv", dtype={"EKG": "object"}, na_values=["n/a"])
    codes = tree.encode(frame)
    predicted = rows_of(clinic / "vorhersage.csv")
    assert [row["prediction"] for row in predicted] == tree.predict_codes(codes).tolist()
    assert [float(row["cost"]) for row in predicted] == pytest.approx(tree.walk_codes(codes).cost.tolist())
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

    shown, held_out = run(capsys, "show", "pfad.json").strip().rsplit("\n", 1)
    assert shown == f"{tree.to_text()}\n{tree.statement}\n{tree.estimate}"
    assert held_out.startswith("on the rows held out: mean cost ")
    assert run(capsys, "show", "pfad.json", "--as", "rules").strip() == tree.export("rules")
    for form in ("sql", "javascript", "pmml"):
        assert run(capsys, "show", "pfad.json", "--as", form) == tree.export(form)
    for form in ("python", "sql"):
        assert run(capsys, "show", "pfad.json", "--as", form, "--full") == tree.export(form, full=True)
    shown = json.loads(run(capsys, "show", "pfad.json", "--json"))
    assert shown["tree"] == json.loads(json.dumps(tree.to_dict()))
    assert "pima" in run(capsys, "datasets")
    assert not [name for name in os.listdir(clinic) if name.endswith(".part")]


def test_json_for_programs(clinic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    points = json.loads(run(capsys, "frontier", *TABLE, "--objective", "known", "--max-budget", "9", "--json"))
    assert points["complete"] is True
    assert {
        "max_cost",
        "errors",
        "error_rate",
        "new_error",
        "new_error_se",
        "overfitted",
        "lower_bound",
        "proven",
        "source",
        "new_cost",
        "new_recalls",
    } == set(points["points"][0])
    facts = json.loads(run(capsys, *FIT_KNOWN, *TABLE, "--budget", "9", "-o", "m.json", "--json"))
    assert facts["errors"] == points["points"][-1]["errors"]
    rows = json.loads(run(capsys, "predict", "m.json", "fälle.csv", "--json"))
    assert len(rows) == 120
    assert {"prediction", "cost", "tests"} == set(rows[0])
    findings = json.loads(run(capsys, "check", *TABLE, "--json"))
    assert all({"kind", "about", "message"} == set(finding) for finding in findings)
    assert len(json.loads(run(capsys, "datasets", "--json"))) == 11
    tree = bt.Tree.from_json("m.json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("missing\nniedrig\nkeiner\n100\n1\nnormal\n" * 3))
    assert main(["ask", "m.json", "--json"]) in (0, 1)
    printed = capsys.readouterr()
    if printed.out:
        assert json.loads(printed.out)["prediction"] in tree.class_names


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["fit", "fälle.csv", "--target", "Befund", "-o", "x.json"], 2, "give either --budget B or --max-error E"),
        (
            ["fit", "fälle.csv", "--budget", "3", "-o", "x.json"],
            1,
            "missing --target: the column with the class of each case. There are: Patient, Aufnahme",
        ),
        (["fit", "fälle.csv", "--target", "befund", "--budget", "3", "-o", "x"], 1, "there is no column 'befund'"),
        (["fit", *TABLE, "--drop", "Befund", "--budget", "3", "-o", "x.json"], 1, "that is the target"),
        (["fit", *TABLE, "--budget", "-3", "-o", "x.json"], 1, "a budget must be a number of at least 0"),
        (["fit", *TABLE, "--max-error", "7", "-o", "x.json"], 2, "is not in the range 0<=x<=1"),
        (["fit", *TABLE, "--levels", "1", "--budget", "3", "-o", "x.json"], 1, "expected a whole number from 2"),
        (["fit", *TABLE, "--budget", "3", "-o", "nowhere/x.json"], 1, "nowhere/x.json: its folder does not exist"),
        (["frontier", "nothing.csv", "--target", "a"], 1, "nothing.csv: No such file"),
        (["frontier", "pima", "--target", "sugar"], 1, "there is no column 'sugar'"),
        (["frontier", *TABLE[:3], "--prices", "no.toml"], 1, "no.toml: No such file"),
        (["frontier", *TABLE[:3], "--prices", "fälle.csv"], 1, "a price list has the columns test and price"),
        (["frontier", "--nonsense"], 2, "No such option"),
        (["predict", "fälle.csv", "fälle.csv"], 1, "fälle.csv, line 1: this is not valid JSON"),
        (["predict", "no.json", "fälle.csv"], 1, "no.json: No such file"),
        (["show", "."], 2, "is a directory"),
        (["."], 1, ".: this is a folder; expected a file."),
        (["preise.toml"], 2, "preise.toml is a list of prices, losses or labels, not a table"),
        (
            ["report", "m.json", "-o", "x.pdf"],
            2,
            "--out x.pdf: unknown type of file; expected a name that ends in .html",
        ),
    ],
    ids=str,
)
def test_errors_are_kind_and_codes_are_kept(
    clinic: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    before = sorted(os.listdir(clinic))
    assert message in run(capsys, *arguments, code=code)
    assert sorted(os.listdir(clinic)) == before


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


def test_ctrl_c_ends_with_130(tmp_path: Path) -> None:
    bt.grow(bt.datasets.load("pima"), budget=2).to_json(tmp_path / "m.json")
    command = [sys.executable, "-m", "budgetree", "ask", "m.json"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = subprocess.Popen(command, cwd=tmp_path, text=True, **pipes)
    assert started.stdout.read(4) == "Type"  # it is up, and asks
    started.send_signal(signal.SIGINT)
    complaint = started.communicate(timeout=60)[1]
    # Python may also end by the signal itself (-2), which a shell calls 130 too.
    assert started.returncode in (130, -signal.SIGINT)
    assert "stopped." in complaint
    assert "Traceback" not in complaint
    assert os.listdir(tmp_path) == ["m.json"]


def test_a_mistake_of_ours_is_said_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("oh")

    monkeypatch.setattr("budgetree.datasets.names", broken)
    assert "internal error: RuntimeError: oh. Please report it, with what BUDGETREE_DEBUG=1 shows." in run(
        capsys, "datasets", code=70
    )
    monkeypatch.setenv("BUDGETREE_DEBUG", "1")
    with pytest.raises(RuntimeError, match="oh"):
        main(["datasets"])


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
    command = [
        sys.executable,
        "-m",
        "budgetree",
        *FIT_KNOWN,
        "figure1",
        "--budget",
        "1",
        "-o",
        "m.json",
    ]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "\x1b[" not in printed
    assert "proven" in printed


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    bt.grow(bt.datasets.load("soybean")).to_json(tmp_path / "m.json")
    command = f"{sys.executable} -m budgetree show m.json | head -1; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert ended.stderr == ""


def test_a_file_alone_shows_what_is_in_it_and_a_command_that_works(
    clinic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"{i},{i % 7},{'ab'[i % 2]},{'ill' if i % 7 > 3 else 'well'}" for i in range(60)]
    Path("t.csv").write_text("id,dose,arm,diagnosis\n" + "\n".join(rows), encoding="utf-8")
    printed = run(capsys, "t.csv")
    assert printed.startswith("t.csv: 60 rows, 4 columns\n")
    assert "diagnosis  categories: ill, well  ← probably the target" in printed
    command = "budgetree fit t.csv --target diagnosis --drop id --budget 3"
    assert f"next: {command}\n" in printed
    fitted = run(capsys, *command.split()[1:])
    assert "dose" in fitted
    assert "not saved: add -o pathway.json" in fitted
    facts = json.loads(run(capsys, "t.csv", "--json"))
    assert (facts["rows"], facts["target"], facts["next"]) == (60, "diagnosis", command)
    assert "there is no such file" in run(capsys, "u.csv", code=1)
    assert "there is no command 'fti'" in run(capsys, "fti", code=2)


def test_fit_without_a_file_has_the_tree_in_its_json(capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads(run(capsys, "fit", "figure1", "--budget", "1", "--folds", "0", "--json"))
    assert facts["model"] is None
    assert facts["tree"]


@pytest.mark.parametrize("name", list(cli.commands))
def test_help_fits_a_screen_and_every_command_prints_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = cli.commands[name]
    context = click.Context(command, info_name=f"budgetree {name}", max_content_width=100, terminal_width=100)
    assert len(command.get_help(context).splitlines()) <= 40
    everything = {option for each in command.params for option in each.opts if option.startswith("--")}
    assert "--json" in everything
    shown = run(capsys, name, "--help-all" if "--help-all" in everything else "--help")
    assert all(option in shown for option in everything)


def test_an_option_means_the_same_in_every_command() -> None:
    meanings: dict[str, set[str | None]] = {}
    for command in cli.commands.values():
        for each in command.params:
            if isinstance(each, click.Option) and not {"--out", "--certificate"} & {
                *each.opts
            }:  # file or folder, in or out
                meanings.setdefault(max(each.opts, key=len), set()).add(each.help)
    assert [name for name, helps in meanings.items() if len(helps) > 1] == []
