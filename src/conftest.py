"""Doctests write files as users do, each in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that a doctest works in."""
    monkeypatch.chdir(tmp_path)
