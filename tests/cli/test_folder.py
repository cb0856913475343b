"""The folder of `budgetree frontier --out`: whole or not at all, and nothing of others touched."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from command_line import FIT_KNOWN, TABLE, run

import budgetree as bt
from budgetree.services import files


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


def test_a_failure_while_writing_leaves_nothing(
    clinic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(os.listdir(clinic))

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", stopped)
    run(capsys, "frontier", *TABLE, "--max-budget", "2", "--out", "out", code=130)
    run(capsys, *FIT_KNOWN, *TABLE, "--budget", "2", "-o", "m.json", code=130)
    assert sorted(os.listdir(clinic)) == before
