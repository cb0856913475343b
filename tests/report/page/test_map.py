"""Large trees: a drawing that moves and zooms by mouse, fingers and keys, and one page for the wall."""

from __future__ import annotations

import re
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys

import budgetree as bt
from budgetree.report import summarise_tree
from budgetree.show.stages import stage_records
from new_cases import new_tree
from page_browser import Page
from report_cases import large_tree

pytestmark = pytest.mark.browser

VIEW = "return document.querySelector('#map').getAttribute('viewBox').split(' ').map(Number)"
FRAME_READY = "return document.querySelectorAll('#map .box').length"
PAGES = re.compile(rb"/Type\s*/Page\b(?!s)")


@pytest.fixture(scope="module")
def large() -> dict[str, Any]:
    return summarise_tree(large_tree(), title="large")


@pytest.fixture
def drawing(page: Page, large: dict[str, Any]) -> Page:
    page.open(large)
    page.click("#show-drawing")
    page.script("document.querySelector('#map-frame').scrollIntoView()")
    return page


def unfold(page: Page) -> None:
    before = page.script(FRAME_READY)
    page.click("#unfold-all")
    page.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert page.script(FRAME_READY) > before


def test_a_large_tree_is_folded_beyond_what_fits_and_a_box_unfolds_it(drawing: Page, large: dict[str, Any]) -> None:
    shown = drawing.script(FRAME_READY)
    groups = len(large["trees"][0]["outline"])
    assert shown < groups
    left, top, width, height = drawing.script(VIEW)
    inside = drawing.script(
        """const [left, top, width, height] = arguments[0];
        return [...document.querySelectorAll('#map .box')].every((box) => {
          const { x, y, width: w, height: h } = box.getBBox(), at = box.transform.baseVal[0].matrix;
          return at.e + x >= left && at.f + y >= top && at.e + x + w <= left + width && at.f + y + h <= top + height;
        })""",
        [left, top, width, height],
    )
    assert inside  # what is unfolded at first fits into the frame
    folded = drawing.find("#map .box:not(.leaf):not(.unfolded)")
    group = folded.get_attribute("data-group")
    folded.click()
    drawing.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert drawing.script(FRAME_READY) > shown
    assert drawing.script("return document.querySelector('#detail h3').textContent") != ""
    drawing.click("#show-outline")  # one fold for both views
    assert drawing.find(f"[data-group='{group}'][role=treeitem]").get_attribute("aria-expanded") == "true"
    drawing.click("#unfold-all")
    drawing.click("#show-drawing")
    assert drawing.script(FRAME_READY) == groups


def test_long_names_stay_inside_their_boxes_and_off_the_sign_to_unfold(page: Page) -> None:
    names = [f"maximum heart rate under load at step {step}" for step in range(9)]
    classes = ["a coronary artery is narrowed by more than half", "nothing of importance was found by any test"]
    tree = large_tree()
    labels = bt.Labels(
        dict(zip(tree.schema.test_names, names, strict=False)), dict(zip(tree.class_names, classes, strict=False))
    )
    page.open(summarise_tree(tree.with_labels(labels), title=""))
    page.click("#show-drawing")
    overlapping = page.script(
        """return [...document.querySelectorAll("#map .box")].filter((box) => {
          const [frame, name, led] = ["rect", ".name", ".led"].map((part) => box.querySelector(part).getBBox());
          const knob = box.querySelector(".knob");
          const end = knob ? knob.getBBox().x : frame.x + frame.width;
          return name.x + name.width > end || led.x + led.width > frame.x + frame.width;
        }).map((box) => box.textContent)"""
    )
    assert overlapping == []
    shown = page.script("return [...document.querySelectorAll('#map .name')].map((name) => name.textContent)")
    assert any(name.endswith("…") for name in shown)


def test_keys_move_and_zoom(drawing: Page) -> None:
    unfold(drawing)
    drawing.script("document.querySelector('#map-frame').focus()")
    drawing.press("0")
    whole = drawing.script(VIEW)
    drawing.press("+", "+", "+")
    near = drawing.script(VIEW)
    assert near[2] < whole[2] / 1.9
    for key, axis, sign in ((Keys.ARROW_DOWN, 1, 1), (Keys.ARROW_UP, 1, -1)):
        before = drawing.script(VIEW)
        drawing.press(key)
        assert (drawing.script(VIEW)[axis] - before[axis]) * sign > 0
    drawing.press("-", "0")
    assert drawing.script(VIEW) == whole
    drawing.click("#map-in")
    assert drawing.script(VIEW)[2] < whole[2]
    assert drawing.text("#map-zoom").endswith("of full size")
    drawing.click("#map-fit")
    assert drawing.script(VIEW) == whole


def test_the_mouse_drags_and_zooms_around_the_pointer(drawing: Page) -> None:
    unfold(drawing)
    frame = drawing.find("#map")
    for _ in range(6):
        drawing.click("#map-in")
    before = drawing.script(VIEW)
    shown = drawing.script(FRAME_READY)
    ActionChains(drawing.driver, duration=20).drag_and_drop_by_offset(frame, 0, -120).perform()
    assert drawing.script(VIEW)[1] > before[1]
    assert drawing.script(FRAME_READY) == shown  # a drag is no press
    before = drawing.script(VIEW)
    wheel = ActionChains(drawing.driver).key_down(Keys.CONTROL)
    wheel.scroll_from_origin(ScrollOrigin.from_element(frame), 0, -200).key_up(Keys.CONTROL).perform()
    assert drawing.script(VIEW)[2] < before[2]


