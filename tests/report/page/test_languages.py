"""The page's texts: one file per language, nothing beside them, and what Python says among them."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.messages import statement
from budgetree.report import page as report_page
from budgetree.report import render_page, summarise_frontier, summarise_tree
from budgetree.report.page import SCRIPTS, languages
from budgetree.services.clock import Ended
from budgetree.tree.provenance import Bounds, ProofState
from losing import losing_tree
from new_cases import new_tree
from page_browser import Page
from page_process import needs_node, the_page

GAP = re.compile(r"\{(\w+)\}")
FOLDER = resources.files("budgetree.report").joinpath("page")


def forms(text: Any) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def sources() -> str:
    return "".join(FOLDER.joinpath(name).read_text(encoding="utf-8") for name in (*SCRIPTS, "page.html"))


def test_english_and_german_are_there_with_the_same_keys() -> None:
    assert {"en", "de"} <= set(languages())
    for texts in languages().values():
        assert list(texts) == list(languages()["en"])


def test_every_text_is_used_and_every_text_used_is_there() -> None:
    source, texts = sources(), languages()["en"]
    asked = set(re.findall(r"\bsay(?:Parts)?\(\s*\"([\w.]+)\"", source)) | set(
        re.findall(r"data-(?:text|label)=\"([\w.]+)\"", source)
    )
    assert len(asked) > 100
    assert asked <= set(texts)
    made_up = (
        "fact.",
        "leaves.",
        "method.",
        "change.",
        "note.",
        "validation.",
        "language",
    )  # of what Python hands over
    built = re.compile(
        "|".join(
            (
                r"consult\.(came|ended|possible|by_)",
                r"(tree|detail)\.by_",
                r"chart\.(label|errors|loss)_",
                r"chart\.(judged|found|for_new|thin|new)(_loss)?$",
                r"overview\.\w+_referred",
                r"evaluation\.",
            )
        )
    )
    unused = {key for key in texts if f'"{key}"' not in source and not key.startswith(made_up) and not built.match(key)}
    assert unused == {"page.noscript"}


units = st.integers(0, 100_000)


@needs_node
@settings(max_examples=200, deadline=None)
@given(
    st.builds(
        Bounds,
        state=st.sampled_from(ProofState),
        least_loss=units,
        within=st.none() | units,
        least_cost=units,
        max_error=st.none() | st.fractions(min_value=0, max_value=1, max_denominator=50),
        min_cases=st.integers(1, 3),
    )
    | st.none(),
    units,
    units,
    st.booleans(),
    st.sampled_from(Ended),
)
def test_every_fact_about_proof_is_said_as_python_says_it_and_in_german(
    bounds: Bounds | None, loss: int, max_cost: int, has_losses: bool, ended: Ended
) -> None:
    cases = bt.Instance([[0], [1]], ["a", "b"], prices=0.01, weights=[0.01, 1])
    schema = cases.with_losses({"a": 2} if has_losses else None).schema
    found = statement(bounds, loss, max_cost, schema, ended=ended, blanks=["a", "b"])
    facts, losses = [fact.content for fact in found.facts], {} if has_losses else None
    assert the_page().ask({"facts": facts, "losses": losses})["said"] == [
        sentence.replace("'", "") for sentence in found.sentences
    ]
    german = the_page().ask({"facts": facts, "losses": losses, "language": "de"})["said"]
    assert not {"tree", "the", "{"} & {word for sentence in german for word in sentence.split()}


def test_a_language_that_is_not_there_is_refused() -> None:
    with refused(SettingError, subject="language", found="fr", expected=["de", "en"]):
        render_page({"title": "", "version": ""}, language="fr")
    page = render_page({"title": "", "version": ""}, language="de")
    assert '<html lang="de">' in page
    assert "das hier abgeschaltet ist" in page


def letters_only_x(text: Any) -> Any:
    """A language of which every letter is an x, but for the gaps and what separates ranges."""
    if not isinstance(text, str):
        return {form: letters_only_x(each) for form, each in text.items()}
    parts = GAP.split(text)
    return "".join(f"{{{part}}}" if place % 2 else re.sub(r"[^\W\d_]", "x", part) for place, part in enumerate(parts))


def only_q(name: str) -> str:
    """Names of the user's own, of which every letter is a Q."""
    return re.sub(r"[^\W\d_]", "Q", name)


def plain_names(content: dict[str, Any]) -> dict[str, Any]:
    """The same with such names; what has none gets none."""

    def test_again(test: dict[str, Any]) -> dict[str, Any]:
        outcomes = [only_q(name) if isinstance(name, str) else name for name in test["outcomes"]]
        return test | {"name": only_q(test["name"]), "outcomes": outcomes}

    def tree_again(tree: dict[str, Any]) -> dict[str, Any]:
        return tree | {"origin": tree["origin"] | {"function": "", "settings": []}}  # as one types them in Python

    return content | {
        "title": "Q",
        "version": "0",
        "classes": list(map(only_q, content["classes"])),
        "answers": list(map(only_q, content["answers"])),
        "tests": list(map(test_again, content["tests"])),
        "shared": [part | {"name": only_q(part["name"])} for part in content["shared"]],
        "trees": list(map(tree_again, content["trees"])),
    }


