"""Options that several commands share."""

from __future__ import annotations

import pytest
from command_line import run

from budgetree.cli.check import check
from budgetree.data.encoders import LevelPlan


@pytest.mark.parametrize("number", ["1e999", "1e-999", "-1e400", "0.001e-999999999999"])
@pytest.mark.parametrize("option", ["--max-budget", "--time-limit"])
def test_an_amount_beyond_floats_is_refused(capsys: pytest.CaptureFixture[str], option: str, number: str) -> None:
    printed = run(capsys, "frontier", "figure1", f"{option}={number}", code=2)
    assert "is beyond what can be computed; expected 0 or 1e-30 to 1e30" in printed


@pytest.mark.parametrize(("number", "code"), [("0e999", 0), ("inf", 0), ("2.0", 0), ("1e-70", 1), ("nan", 1), ("x", 2)])
def test_other_amounts_are_what_they_say(capsys: pytest.CaptureFixture[str], number: str, code: int) -> None:
    run(capsys, "frontier", "figure1", "--max-budget", number, code=code)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], LevelPlan(10)),
        (["3"], LevelPlan(3)),
        (["3", "Ca=4"], LevelPlan(3, {"Ca": 4})),
        (["3,Ca=4"], LevelPlan(3, {"Ca": 4})),
        (["Ca=4,3", "Age=5"], LevelPlan(3, {"Ca": 4, "Age": 5})),
        (["a = b,c=7"], LevelPlan(10, {"a = b,c": 7})),
    ],
    ids=str,
)
def test_levels_are_for_all_columns_or_for_one(given: list[str], expected: LevelPlan) -> None:
    assert plan_of(given) == expected


def plan_of(given: list[str]) -> LevelPlan:
    arguments = [part for text in given for part in ("--levels", text)]
    plan: LevelPlan = check.make_context("check", ["data", *arguments]).params["levels"]
    return plan


@pytest.mark.parametrize("text", ["x", "Ca=", "=4", "3;4", "", "Ca=x", "3,"])
def test_levels_that_say_nothing_are_refused(capsys: pytest.CaptureFixture[str], text: str) -> None:
    printed = run(capsys, "check", "figure1", "--levels", text, code=2)
    assert f"{text!r} is not N or COL=N, such as 3 or Ca=4." in printed


def test_levels_for_all_columns_are_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert "3 and 4 are both for all columns" in run(capsys, "check", "figure1", "--levels", "3,4", code=2)
