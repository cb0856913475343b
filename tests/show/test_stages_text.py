"""The chart of a pathway of stages."""

from __future__ import annotations

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TreeError
from budgetree.messages import stability_sentence
from budgetree.show.stages_text import GO_ON, stage_records, stages_chart
from budgetree.tree import Points, Split, Totals

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
    chart = stage_records(staged())
    assert chart is not None
    first, second = chart.stages
    assert (first.price, first.spent, second.price, second.spent) == (2, 2, 40, 42)
    assert [(test.test, test.groups, test.otherwise) for test in first.parts[0].tests] == [
        (0, ((("old",), 1), (("young",), 0)), 0),
        (1, ((("some",), 2), (("none",), 0)), 1),
    ]
    endings = [(e.low, e.high, e.answer, e.cases) for e in first.parts[0].endings]
    assert endings == [(0, 0, 0, (2, 0)), (1, 2, GO_ON, (1, 1)), (3, 3, 1, (1, 2))]
    assert [(e.low, e.high, e.answer, e.cases) for e in second.parts[0].endings] == [
        (1, 2, 0, (0, 1)),
        (3, 5, 1, (1, 0)),
    ]
    assert second.chances == ((1, 0.2), (2, 0.4), (3, 0.6), (4, 0.7), (5, 0.8))


def test_the_chart() -> None:
    rule = "-" * 100
    assert stages_chart(staged()) == "\n".join([
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
        "  scan   spots: 3 | clear: 0 | unknown: 1",
        "  TOTAL  1-2   NO    1 case, 1 yes",
        "         3-5   YES   1 case, 0 yes",
        rule,
        "chance of yes   stage 1 total  0: 10  1: 20  2: 40  3: 60 %",
        "                stage 2 total  1: 20  2: 40  3: 60  4: 70  5: 80 %",
    ])  # fmt: skip


def test_a_tree_that_branches_by_results_has_no_chart() -> None:
    builder = bt.TreeBuilder(CASES)
    for end in builder.branch(builder.buy(builder.root, "age"), "age"):
        builder.leaf(end)
    tree = builder.build()
    assert stages_chart(tree) is None
    with refused(TreeError, subject="stages"):
        tree.export("stages")
    assert staged().export("stages") == stages_chart(staged())


def test_the_chart_ends_with_what_to_expect_and_how_firm_it_is() -> None:
    result = bt.fit(bt.datasets.load("pima"), budget=22, leaves="points")
    assert result.estimate is not None
    assert result.estimate.stability is not None
    last = " ".join((stages_chart(result.tree) or "").split("-" * 100)[-1].split())
    assert f"{result.estimate}; mean cost of the known cases" in last
    assert stability_sentence(result.estimate.stability, result.tree.schema) in last