def overfitted_page() -> dict[str, Any]:
    """A frontier whose last point is overfitted, beside an evaluation with every note."""
    frontier = bt.frontier(bt.datasets.load("soybean"), max_budget=3, folds=2, objective="known")
    content = summarise_frontier(frontier, title="")
    content["points"] = [point | {"overfitted": True} for point in content["points"]]
    notes = [key.removeprefix("note.") for key in languages()["en"] if key.startswith("note.")]
    facts = [{"kind": kind, "count": 2, "low": 0, "high": 1, "classes": ["Q"]} for kind in notes]
    figures = {"kind": "pathway", "n": 9, "positive": None, "by_class": [], "decision_curve": None, "subgroups": []}
    return content | {"evaluation": figures | {"cost": {"mean": None}, "facts": facts, "methods": "Q"}}


STRANGE = """
const seen = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walk.nextNode(); node; node = walk.nextNode()) {
  if (!["SCRIPT", "NOSCRIPT", "STYLE"].includes(node.parentElement.tagName)) seen.push(node.textContent);
}
for (const each of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
  seen.push(each.ariaLabel ?? "", each.title ?? "", each.placeholder ?? "");
}
const ours = /budgetree|[0-9a-f]{64}|[AP]M/g;
return seen.filter((text) => /\\p{L}/u.test(text.replace(ours, "")
  .replace(/[xXQe]/g, "")));
"""


@pytest.mark.browser
@pytest.mark.parametrize("which", ["pima", "model", "losses", "overfitted"])
def test_no_text_bypasses_the_language_file(
    page: Page, monkeypatch: pytest.MonkeyPatch, pima_page: dict[str, Any], which: str
) -> None:
    """In a language of x alone, nothing on the page has another letter."""
    texts = languages() | {"xx": {key: letters_only_x(text) for key, text in languages()["en"].items()}}
    monkeypatch.setattr(report_page, "languages", lambda: texts)
    made = {
        "pima": lambda: pima_page,
        "model": lambda: summarise_tree(new_tree("model", None), title=""),
        "losses": lambda: summarise_tree(losing_tree("tree"), title=""),
        "overfitted": lambda: overfitted_page(),
    }
    page.visit(plain_names(made[which]()), "?budget=3&lang=xx")
    page.click("#tab-tree")
    page.script("document.querySelector('#unfold-all').click(); document.querySelector('#show-drawing').click()")
    page.find("#search").send_keys("Q", "\n", "\n")
    page.click("#tab-consult")
    assert page.script(STRANGE) == []
    answered = 0
    while page.state()["state"] == "open":
        first = "unavailable" if answered == 0 else "0"
        page.script("document.querySelector(`.answers [data-outcome='${arguments[0]}']`).click()", first)
        assert page.script(STRANGE) == []
        answered += 1
    assert answered
    page.find("#load").send_keys(str(Path(__file__)))
    assert [text for text in page.script(STRANGE) if Path(__file__).name not in text] == []
    page.script("window.print = () => {}; document.querySelector('#print-wall').click()")
    assert [text for text in page.script(STRANGE) if Path(__file__).name not in text] == []


@pytest.mark.browser
def test_the_language_is_the_readers_the_reports_or_that_of_the_address(page: Page, pima_page: dict[str, Any]) -> None:
    def heading() -> tuple[str, str]:
        return page.script("return document.documentElement.lang"), page.text("#frontier-heading")

    english, german = ("en", "What each budget buys"), ("de", "Was jedes Budget kauft")
    page.visit(pima_page)
    assert heading() == english
    page.visit(pima_page, language="de")
    assert heading() == german
    page.visit(pima_page, "?lang=en", language="de")
    assert heading() == english
    agent = page.script("return navigator.userAgent")
    page.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": "de-AT,en"})
    try:
        page.visit(pima_page)
        assert heading() == german
    finally:
        page.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": "en-US"})


@pytest.mark.browser
def test_german_numbers_plurals_and_typing(page: Page, pima_page: dict[str, Any]) -> None:
    budget = pima_page["points"][3]["max_cost"]
    page.visit(pima_page, f"?lang=de&budget={budget}")
    assert page.text("#subtitle") == "Gelernt aus: 753 Fälle, 8 Tests, 2 Klassen."
    page.enter("1.234")
    assert "Komma" in page.state()["problem"]
    page.enter("30,5")
    shown = page.state()
    assert "30,5 (" in shown["history"]
    assert " bis " in shown["history"]
    assert shown["said"].startswith("Nächster Test: ")
    assert page.text("#sentence").startswith("Für höchstens ")
    assert "Kein Baum mit einem Budget von" in page.text("#proof-sentence")
