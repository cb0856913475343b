"""Where labels are given, no name that has one is in anything that people read."""

from __future__ import annotations

import io
import itertools
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.report import summarise_frontier, summarise_tree
from budgetree.tree.explanation import explain
from labelled import CLASSES, OUTCOMES, heart_cases, heart_tree, tree_of_texts

KINDS = ("plain", "losses", "model", "tree")
ALL = [*OUTCOMES, *itertools.chain(*OUTCOMES.values()), *CLASSES, "qf1q"]


def labels_for(names: list[str], has_referral: bool) -> bt.Labels:
    """A label for each of the names, which does not contain it."""
    word = {name: f"word {number:02d}" for number, name in enumerate(ALL) if name in names}
    tests: dict[str, Any] = {}
    for test, outcomes in OUTCOMES.items():
        entry: dict[str, Any] = {"outcomes": {name: word[name] for name in outcomes if name in word}}
        tests[test] = entry | ({"name": word[test]} if test in word else {})
    answers = [*CLASSES, "qf1q"] if has_referral else CLASSES
    return bt.Labels(tests, {name: word[name] for name in answers if name in word}, unit="€")


def consulted(tree: bt.Tree, choice: int) -> list[str]:
    """All that a consultation says, always answered with the same place on the list."""
    case, said = bt.Consultation(tree), []
    while not case.done:
        said += [repr(case), str(case.question), case.expected, *case.choices]
        with pytest.raises(ValueError, match="nonsense") as refused:
            case.answer("nonsense")
        said.append(str(refused.value))
        case.answer(case.choices[choice % len(case.choices)])
    said += [repr(case), case.conclusion, str(explain(case))]
    return said


def shown(tree: bt.Tree) -> dict[str, str]:
    texts = [getattr(shape, "text", "") + getattr(shape, "hint", "") for shape in tree.draw().shapes]
    return {
        "text": tree.to_text(confusion=True),
        "rules": tree.export("rules"),
        "dot": tree.export("dot"),
        "svg": tree.to_svg(),
        "drawing": "\n".join(texts),
        "page": json.dumps(summarise_tree(tree, title="a tree")),
        "consultation": "\n".join(consulted(tree, 0) + consulted(tree, 1)),
    }


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(KINDS), st.lists(st.sampled_from(ALL), unique=True))
def test_no_name_that_has_a_label_is_shown(kind: str, names: list[str]) -> None:
    tree = tree_of_texts(kind)
    named = [name for name in names if name != "qf1q" or kind == "losses"]
    labelled = tree.with_labels(labels_for(named, kind == "losses"))
    before, after = shown(tree), shown(labelled)
    for form, text in after.items():
        assert not [name for name in named if name in text], form
        there = {name for name in ALL if name in before[form]}  # what has no label keeps its name
        assert {name for name in ALL if name in text} == there - set(named), form


@pytest.mark.parametrize("kind", KINDS)
def test_labels_change_no_answer_cost_or_shape(kind: str) -> None:
    tree = tree_of_texts(kind)
    labelled = tree.with_labels(labels_for(ALL if kind == "losses" else ALL[:-1], kind == "losses"))
    assert labelled == tree
    assert labelled.to_dict() == tree.to_dict()
    plain, words = (summarise_tree(shown_so, title="")["trees"][0] for shown_so in (tree, labelled))
    for before, after in zip(plain["nodes"], words["nodes"], strict=True):
        assert before | {"usual": None} == after | {"usual": None}


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_a_column_of_0_and_1_is_shown_in_words(leaves: str | None) -> None:
    tree = heart_tree(leaves)
    for form, text in shown(tree).items():
        assert "Sex" in text, form
        assert "female" in text or leaves == "model", form
        assert not re.search(r"\bsex\b|\bchol\b|below 0\.5\b|(?<!\d)0\.5 or more|→ [01](?![\d.])", text), form
    sex = summarise_tree(tree, title="")["tests"][1]
    assert (sex["name"], sex["help"], sex["outcomes"]) == ("Sex", "As in the passport.", ["female", "male"])
    assert sex["encoding"]["kind"] == "values"


@pytest.mark.parametrize("leaves", [None, "model"])
@pytest.mark.parametrize("said", [0, "0", "female", "Female", 0.0])
def test_a_result_is_typed_as_its_label_or_as_the_table_has_it(leaves: str | None, said: Any) -> None:
    case = bt.Consultation(heart_tree(leaves))
    while case.next_test != "sex":
        case.answer(250)
    case.answer(said)
    assert case.history[-1].outcome_label == "female"
    assert str(case.codes[1]) == "0"


@pytest.mark.parametrize("leaves", [None, "model"])
def test_amounts_have_their_unit(leaves: str | None) -> None:
    tree = heart_tree(leaves)
    for text in (tree.summary(), tree.to_text(), tree.export("rules"), tree.export("dot"), tree.to_svg()):
        amounts = re.findall(r"(?:worst case|costs|spent|mean|path,) ([\d.]+)( €)?", text)
        assert amounts
        assert all(unit for _, unit in amounts), text
    dollars = tree.with_labels(bt.Labels(unit="${}"))
    assert "worst case $8.5" in dollars.summary()


def test_a_frontier_counts_in_the_unit() -> None:
    found = bt.frontier(heart_cases(), folds=0, objective="known")
    for text in (found.to_text(), found._repr_html_()):
        assert "8.50 €" in text
    content = summarise_frontier(found, title="")
    assert content["unit"] == "€"
    assert content["answers"] == ["healthy", "heart disease"]
    assert content["answer_help"] == ["", "An artery is narrow."]


def test_pictures_have_the_words() -> None:
    pytest.importorskip("matplotlib")
    ax = bt.plot_tree(heart_tree())
    texts = " ".join(text.get_text() for text in ax.texts)
    assert "female" in texts
    assert "Sex" in texts
    assert not re.search(r"\bsex\b|\bchol\b", texts)
    assert "(€)" in bt.plot_frontier(bt.frontier(heart_cases(), folds=0, objective="known"), impurities=()).get_xlabel()


def test_a_transcript_of_ask_has_labels_help_and_unit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    heart_tree("model").to_json(tmp_path / "m.json")
    case = bt.Consultation(heart_tree("model"))
    says = []
    while not case.done:
        says += ["list", "male" if case.next_test == "sex" else "250"]
        case.answer(says[-1])
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*says]) + "\n"))
    printed = run(capsys, "ask", str(tmp_path / "m.json"))
    assert not re.search(r"\bsex\b|\bchol\b|0\.5 or more|→ [01]\b", printed)
    for words in (
        "As in the passport.",
        "one of 'female', 'male'",
        "costs 7.50 €",
        "Sex = male:",
        "→ heart disease",
        "An artery is narrow.",
    ):
        assert words in printed, words
