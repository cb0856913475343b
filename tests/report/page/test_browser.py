"""The page in a real browser: views, keys, small screens, paper, dark mode, and names that try to run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

import budgetree as bt
from budgetree.report import summarise_frontier, summarise_tree
from page_browser import Page
from report_cases import HOSTILE_CLASSES, IMAGE, PLACE, SCRIPT, hostile_instance, large_tree

pytestmark = pytest.mark.browser

PANELS = ("tree", "consult", "prices", "proof")
TEXT_CONTRAST, GRAPHIC_CONTRAST = 4.5, 3.0  # WCAG AA
ROWS = "return [...document.querySelectorAll('#tree .row')].filter((row) => row.offsetParent).map((r) => r.textContent)"


@pytest.fixture(scope="module")
def hostile() -> dict[str, Any]:
    found = bt.frontier(hostile_instance(), folds=0, objective="known")
    return summarise_frontier(found, title=f"{SCRIPT} {IMAGE} {PLACE}")


@pytest.fixture(scope="module")
def large() -> dict[str, Any]:
    return summarise_tree(large_tree(), title="large")


def test_hostile_names_are_shown_and_do_not_run(page: Page, hostile: dict[str, Any]) -> None:
    page.open(hostile)
    page.click("#unfold-all")
    for tab in PANELS:
        page.click(f"#tab-{tab}")
    assert page.script("return window.hacked ?? null") is None
    assert page.text("#title") == hostile["title"]
    assert page.script("return document.title") == hostile["title"]
    assert page.script("return document.querySelectorAll('script').length") == 3
    assert page.script("return document.querySelectorAll('img, b > *, i, svg[onload]').length") == 0
    shown = page.script("return document.body.textContent")
    for name in (SCRIPT, IMAGE, PLACE, *HOSTILE_CLASSES):
        assert name in shown
    page.click("#tab-consult")
    page.answer("none")
    assert page.script("return window.hacked ?? null") is None


def test_nothing_is_fetched(page: Page, pima_page: dict[str, Any]) -> None:
    page.open(pima_page)
    assert page.script("return performance.getEntriesByType('resource').length") == 0


def test_a_certificate_and_its_absence_are_said_in_words(page: Page) -> None:
    instance = bt.datasets.load("figure1")
    tree = bt.grow(instance)
    certificate = bt.certify(instance, tree)
    page.open(summarise_tree(tree, title="", certificate=certificate), tab="proof")
    shown = page.text("#panel-proof").lower()
    assert all(line.lower() in shown for line in certificate.to_text().splitlines())
    assert f"costs at least {certificate.lower_bound:.12g}" in page.text("#proof-sentence")
    page.open(summarise_tree(tree, title=""), tab="proof")
    assert "Another tree may be cheaper or make fewer errors." in page.text("#panel-proof")
    assert not page.find("#frontier").is_displayed()


def test_the_worst_case_is_that_of_new_cases_too(page: Page) -> None:
    """The dear outcome of the second test was never seen, but may come."""
    prices = {"a": 1, "b": {"no": 1, "yes": 2, "unclear": 5}}
    tree = bt.grow(
        bt.Instance(
            [[0, 0], [1, 0], [1, 1]],
            ["x", "x", "y"],
            prices=prices,
            test_names=["a", "b"],
            outcome_names=[["0", "1"], ["no", "yes", "unclear"]],
        ),
        budget=9,
    )
    assert tree.max_cost > tree.known_max_cost
    page.open(summarise_tree(tree, title=""))
    assert page.facts()[0] == str(tree.max_cost)
    assert f"known cases at most {tree.known_max_cost}" in page.text("#facts")


def test_a_single_leaf_has_its_diagnosis_at_once(page: Page, pima_page: dict[str, Any]) -> None:
    page.open({**pima_page, "chosen": 0}, tab="consult")
    assert page.state()["state"] == "leaf"
    assert page.state()["inAll"] == "0"
    assert "486 of 753 known cases that ended here (64.5%) had this class." in page.text("#question")


def test_prices_and_shared_fees_are_listed(page: Page, hostile: dict[str, Any]) -> None:
    page.open(hostile, tab="prices")
    shown = page.text("#panel-prices")
    assert "<i>blood</i> draw" in shown
    assert f"0.3 if {hostile['tests'][1]['outcomes'][1]}" in shown


def test_a_large_tree_starts_folded_and_opens(page: Page, large: dict[str, Any]) -> None:
    page.open(large)
    few = len(page.script(ROWS))
    page.click("#unfold-all")
    every = len(page.script(ROWS))
    assert few < every
    page.click("#fold-all")
    assert len(page.script(ROWS)) == 1
    page.click("#tree .row")
    assert 1 < len(page.script(ROWS)) < few


def test_the_outline_is_that_of_to_text(page: Page, pima_frontier: bt.Frontier, pima_page: dict[str, Any]) -> None:
    """The same branches with the same names, in the same order."""
    page.open({**pima_page, "chosen": 3})
    page.click("#unfold-all")
    rows = page.script("return [...document.querySelectorAll('#tree .outcomes')].map((each) => each.textContent)")
    lines = pima_frontier[3].tree.to_text().splitlines()[2:]
    expected = [line.lstrip("│├└─ ").partition(": ")[0].replace(" | ", ", ") for line in lines]
    assert rows == expected


def test_the_worst_path_is_marked_to_its_end(page: Page, pima_page: dict[str, Any], pima_frontier: bt.Frontier) -> None:
    page.open(pima_page)
    page.click("#unfold-all")
    (end,) = page.find_all(".worst-tag")
    assert f"spent {pima_frontier[-1].max_cost:.12g}" in end.find_element("xpath", "..").text
    marked = page.script("return [...document.querySelectorAll('#tree .on-worst > .row')].map((row) => row.ariaLevel)")
    assert marked == [str(level) for level in range(1, len(marked) + 1)]


def test_search_counts_unfolds_and_walks(page: Page, pima_page: dict[str, Any], pima_frontier: bt.Frontier) -> None:
    page.open(pima_page)
    nodes = pima_frontier[-1].tree.nodes
    tests, times = np.unique(nodes.test[nodes.is_buy], return_counts=True)
    test, expected = pima_page["tests"][tests[times.argmax()]]["name"], times.max()
    assert expected > 1
    page.click("#fold-all")
    page.find("#search").send_keys(test)
    assert page.text("#hits") == f"{expected} hits, Enter for the first"
    hits = page.find_all(".row.hit")
    assert len(hits) == expected
    assert all(hit.is_displayed() for hit in hits)
    page.find("#search").send_keys(Keys.ENTER, Keys.ENTER)
    assert page.text("#hits") == f"2 of {expected}, Enter for the next"
    assert len(page.find_all(".hit-now")) == 1
    page.find("#search").clear()
    page.find("#search").send_keys("no such test")
    assert page.text("#hits") == "No hits"
    assert not page.find_all(".row.hit")


def test_the_tree_can_be_walked_with_keys(page: Page, pima_page: dict[str, Any]) -> None:
    page.open(pima_page)
    page.script("document.querySelector('#tree [tabindex=\"0\"]').focus()")
    opened = len(page.script(ROWS))
    page.press(Keys.ARROW_LEFT)
    assert len(page.script(ROWS)) == 1
    page.press(Keys.ARROW_RIGHT)
    assert len(page.script(ROWS)) == opened
    page.press(Keys.ARROW_RIGHT)
    assert page.script("return document.activeElement.ariaLevel") == "2"
    assert page.text("#detail").startswith("Test: ")
    page.press(Keys.END)
    last = page.script("return document.activeElement.textContent")
    assert last == page.script(ROWS)[-1]
    page.press(Keys.HOME)
    assert page.script("return document.activeElement.ariaLevel") == "1"


@pytest.mark.parametrize("width", [360, 1200])
def test_details_follow_the_focus(page: Page, pima_page: dict[str, Any], width: int) -> None:
    page.open({**pima_page, "chosen": 3}, width=width)
    page.script("document.querySelector('#tree [tabindex=\"0\"]').focus()")
    page.press(Keys.ARROW_RIGHT)
    tree = pima_page["trees"][3]
    node = tree["nodes"][tree["outline"][1]["nodes"][0]]
    assert page.text("#detail h3") == f"Test: {pima_page['tests'][node['test']]['name']}"
    assert all(f"({count})" in page.text("#detail .bars") for count in node["counts"])
    covered = """return [...document.querySelectorAll("#tree .row")].filter((row) => {
        row.scrollIntoView({ block: "center" });
        const box = row.getBoundingClientRect();
        const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return box.height && !row.contains(at);
    }).length"""
    assert page.script(covered) == 0  # nothing lies over the tree, on a phone either
    page.click("#chart g[data-point='2'] .dot")  # a new tree has its details too
    assert page.find("#detail").is_displayed()


def test_tabs_follow_the_arrow_keys(page: Page, pima_page: dict[str, Any]) -> None:
    page.open(pima_page)
    page.click("#tab-tree")
    for name in ("consult", "prices", "proof", "tree"):
        page.press(Keys.ARROW_RIGHT)
        assert page.script("return document.activeElement.id") == f"tab-{name}"
        assert [panel for panel in PANELS if page.find(f"#panel-{panel}").is_displayed()] == [name]
    page.press(Keys.END)
    assert page.find("#tab-proof").get_attribute("aria-selected") == "true"
    assert len(page.find_all("[role=tab][tabindex='0']")) == 1


@pytest.mark.parametrize("which", ["pima_page", "hostile", "large"])
def test_no_page_scrolls_sideways_at_360_pixels(page: Page, which: str, request: pytest.FixtureRequest) -> None:
    page.open(request.getfixturevalue(which), width=360, height=700)
    page.click("#unfold-all")
    for tab in PANELS:
        page.script("document.getElementById(arguments[0]).click()", f"tab-{tab}")
        assert page.script("return document.documentElement.scrollWidth") <= 360
    while page.find_all(".choices button"):
        page.script("document.querySelector('.choices button').click()")
        assert page.script("return document.documentElement.scrollWidth") <= 360


def test_paper_has_every_tab_and_the_whole_tree_without_buttons(page: Page, large: dict[str, Any]) -> None:
    page.open(large)
    page.click("#fold-all")
    assert page.pdf().startswith(b"%PDF")  # printing makes the rows that were never opened
    made = len(page.find_all("#tree .row"))
    page.emulate("print")
    assert len(page.script(ROWS)) == made
    shown = [panel for panel in PANELS if page.find(f"#panel-{panel}").is_displayed()]
    assert shown == [panel for panel in PANELS if panel != "consult"]  # of which nothing is answered yet
    buttons = "return [...document.querySelectorAll('button:not(.link), input')].filter((b) => b.offsetParent).length"
    assert page.script(buttons) == 0
    page.emulate()
    assert len(page.script(ROWS)) == 1  # and afterwards the screen is as it was
    page.click("#unfold-all")
    assert len(page.script(ROWS)) == made > len(large["trees"][0]["nodes"]) / 2


def luminance(colour: str) -> float:
    channels = np.array([int(part) for part in colour[4:-1].split(",")]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast_in_both_schemes(page: Page, pima_page: dict[str, Any], scheme: str) -> None:
    page.open(pima_page)
    page.emulate(prefers_color_scheme=scheme)
    ask = """
    const probe = document.body.appendChild(document.createElement("i"));
    const colour = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
    const found = Object.fromEntries(arguments[0].map((name) => [name, colour(name)]));
    probe.remove();
    return found;"""
    hues = [f"hue-{number}" for number in range(7)]
    grounds, texts = ["ground", "raised"], ["ink", "quiet", "accent", "alert"]
    colour = page.script(ask, [*grounds, *texts, *hues, "on-accent", "edge", "hit", "area"])
    assert (luminance(colour["ground"]) < 0.1) == (scheme == "dark")
    for ground in grounds:
        assert all(contrast(colour[text], colour[ground]) >= TEXT_CONTRAST for text in texts)
        assert all(contrast(colour[hue], colour[ground]) >= GRAPHIC_CONTRAST for hue in [*hues, "edge"])
    assert contrast(colour["on-accent"], colour["accent"]) >= TEXT_CONTRAST
    for marked in ("hit", "area"):
        assert contrast(colour["ink"], colour[marked]) >= TEXT_CONTRAST
    assert contrast(colour["quiet"], colour["hit"]) >= TEXT_CONTRAST
    assert contrast(colour["accent"], colour["area"]) >= TEXT_CONTRAST


def test_every_control_has_a_name_and_a_visible_focus(page: Page, pima_page: dict[str, Any]) -> None:
    page.open(pima_page, tab="consult")
    nameless = """const all = [...document.querySelectorAll("button, input, [role=button], [role=treeitem]")];
        const named = (each) => each.ariaLabel || each.textContent.trim() || (each.labels && each.labels.length);
        return all.filter((each) => !named(each)).length"""
    assert page.script(nameless) == 0
    page.script("document.querySelector('#value').focus()")
    page.press(Keys.TAB)
    assert page.script("return getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_motion_is_reduced_where_that_is_asked_for(page: Page, pima_page: dict[str, Any]) -> None:
    page.open(pima_page)
    page.emulate(prefers_reduced_motion="reduce")
    moving = "return [...document.querySelectorAll('*')].filter((e) => getComputedStyle(e).transitionDuration !== '0s')"
    assert page.script(f"{moving}.length") == 0
