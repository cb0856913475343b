"""`budgetree fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import FIT_KNOWN, run

import budgetree as bt
from budgetree.learn.exact.solver import Solver


def test_ctrl_c_in_a_search_gives_the_best_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = Solver.decide

    def stopped_at_three(self: Solver, budget: int, fewer_than: int) -> Any:
        if budget >= 3:
            raise KeyboardInterrupt
        return decide(self, budget, fewer_than)

    monkeypatch.setattr(Solver, "decide", stopped_at_three)
    printed = run(capsys, *FIT_KNOWN, "house_votes", "--budget", "5", "-o", str(tmp_path / "m.json"))
    assert "The search ended early; this is the best so far." in printed
    assert "--time-limit gives the search longer." in printed
    assert bt.Tree.from_json(tmp_path / "m.json").max_cost <= 5


def test_leaves_of_several_cases_are_kept_or_the_remedy_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.json"
    few = ("house_votes", "--budget", "2", "--folds", "0", "-o", str(model))
    assert "at least 30 cases in every leaf" in run(capsys, "fit", *few, "--min-cases", "30")
    nodes = bt.Tree.from_json(model).nodes
    assert nodes.counts[nodes.is_leaf].sum(axis=1).min() >= 30
    assert "fewer --levels or a smaller --min-cases help" in run(capsys, "fit", *few, "--min-cases", "300")


def test_a_column_that_has_to_go_is_dropped_by_an_option(capsys: Any, tmp_path: Path) -> None:
    rows = [f"p{number},{number % 2}" for number in range(300)]
    (tmp_path / "t.csv").write_text("\n".join(["id,y", *rows]), encoding="utf-8")
    words = run(capsys, "fit", str(tmp_path / "t.csv"), "-t", "y", "--budget", "1", "-o", "m.json", code=1)
    assert "column 'id' (text) has 300 different outcomes" in words
    assert "Leave it out (--drop COL) if it identifies the row" in words
