"""Consultation and Tree.ask: the same answers and costs as for whole tables, one test at a time."""

from __future__ import annotations

import asyncio
import math
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ResultError, SettingError, TreeError
from budgetree.problem.results import code_of
from built_trees import early_tree, frame_of_rows, random_rows, random_tree
from losing import losing_tree
from new_cases import new_frame, wild_rows


def exact(amount: float) -> Fraction:
    return Fraction(str(amount))


def answer_by(case: bt.Consultation, row: dict[str, Any]) -> None:
    """One raw value, as `fetch` looks it up: also one that is not listed."""
    value = row[case.next_test]  # type: ignore[index]
    case._do(code_of(case.tree.schema, case._test, value), value)


def walk_all(tree: bt.Tree, case: bt.Consultation, check: Any) -> None:
    """Every sequence of outcomes, by answering and taking back."""
    check(case)
    if case.done:
        return
    for outcome in case.outcomes:
        before = (case.next_test, case.spent, case.history, case.distribution, case.worst_case_remaining)
        case.answer(outcome)
        walk_all(tree, case, check)
        case.undo()
        assert before == (case.next_test, case.spent, case.history, case.distribution, case.worst_case_remaining)


@pytest.mark.parametrize("seed", range(40))
def test_every_way_through_costs_and_predicts_what_the_table_does(seed: int) -> None:
    instance = to_instance(reference.random_problem(random.Random(seed)))
    tree = bt.grow(instance, budget=random.Random(seed).choice([None, 3]))
    most_by_prefix: dict[tuple[Any, ...], Fraction] = {}

    def check(case: bt.Consultation) -> None:
        answered = {step.test: step.outcome for step in case.history}
        codes = [
            instance.outcome_names[t].index(answered[name]) if name in answered else 0
            for t, name in enumerate(instance.test_names)
        ]
        assert exact(case.spent) == sum((exact(step.price) for step in case.history), Fraction(0))
        assert case.spent + case.worst_case_remaining <= tree.max_cost + 1e-9
        assert sum(case.distribution.values()) == pytest.approx(1)
        if case.done:
            walk = tree.walk_codes([codes])
            assert tree.answer_names[walk.answers[0]] == case.prediction
            assert walk.cost.tolist() == [case.spent]
            assert (case.next_test, case.outcomes, case.price, case.worst_case_remaining) == (None, (), 0, 0)
            for length in range(len(case.history) + 1):
                rest = sum((exact(step.price) for step in case.history[length:]), Fraction(0))
                prefix = tuple((step.test, step.outcome) for step in case.history[:length])
                most_by_prefix[prefix] = max(rest, most_by_prefix.get(prefix, Fraction(0)))

    remaining: dict[tuple[Any, ...], Fraction] = {}

    def note(case: bt.Consultation) -> None:
        check(case)
        remaining[tuple((step.test, step.outcome) for step in case.history)] = exact(case.worst_case_remaining)

    walk_all(tree, bt.Consultation(tree), note)
    assert remaining == most_by_prefix  # the worst case that remains is the costliest way there is
    assert remaining[()] == exact(tree.max_cost)


KNOWN = pd.DataFrame(
    {
        "age": [20.0, 31, 42, 53, 64, 75, 86, 97, 25, 36, 47, math.nan],
        "grade": [1, 2, 3] * 4,
        "smoker": ["Yes", "no", None] * 4,
        "ill": ["y", "n", "n", "y", "y", "n", "y", "n", "n", "y", "n", "y"],
    }
)
PRICES = bt.Prices(
    {"age": 1, "grade": {"1": 2, "2": 3, "3": 2}, "smoker": 4}, shared={"visit": (5, ["grade", "smoker"])}
)


def pathway(*columns: str) -> bt.Tree:
    prices = {name: PRICES.tests[name] for name in columns}
    return bt.grow(bt.Instance.from_frame(KNOWN[[*columns, "ill"]], "ill", prices=prices, duplicates="keep"))


