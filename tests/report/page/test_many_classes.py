"""Two hundred faults, one case each: of many classes the five largest are shown, and the rest is counted."""

from __future__ import annotations

from typing import Any

import pytest

import budgetree as bt
from budgetree.report import summarise_tree
from page_browser import Page

pytestmark = pytest.mark.browser

MORE = {"en": "and 195 more", "de": "und 195 weitere"}


@pytest.fixture(scope="module")
def faults() -> dict[str, Any]:
    codes = [[number >> bit & 1 for bit in range(8)] for number in range(200)]
    tree = bt.grow(bt.Instance(codes, [f"fault {number:03}" for number in range(200)]))
    return summarise_tree(tree, title="Two hundred faults")


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_panel_and_the_consultation_list_five_and_count_the_rest(
    page: Page, faults: dict[str, Any], language: str
) -> None:
    page.visit(faults, "#tree", language=language)
    for bars in ("#detail .bars", "#progress .bars"):
        listed = [line.text for line in page.find_all(f"{bars} li")]
        assert [line.split("\n")[0] for line in listed[:5]] == [f"fault {number:03}" for number in range(5)]
        assert listed[5:] == [MORE[language]]
        page.click("#tab-consult")


def test_a_bar_of_the_outline_has_five_colours_and_a_grey_rest(page: Page, faults: dict[str, Any]) -> None:
    page.open(faults)
    page.click("#unfold-all")
    parts = page.script(
        """return [...document.querySelectorAll("#tree .stack")].map(
          (bar) => [bar.children.length, bar.querySelectorAll(".hue-none").length]
        )"""
    )
    assert max(length for length, _ in parts) == 6
    assert {grey for length, grey in parts if length == 6} == {1}
    assert parts.count([1, 0]) >= 200  # at its end every path has one class


def test_an_answer_narrows_what_is_counted(page: Page, faults: dict[str, Any]) -> None:
    page.open(faults, tab="consult")
    counts = []
    while page.state()["state"] == "open":
        counts += [line.text for line in page.find_all("#progress .bars .quiet") if line.text.startswith("and")]
        page.answer(0)
    assert counts[0] == "and 195 more"
    assert [int(line.split()[1]) for line in counts] == sorted((int(line.split()[1]) for line in counts), reverse=True)
    assert page.state()["heading"] == "fault 000"
