"""A finished consultation on paper, saved as a file, and loaded again."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.support.ui import WebDriverWait

import budgetree as bt
from budgetree.report import summarise_tree
from page_browser import Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tree() -> bt.Tree:
    return bt.optimal(bt.datasets.load("pima"), budget=3).tree


@pytest.fixture(scope="module")
def content(tree: bt.Tree) -> dict[str, Any]:
    return summarise_tree(tree, title="Diabetes: <pathway>")


def finish(page: Page) -> dict[str, Any]:
    """A number, then nothing, then whatever is first."""
    page.enter("30.5")
    page.answer("unavailable")
    while page.state()["state"] == "open":
        page.script("document.querySelector('.choices button').click()")
    return page.state()


def save(page: Page, folder: Path) -> Path:
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    page.click("#save-record")
    for _ in range(100):
        if found := list(folder.glob("*.json")):
            return found[0]
        time.sleep(0.05)
    raise AssertionError("nothing was saved")


def load(page: Page, file: Path, said: str) -> None:
    """A browser reads a file in its own time, and says something when it has."""
    page.find("#load").send_keys(str(file))
    WebDriverWait(page.driver, 20).until(lambda _: said in page.text("#loaded"), f"{said!r} was never said")


def test_a_saved_consultation_says_everything_and_is_loaded_again(
    page: Page, tree: bt.Tree, content: dict[str, Any], tmp_path: Path
) -> None:
    page.visit(content, "#consult")
    assert not page.find_all("#save-record")  # nothing is finished yet
    shown = finish(page)
    record = json.loads(save(page, tmp_path).read_text(encoding="utf-8"))
    tree.to_json(tmp_path / "model")
    assert record["model"] == hashlib.sha256((tmp_path / "model").read_bytes()).hexdigest()
    assert record["answer"] == shown["heading"]
    assert f"{record['cost']:g}" == shown["inAll"]
    assert sum(entry["probability"] for entry in record["probabilities"]) == pytest.approx(1)
    first, second, *_ = record["steps"]
    assert (first["measured"], first["price"]) == (30.5, 1)
    assert (second["available"], second["price"]) == (False, 0)
    assert all(step["time"].endswith("Z") and step["test"] in tree.test_names for step in record["steps"])

    page.visit(content)
    page.click("#tab-consult")
    load(page, next(tmp_path.glob("*.json")), "is loaded")
    again = page.state()
    assert {**again, "said": ""} == {**shown, "said": ""}
    assert "is loaded" in page.text("#loaded")
    page.click("#back")
    assert page.state()["state"] == "open"
    assert page.console() == []


def test_a_file_of_another_model_is_refused_in_words(page: Page, content: dict[str, Any], tmp_path: Path) -> None:
    page.visit(content, "#consult")
    finish(page)
    saved = save(page, tmp_path)
    other = summarise_tree(bt.grow(bt.datasets.load("pima"), budget=2), title="Other")
    page.visit(other, "#consult")
    before = page.state()
    for file, why in ((saved, "saved with another model, Diabetes: <pathway>"), (Path(__file__), "it is not JSON")):
        load(page, file, why)
        assert why in page.text("#loaded")
        assert page.state() == before


def test_a_consultation_of_a_frontier_brings_its_own_tree(
    page: Page, pima_page: dict[str, Any], tmp_path: Path
) -> None:
    budgets = [point["max_cost"] for point in pima_page["points"]]
    page.visit(pima_page, f"?budget={budgets[2]}")
    while page.state()["state"] == "open":
        page.script("document.querySelector('.choices button').click()")
    saved = save(page, tmp_path)
    page.visit(pima_page, "#consult")
    load(page, saved, "is loaded")
    assert page.facts()[0] == f"{budgets[2]:.12g}"
    assert page.state()["state"] == "leaf"


def test_paper_has_the_record_alone(page: Page, content: dict[str, Any]) -> None:
    page.visit(content, "#consult")
    shown = finish(page)
    page.script("window.print = () => { window.printed = true }")
    page.click("#print-record")
    assert page.script("return window.printed")
    page.emulate("print")
    text = page.text("body")
    assert text == page.text("#record")
    assert content["title"] in text
    assert content["trees"][0]["digest"] in text
    assert f"Answer: {shown['heading']}. Spent {shown['inAll']}" in text
    assert "30.5" in text
    assert "not available" in text
    page.script("dispatchEvent(new Event('afterprint'))")
    assert not page.find("#record").is_displayed()