def test_raw_values_are_read_as_the_table_was() -> None:
    tree = bt.grow(bt.Instance.from_frame(KNOWN, "ill", prices=PRICES))
    for _, row in KNOWN.iterrows():
        asked = []

        def fetch(test: str, row: Any = row, asked: list[str] = asked) -> Any:
            asked.append(test)
            return row[test]

        case = tree.ask(fetch)
        frame = KNOWN.loc[[row.name]]
        assert (case.prediction, case.spent) == (tree.predict(frame)[0], tree.walk(frame).cost[0])
        assert asked == [step.test for step in case.history]
        assert len(set(asked)) == len(asked)


@pytest.mark.parametrize(
    ("column", "value", "outcome"),
    [
        ("age", 31, "30 to 34"),
        ("age", "31", "30 to 34"),
        ("age", np.float32(31), "30 to 34"),
        ("age", 91.5, "90 or more"),
        ("age", None, "missing"),
        ("age", "Missing", "missing"),
        ("age", "30 to 34", "30 to 34"),
        ("grade", 2, "2"),
        ("grade", "2", "2"),
        ("grade", 2.0, "2"),
        ("smoker", "yes", "Yes"),
        ("smoker", math.nan, "missing"),
    ],
)
def test_what_a_person_may_answer(column: str, value: Any, outcome: str) -> None:
    case = bt.Consultation(pathway(column))
    case.answer(value)
    assert case.history[0].outcome == outcome
    assert case.history[0].value is value


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("age", "old", "a number (the known ones run from 20 to 97), or 'missing'"),
        ("age", math.inf, "a number (the known ones run from 20 to 97), or 'missing'"),
        ("age", True, "a number (the known ones run from 20 to 97), or 'missing'"),
        ("grade", 4, "one of '1', '2', '3'"),
        ("grade", None, "one of '1', '2', '3'"),
        ("smoker", "maybe", "one of 'Yes', 'no', 'missing' (None means missing)"),
        ("smoker", ["Yes"], "one of 'Yes', 'no', 'missing' (None means missing)"),
    ],
)
def test_a_wrong_value_is_refused_and_loses_nothing(column: str, value: Any, expected: str) -> None:
    case = bt.Consultation(pathway(column))
    before = repr(case)
    with refused(ResultError, subject=column, found=value, expected=expected):
        case.answer(value)
    assert repr(case) == before
    assert case.history == ()
    with refused(ResultError, subject=column, found=value, expected=expected):
        case.tree.ask(lambda _: value, handle_unknown="error")


def test_a_mapping_will_do_and_nonsense_is_refused_as_in_a_table() -> None:
    tree = pathway("age")
    assert tree.ask({"age": 31}).prediction == tree.ask(lambda _: 31).prediction
    for wrong in ("banana", True, pd.Series([31.0]), [31], math.inf):
        with refused(ResultError, subject="age"):
            tree.ask({"age": wrong})
    smoker = pathway("smoker")
    with refused(ResultError, subject="smoker"):
        smoker.ask({"smoker": pd.Series(["Yes"])})


def test_decimals_are_read_as_in_a_table() -> None:
    table = pl.DataFrame({"dose": [Decimal("0.1"), Decimal("0.2")] * 3, "y": ["u", "v"] * 3})
    tree = bt.grow(bt.Instance.from_frame(table, "y"))
    assert [tree.ask(row).prediction for row in table.rows(named=True)] == ["u", "v"] * 3


@pytest.mark.parametrize("huge", ["1" * 400, 10**400, 10**5000, "1e999"], ids=["text", "long", "longer", "float"])
def test_a_number_without_end_is_refused_like_any_other(huge: Any) -> None:
    for column in ("age", "grade"):
        with refused(ResultError, subject=column, found=huge):
            bt.Consultation(pathway(column)).answer(huge)


def test_codes_are_answers_where_the_instance_was_made_from_codes() -> None:
    tree = bt.grow(bt.Instance([[0], [1]], ["a", "b"], test_names=["t"], outcome_names=[["no", "yes"]]))
    assert [tree.ask(lambda _, v=v: v).prediction for v in (0, 1)] == ["a", "b"]
    case = bt.Consultation(tree)
    case.answer("yes")
    assert case.prediction == "b"
    with refused(ResultError, subject="t", found=2, expected="one of 'no', 'yes'"):
        bt.Consultation(tree).answer(2)


