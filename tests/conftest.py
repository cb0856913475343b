"""Hypothesis without deadlines: a first call imports and loads. Ctrl-C is heard. And a browser for those who ask."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

import budgetree as bt
from budgetree.learn.predictive.trees import PredictiveTrees
from budgetree.report import summarise_frontier

if TYPE_CHECKING:
    from page_browser import Page

# The same examples in every run: what passes here passes elsewhere. tests.campaign and tests.fuzz look for new ones.
settings.register_profile("budgetree", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("budgetree")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of jobs in a shell's background, whose tests would wait forever
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    from page_browser import Page, open_browser  # selenium is for these tests alone

    driver = open_browser()
    yield Page(driver, tmp_path_factory.mktemp("page"))
    driver.quit()


@pytest.fixture
def page(browser: Page) -> Iterator[Page]:
    """A browser whose console must stay empty: no error of ours, nothing refused by the policy."""
    yield browser
    assert browser.console() == []


@pytest.fixture(scope="session")
def pima_frontier() -> bt.Frontier:
    return bt.frontier(bt.datasets.load("pima"), folds=0, objective="known")


@pytest.fixture(scope="session")
def pima_page(pima_frontier: bt.Frontier) -> dict[str, Any]:
    """What the report says of it."""
    return summarise_frontier(pima_frontier, title="Diabetes pathway")


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the learner for new cases is asked for."""
    asked: list[dict[str, Any]] = []

    class Spy(PredictiveTrees):
        def __init__(self, cases: bt.Instance, **settings: Any) -> None:
            super().__init__(cases, **settings)
            self.asked = {"n_rows": cases.n_rows, **settings}

        def tree(self, budget: Any, **limits: Any) -> bt.Tree:
            asked.append({**self.asked, "budget": budget, **limits})
            return super().tree(budget, **limits)

    monkeypatch.setattr("budgetree.learn.routes.PredictiveTrees", Spy)
    return asked
