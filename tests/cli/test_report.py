"""`budgetree report`."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run


def test_another_trees_certificate_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(capsys, "fit", "figure1", "--budget", "1", "-o", "a.json", "--certificate", "a.cert")
    run(capsys, "fit", "figure1", "--budget", "0", "-o", "b.json")
    printed = run(capsys, "report", "b.json", "-o", "b.html", "--certificate", "a.cert", code=1)
    assert "this certificate is about another tree than b.json" in printed
    run(capsys, "report", "a.json", "-o", "a.html", "--certificate", "a.cert")
