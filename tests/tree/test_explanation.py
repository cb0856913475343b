"""Explanations: scores that add up to the answer, probabilities that lead to it."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

import budgetree as bt
from budgetree.tree.explanation import Contribution
from built_trees import points_tree, stages_tree
from losing import losing_tree
from new_cases import new_tree, wild_rows


@pytest.mark.parametrize("sure", [None, 0.8])
def test_scores_add_up_to_the_probability(sure: float | None) -> None:
    tree = new_tree("model", sure)
    for row in wild_rows(3, 40):
        explanation = tree.explain(row)
        case = tree.ask(row)
        assert explanation.prediction == case.prediction
        assert [part.test for part in explanation.contributions] == [step.test for step in case.history]
        assert explanation.probability == case.distribution[case.prediction]
        if explanation.contributions:
            assert explanation.contributions[0].before == explanation.start
            assert explanation.contributions[-1].after == pytest.approx(explanation.probability)
        assert explanation.start_score is not None
        score = explanation.start_score + math.fsum(part.score or 0 for part in explanation.contributions)
        shares = list(case.distribution.values())
        centred = math.log(explanation.probability) - math.fsum(map(math.log, shares)) / len(shares)
        assert score == pytest.approx(centred)


def test_what_nobody_has_seen_moves_nothing() -> None:
    tree = new_tree("model", None)
    parts = tree.explain({"age": 1.0, "colour": "purple", "dose": 0.2, "grade": 1.0}).contributions
    assert [part.score for part in parts if part.test == "colour"] == [0.0]
    assert [part.outcome for part in parts if part.test == "colour"] == [None]


def test_trees_without_models_are_explained_by_their_nodes() -> None:
    row = {"age": 42, "pregnant": 3}
    explanation = bt.grow(bt.datasets.load("pima"), budget=2).explain(row)
    assert [part.test for part in explanation.contributions] == ["age", "pregnant"]
    assert explanation.contributions[-1].after == explanation.probability
    assert {part.score for part in explanation.contributions} == {None} == {explanation.start_score}
    assert "age is" in str(explanation)


@pytest.mark.parametrize("leaves", [None, "count", "model"])
def test_where_the_answer_is_no_class_the_likeliest_one_is_explained(leaves: str | None) -> None:
    tree = losing_tree(leaves)
    kinds = set()
    for row in wild_rows(3, 60):
        explanation, case = tree.explain(row), tree.ask(row)
        assert explanation.prediction == case.prediction == tree.answer_names[case.position]
        is_class = explanation.prediction in tree.class_names
        expected = explanation.prediction if is_class else max(case.distribution, key=case.distribution.__getitem__)
        assert explanation.about == expected
        assert explanation.probability == case.distribution[expected]
        assert str(explanation).startswith(f"{expected}: " if is_class else f"{explanation.prediction}; {expected}: ")
        kinds.add(is_class)
    assert kinds == {True, False}


def test_points_lead_to_the_side_that_answers() -> None:
    tree = points_tree()
    case = {"colour": "g", "grade": -2.0, "age": 1.0, "dose": 0.2}
    explanation = tree.explain(case)
    assert (explanation.by, explanation.prediction) == ("points", "worse")
    assert explanation.start_score == 0
    scores = {part.test: part.score for part in explanation.contributions}
    table = dict(zip(("colour", "grade"), tree.nodes.rules[0].totals.points, strict=True))  # type: ignore[union-attr]
    codes = dict(zip(tree.test_names, tree.encode(pd.DataFrame([case]))[0], strict=True))
    assert scores == {"colour": 5, "grade": float(table["grade"][codes["grade"]][0]), "dose": 0}
    # From 0 points (below 3) to 5 (from 5 on): the class has 1/8 at first and 1/2 then.
    assert [(part.before, part.after) for part in explanation.contributions] == [(0.125, 0.5), (0.5, 0.5), (0.5, 0.5)]


def test_what_answers_say_together_comes_last() -> None:
    tree, corrections = stages_tree(), []
    for row in wild_rows(3, 60):
        explanation, case = tree.explain(row), tree.ask(row)
        if case.rule is None:
            assert explanation.correction is None
            continue
        last = explanation.correction
        assert last is not None
        assert (last.before, last.after) == (explanation.contributions[-1].after, explanation.probability)
        assert last.after == case.distribution[case.prediction]
        scores = [explanation.start_score, last.score, *(part.score for part in explanation.contributions)]
        odds = math.log(explanation.probability / (1 - explanation.probability))
        assert math.fsum(score or 0 for score in scores) == pytest.approx(odds / 2)
        assert str(explanation).splitlines()[-1].startswith("  the answers together: ")
        corrections.append(last.moved)
    assert len(set(corrections)) > 10


def test_the_largest_contributions_come_first() -> None:
    explanation = new_tree("model", None).explain(wild_rows(3, 1)[0])
    sizes = [abs(part.after - part.before) for part in explanation.largest_first]
    assert sizes == sorted(sizes, reverse=True)
    assert set(explanation.largest_first) == set(explanation.contributions)
    assert len(sizes) > 1
    assert explanation.contributions[0].points == pytest.approx(
        100 * (explanation.contributions[0].after - explanation.start)
    )


@pytest.mark.parametrize(
    ("value", "outcome", "words"),
    [
        (140, "127 to 150", "140 (127 to 150)"),
        ("r", "r", "r"),
        (None, "missing", "missing"),
        ("x", None, "'x' (unknown)"),
    ],
)
def test_an_answer_in_words(value: Any, outcome: str | None, words: str) -> None:
    assert Contribution("t", value, outcome, 1, 1, score=0.1, before=0.4, after=0.5).answered == words
