"""The frontier in a real browser: picking points by mouse and keys, and claiming no more than was proven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import run
from selenium.webdriver.common.keys import Keys

import budgetree as bt
from budgetree.report import summarise_frontier, summarise_tree
from page_browser import Page

pytestmark = pytest.mark.browser


def test_picking_a_point_shows_its_tree(page: Page, pima_page: dict[str, Any], pima_frontier: bt.Frontier) -> None:
    page.open(pima_page)
    assert page.facts()[0] == f"{pima_frontier[-1].max_cost:.12g}"
    for at, point in enumerate(pima_frontier):
        page.click(f"#points-frame button[data-point='{at}']" if at % 2 else f"#chart g[data-point='{at}'] .dot")
        assert page.facts()[0] == f"{point.max_cost:.12g}"
        assert page.facts()[2:] == [f"{point.errors:.12g}"]
        assert page.text("#proof-sentence").startswith("Proven: ")
        assert page.text("#budget-now") == f"{point.budget:.12g}"
        marked = page.find_all("#frontier [aria-pressed=true]")
        assert {each.get_attribute("data-point") for each in marked} == {str(at)}
        assert f"Budget {point.max_cost:.12g}: {point.errors:.12g} error" in page.text("#readout")
        page.click("#tab-proof")
        assert f"No tree within a budget of {point.max_cost:.12g} makes fewer" in page.text("#panel-proof")


def test_the_chart_can_be_walked_with_keys(page: Page, pima_page: dict[str, Any], pima_frontier: bt.Frontier) -> None:
    page.open(pima_page)
    page.script("document.querySelector('#chart [tabindex=\"0\"]').focus()")
    page.press(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.text("#readout").startswith(f"Budget {pima_frontier[2].max_cost}:")
    assert page.facts()[0] != f"{pima_frontier[2].max_cost:.12g}"
    page.press(Keys.ENTER)
    assert page.facts()[0] == f"{pima_frontier[2].max_cost:.12g}"


def test_only_what_is_proven_is_shaded(page: Page, pima_page: dict[str, Any]) -> None:
    """Just below the line between two points: nothing there if the bound says so, else it is unknown."""
    shaded = """
    const [left, right] = [...arguments].slice(0, 2).map((at) => document.querySelector(`g[data-point='${at}'] .dot`));
    const middle = (Number(left.getAttribute("cx")) + Number(right.getAttribute("cx"))) / 2;
    const below = new DOMPoint(middle, Number(left.getAttribute("cy")) + 0.5);
    return document.querySelector(".area").isPointInFill(below);"""
    last = len(pima_page["points"]) - 1
    page.open(pima_page)
    assert all(page.script(shaded, at, at + 1) for at in range(last))
    steps = pima_page["steps"]
    before = pima_page["points"][last - 1]["max_cost"]  # from here on nothing is known
    bound = [corner if corner[0] < before else [corner[0], 0] for corner in steps["bound"]]
    page.open({**pima_page, "steps": {**steps, "bound": bound}})
    assert page.script(shaded, 0, 1)
    assert not page.script(shaded, last - 1, last)
    assert page.find("#key-proven").is_displayed()
    page.open({**pima_page, "steps": {**steps, "bound": [[budget, 0] for budget, _ in steps["bound"]]}})
    assert not page.find("#key-proven").is_displayed()


def test_the_chart_shows_known_and_new_errors(page: Page) -> None:
    """At each point a dot for the known cases, and a bar for as many new ones, on one axis."""
    frontier = bt.frontier(bt.datasets.load("pima"), max_budget=2, folds=2, objective="known")
    page.open(summarise_frontier(frontier, title=""))
    ask = """
    const middle = (bar) => Number(bar.getAttribute("d").match(/M[^M]*$/)[0].split(" ")[1].split("h")[0]);
    const dots = [...document.querySelectorAll("#chart .dot")].map((dot) => Number(dot.getAttribute("cy")));
    return [dots, [...document.querySelectorAll("#chart .new-error")].map(middle)];"""
    dots, bars = page.script(ask)
    known = np.array([point.errors for point in frontier])
    new = np.array([point.new_error for point in frontier]) * frontier[0].tree.n_objects
    assert len(dots) == len(bars) == len(frontier) > 2
    slope, start = np.polyfit(known, dots, 1)  # the axis, by the known errors
    np.testing.assert_allclose(bars, start + slope * new, atol=0.5)
    assert "on the known cases" in page.text("#key-found")
    assert "error on new cases" in page.text("#key-new")


def test_the_page_says_where_there_is_no_evidence_that_more_helps(page: Page, pima_page: dict[str, Any]) -> None:
    last = len(pima_page["points"]) - 1
    budget = pima_page["points"][1]["budget"]
    recommended = "New cases recommend a budget of {}."
    for advice, expected in (
        (None, ""),
        (
            {"recommended": None, "enough": 0},
            "No budget is significantly better on new cases than no test: none is recommended.",
        ),
        (
            {"recommended": 1, "enough": 1},
            f"{recommended.format(budget)} No evidence that more than {budget} helps.",
        ),
        ({"recommended": last, "enough": last}, recommended.format(pima_page["points"][last]["budget"])),
    ):
        page.open({**pima_page, "advice": advice})
        assert page.text("#advice") == expected


def test_what_is_proven_is_said_as_python_says_it(page: Page, pima_page: dict[str, Any]) -> None:
    page.open(pima_page, tab="proof")
    proven = pima_page["trees"][pima_page["chosen"]]["statement"]
    assert proven["proven"]
    assert page.text("#proof-sentence").startswith("Proven: ")
    assert "makes fewer errors." in page.text("#panel-proof")
    statement = {"proven": False, "facts": [{"kind": "might", "budget": 2, "least": 1}]}
    page.open({**pima_page, "trees": [{**tree, "statement": statement} for tree in pima_page["trees"]]}, tab="proof")
    assert not page.find("#proof-sentence").is_displayed()  # what is not proven has no rank there
    assert "Some tree within a budget of 2 might make as few as 1 error." in page.text("#panel-proof")


@pytest.mark.parametrize(
    "wish",
    [["--budget", "2"], ["--max-error", "0.25", "--objective", "known"], ["--budget", "2", "--objective", "known"]],
)
def test_what_the_page_says_of_proof_is_what_fit_said(
    page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str], wish: list[str]
) -> None:
    model = str(tmp_path / "m.json")
    printed = run(capsys, "fit", "pima", *wish, "--folds", "0", "-o", model)
    said = next(line for line in printed.splitlines() if line.startswith("known cases: ")).partition("; ")[2]
    head, _, sentences = said.partition(": ")
    page.open(summarise_tree(bt.Tree.from_json(model), title=""), tab="proof")
    assert sentences in " ".join(line.text for line in page.find_all("#panel-proof p"))
    note = page.text("#proof-sentence")
    assert bool(note) == (head == "proven")
    assert sentences.startswith(note.removeprefix("Proven: "))


@pytest.mark.parametrize("losses", [None, {"pos": 2}])
def test_the_line_of_trees_for_new_cases_is_not_called_the_fewest(page: Page, losses: Any) -> None:
    cases = bt.datasets.load("pima").with_losses(losses)
    page.open(summarise_frontier(bt.frontier(cases, objective="new", max_budget=1, folds=0), title="new"))
    what = "errors on" if losses is None else "loss of"
    assert page.text("#key-found").startswith(f"{what} the known cases")
    assert "tree found for new ones" in page.text("#key-found")


def test_the_stepper_goes_from_budget_to_budget(page: Page, pima_page: dict[str, Any]) -> None:
    page.open(pima_page)
    last = len(pima_page["points"]) - 1
    assert not page.find("#budget-more").is_enabled()  # the last is shown first
    page.click("#budget-less")
    assert page.facts()[0] == f"{pima_page['points'][last - 1]['max_cost']:.12g}"
    assert page.find("#points-frame .chosen button").get_attribute("data-point") == str(last - 1)
    page.click("#budget-more")
    assert page.text("#sentence").startswith(f"For at most {pima_page['points'][last]['budget']:.12g} per case, ")


def test_a_band_shows_the_error_on_new_cases_and_the_known_line_is_thin(page: Page) -> None:
    frontier = bt.frontier(bt.datasets.load("pima"), budgets=[2, 20])
    page.open(summarise_frontier(frontier, title=""))
    assert len(page.find_all("#chart .band")) == 1
    assert len(page.find_all("#chart .line")) == 2
    assert len(page.find_all("#chart .line.thin")) == 1
    assert page.text("#key-found").startswith("error on new cases")
    assert page.text("#key-known") == "errors of the same trees on the known cases"
    assert not page.find("#key-new").is_displayed()
    heights = {dot.get_attribute("cy") for dot in page.find_all("#chart .dot")}
    assert all(height in page.find("#chart .line:not(.thin)").get_attribute("d") for height in heights)
    chosen = frontier.recommended
    assert chosen is not None
    assert f"{100 * (1 - chosen.new_error):.0f}% of new cases are answered correctly" in page.text("#sentence")
