"""The page's texts: one file per language, nothing beside them, and what Python says among them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.points import FOR_NEW
from budgetree.messages import statement
from budgetree.report import page as report_page
from budgetree.report import render_page, summarise_tree
from budgetree.report.page import SCRIPTS, languages
from budgetree.services.clock import Ended
from budgetree.show.frontier_view import LAST_REMEDY, PAGE_REMEDY, overfitted_words
from budgetree.tree.provenance import Bounds, Method, NewError, NewLoss, ProofState
from losing import losing_tree
from new_cases import new_tree
from page_browser import Page

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
    made_up = ("said.", "range.", "language")  # found by what Python said
    built = re.compile(
        "|".join(
            (
                r"consult\.(came|ended|possible|by_)",
                r"(tree|detail)\.by_",
                r"chart\.(label|errors|loss)_",
                r"overview\.\w+_referred",
                r"evaluation\.",
            )
        )
    )
    unused = {key for key in texts if f'"{key}"' not in source and not key.startswith(made_up) and not built.match(key)}
    assert unused == {"page.noscript"}


def is_said(sentence: str) -> bool:
    """Whether some text is this sentence, its gaps filled by what is no sentence or is said too."""
    for key, text in languages()["en"].items():
        for form in forms(text) if key.startswith("said.") else []:
            pattern = "".join(
                f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(GAP.split(form))
            )
            if match := re.fullmatch(pattern, sentence):
                inner = [
                    value for name, value in match.groupdict().items() if name in ("within", "few", "how", "remedy")
                ]
                return all(map(is_said, inner))
    return False


units = st.integers(0, 100_000)


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
def test_every_sentence_about_proof_can_be_translated(
    bounds: Bounds | None, loss: int, max_cost: int, has_losses: bool, ended: Ended
) -> None:
    cases = bt.Instance([[0], [1]], ["a", "b"], prices=0.01, weights=[0.01, 1])
    schema = cases.with_losses({"a": 2} if has_losses else None).schema
    for sentence in statement(bounds, loss, max_cost, schema, ended=ended).sentences:
        assert is_said(sentence), sentence


def test_what_else_python_says_can_be_translated() -> None:
    frontier = bt.frontier(bt.datasets.load("pima"), max_budget=2, folds=2, objective="known")
    assert is_said(str(frontier.validation))
    for remedy in (PAGE_REMEDY, LAST_REMEDY):
        assert is_said(overfitted_words(0, NewError(0.47, 0.04), remedy))
        assert is_said(overfitted_words(0.25, NewLoss(0.714, 0.042), remedy))
    for sentence in (FOR_NEW, *(method.words for method in Method)):
        assert is_said(sentence) or is_said(f"{sentence} Pairs()"), sentence


def test_a_language_that_is_not_there_is_refused() -> None:
    with refused(SettingError, subject="language", found="fr", expected=["de", "en"]):
        render_page({"title": "", "version": ""}, language="fr")
    page = render_page({"title": "", "version": ""}, language="de")
    assert '<html lang="de">' in page
    assert "das hier ausgeschaltet ist" in page


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
    """The same with such names; names of ranges are Python's, and stay."""
    own = [test["encoding"] is None or test["encoding"]["kind"] == "values" for test in content["tests"]]

    def test_again(test: dict[str, Any], is_own: bool) -> dict[str, Any]:
        outcomes = list(map(only_q, test["outcomes"])) if is_own else test["outcomes"]
        return test | {"name": only_q(test["name"]), "outcomes": outcomes}

    def tree_again(tree: dict[str, Any]) -> dict[str, Any]:
        outline = json.loads(json.dumps(tree["outline"]))
        for group in outline:
            test = tree["nodes"][group["branch"]].get("test") if "branch" in group else None
            for branch in group.get("branches", []):
                if test is not None and own[test] and len(branch["names"]) == len(branch["outcomes"]):
                    branch["names"] = list(map(only_q, branch["names"]))
        return tree | {"outline": outline, "origin": "exact search"}  # settings are Python's own words

    return content | {
        "title": "Q",
        "version": "0",
        "classes": list(map(only_q, content["classes"])),
        "answers": list(map(only_q, content["answers"])),
        "tests": list(map(test_again, content["tests"], own)),
        "shared": [part | {"name": only_q(part["name"])} for part in content["shared"]],
        "trees": list(map(tree_again, content["trees"])),
    }


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
@pytest.mark.parametrize("which", ["pima", "model", "losses"])
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


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_python_and_the_page_agree_what_a_sentence_is(tmp_path: Path) -> None:
    """The page's own matching, on the sentences of real trees: none is left in English."""
    trees = [
        bt.grow(bt.datasets.load("figure1")),
        bt.optimal(bt.datasets.load("pima"), budget=2).tree,
        losing_tree("tree"),
    ]
    sentences = [sentence for tree in trees for sentence in tree.statement.sentences]
    script = tmp_path / "again.mjs"
    words = Path(str(FOLDER)) / "words.js"
    script.write_text(
        f'import {{ readFileSync }} from "node:fs";\nimport {{ sayAgain, speak }} from "{words.as_uri()}";\n'
        'const { languages, sentences } = JSON.parse(readFileSync(0, "utf8"));\nspeak("de", languages);\n'
        "console.log(JSON.stringify(sentences.map((sentence) => sayAgain(sentence))));\n",
        encoding="utf-8",
    )
    given_to = json.dumps({"languages": languages(), "sentences": sentences})
    ended = subprocess.run(["node", script], input=given_to, capture_output=True, text=True, check=True)
    german = json.loads(ended.stdout)
    assert len(german) == len(sentences) >= 3
    assert not set(german) & set(sentences)
