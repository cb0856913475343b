"""Consultations in a real browser: every leaf of several trees, by clicks and typed values, against the tree itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

import budgetree as bt
from budgetree.data.encoders import UNSEEN
from budgetree.report import summarise_tree
from budgetree.services.words import visible
from budgetree.tree.explanation import explain
from losing import losing_tree
from new_cases import new_tree
from page_browser import Page
from report_cases import hostile_instance, known_leaves, outcomes_to, repeating_tree

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pima() -> bt.Tree:
    return bt.optimal(bt.datasets.load("pima"), budget=3).tree


@pytest.fixture(scope="module")
def hostile() -> bt.Tree:
    return bt.grow(hostile_instance())


def content_of(tree: bt.Tree) -> dict[str, Any]:
    return summarise_tree(tree, title="Consultation")


def codes_of(tree: bt.Tree, way: list[tuple[int, int]]) -> np.ndarray[Any, Any]:
    """A case that shows these outcomes, and in every other test something never seen."""
    codes = np.full((1, len(tree.test_names)), UNSEEN, dtype=np.uint8)
    for test, outcome in way:
        codes[0, test] = outcome
    return codes


def assert_ends_as(page: Page, tree: bt.Tree, codes: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Diagnosis and money are those of the walk, as a person reads them."""
    shown = page.state()
    walk = tree.walk_codes(codes)
    assert shown["heading"] == str(tree.answer_names[walk.answers[0]])
    assert shown["inAll"] == shown["spent"] == f"{walk.cost[0]:.12g}"
    assert shown["left"] == "0"
    return shown


def test_every_leaf_by_the_raw_values_of_a_known_case(page: Page, pima: bt.Tree) -> None:
    frame = bt.datasets.frame("pima")
    codes = pima.encode(frame)
    ends = pima.walk(frame).leaf
    page.open(content_of(pima), tab="consult")
    page.click("#value")
    for leaf in known_leaves(pima):
        row = int(np.flatnonzero(ends == leaf)[0])
        values = [repr(float(frame[pima.test_names[test]].iloc[row])) for test, _ in outcomes_to(pima, leaf)]
        # All in one go: after each answer the next field has the focus.
        page.press(*(key for value in values for key in (value, Keys.ENTER)))
        shown = assert_ends_as(page, pima, codes[[row]])
        assert shown["state"] == "leaf"
        page.press(Keys.TAB, Keys.TAB, Keys.ENTER)  # "Start over"


@pytest.mark.parametrize("which", ["house_votes", "soybean", "hostile"])
def test_every_leaf_by_buttons(page: Page, hostile: bt.Tree, which: str) -> None:
    tree = hostile if which == "hostile" else bt.grow(bt.datasets.load(which), bt.HingedPairs(1))
    page.open(content_of(tree), tab="consult")
    for leaf in known_leaves(tree):
        way = outcomes_to(tree, leaf)
        for _, outcome in way:
            page.answer(outcome)
        shown = assert_ends_as(page, tree, codes_of(tree, way))
        assert shown["state"] == "leaf"
        page.click("#restart")


def test_an_outcome_never_seen_stops_with_the_answer_of_its_node(page: Page, hostile: bt.Tree) -> None:
    page.open(content_of(hostile), tab="consult")
    stops = 0
    for node in np.flatnonzero(hostile.nodes.is_buy).tolist():
        test = int(hostile.nodes.test[node])
        unseen = np.flatnonzero(hostile.nodes.shown[hostile.nodes.results(node)][:-1] == 0).tolist()
        for outcome in [*unseen[:2], "none"]:
            way = outcomes_to(hostile, node)
            for _, earlier in way:
                page.answer(earlier)
            page.answer(outcome)
            code = UNSEEN if outcome == "none" else outcome
            shown = assert_ends_as(page, hostile, codes_of(hostile, [*way, (test, code)]))
            assert shown["state"] == "stopped"
            assert visible(hostile.test_names[test]) in shown["notice"]
            assert "it is paid" in shown["notice"]
            stops += 1
            page.click("#restart")
    assert stops > 30


def test_a_number_is_divided_at_the_thresholds_of_the_encoder(page: Page, pima: bt.Tree) -> None:
    content = content_of(pima)
    page.open(content, tab="consult")
    test = content["tests"][int(pima.nodes.test[0])]
    edges = np.array(test["encoding"]["thresholds"])
    far = [test["encoding"]["low"] - 1000, 1e6]
    for value in [*edges, *np.nextafter(edges, -np.inf), *far]:
        page.enter(repr(float(value)))
        if value in far:
            assert "is not possible here: expected " in page.state()["problem"]
            page.enter(f"{float(value)!r}!")
        outcome = pima.schema.outcome_names[int(pima.nodes.test[0])][int(np.searchsorted(edges, value, side="right"))]
        assert f"({outcome})" in page.state()["history"]
        page.click("#back")


