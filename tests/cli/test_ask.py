"""`budgetree ask`: a consultation in the terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from command_line import run

import budgetree as bt


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


def test_a_value_beyond_the_known_ones_is_remarked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bt.grow(bt.datasets.load("pima"), budget=1).to_json(tmp_path / "m.json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("375\n"))
    assert "375 is beyond the known values (21 to 81)" in run(capsys, "ask", str(tmp_path / "m.json"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("35,5\n"))
    assert "beyond" not in run(capsys, "ask", str(tmp_path / "m.json"))
