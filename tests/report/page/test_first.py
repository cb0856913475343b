"""Consult first: what the address opens, and what a phone shows before anything else."""

from __future__ import annotations

from typing import Any

import pytest

import budgetree as bt
from budgetree.report import summarise_tree
from page_browser import Page
from report_cases import hostile_instance, known_leaves, outcomes_to

pytestmark = pytest.mark.browser

SELECTED = "return document.querySelector('[role=tab][aria-selected=true]').id"
TOP = "return document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY"


@pytest.fixture(scope="module")
def single() -> dict[str, Any]:
    return summarise_tree(bt.grow(hostile_instance()), title="single")


@pytest.mark.parametrize("view", ["consult", "proof"])
def test_an_address_opens_the_view_that_it_names(page: Page, pima_page: dict[str, Any], view: str) -> None:
    page.visit(pima_page)
    assert page.script(SELECTED) == "tab-tree"
    page.visit(pima_page, f"#{view}")
    assert page.script(SELECTED) == f"tab-{view}"
    box = page.script("return document.querySelector('#views').getBoundingClientRect().top")
    assert -1 <= box < 300  # it is scrolled to, as far as the page goes
    page.script("location.hash = 'prices'")
    assert page.find("#panel-prices").is_displayed()


def test_a_budget_in_the_address_opens_the_consultation_of_its_tree(
    page: Page, pima_page: dict[str, Any], pima_frontier: bt.Frontier
) -> None:
    points = list(pima_frontier)
    bought = points[3]
    budget = (bought.max_cost + points[4].max_cost) / 2
    page.visit(pima_page, f"?budget={budget}")
    assert page.script(SELECTED) == "tab-consult"
    assert page.facts()[0] == f"{bought.max_cost:.12g}"
    assert f"this tree costs at most {bought.max_cost:.12g}" in page.text("#budget-note")
    assert page.find("#points-frame .chosen button").get_attribute("data-point") == "3"


@pytest.mark.parametrize(
    ("budget", "why"),
    [("0.01", "The cheapest tree in this report costs up to"), ("much", '"much", which is not a number')],
)
def test_a_budget_that_buys_nothing_or_is_none_is_said(
    page: Page, single: dict[str, Any], budget: str, why: str
) -> None:
    page.visit(single, f"?budget={budget}")
    assert page.script(SELECTED) == "tab-consult"
    assert why in page.text("#budget-note")
    assert page.state()["state"] == "open"


def test_on_a_phone_the_consultation_is_the_first_thing_and_the_rest_is_below(
    page: Page, pima_page: dict[str, Any]
) -> None:
    page.visit(pima_page, width=390, height=844)
    assert page.script(SELECTED) == "tab-consult"
    assert page.script(TOP, "#question h3") < 300
    assert page.script(TOP, "#question .answers button") < 844
    assert page.script(TOP, "#facts") > page.script(TOP, "#progress")
    assert page.script(TOP, "#frontier") > page.script(TOP, "#facts")
    order = "return arguments[0].compareDocumentPosition(arguments[1]) & Node.DOCUMENT_POSITION_FOLLOWING"
    assert page.script(order, page.find("#views"), page.find("#overview"))  # also for keys and screen readers
    page.visit(pima_page)
    assert page.script(TOP, "#frontier") < page.script(TOP, "#tabs")


def test_the_name_of_the_next_test_does_not_look_like_a_field(page: Page, single: dict[str, Any]) -> None:
    page.visit(single, "#consult", width=390, height=844)
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        page.emulate(pointer="coarse")
        page.answer(0)
        page.script("document.querySelector('#question h3').focus({ focusVisible: true })")
        assert page.script("return document.activeElement.tagName") == "H3"
        look = """const style = getComputedStyle(document.activeElement);
            return ["outlineStyle", "borderStyle", "boxShadow", "backgroundColor"].map((name) => style[name])"""
        assert page.script(look) == ["none", "none", "none", "rgba(0, 0, 0, 0)"]
    finally:
        page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_the_budget_holds_whatever_is_not_available(page: Page, single: dict[str, Any]) -> None:
    """Each test of a path in turn has no result: it is not paid, and what is left never passes the worst case."""
    tree = bt.grow(hostile_instance())
    way = outcomes_to(tree, known_leaves(tree)[-1])
    page.visit(single, "#consult")
    for without in range(len(way)):
        page.script("document.querySelector('#restart').click()")
        for place in range(10):
            shown = page.state()
            if shown["state"] != "open":
                break
            assert float(shown["spent"]) + float(shown["left"]) <= tree.max_cost + 1e-9
            if place == without:
                page.answer("unavailable")
                assert page.state()["spent"] == shown["spent"]
                assert "it is not paid" in page.state()["said"]
            else:
                page.script("document.querySelector('.choices button').click()")
        assert float(page.state()["inAll"]) <= tree.max_cost + 1e-9
