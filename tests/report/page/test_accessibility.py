"""The page for everyone: axe-core on every view in both themes, and consultations by keys and by a screen reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

import budgetree as bt
from budgetree.report import summarise_tree
from losing import losing_tree
from page_browser import Page
from report_cases import hostile_instance, large_tree

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[3] / "node_modules/axe-core/axe.min.js"
RUN = """
const [rules, done] = arguments;
axe.run(document, { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) }).then(
  ({ violations }) => done(violations.map(({ id, impact, nodes }) => `${impact}: ${id}: ${nodes[0].html}`)),
  (error) => done([String(error)]),
);"""
MILD = ("minor", "moderate")


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        pytest.fail("axe-core is not installed: run `npm install --no-package-lock` in the checkout.")
    return AXE.read_text(encoding="utf-8")


def serious(page: Page, axe: str, scheme: str) -> list[str]:
    """What axe finds; the dark theme differs in its colours alone."""
    if not page.script("return typeof axe === 'object'"):
        page.script(axe)
    found = page.driver.execute_async_script(RUN, ["color-contrast"] if scheme == "dark" else None)
    return [line for line in found if not line.startswith(MILD)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_view(page: Page, pima_page: dict[str, Any], axe: str, scheme: str) -> None:
    page.visit({**pima_page, "chosen": 3})  # a small tree: axe looks at every element
    page.emulate(prefers_color_scheme=scheme)
    assert serious(page, axe, scheme) == []
    page.find("#search").send_keys(pima_page["tests"][0]["name"], Keys.ENTER)
    page.click("#show-drawing")
    assert serious(page, axe, scheme) == []
    for tab in ("prices", "proof", "consult"):
        page.click(f"#tab-{tab}")
        assert serious(page, axe, scheme) == []
    page.enter("tall")
    assert serious(page, axe, scheme) == []
    page.answer("unavailable")
    while page.state()["state"] == "open":
        page.script("document.querySelector('.choices button').click()")
    assert serious(page, axe, scheme) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_a_phone_in_german(page: Page, axe: str, scheme: str) -> None:
    for content in (
        summarise_tree(losing_tree("model"), title="losses"),
        summarise_tree(bt.grow(hostile_instance()), title="hostile"),
        summarise_tree(large_tree(), title="large"),
    ):
        page.visit(content, "?lang=de", width=390, height=844)
        page.emulate(prefers_color_scheme=scheme)
        for tab in ("consult", "tree", "prices", "proof"):
            page.script("document.getElementById(arguments[0]).click()", f"tab-{tab}")
            assert serious(page, axe, scheme) == [], (content["title"], tab)


def test_the_whole_consultation_by_keys(page: Page) -> None:
    """From the address bar to the saved file, without a mouse: what Tab reaches is used by Enter and Space."""
    page.visit(summarise_tree(bt.grow(hostile_instance()), title="keys"))

    def go_to(selector: str) -> None:
        for _ in range(80):
            if page.script("return document.activeElement.matches(arguments[0])", selector):
                return
            page.press(Keys.TAB)
        raise AssertionError(f"Tab never reaches {selector}")

    go_to("#tab-tree")
    page.press(Keys.ARROW_RIGHT)
    for _ in range(20):
        if page.state()["state"] != "open":
            break
        go_to(".choices button")
        page.press(Keys.SPACE)
    assert page.state()["state"] != "open"
    assert page.script("return document.activeElement.tagName") == "H3"  # the answer is read out
    page.press(Keys.BACKSPACE)
    assert page.state()["state"] == "open"
    go_to("[data-outcome=unavailable]")
    page.press(Keys.ENTER)
    assert "it is not paid" in page.state()["said"]
    for _ in range(20):
        if page.state()["state"] != "open":
            break
        go_to(".choices button")
        page.press(Keys.ENTER)
    go_to("#print-record")
    go_to("#save-record")
    go_to("#load")
    page.press(Keys.SHIFT + Keys.TAB)  # and back


def test_a_screen_reader_hears_the_whole_consultation(page: Page) -> None:
    """Through Chromium's accessibility tree: roles and names, in order, at every step."""
    tree = bt.optimal(bt.datasets.load("pima"), budget=2).tree
    content = summarise_tree(tree, title="Diabetes")
    page.visit(content, "#consult")
    heard = page.accessible()
    assert ("heading", "Diabetes") in heard
    assert [name for role, name in heard if role == "tab"] == ["Tree", "Consult", "Prices", "Proof"]
    question = ("heading", tree.test_names[tree.nodes.test[0]])
    field = ("textbox", "Measured value")
    assert heard.index(question) < heard.index(field) < heard.index(("button", "Enter"))
    assert ("button", "Result not available not paid") in heard
    assert any(role == "button" and name.startswith("Load a saved consultation") for role, name in heard)
    page.enter("30")
    heard = page.accessible()
    said = page.state()["said"]
    assert said.startswith("Next test: ")
    assert any(said in name for _, name in heard)  # the live region
    page.enter("nothing")
    heard = page.accessible()
    assert any(role == "alert" for role, _ in heard)
    while page.state()["state"] == "open":
        page.answer(1)
    heard = page.accessible()
    assert ("heading", page.state()["heading"]) in heard
    assert {("button", "Print"), ("button", "Save as a file"), ("button", "Back one step")} <= set(heard)
    assert all(name for role, name in heard if role in ("button", "textbox", "tab", "treeitem", "searchbox", "link"))


def test_the_tree_and_the_drawing_have_names(page: Page, pima_page: dict[str, Any]) -> None:
    page.visit(pima_page)
    heard = page.accessible()
    assert ("tree", "The tree of tests") in heard
    root = next(name for role, name in heard if role == "treeitem")
    assert root.startswith(page.script("return document.querySelector('#tree b').textContent"))
    page.click("#show-drawing")
    heard = page.accessible()
    assert any(role == "group" and name.startswith("Drawing of the tree, ") for role, name in heard)
    assert {("button", "Zoom in"), ("button", "Zoom out"), ("button", "Fit in")} <= set(heard)
