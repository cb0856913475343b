"""The evaluation in a tab of its own, where the report has one."""

from __future__ import annotations

from typing import Any

import pytest

import budgetree as bt
from budgetree.report import summarise_tree
from page_browser import Page

pytestmark = pytest.mark.browser


def measured(value: float, unit: str = "%", digits: int = 0) -> dict[str, Any]:
    return {"value": value, "low": value - 0.05, "high": value + 0.05, "unit": unit, "digits": digits}


FIGURES = ("sensitivity", "specificity", "ppv", "npv", "auc", "brier", "slope", "intercept")
EVALUATION: dict[str, Any] = {
    "kind": "procedure", "n": 768, "n_folds": 5, "n_repeats": 3, "positive": 1, "methods": "In folds.",
    "facts": [{"kind": "copies", "count": 2}, {"kind": "absent", "classes": ["pos"]}],
    "error": measured(0.24), "loss": None, "brier": measured(0.16, "", 3), "log_loss": measured(0.5, "", 3),
    "by_class": [
        {"class": name, "n": 300, **{figure: measured(0.8) for figure in FIGURES},
         "curve": [{"predicted": share, "observed": measured(share), "n": 9} for share in (0.1, 0.5, 0.9)]}
        for name in ("neg", "pos")
    ],
    "decision_curve": {
        "points": [{"threshold": t, "net_benefit": measured(0.3, ""), "treat_all": 0.2} for t in (0.1, 0.4)]
    },
    "cost": {"mean": measured(15.1, "cost", 2)},
    "subgroups": [{"by": "age", "group": "below 40", "n": 20, "is_small": True,
                   "error": measured(0.3), "sensitivity": None, "specificity": measured(0.9)}],
}  # fmt: skip


def test_an_evaluation_has_a_tab_with_intervals_curves_and_groups(page: Page) -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    page.open(summarise_tree(tree, title="", evaluation=EVALUATION), tab="evaluation")
    text = page.text("#panel-evaluation")
    for words in (
        "24% (19 to 29)",
        "Sensitivity",
        "80% (75 to 85)",
        "15.1 (15.05 to 15.15)",
        "age: below 40",
        "In folds.",
        "2 rows are copies of another",
        "No case is pos:",
    ):
        assert words in text, words
    assert "neg" not in text  # of two classes the positive one
    assert "not defined" in text
    assert len(page.find_all("#panel-evaluation svg.plot .line")) == 4


def test_on_a_phone_no_name_of_a_tab_is_broken(page: Page) -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    page.visit(summarise_tree(tree, title="", evaluation=EVALUATION), "#consult", width=390, height=844)
    lines = "return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.offsetHeight)"
    assert max(page.script(lines)) < 60


def test_without_an_evaluation_there_is_no_tab(page: Page) -> None:
    page.open(summarise_tree(bt.grow(bt.datasets.load("pima"), budget=2), title=""))
    assert not page.find("#tab-evaluation").is_displayed()
    assert not page.find("#panel-evaluation").is_displayed()
