"""The page shows explanations under questions and answers, and costs in the user's unit."""

from __future__ import annotations

import re
from typing import Any

import pytest

import budgetree as bt
from budgetree.report import summarise_frontier
from page_browser import Page

pytestmark = pytest.mark.browser


def content() -> dict[str, Any]:
    cases = bt.Instance(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], prices={"sex": 1, "pain": 2.5}, test_names=["sex", "pain"]
    )
    found = summarise_frontier(bt.frontier(cases, folds=0), title="Words")
    for test in found["tests"]:
        test["help"] = f"What {test['name']} is."
    for tree in found["trees"]:
        tree["statement"]["sentences"] = []  # Python writes the units in its sentences
    return found | {"unit": "€", "answer_help": ["", "See a doctor."]}


def test_help_stands_under_the_question_and_under_the_answer(page: Page) -> None:
    page.open(content(), tab="consult")
    first = page.find("#question h3").text
    assert page.find("#question .help").text == f"What {first} is."
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
    assert page.find("#spent-in-all").text == f"3{mark}5 €"
    for tab in ("tree", "prices"):
        page.click(f"#tab-{tab}")
        text = page.driver.execute_script("return document.body.innerText")
        assert f"2{mark}5 €" in text
        assert not re.search(rf"\b[23]{re.escape(mark)}5(?! €)", text)