def test_a_number_that_cannot_be_is_refused_unless_one_insists() -> None:
    age = np.linspace(20, 70, 101)
    frame = pd.DataFrame({"age": age, "yes": np.arange(101) % 2, "d": np.where(age < 40, "a", "b")})
    tree = bt.grow(bt.Instance.from_frame(frame[["age", "d"]], "d"))
    for beyond in (570, "570", 75.5, "14,9", -3):
        case = bt.Consultation(tree)
        with refused(ResultError, subject="age", found=beyond):
            case.answer(beyond)
        assert case.history == ()
        case.answer(beyond, insist=True)
        assert case.done
    for within in (75, "15", 15.5):
        bt.Consultation(tree).answer(within)
    assert tree.ask({"age": 570}).prediction == tree.predict(pd.DataFrame({"age": [570]}))[0]  # rows are never refused
    assert tree.ask({"age": 570}, handle_unknown="error").done
    yes = bt.Consultation(bt.grow(bt.Instance.from_frame(frame[["yes", "d"]], "d")))
    with refused(ResultError, subject="yes", found="10"):
        yes.answer("10")


def test_who_insists_on_an_unknown_category_ends_as_in_predict() -> None:
    case = bt.Consultation(pathway("smoker"))
    case.answer("sometimes", insist=True)
    assert (case.done, case.history[0].outcome) == (True, None)
    with refused(ResultError, subject="age", found="banana"):
        bt.Consultation(pathway("age")).answer("banana", insist=True)


def test_a_value_that_no_known_case_had_ends_as_in_predict() -> None:
    tree = pathway("smoker")
    case = tree.ask(lambda _: "sometimes")
    frame = pd.DataFrame({"smoker": ["sometimes"]})
    assert (case.done, case.prediction, case.spent) == (True, tree.predict(frame)[0], tree.walk(frame).cost[0])
    assert case.history[0].outcome is None


def test_the_end_and_the_beginning_are_guarded() -> None:
    case = bt.Consultation(pathway("grade"))
    with refused(TreeError, subject="undo"):
        case.undo()
    case.answer(1)
    with refused(TreeError, subject="answer", found=case.prediction):
        case.answer(1)
    with refused(TreeError, subject="tree", found={}):
        bt.Consultation({})  # type: ignore[arg-type]
    with refused(SettingError, subject="handle_unknown", found="ignore", expected=("stop", "error")):
        case.tree.ask(lambda _: 1, handle_unknown="ignore")  # type: ignore[arg-type]


def test_what_fetch_raises_passes_through() -> None:
    with pytest.raises(KeyError, match="grade"):
        pathway("grade").ask({}.__getitem__)


def test_a_fee_is_in_the_price_of_the_first_of_its_tests() -> None:
    own = {"grade": 3, "smoker": 4}
    prices = bt.Prices(own, shared={"visit": (5, ["grade", "smoker"])})
    known = [[grade, smoker] for grade in range(2) for smoker in range(2)]
    tree = bt.grow(bt.Instance(known, [0, 1, 1, 0], prices=prices, test_names=["grade", "smoker"]))
    case = bt.Consultation(tree)
    first = case.next_test
    assert case.price == own[first] + 5
    case.answer(0)
    assert case.next_test != first
    assert case.price == own[case.next_test]
    case.answer(0)
    assert (case.spent, case.done) == (12, True)


def test_a_test_branched_on_twice_is_asked_once() -> None:
    """Trees may use what is already paid once more; this one splits its first test's outcomes in two steps."""
    instance = bt.Instance([[0], [1], [2]], ["a", "b", "c"], test_names=["t"], prices=7)
    builder = bt.TreeBuilder(instance)
    first, rest = builder.branch(builder.buy(builder.root, "t"), bt.Split.by_result(0, (0, 1, 1, 1)))
    for end in (first, *builder.branch(rest, bt.Split.by_result(0, (0, 0, 1, 0)))):
        builder.leaf(end)
    tree = builder.build()
    asked: list[str] = []
    case = tree.ask(lambda test: asked.append(test) or 2)
    assert (asked, case.prediction, case.spent, len(case.history)) == (["t"], "c", 7, 1)
    assert (tree.predict_codes([[2]])[0], tree.walk_codes([[2]]).spent[0]) == ("c", 7)
    case.undo()
    case.unavailable()
    assert case.history[0].assumed == "1"  # of the two results that are possible there, not "0 or 1"