def test_fingers_move_and_pinch(drawing: Page) -> None:
    unfold(drawing)
    drawing.click("#map-fit")
    for _ in range(3):
        drawing.click("#map-in")
    measure = "const b = document.querySelector('#map').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]"
    box = drawing.script(measure)
    x, y = box[0] + box[2] / 2, box[1] + box[3] / 2

    def touch(kind: str, *points: tuple[float, float]) -> None:
        listed = [{"x": px, "y": py, "id": number} for number, (px, py) in enumerate(points)]
        drawing.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": listed})

    before = drawing.script(VIEW)
    touch("touchStart", (x, y))
    touch("touchMove", (x, y - 60))
    touch("touchEnd")
    assert drawing.script(VIEW)[1] > before[1]
    before = drawing.script(VIEW)
    touch("touchStart", (x - 30, y), (x + 30, y))
    touch("touchMove", (x - 90, y), (x + 90, y))
    touch("touchEnd")
    assert drawing.script(VIEW)[2] < before[2] / 2


def test_a_small_map_shows_where_one_is_and_goes_elsewhere(drawing: Page) -> None:
    drawing.click("#map-fit")
    assert not drawing.find("#small-map").is_displayed()  # all of it is seen
    unfold(drawing)
    for _ in range(8):
        drawing.click("#map-in")
    small = drawing.find("#small-map")
    assert small.is_displayed()
    height = small.size["height"]
    whole = float(drawing.script("return document.querySelector('#small-map').viewBox.baseVal.height"))
    for share in (-0.4, 0.4):
        ActionChains(drawing.driver).move_to_element_with_offset(small, 0, int(share * height)).click().perform()
        view = drawing.script(VIEW)
        assert (view[1] + view[3] / 2) / whole == pytest.approx(0.5 + share, abs=0.02)
        marked = drawing.find("#small-map rect").get_attribute("y")
        assert float(marked) == pytest.approx(max(view[1], 0), abs=0.1)


def test_search_goes_to_the_next_hit_in_the_drawing_too(drawing: Page, large: dict[str, Any]) -> None:
    name = large["tests"][large["trees"][0]["nodes"][1]["test"]]["name"]
    drawing.find("#search").send_keys(name, Keys.ENTER)
    assert drawing.text("#hits").startswith("1 of ")
    assert drawing.text("#hits").endswith("Enter for the next")
    assert len(drawing.find_all("#map .hit-now")) == 1
    left, top, width, height = drawing.script(VIEW)
    where = "const m = document.querySelector('#map .hit-now').transform.baseVal[0].matrix; return [m.e, m.f]"
    place = drawing.script(where)
    assert left <= place[0] <= left + width
    assert top <= place[1] <= top + height


def wall(page: Page, content: dict[str, Any]) -> tuple[str, int]:
    """Press the button, read what is on the pages, and count them."""
    page.open(content)
    page.script("window.print = () => {}")
    page.click("#print-wall")
    n_pages = len(PAGES.findall(page.pdf()))
    page.script("document.body.dataset.print = 'wall'")  # printing has ended, and taken it away
    page.emulate("print")
    assert not page.find("#views").is_displayed()
    return page.text("#wall"), n_pages


def test_a_small_pathway_is_one_page_with_every_stage(page: Page) -> None:
    content = summarise_tree(bt.optimal(bt.datasets.load("pima"), budget=2).tree, title="Small pathway")
    text, n_pages = wall(page, content)
    assert n_pages == 1
    assert text.startswith("Small pathway")
    stages = [group for group in content["trees"][0]["outline"] if "branches" in group]
    assert len(page.find_all("#wall .stage")) == len(stages)
    assert all(f"go to {number}" in text for number in range(2, len(stages) + 1))


def test_a_pathway_of_points_has_every_test_threshold_and_answer_on_one_page(page: Page) -> None:
    tree = bt.fit(bt.datasets.load("pima"), budget=22, leaves="points").tree
    text, n_pages = wall(page, summarise_tree(tree, title="Points"))
    assert n_pages == 1
    for record in stage_records(tree):
        for test in record.tests:
            assert tree.test_names[test.test] in text
            for names, points in test.groups:
                assert f"{' or '.join(names)}: {points}" in text
        for ending in record.endings:
            assert all(name in text for name in ending.names)
            assert (f"go to {ending.goes_to}" if ending.answer is None else tree.class_names[ending.answer]) in text
    assert "…" not in text


def test_a_large_pathway_takes_pages_of_numbered_stages_and_no_word_is_broken(
    page: Page, large: dict[str, Any]
) -> None:
    text, n_pages = wall(page, large)
    stages = [group for group in large["trees"][0]["outline"] if "branches" in group]
    assert n_pages > 1
    assert len(page.find_all("#wall .stage")) == len(stages)
    assert f"go to {len(stages)}" in text
    cells = "[...document.querySelectorAll('#wall .stage, #wall td')]"
    assert page.script(f"return {cells}.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length") == 0
    models, _ = wall(page, summarise_tree(new_tree("model", None), title="models"))
    assert "by model: " in models
