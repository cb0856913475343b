"""The chart of a pathway of stages."""

from __future__ import annotations

import numpy as np

import budgetree as bt
from budgetree.messages import stability_sentence
from budgetree.show.stages import stage_records
from budgetree.tree import Model, Points, Split, Totals
from built_trees import random_tree

CASES = bt.Instance(
    [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1], [0, 1, 0], [1, 1, 1]],
    ["no", "no", "no", "no", "yes", "yes", "yes"],
    test_names=["age", "pain", "scan"],
    outcome_names=[["young", "old"], ["none", "some"], ["clear", "spots"]],
    prices={"age": 1, "pain": 1, "scan": 40},
)
CHANCES = ((0.9, 0.1), (0.8, 0.2), (0.6, 0.4), (0.4, 0.6), (0.3, 0.7), (0.2, 0.8), (0.1, 0.9))


def staged() -> bt.Tree:
    builder = bt.TreeBuilder(CASES)
    own = {0: (0, 1, 0), 1: (0, 2, 1), 2: (0, 3, 1)}
    first, both = (Totals.of_points({test: own[test] for test in tests}) for tests in ((0, 1), (0, 1, 2)))
    end = builder.buy(builder.buy(builder.root, "age"), "pain")
    low, on, high = builder.branch(end, Split.by_points(first, (1, 3)))
    for side in (low, high):
        builder.leaf(side, Points(first, (1, 2, 3), CHANCES[:4]))
    builder.leaf(builder.buy(on, "scan"), Points(both, (1, 2, 3, 4, 5, 6), CHANCES))
    return builder.build()


def test_the_records_say_what_is_bought_and_who_stops() -> None:
    first, second = stage_records(staged())
    assert (first.price, first.spent, second.price, second.spent) == ((2,), (2,), (40,), (42,))
    assert [(test.test, test.groups, test.otherwise) for test in first.tests] == [
        (0, ((("old",), 1), (("young",), 0)), 0),
        (1, ((("some",), 2), (("none",), 0)), 1),
    ]
    endings = [(e.names, e.goes_to, e.answer, e.cases) for e in first.endings]
    assert endings == [(("0",), None, 0, (2, 0)), (("1-2",), 2, None, (1, 1)), (("3",), None, 1, (1, 2))]
    assert [(e.names, e.goes_to, e.answer, e.cases) for e in second.endings] == [
        (("1-2",), None, 0, (0, 1)),
        (("3-5",), None, 1, (1, 0)),
    ]
    assert second.chances == ((1, 0.2), (2, 0.4), (3, 0.6), (4, 0.7), (5, 0.8))


def test_points_of_another_table_are_listed_from_the_start() -> None:
    builder = bt.TreeBuilder(CASES)
    first, other = Totals.of_points({0: (0, 1, 0)}), Totals.of_points({0: (0, 4, 0), 1: (0, 2, 1)})
    low, high = builder.branch(builder.buy(builder.root, "age"), Split.by_points(first, (1,)))
    builder.leaf(low)
    builder.leaf(builder.buy(high, "pain"), Points(other, (3,), CHANCES[2:4]))
    second = stage_records(builder.build())[1]
    assert [test.test for test in second.tests] == [1, 0]
    assert (second.price, second.spent) == ((1,), (2,))  # age was bought before
    assert (second.continues, second.total) == (False, "total of this stage")
    assert [ending.names for ending in second.endings] == [("0-2",), ("4-6",)]


def test_every_known_case_has_one_ending() -> None:
    for seed in range(60):
        tree, _ = random_tree(seed)
        for record in stage_records(tree):
            assert np.array([ending.cases for ending in record.endings]).sum(axis=0).tolist() == list(record.cases)
        numbers = [e.goes_to for record in stage_records(tree) for e in record.endings if e.goes_to is not None]
        assert sorted(numbers) == list(range(2, len(stage_records(tree)) + 1))


def test_the_chart() -> None:
    rule = "-" * 100
    assert staged().export("stages") == "\n".join([
        "YES?   learned from 7 cases (3 yes) · at most 42 each",
        "Add the points. Stop where it says so.",
        rule,
        "STAGE 1   2   everybody",
        "  age    old: 1 | young: 0 | unknown: 0",
        "  pain   some: 2 | none: 0 | unknown: 1",
        "  TOTAL  0     NO, stop           2 cases, 0 yes",
        "         1-2   go on to stage 2   2 cases",
        "         3     YES, stop          3 cases, 2 yes",
        rule,
        "STAGE 2   40 more (42 in all)   29 % of the cases",
        "  scan          spots: 3 | clear: 0 | unknown: 1",
        "  TOTAL so far  1-2   NO    1 case, 1 yes",
        "                3-5   YES   1 case, 0 yes",
        rule,
        "chance of yes   stage 1 total  0: 10  1: 20  2: 40  3: 60 %",
        "                stage 2 total  1: 20  2: 40  3: 60  4: 70  5: 80 %",
    ])  # fmt: skip


def test_a_model_of_two_classes_ends_with_the_chances_that_get_each_answer() -> None:
    losses = bt.Losses({"yes": 4, "no": 1}, answers={"refer": 0.5})
    cases = bt.Instance(CASES.codes, ["no", "no", "no", "no", "yes", "yes", "yes"], losses=losses)
    builder = bt.TreeBuilder(cases)
    builder.leaf(builder.buy(builder.root, 0), Model(Totals.of_points({0: (-3_000_000, 1_000_000, 0)})))
    (record,) = stage_records(builder.build())
    assert (record.unit, [ending.names for ending in record.endings]) == (
        "chance",
        [("below 12.5%",), ("12.5% to 50%",), ("50% or more",)],
    )
    assert [(ending.answer, sum(ending.cases)) for ending in record.endings] == [(0, 3), (2, 0), (1, 4)]


def test_a_tree_that_branches_by_results_says_where_to_go_on() -> None:
    builder = bt.TreeBuilder(CASES)
    young, old, other = builder.branch(builder.buy(builder.root, "age"), "age")
    for end in [young, other, *builder.branch(builder.buy(old, "pain"), "pain")]:
        builder.leaf(end)
    assert builder.build().export("stages").splitlines()[3:] == [
        "STAGE 1   1   everybody",
        "  age  young   NO, stop           3 cases, 1 yes",
        "       old     go on to stage 2   4 cases",
        "-" * 100,
        "STAGE 2   1 more (2 in all)   57 % of the cases",
        "  pain  none   NO    1 case, 0 yes",
        "        some   YES   3 cases, 2 yes",
    ]


def test_a_single_leaf_has_a_chart() -> None:
    assert bt.grow(CASES, budget=0).export("stages").splitlines()[-1] == "EVERYBODY   NO"


def test_the_chart_ends_with_what_to_expect_and_how_firm_it_is() -> None:
    result = bt.fit(bt.datasets.load("pima"), budget=22, leaves="points")
    assert result.estimate is not None
    assert result.estimate.stability is not None
    last = " ".join(result.tree.export("stages").split("-" * 100)[-1].split())
    assert f"{result.estimate} on the rows held out: mean cost" in last
    assert result.estimate.recalls == result.point.new_recalls
    assert stability_sentence(result.estimate.stability, result.tree.schema) in last
