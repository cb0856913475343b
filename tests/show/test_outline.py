"""The outline: outcomes with the same subtree share a branch, neighbouring levels are one name."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.show.drawing import Box
from budgetree.show.export import FORMATS
from budgetree.show.outline import point_names
from built_trees import (
    BUILT,
    confident_tree,
    early_tree,
    known_cases,
    plain_tree,
    points_tree,
    random_tree,
    scores,
    stages_tree,
)


def test_leaves_that_predict_the_same_share_a_line() -> None:
    instance = bt.Instance([[0], [1], [2]], ["a", "a", "b"], outcome_names=[["x", "y", "z"]])
    assert "├─ x | y: → a, spent 1  [a 2]" in bt.grow(instance).to_text()


def test_neighbouring_ranges_are_joined() -> None:
    frame = pd.DataFrame({"age": [1.0, 4.0, 9.0, None], "diagnosis": ["a", "a", "b", "a"]})
    instance = bt.Instance.from_frame(frame, "diagnosis", levels={"age": 3}, binning="uniform", blanks="result")
    assert "├─ 1.0 to 7.0 | missing: → a, spent 1  [a 3]" in bt.grow(instance).to_text()


def test_categories_that_look_like_ranges_stay_apart() -> None:
    names = [["home to work", "work to gym", "gym to home"]]
    instance = bt.Instance([[0], [1], [2]], ["a", "a", "b"], outcome_names=names)
    assert "home to work | work to gym" in bt.grow(instance).to_text()


def test_the_groups_are_the_branches_as_plain_data() -> None:
    instance = bt.Instance([[0], [1], [2]], ["a", "a", "b"], outcome_names=[["x", "y", "z"]])
    assert bt.grow(instance).outline.groups() == [
        {
            "nodes": [0],
            "buys": [0],
            "end": 1,
            "branches": [
                {"outcomes": [0, 1], "below": 1},
                {"outcomes": [2], "below": 2},
            ],
        },
        {"nodes": [2, 3]},
        {"nodes": [4]},
    ]


def test_a_walk_comes_to_every_group_once_after_those_above() -> None:
    tree = bt.grow(bt.datasets.load("soybean"))
    visits = list(tree.outline.walk())
    assert sorted(visit.group for visit in visits) == sorted(tuple(group["nodes"]) for group in tree.outline.groups())
    assert sum(visit.branch is not None for visit in visits) == len(tree.outline.groups()) - 1
    place = {visit.group: at for at, visit in enumerate(visits)}
    for visit in visits[1:]:
        assert visit.above is not None
        assert visit.depth == visits[place[visit.above]].depth + 1
        assert place[visit.above] < place[visit.group]
    inner = [group for group in tree.outline.groups() if "branches" in group]
    assert sum(visit.is_last for visit in visits) == len(inner)


@pytest.mark.parametrize("seed", range(60))
def test_leaves_are_counted_as_they_are_shown(seed: int) -> None:
    tree, _ = random_tree(seed)
    arrows = [line for line in tree.to_text().splitlines() if "→ " in line]
    assert tree.n_leaves == len(arrows) == sum("branches" not in group for group in tree.outline.groups())
    assert tree.export("dot").count("fillcolor=") - 1 == tree.n_leaves
    leaves = [node for group in tree.outline.groups() if "branches" not in group for node in group["nodes"]]
    assert len(set(leaves)) == len(leaves)
    hidden = set(np.flatnonzero(tree.nodes.is_leaf).tolist()) - set(leaves)
    assert not any(tree.nodes.counts[node].any() for node in hidden)


def test_a_purchase_and_its_branch_are_one_step() -> None:
    lines = plain_tree().to_text().splitlines()
    assert lines[1] == "colour? costs 1 to 3  [ill 41, well 58, worse 51]"
    assert lines[2].startswith("├─ b: grade? costs 2 with 0.5 for blood draw, spent 3  [")
    assert len(lines) == 7  # nothing about results that no known case showed


def test_tests_bought_one_after_the_other_are_one_stage() -> None:
    lines = early_tree().to_text().splitlines()
    assert lines[1] == "buy age + colour: costs 2 to 4, then colour?  [ill 41, well 58, worse 51]"
    assert lines[2].startswith("├─ b | r: age? already paid, spent 4  [")


def test_a_sure_model_stops() -> None:
    lines = confident_tree().to_text().splitlines()
    assert lines[1].startswith("buy age: costs 1, then the model of age?  [")
    assert lines[2].startswith("├─ 80% sure: → by the model of age: ")
    assert lines[3].startswith("└─ less sure: buy colour: costs 1 to 3, then the model of age + colour?, spent 1  [")
    assert confident_tree().n_leaves == 4


def test_a_score_is_shown_as_a_chance() -> None:
    lines = [line.partition(", spent")[0] for line in stages_tree().to_text().splitlines()]
    assert lines[1].startswith("buy age + colour: costs 2 to 4, then chance of well by the model of age + colour?")
    assert lines[2:] == [
        "├─ below 23.1%: → ill",
        "├─ 23.1% to 80.2%: buy dose: costs 2.5 with 0.5 for blood draw",
        "│  └─ → by the model of age + colour + dose: 89% ill, 11% well",
        "└─ 80.2% or more: → well",
    ]
    conditions = [rule.conditions for rule in stages_tree().rules()]
    assert conditions[0] == (("chance of well by the model of age + colour", ("below 23.1%",)),)
    assert "chance of well by the model of age + colour" in stages_tree().export("dot")


def test_points_are_listed_once_below() -> None:
    lines = points_tree().to_text().splitlines()
    assert lines[1].startswith(
        "buy colour + grade: costs 3 to 5 with 0.5 for blood draw, then points of colour + grade?"
    )
    assert lines[2].startswith("├─ 1 point or fewer | 7 points or more: → ill, spent 5  [")
    assert (
        "→ by points of colour + grade: 2 points or fewer ill, 3 to 4 points well, 5 points or more worse, " in lines[4]
    )
    assert lines[-3:-1] == ["points of colour + grade:", "  colour  b: 0; g: 5; r: 2; anything else: 0"]
    assert "points of colour" not in points_tree().to_text(max_depth=0)


@pytest.mark.parametrize(
    ("sides", "names"),
    [
        ([0], ("1 point or fewer",)),
        ([1], ("2 to 6 points",)),
        ([2], ("7 points",)),
        ([3], ("8 points or more",)),
        ([1, 2], ("2 to 7 points",)),
        ([0, 2, 3], ("1 point or fewer", "7 points or more")),
        ([0, 1, 2, 3], ("any",)),
    ],
)
def test_totals_have_names(sides: list[int], names: tuple[str, ...]) -> None:
    assert point_names((2, 7, 8), sides) == names


@pytest.mark.parametrize("name", BUILT)
def test_every_picture_of_a_built_tree_is_drawn(name: str) -> None:
    tree = BUILT[name]()
    drawn = [box.hint for box in tree.draw().shapes if isinstance(box, Box)]
    described = {tree.words.describe(tuple(group["nodes"])) for group in tree.outline.groups()}
    assert set(drawn) == described
    assert tree.to_svg().count("<title>") == len(drawn)


def test_a_tree_that_no_case_was_counted_in_can_be_shown() -> None:
    cases = known_cases()
    builder = bt.TreeBuilder(cases.schema)
    end = builder.buy(builder.root, "age")
    model = scores(random.Random(1), builder, [0])
    stop, end = builder.branch(end, bt.Split.by_confidence(model, 0.9))
    builder.leaf(stop, model)
    builder.leaf(builder.buy(end, "colour"), model)
    tree = builder.build()
    assert tree.to_text().splitlines() == [
        "0 cases, 2 tests, 2 leaves; worst case 4, mean 0; 0 errors",
        "buy age: costs 1, then the model of age?  [no known case]",
        "├─ 90% sure: → by the model of age, spent 1  [no known case]",
        "└─ less sure: buy colour: costs 1 to 3, spent 1  [no known case]",
        "   └─ → by the model of age, spent 4  [no known case]",
    ]
    for form in ("rules", "stages", "dot", "svg", "python", "javascript", "sql"):
        assert tree.export(form)


@pytest.mark.parametrize("form", ["text", "svg", "onnx"])
def test_a_form_is_written_by_its_name(form: str) -> None:
    tree = plain_tree()
    assert tree.export(form) == getattr(tree, f"to_{form}")()


def test_another_form_is_refused_with_those_there_are() -> None:
    with refused(SettingError, subject="format", found="cobol", expected=tuple(FORMATS)):
        plain_tree().export("cobol")


@pytest.mark.parametrize("n_ill", [1, 3])
def test_the_class_looked_for_is_the_rarer_as_in_an_evaluation(n_ill: int) -> None:
    cases = bt.Instance([[0], [0], [1], [1]], ["ill"] * n_ill + ["ok"] * (4 - n_ill))
    tree = bt.grow(cases)
    assert cases.class_names[tree.outline.target] == ("ill" if n_ill == 1 else "ok")
    assert tree.outline.target == cases.schema.loss_table.positive([n_ill, 4 - n_ill])[0]