@pytest.mark.parametrize("seed", range(150))
def test_a_case_ends_where_the_walk_of_its_row_ends(seed: int) -> None:
    """Trees with every kind of node and leaf, and values that no known case has."""
    tree, _ = random_tree(seed)
    rows = random_rows(tree, seed, 40)
    walk = tree.walk(frame_of_rows(rows))
    most = 0.0
    for number, row in enumerate(rows):
        case = bt.Consultation(tree)
        while not case.done:
            assert case.price <= case.worst_case_remaining <= tree.max_cost - case.spent + 1e-9
            assert sum(case.distribution.values()) == pytest.approx(1)
            left = case.spent + case.worst_case_remaining
            answer_by(case, row)
            assert case.spent + case.worst_case_remaining <= left + 1e-9
        assert case.node == walk.leaf[number]
        assert case.tree.schema.costs.budget_units(case.spent) == walk.spent[number]
        assert case.prediction == tree.answer_names[walk.answers[number]]
        assert case.shares.tolist() == walk.probabilities[number].tolist()
        most = max(most, float(case.spent))
    assert most <= tree.max_cost
    assert bt.Consultation(tree).worst_case_remaining == tree.max_cost


def most_by_trying(case: bt.Consultation) -> float:
    """The most that is spent at the end, over every result of every test to come."""
    if case.done:
        return float(case.spent)
    most = 0.0
    for code in (*range(len(case.outcomes)), 255):
        case._do(code, None)
        most = max(most, most_by_trying(case))
        case.undo()
    return most


@pytest.mark.parametrize("seed", range(60))
def test_what_may_still_come_is_what_some_results_cost(seed: int) -> None:
    """Trees that branch again on what they bought, with fees, and with tests that cannot be done."""
    tree, _ = random_tree(seed, scored=False)
    draw = random.Random(seed)
    for row in random_rows(tree, seed, 3):
        case = bt.Consultation(tree)
        while not case.done:
            assert case.spent + case.worst_case_remaining == pytest.approx(most_by_trying(case))
            case.unavailable() if draw.random() < 0.3 else answer_by(case, row)


@pytest.mark.parametrize("seed", range(40))
def test_known_results_are_free_and_the_path_goes_on_from_there(seed: int) -> None:
    tree, _ = random_tree(seed)
    draw, rows = random.Random(seed), random_rows(tree, seed, 10)
    walk = tree.walk(frame_of_rows(rows))
    for number, row in enumerate(rows):
        free = {}
        for name in draw.sample(list(row), draw.randint(0, len(row))):
            try:
                bt.Consultation(tree, known={name: row[name]})
            except ResultError:
                continue  # what no known case has
            free[name] = row[name]
        case, fresh = bt.Consultation(tree, known=free), bt.Consultation(tree, known=free)
        while not case.done:
            assert case.next_test not in free
            assert case.price <= case.worst_case_remaining + 1e-9
            left = case.spent + case.worst_case_remaining
            answer_by(case, row)
            assert case.spent + case.worst_case_remaining <= left + 1e-9
        assert (case.node, case.prediction) == (walk.leaf[number], tree.answer_names[walk.answers[number]])
        paid = {step.test for step in case.history if not step.known}
        assert all(step.price == 0 for step in case.history if step.known)
        assert paid.isdisjoint(free)
        for _ in paid:
            case.undo()
        if not any(split.confidence is not None or split.is_score for split in tree.nodes.splits):  # then both may come
            assert case.worst_case_remaining == pytest.approx(most_by_trying(case))
        assert (case.node, case.spent, case.history) == (fresh.node, 0, fresh.history)


def test_a_known_result_of_no_test_is_refused() -> None:
    with refused(SettingError, subject="known", found="agee"):
        bt.Consultation(pathway("age"), known={"agee": 54})
    with refused(ResultError, subject="age", found="banana"):
        bt.Consultation(pathway("age"), known={"age": "banana"})


