"""The page as a document: its data survive, hostile names stay text, nothing is loaded from anywhere."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import pytest

import budgetree as bt
from budgetree.report import render_page, summarise_frontier, summarise_tree
from budgetree.report.page import SCRIPTS
from report_cases import HALF, IMAGE, LINES, PLACE, SCRIPT, hostile_instance, large_tree

LONGEST_SCAFFOLDING = 180_000  # 60,000 of them texts in two languages
LARGEST_PAGE = 1_000_000


class Document(HTMLParser):
    """The elements of a page, and the text of its scripts and styles, as a browser divides them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}  # directly after each start tag
        self.at = -1
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at = len(self.elements)
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.at = -1

    def handle_data(self, data: str) -> None:
        self.texts[self.at] = self.texts.get(self.at, "") + data

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attrs, self.texts.get(at, "")) for at, (name, attrs) in enumerate(self.elements) if name == tag]


@pytest.fixture(scope="module")
def hostile() -> dict[str, Any]:
    return summarise_tree(bt.grow(hostile_instance()), title=f"{SCRIPT}{IMAGE}{PLACE}{LINES}{HALF}")


def island(page: str) -> Any:
    return json.loads(next(text for attrs, text in Document(page).all("script") if attrs.get("id") == "content"))


def test_the_data_survive_whatever_the_names_are(hostile: dict[str, Any]) -> None:
    assert island(render_page(hostile)) == hostile
    frontier = summarise_frontier(bt.frontier(bt.datasets.load("pima"), folds=0, objective="known"), title="pima")
    assert island(render_page(frontier)) == frontier


def test_hostile_names_open_no_element(hostile: dict[str, Any]) -> None:
    friendly = {**hostile, "title": "friendly"}
    tags = [tag for tag, _ in Document(render_page(hostile)).elements]
    assert tags == [tag for tag, _ in Document(render_page(friendly)).elements]
    assert tags.count("script") == 3
    assert "img" not in tags
    text = next(text for attrs, text in Document(render_page(hostile)).all("script") if attrs.get("id") == "content")
    assert not set("<>&\u2028\u2029") & set(text)


def test_a_title_with_half_a_surrogate_pair_can_be_written(hostile: dict[str, Any]) -> None:
    assert render_page(hostile).encode("utf-8")


def test_only_our_own_style_and_script_may_take_effect(hostile: dict[str, Any]) -> None:
    document = Document(render_page(hostile))
    policy = next(attrs["content"] for attrs, _ in document.all("meta") if attrs.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    (script,) = [text for attrs, text in document.all("script") if "type" not in attrs]
    ((_, style),) = document.all("style")
    for source in (script, style):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'" in policy


def test_nothing_is_loaded_from_anywhere(hostile: dict[str, Any]) -> None:
    page = render_page(hostile)
    assert set(re.findall(r"https?://[^\"' ]*", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|import\(", page)
    for _, attrs in Document(page).elements:
        assert "src" not in attrs
        assert attrs.get("href", "#").startswith(("#", "data:,"))  # type: ignore[union-attr]


def test_no_script_makes_markup_from_text() -> None:
    for name in SCRIPTS:
        source = resources.files("budgetree.report").joinpath("page", name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", source)
        assert "</" not in source
        # render_page drops indentation: no text may span lines.
        assert all(line.count("`") % 2 == 0 for line in source.splitlines())


def test_every_script_beside_the_page_is_in_it() -> None:
    beside = {
        each.name
        for each in resources.files("budgetree.report").joinpath("page").iterdir()
        if each.name.endswith(".js")
    }
    assert beside == set(SCRIPTS)


def modules() -> dict[str, str]:
    folder = resources.files("budgetree.report").joinpath("page")
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS}


def test_a_script_imports_only_what_stands_before_it() -> None:
    for place, source in enumerate(modules().values()):
        assert source.startswith("// ")  # what it is for; tsconfig.json checks the types of all
        imported = re.findall(r'^import [^;]* from "\./([^"]*)";', source, re.M)
        assert set(imported) <= set(SCRIPTS[:place])


def test_no_two_scripts_define_the_same_name() -> None:
    """In one closure the second function of a name would silently replace the first."""
    defined = [
        name
        for source in modules().values()
        for name in re.findall(r"^(?:export )?(?:const|let|function|class) (\w+)", source, re.M)
    ]
    assert len(defined) > 60
    assert len(set(defined)) == len(defined)


def test_the_page_has_no_module_syntax_and_no_comments(hostile: dict[str, Any]) -> None:
    document = Document(render_page(hostile))
    (script,) = [text for attrs, text in document.all("script") if "type" not in attrs]
    assert not re.search(r"^\s*(import|export|//|/\*\*? *$|\*)", script, re.M)
    assert "function rowLine(" in script


def test_the_same_dict_gives_the_same_page(hostile: dict[str, Any]) -> None:
    assert render_page(hostile) == render_page(json.loads(json.dumps(hostile)))


def test_a_tree_of_500_nodes_fits_into_a_megabyte() -> None:
    page = render_page(summarise_tree(large_tree(500), title="large"))
    assert len(page.encode()) < LARGEST_PAGE


def test_the_scaffolding_is_small() -> None:
    assert len(render_page({"title": "", "version": ""}).encode()) < LONGEST_SCAFFOLDING


def test_the_head_says_language_title_and_generator(hostile: dict[str, Any]) -> None:
    document = Document(render_page({**hostile, "title": "Pathway <b>"}))
    assert document.all("html")[0][0]["lang"] == "en"
    assert document.all("title")[0][1] == "Pathway <b>"
    metas = {attrs.get("name"): attrs.get("content") for attrs, _ in document.all("meta")}
    assert metas["generator"] == f"budgetree {bt.__version__}"
    assert document.all("noscript")


def test_a_number_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        render_page({"title": "", "version": "", "chosen": float("nan")})
