"""The bar: on a terminal or where it is wanted, and never for want of a stderr."""

from __future__ import annotations

from functools import partial

import pytest

import budgetree as bt
from budgetree.services.progress import no_report, progress_bar

greedy = partial(bt.frontier, method="greedy", folds=0)


def test_no_stderr_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    assert greedy(bt.datasets.load("figure1"))[0].errors == 30


def test_the_bar_shows_only_where_it_is_wanted(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy(bt.datasets.load("figure1"))
    assert capfd.readouterr().err == ""
    monkeypatch.setattr("budgetree.services.progress.SHOW_AFTER", -1.0)
    greedy(bt.datasets.load("figure1"), progress=True)
    assert "greedy trees" in capfd.readouterr().err
    greedy(bt.datasets.load("figure1"), progress=False)
    assert capfd.readouterr().err == ""


def test_what_is_over_at_once_shows_nothing(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetree.services.progress.SHOW_AFTER", 3600.0)
    with progress_bar("quick", True) as report:
        report(1, 2, "half")
    assert capfd.readouterr().err == ""
    with progress_bar("hidden", False) as report:
        assert report is no_report
