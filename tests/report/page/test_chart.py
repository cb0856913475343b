"""The frontier in a real browser: picking points by mouse and keys, and claiming no more than was proven."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

import budgetree as bt
from page_browser import Page

pytestmark = pytest.mark.browser


def test_picking_a_point_shows_its_tree(page: Page, pima_page: dict[str, Any], pima_frontier: bt.Frontier) -> None:
    page.open(pima_page)
    assert page.facts()[0] == f"{pima_frontier[-1].max_cost:.12g}"
    for at, point in enumerate(pima_frontier):
        page.click(f"#points-frame button[data-point='{at}']" if at % 2 else f"#chart g[data-point='{at}'] .dot")
        assert page.facts()[0] == f"{point.max_cost:.12g}"
        assert page.facts()[2:] == [f"{point.errors:.12g}", "Proven"]
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
    """Just below the line between two points: nothing there if the bound says so, else nobody knows."""
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


def test_what_is_proven_is_said_as_python_says_it(page: Page, pima_page: dict[str, Any]) -> None:
    page.open(pima_page, tab="proof")
    proven = pima_page["trees"][pima_page["chosen"]]["statement"]
    assert proven["proven"]
    assert "Proven" in page.text("#facts")
    assert all(sentence in page.text("#panel-proof") for sentence in proven["sentences"])
    statement = {"proven": False, "sentences": ["Some tree might make as few as 1 error."]}
    page.open({**pima_page, "trees": [{**tree, "statement": statement} for tree in pima_page["trees"]]}, tab="proof")
    assert "Open" in page.text("#facts")
    assert "Some tree might make as few as 1 error." in page.text("#facts")
    assert "Some tree might make as few as 1 error." in page.text("#panel-proof")
