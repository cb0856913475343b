"""The page shows explanations under questions and answers, and costs in the user's unit."""

from __future__ import annotations

import re
from typing import Any

import pytest

import budgetree as bt
from budgetree.report import summarise_frontier
from page_browser import Page

pytestmark = pytest.mark.browser


LABELS = bt.Labels(
    {
        "sex": {"name": "Sex", "help": "As in the passport.", "outcomes": {0: "female", 1: "male"}},
        "pain": {"name": "Chest pain", "help": "At rest.", "outcomes": {0: "none", 1: "some"}},
    },
    {0: "healthy", 1: {"name": "heart disease", "help": "See a doctor."}},
    unit="€",
)


def content() -> dict[str, Any]:
    codes, prices = [[0, 0], [0, 1], [1, 0], [1, 1]], {"sex": 1, "pain": 2.5}
    cases = bt.Instance(codes, [0, 0, 0, 1], prices=prices, test_names=["sex", "pain"]).with_labels(LABELS)
    return summarise_frontier(bt.frontier(cases, folds=0, objective="known"), title="Words")


def test_help_stands_under_the_question_and_under_the_answer(page: Page) -> None:
    page.open(content(), tab="consult")
    explained = {label.name: label.help for label in LABELS.tests.values()}
    assert page.find("#question .help").text == explained[page.find("#question h3").text]
    while page.driver.execute_script("return document.querySelector('#question .card').dataset.state") == "open":
        page.click("#question [data-outcome='1']")
    assert page.find("#question .help").text == "See a doctor."


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_cost_has_its_unit(page: Page, language: str) -> None:
    page.visit(content(), "#consult", language=language)
    mark = {"en": ".", "de": ","}[language]
    for selector in ("#left", "#spent", "#question .price"):
        assert re.search(r"\d €", page.find(selector).text), selector
    page.click("#question [data-outcome='1']")
    page.click("#question [data-outcome='1']")
    assert page.find("#spent-in-all").text == f"3{mark}50 €"
    for tab in ("tree", "prices", "proof", "consult"):
        page.click(f"#tab-{tab}")
        text = page.driver.execute_script("return document.body.innerText")
        assert "heart disease" in text or tab in ("prices", "proof")
        assert not re.search(r"\bsex\b|\bpain\b(?<!Chest pain)", text)
        assert not re.search(rf"\b[23]{re.escape(mark)}50?\b(?! €)", text)


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_code_stands_where_there_is_a_label(page: Page, language: str) -> None:
    """Never "0 → ● 0": neither in the outline, nor in the drawing, nor in the consultation."""
    page.visit(content(), "?budget=3.5#tree", language=language)
    page.click("#unfold-all")
    rows = [row.text for row in page.find_all("#tree [role='treeitem']")]
    assert any("female" in row for row in rows)
    assert any("healthy" in row for row in rows)
    page.click("#show-drawing")
    names = page.script(
        "return [...document.querySelectorAll('#map .led, #map .name')].map((text) => text.textContent)"
    )
    assert {"female", "male", "healthy", "heart disease"} <= set(names)
    page.click("#tab-consult")
    asked = []
    while page.state()["state"] == "open":
        asked += [button.text for button in page.find_all(".answers [data-outcome]")]
        page.answer(1)
    shown = page.state()
    for text in (*rows, *names, *asked, shown["heading"], shown["history"]):
        assert not re.search(r"(^|→|●|■)\s*[01]\s*(→|$)", text), text