def test_what_remains_at_worst_is_the_max_cost_and_shrinks(page: Page, hostile: bt.Tree) -> None:
    page.open(content_of(hostile), tab="consult")
    assert page.state()["left"] == f"{hostile.max_cost:.12g}"
    deepest = known_leaves(hostile)[-1]
    before = float(page.state()["left"])
    for _, outcome in outcomes_to(hostile, deepest):
        page.answer(outcome)
        shown = page.state()
        assert float(shown["left"]) < before
        assert float(shown["spent"]) + float(shown["left"]) <= hostile.max_cost + 1e-9
        before = float(shown["left"])


@pytest.mark.parametrize("how", ["button", "backspace", "alt-left"])
def test_going_back_restores_each_step(page: Page, hostile: bt.Tree, how: str) -> None:
    page.open(content_of(hostile), tab="consult")
    states = [page.state()]
    for _, outcome in outcomes_to(hostile, known_leaves(hostile)[-1]):
        page.answer(outcome)
        states.append(page.state())
    while len(states) > 1:
        states.pop()
        if how == "button":
            page.click("#back")
        else:
            page.script("document.querySelector('#question h3').focus()")
            if how == "backspace":
                page.press(Keys.BACKSPACE)
            else:
                page.press_with_alt(Keys.ARROW_LEFT)
        shown = page.state()
        assert {**shown, "said": ""} == {**states[-1], "said": ""}
    assert not page.find("#back").is_enabled()


def test_backspace_in_a_field_deletes_a_letter_and_nothing_else(page: Page, pima: bt.Tree) -> None:
    page.open(content_of(pima), tab="consult")
    page.enter("30")
    before = page.state()
    page.find("#value").send_keys("12", Keys.BACKSPACE, Keys.BACKSPACE, Keys.BACKSPACE)
    assert page.state() == before


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Enter a number first"),
        ("  ", "Enter a number first"),
        ("tall", '"tall" is not a number'),
        ("1,5", "Use a point for decimals"),
        ("0x10", "is not a number"),
        ("1e999", "is too large"),
        ("<b>1</b>", '"<b>1</b>" is not a number'),
    ],
)
def test_wrong_input_is_refused_with_a_reason_and_loses_nothing(page: Page, pima: bt.Tree, text: str, why: str) -> None:
    page.open(content_of(pima), tab="consult")
    page.enter("30")
    before = page.state()
    page.enter(text)
    shown = page.state()
    assert why in shown["problem"]
    assert {**shown, "problem": ""} == before
    assert page.find("#value").get_attribute("aria-invalid") == "true"
    assert page.find("#value").get_attribute("value") == text
    page.enter(" 25.5 ")
    assert page.state()["history"] != before["history"]


def test_each_answer_narrows_the_bars_and_is_announced(page: Page, pima: bt.Tree) -> None:
    page.open(content_of(pima), tab="consult")
    first = page.state()
    assert first["said"] == ""
    page.enter("30")
    second = page.state()
    assert second["bars"] != first["bars"]
    assert second["said"] == f"Next test: {second['heading']}, costs 1. Spent so far 1."
    assert page.find_all("#progress .tick")


def test_a_test_branched_on_twice_is_asked_once(page: Page) -> None:
    tree = repeating_tree()
    page.open(content_of(tree), tab="consult")
    page.answer(1)  # green, and so later
    assert page.state()["price"] == "Costs 2. Its shared fee is already paid."
    page.answer(0)
    shown = assert_ends_as(page, tree, np.array([[1, 0]]))
    assert shown["spent"] == "4.5"
    assert len(page.find_all("#history li")) == 2
    page.click("#back")
    assert page.state()["heading"] == "size"


def test_a_shared_fee_is_named_when_it_is_due_and_only_then(page: Page, hostile: bt.Tree) -> None:
    page.open(content_of(hostile), tab="consult")
    fees = {name: set(entry.tests) for name, entry in hostile.schema.prices.shared.items()}
    for leaf in known_leaves(hostile)[-5:]:
        paid: set[str] = set()
        for test, outcome in outcomes_to(hostile, leaf):
            due = {name for name, tests in fees.items() if hostile.test_names[test] in tests} - paid
            price = page.state()["price"]
            assert {name for name in fees if name in price} == due
            paid |= due
            page.answer(outcome)
        page.click("#restart")


