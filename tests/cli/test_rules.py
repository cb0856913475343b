"""Limits, a beginning and tests to do without, on the command line."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import budgetree as bt
from budgetree.cli import main

pytestmark = pytest.mark.filterwarnings("ignore:prices. no path can buy")
RULES = """default = 1
first = ["a"]
[limits.time]
max = 30
unit = "min"
default = 10
[order]
d = { after = ["c"] }
[panels.lab]
tests = ["b", "c"]
price = 3
time = 12
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [(a, b, c, d, e) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1) for e in (0, 1)]
    frame = pd.DataFrame(rows * 2, columns=list("abcde"))
    frame["ill"] = (frame.b & frame.c) ^ frame.e
    frame.to_csv(tmp_path / "cases.csv", index=False)
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    return tmp_path


def fit(capsys: pytest.CaptureFixture[str], folder: Path, *options: str, code: int = 0) -> str:
    common = ["--target", "ill", "--objective", "known", "--folds", "0", "-o", str(folder / "m.json")]
    return run(capsys, "fit", str(folder / "cases.csv"), *common, *options, code=code)


def test_limits_come_from_the_price_list_or_an_option(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    rules = ["--prices", str(table / "rules.toml"), "--budget", "5"]
    fit(capsys, table, *rules, "--limit", "time=32")
    tree = bt.Tree.from_json(table / "m.json")
    assert (tree.errors, tree.costs["time"].worst, tree.max_cost) == (0, 32, 5)
    fit(capsys, table, *rules)
    assert bt.Tree.from_json(table / "m.json").errors > 0
    fit(capsys, table, "--budget", "9", "--limit", "tests=1")
    assert bt.Tree.from_json(table / "m.json").costs["tests"] == (1, 1.0, 1)
    assert "no test takes any of it" in fit(capsys, table, *rules, "--limit", "tiem=3", code=1)
    assert "is not RESOURCE=MAX" in fit(capsys, table, *rules, "--limit", "time", code=2)
    assert "given twice" in fit(capsys, table, "--budget", "5", "--budget", "4", code=2)


def test_a_preference_says_what_it_costs(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    printed = fit(capsys, table, "--budget", "3", "--without", "e", "--first", "a")
    assert "beginning with 'a' and without 'e': 32 more errors of 64 cases, proven." in printed
    assert "without 'd': no more errors of 64 cases, proven." in fit(capsys, table, "--budget", "3", "--without", "d")
    rules = ["--prices", str(table / "rules.toml"), "--budget", "4", "--limit", "time=32"]
    printed = fit(capsys, table, *rules, "--first", "e")  # instead of the "a" of the list
    assert "beginning with 'e': 16 fewer errors of 64 cases, proven." in printed
    facts = json.loads(fit(capsys, table, "--budget", "3", "--without", "e", "--json"))["preference"]
    assert (facts["more_loss"], facts["proven"], facts["without"]) == (32, True, ["e"])


def test_what_may_only_follow_a_test_left_out_is_left_out_too(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    rules = ["--prices", str(table / "rules.toml"), "--budget", "9"]
    for option in ("--drop", "--without"):
        fit(capsys, table, *rules, option, "b", option, "c")
        assert set(bt.Tree.from_json(table / "m.json").test_names) == {"a", "e"}
    assert "which every path is to begin with" in fit(capsys, table, "--budget", "3", "--first", "x", code=1)
    refused = fit(capsys, table, "--budget", "3", "--first", "e", "--without", "e", code=1)
    assert "every path is to begin with 'e', which is left out; change --first" in refused


def test_what_no_path_can_buy_is_said_once_and_briefly(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    common = ["--target", "ill", "--objective", "known", "--folds", "0", "--limit", "tests=0"]
    pd.read_csv(table / "cases.csv").assign(f=0, g=1).to_csv(table / "cases.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["frontier", str(table / "cases.csv"), *common]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "no path can buy" in line]
    assert len(lines) == len(set(lines)) == 5
    assert lines[-1] == "warning: prices: no path can buy 3 further tests"


def test_a_consultation_and_predictions_have_every_resource(
    capsys: pytest.CaptureFixture[str], table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit(capsys, table, "--prices", str(table / "rules.toml"), "--budget", "5", "--limit", "time=32")
    model = str(table / "m.json")
    lines = run(capsys, "predict", model, str(table / "cases.csv")).splitlines()
    assert lines[0].endswith("prediction,cost,time,tests")
    answers = iter(["0", "1", "1", "1", "1"])
    monkeypatch.setattr("builtins.input", lambda: next(answers))
    printed = run(capsys, "ask", model)
    assert "spent 0 and 0 min, at most" in printed
    assert "(lab)" in printed
    assert "lab (b, c)" in run(capsys, "show", model)
    costs = {name: cost._asdict() for name, cost in bt.Tree.from_json(model).costs.items()}
    assert json.loads(run(capsys, "show", model, "--json"))["costs"] == costs
    assert (costs["price"]["limit"], costs["time"]["limit"]) == (5, 32)


def test_a_frontier_says_which_limits_hold_at_every_budget(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    options = ["--target", "ill", "--objective", "known", "--folds", "0", "--prices", str(table / "rules.toml")]
    printed = run(capsys, "frontier", str(table / "cases.csv"), *options, "--limit", "tests=4")
    assert "\nat every budget: time at most 30 min, tests at most 4\n" in printed
    assert "at every budget" not in run(capsys, "frontier", str(table / "cases.csv"), *options[:6])