@pytest.mark.parametrize("seed", range(80))
def test_without_some_results_a_case_pays_for_the_others_alone(seed: int) -> None:
    """The reference adds up the price list; every other step is taken back and done again."""
    tree, cases = random_tree(seed)
    draw, prices = random.Random(seed), cases.schema.prices
    for row in random_rows(tree, seed, 15):
        case = bt.Consultation(tree)
        while not case.done:
            before = (case.node, case.spent, case.worst_case_remaining, case.history)
            case.unavailable()
            assert case.spent == before[1]
            assert not case.history[-1].available
            case.undo()
            assert (case.node, case.spent, case.worst_case_remaining, case.history) == before
            assert case.price <= case.worst_case_remaining <= tree.max_cost - case.spent + 1e-9
            case.unavailable() if draw.random() < 0.5 else answer_by(case, row)
        paid = [step for step in case.history if step.available]
        own = Fraction(0)
        for step in paid:
            price = prices.tests[step.test]
            by_outcome = price if isinstance(price, dict) else {}
            own += exact(by_outcome.get(step.outcome, max(by_outcome.values(), default=price)))
        shared = [exact(each.fee) for each in prices.shared.values() if set(each.tests) & {step.test for step in paid}]
        assert exact(case.spent) == own + sum(shared)


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_a_consultation_answers_what_predict_does_where_there_are_losses(leaves: str | None) -> None:
    tree = losing_tree(leaves)
    frame = new_frame(1, 60)
    expected = tree.predict(frame).tolist()
    rows = frame.drop(columns="class").to_dict("records")
    assert [tree.ask(row).prediction for row in rows] == expected
    assert {"refer", "wait"} & set(expected)


@pytest.mark.parametrize("typed", ["15,000", "-1,500"])
def test_a_comma_before_three_digits_is_not_guessed(typed: str) -> None:
    frame = pd.DataFrame(
        {"a": range(20000, 0, -100), "d": ["ill" if a > 1000 else "ok" for a in range(20000, 0, -100)]}
    )
    case = bt.Consultation(bt.grow(bt.Instance.from_frame(frame, "d"), budget=1))
    with refused(ResultError, subject="a", found=typed):
        case.answer(typed)
    case.answer("150,5")  # a decimal comma is one


def test_a_fetch_that_fails_leaves_a_case_that_can_go_on() -> None:
    tree, row = early_tree(), wild_rows(3, 1)[0] | {"colour": "g"}

    def broken(test: str) -> Any:
        if test == "colour":
            raise TimeoutError(test)
        return row[test]

    case = bt.Consultation(tree)
    with pytest.raises(TimeoutError):
        case.fetch(broken)
    assert (case.next_test, len(case.history)) == ("colour", 1)
    case.fetch(row)
    assert (case.node, case.spent) == (tree.ask(row).node, tree.ask(row).spent)
    case = tree.ask(broken, on_error="unavailable")
    assert [step.available for step in case.history if step.test == "colour"] == [False]
    assert case.done
    with refused(SettingError, subject="on_error", found="stop"):
        tree.ask(row, on_error="stop")  # type: ignore[arg-type]


def test_tests_bought_in_any_case_are_fetched_together() -> None:
    tree, row = early_tree(), wild_rows(3, 1)[0] | {"colour": "g"}
    assert bt.Consultation(tree).next_tests == ("age", "colour")
    assert bt.Consultation(tree, known={"colour": "r"}).next_tests == ("age",)
    waiting, most = 0, 0

    async def fetch(test: str) -> Any:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0)
        waiting -= 1
        if test == "dose":
            raise TimeoutError(test)
        return row[test]

    case = asyncio.run(tree.ask_async(fetch, on_error="unavailable"))
    wanted = tree.ask(row | {"dose": None})
    assert (most, case.node, case.history[:2]) == (2, wanted.node, wanted.history[:2])
    assert (case.next_tests, case.done) == ((), True)
    if any(step.test == "dose" for step in case.history):
        with pytest.raises(TimeoutError):
            asyncio.run(tree.ask_async(fetch))