def test_a_consultation_needs_no_mouse(page: Page, pima: bt.Tree) -> None:
    frame = bt.datasets.frame("pima")
    row = 5
    codes = pima.encode(frame)[[row]]
    page.open(content_of(pima))
    page.press(Keys.TAB, Keys.TAB)  # past the skip link to the tabs
    page.press(Keys.ARROW_RIGHT)
    assert page.script("return document.activeElement.id") == "tab-consult"
    page.press(Keys.TAB)
    way = outcomes_to(pima, int(pima.walk_codes(codes).leaf[0]))
    for test, _ in way:
        assert page.script("return document.activeElement.id") == "value"
        page.press(repr(float(frame[pima.test_names[test]].iloc[row])), Keys.ENTER)
    assert_ends_as(page, pima, codes)
    page.press(Keys.BACKSPACE)
    assert page.state()["state"] == "open"
    page.press(Keys.TAB, Keys.TAB, Keys.SPACE)  # past "Enter" to the first range
    assert len(page.find_all("#history li")) == len(way)
    while page.script("return document.activeElement.id") != "restart":
        page.press(Keys.TAB)
    page.press(Keys.ENTER)
    assert page.state()["history"] == "None yet."


def test_many_outcomes_are_found_by_typing(page: Page) -> None:
    instance = bt.Instance(
        np.arange(20)[:, None], np.arange(20) % 2, outcome_names=[[f"ward {n:02}" for n in range(20)]]
    )
    tree = bt.grow(instance)
    page.open(content_of(tree), tab="consult")
    field = page.find("#filter")
    field.send_keys("WARD 1")
    assert sum(button.is_displayed() for button in page.find_all(".many button")) == 10
    field.send_keys(Keys.ENTER)
    assert page.state()["state"] == "open"
    field.send_keys("3", Keys.ENTER)
    assert_ends_as(page, tree, np.array([[13]]))


def test_a_result_that_is_not_available_is_not_paid_and_the_answer_is_explained(page: Page) -> None:
    tree = new_tree("model", None)
    case = bt.Consultation(tree)
    page.open(content_of(tree), tab="consult")
    first = case.next_test
    page.answer("unavailable")
    case.unavailable()
    shown = page.state()
    assert (shown["heading"], shown["spent"]) == (case.next_test, "0")
    assert shown["left"] == f"{case.worst_case_remaining:g}"
    assert shown["notice"] == f"No result of {first}: it is not paid. The other tests have to answer."
    assert shown["said"].startswith(shown["notice"])
    page.click("#back")
    shown = page.state()
    assert (shown["heading"], shown["notice"], shown["history"]) == (first, None, "None yet.")
    page.answer("unavailable")
    while not case.done:
        if page.find_all(".answers details"):
            page.click(".answers summary")  # more ranges than anyone would look through
        page.answer(1)
        case.answer(case.outcomes[1])
    shown = page.state()
    assert shown["heading"] == case.prediction
    assert shown["inAll"] == f"{case.spent:g}"
    assert f"{first} not available not paid" in shown["history"]
    lines = [line.text.replace("\u2212", "-").replace("\n", " ") for line in page.find_all("#moves li")]
    explanation = explain(case)
    assert explanation.correction is not None  # of the small trees, which comes last
    parts = explanation.largest_first
    assert [line.split()[0] for line in lines[:-1]] == [part.test for part in parts]
    moved = [*(part.moved for part in parts), explanation.correction.moved]
    assert all(line.endswith(how) for line, how in zip(lines, moved, strict=True))


def test_an_ordinary_tree_goes_on_with_most_known_cases(page: Page, pima: bt.Tree) -> None:
    case = bt.Consultation(pima)
    page.open(content_of(pima), tab="consult")
    while not case.done:
        page.answer("unavailable")
        case.unavailable()
    shown = page.state()
    assert (shown["heading"], shown["inAll"], shown["state"]) == (case.prediction, "0", "leaf")
    notices = [notice.text for notice in page.find_all("#question .notice")]
    assert len(notices) == len(case.history) > 1
    for notice, step in zip(notices, case.history, strict=True):
        assert notice == (
            f"No result of {step.test}: it is not paid. "
            f"All its results stay possible; the case goes on as with {step.assumed}."
        )


def test_an_answer_that_is_no_class_is_given_with_its_expected_loss(page: Page) -> None:
    tree = losing_tree("model")
    case = bt.Consultation(tree)
    page.open(content_of(tree), tab="consult")
    while not case.done:
        outcome = len(case.outcomes) // 2
        page.script(f"document.querySelector('.answers [data-outcome=\"{outcome}\"]').click()")
        case.answer(case.outcomes[outcome])
    assert case.prediction == "refer"
    assert page.state()["heading"] == "refer"
    assert page.text("#expected-loss") == "0.4"
    assert page.facts()[2] == f"{tree.loss:g}"
    page.click("#tab-proof")
    assert page.text("#panel-proof .by-class").splitlines()[0].split() == ["Answer", *tree.class_names]
    assert page.console() == []
