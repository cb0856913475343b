"""Consultations of trees for new cases: the model's probabilities, early ends, and tests that cannot be done."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
import reference
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ResultError, TreeError
from budgetree.tree.consultation import possible_leaves
from budgetree.tree.explanation import explain
from built_trees import late_branch_tree, random_tree, stages_tree
from new_cases import PRICES, frame_of, new_tree, wild_rows

KINDS = [("model", 0.8), ("model", None), ("tree", None)]


@pytest.mark.parametrize(("leaves", "confidence"), KINDS)
def test_a_consultation_ends_where_predict_does(leaves: str, confidence: float | None) -> None:
    tree, rows = new_tree(leaves, confidence), wild_rows(7)
    walk = tree.walk(frame_of(rows))
    shares, cost, done = walk.probabilities, walk.cost.tolist(), walk.tests
    for number, row in enumerate(rows):
        case = tree.ask(row)
        assert case.done
        assert case.prediction == tree.answer_names[walk.answers[number]]
        assert list(case.distribution.values()) == shares[number].tolist()
        assert case.spent == cost[number]
        assert tuple(step.test for step in case.history) == done[number]


def test_probabilities_before_a_purchase_are_those_of_the_model_that_was_not_sure() -> None:
    tree, n_seen = new_tree("model", 0.8), 0
    for row in wild_rows(1, 100):
        case = bt.Consultation(tree)
        while not case.done:
            split = tree.nodes.splits[tree.nodes.rule[tree.nodes.parent[case.node]]] if case.rule is not None else None
            if split is not None and split.totals is not None:
                assert {tree.test_names[test] for test in split.totals.tests} <= {step.test for step in case.history}
                codes = np.array([[case.codes.get(test, 255) for test in range(len(tree.test_names))]], dtype=np.uint8)
                expected = bt.Model(split.totals).probabilities(split.totals.add_up(codes))[0]
                assert case.shares == pytest.approx(expected)
                assert case.shares.max() < 0.8
                n_seen += 1
            assert case.next_test is not None
            value = row[case.next_test]
            case.answer(None if value == "purple" else value, insist=True)
    assert n_seen > 10


def test_nothing_is_asked_where_the_answer_is_sure() -> None:
    tree = new_tree("model", 0.8)
    cases = [tree.ask(row) for row in wild_rows(2, 100)]
    early = [case for case in cases if case.is_early]
    assert early
    assert len(early) < len(cases)
    for case in early:
        assert max(case.distribution.values()) >= 0.8
        assert case.next_test is None
        assert case.price == case.worst_case_remaining == 0


@pytest.mark.parametrize(("leaves", "confidence"), KINDS)
def test_tests_that_cannot_be_done_are_not_paid_and_the_budget_holds(leaves: str, confidence: float | None) -> None:
    tree = new_tree(leaves, confidence)
    rng = np.random.default_rng(4)
    for row in wild_rows(9, 60):
        case = bt.Consultation(tree)
        left = [case.worst_case_remaining]
        while not case.done:
            assert case.spent + case.worst_case_remaining <= tree.max_cost + 1e-9
            assert case.price <= case.worst_case_remaining
            before, n_done = case.spent, len(case.history)
            if rng.random() < 0.4:
                case.unavailable()
                assert case.spent == before
                assert not case.history[n_done].available
                assert case.history[n_done].price == 0
            else:
                name = case.next_test
                value = row[name]  # type: ignore[index]
                case.answer("r" if value == "purple" else value)
            left.append(case.worst_case_remaining + case.spent)
        assert all(after <= before + 1e-9 for before, after in pairwise(left))
        paid = {step.test for step in case.history if step.available}
        fee = 0.5 if paid & {"dose", "grade"} else 0
        own = {"age": 1, "dose": 2, "grade": 1.5}
        colour = [3 if step.outcome is None else {"r": 1, "g": 2, "b": 3}[step.outcome] for step in case.history
                  if step.test == "colour" and step.available]  # fmt: skip
        assert case.spent == pytest.approx(sum(own[test] for test in paid - {"colour"}) + sum(colour) + fee)
        assert sum(case.distribution.values()) == pytest.approx(1)
    assert PRICES.shared["blood draw"].fee == 0.5


def test_an_ordinary_tree_goes_on_as_most_known_cases_did() -> None:
    instance = bt.datasets.load("pima")
    tree = bt.grow(instance, budget=2)
    case = bt.Consultation(tree)
    case.unavailable()
    commonest = np.bincount(instance.codes[:, instance.test_names.index("age")], instance.weights).argmax()
    answered = bt.Consultation(tree)
    answered.answer(answered.outcomes[commonest])
    assert case.next_test is not None
    assert (case.node, case.next_test) == (answered.node, answered.next_test)
    assert case.distribution == bt.Consultation(tree).distribution  # nothing is known yet
    assert case.possible == instance.n_objects
    assert (case.spent, case.worst_case_remaining) == (0, 1)
    assert case.history[0].assumed == answered.history[0].outcome
    assert not case.history[0].available
    while not case.done:
        case.unavailable()
    with refused(TreeError, subject="answer"):
        case.unavailable()
    assert case.spent == 0
    assert f"age is not available, path of {case.history[0].assumed} followed: " in str(explain(case))
    while case.history:
        case.undo()
    assert (case.next_test, case.spent, case.node) == ("age", 0, 0)


@pytest.mark.parametrize("seed", range(25))
def test_ordinary_trees_hold_their_budget_without_some_tests(seed: int) -> None:
    draw = random.Random(seed)
    tree = bt.grow(to_instance(reference.random_problem(draw)), budget=draw.choice([None, 3]))
    case = bt.Consultation(tree)
    while not case.done:
        assert case.spent + case.worst_case_remaining <= tree.max_cost + 1e-9
        assert case.price <= case.worst_case_remaining + 1e-9
        before, branch = case.spent, int(tree.nodes.below(case.node)[0])
        case.unavailable()
        children = list(dict.fromkeys(tree.nodes.below(branch).tolist()))
        sizes = tree.nodes.counts[children].sum(axis=1)
        assert (case.spent, case.node) == (before, children[sizes.argmax()])
        case.undo()
        case.unavailable() if draw.random() < 0.5 else case.answer(draw.choice(case.outcomes))
    assert case.spent <= tree.max_cost + 1e-9
    assert case.worst_case_remaining == 0


@pytest.mark.parametrize("seed", range(40))
def test_without_a_result_every_case_that_agrees_with_the_others_counts(seed: int) -> None:
    """The reference goes through the known cases: those whose leaf no answer contradicts."""
    tree, cases = random_tree(seed, scored=False, losses=False)
    draw, nodes, ends = random.Random(seed), tree.nodes, tree.walk_codes(cases.codes).leaf
    if any(rule is not None for rule in map(nodes.rule_of, range(len(nodes)))):
        return  # fixed answers say their own probabilities
    case = bt.Consultation(tree)
    while not case.done:
        case.unavailable() if draw.random() < 0.5 else case.answer(draw.choice(case.outcomes))
        given = {
            test: code for test, code in case.codes.items() if case.history[list(case.codes).index(test)].available
        }
        counts = np.zeros(len(tree.class_names))
        for leaf in np.flatnonzero(nodes.is_leaf).tolist():
            path = nodes.path(leaf)
            agrees = all(
                nodes.below(node)[min(given[int(nodes.test[node])], len(nodes.below(node)) - 1)] == child
                for node, child in pairwise(path)
                if not nodes.is_buy[node] and int(nodes.test[node]) in given
            )
            counts += agrees * np.bincount(cases.labels[ends == leaf], cases.weight_units[ends == leaf], len(counts))
        if any(step.assumed is not None for step in case.history):
            assert case.possible == pytest.approx(float(cases.schema.cases(round(counts.sum()))))
            assert counts.sum() == 0 or case.shares == pytest.approx(counts / counts.sum())
            assert counts.sum() == 0 or case.position == counts.argmax()


def test_no_answer_is_certain_that_rests_on_an_assumed_result() -> None:
    """A tree without errors: one class per result of the first test."""
    codes = np.repeat([[0], [1], [2]], [5, 3, 2], axis=0)
    tree = bt.grow(bt.Instance(codes, codes[:, 0], prices=4))
    case = bt.Consultation(tree)
    case.unavailable()
    assert (tree.errors, case.done, case.prediction) == (0, True, 0)
    assert case.distribution == {0: 0.5, 1: 0.3, 2: 0.2}
    assert (case.spent, case.possible) == (0, 10)


def test_points_keep_every_side_that_a_missing_result_may_lead_to() -> None:
    """Three of a, five of b: without b, 3 points may be 3 or 8; without a, 5 may be 5 or 8."""
    cases = bt.Instance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], weights=[4, 3, 2, 1], test_names=["a", "b"])
    builder = bt.TreeBuilder(cases)
    bought = builder.buy(builder.buy(builder.root, 0), 1)
    points = {0: (0, 3, 1), 1: (0, 5, 1)}
    few, some, many = builder.branch(bought, bt.Split.by_points(points, cuts=(1, 4)))
    builder.leaf(few)
    builder.leaf(some)
    builder.leaf(many, bt.Points(bt.Totals.of_points(points), (6,), ((1, 0), (0, 1))))
    tree = builder.build()

    def ask(*answers: int | None) -> bt.Consultation:
        case = bt.Consultation(tree)
        for answer in answers:
            case.unavailable() if answer is None else case.answer(answer)
        return case

    assert [step.assumed for step in ask(0, 1).history] == [None, None]
    assert [step.assumed for step in ask(1, None).history] == [None, "an average result"]
    assert ask(1, None).distribution == {0: 4 / 6, 1: 2 / 6}  # two cases at 3 points; beyond 4 the halves of four
    assert ask(0, None).distribution == {0: 1, 1: 0}  # 0 to 5 points
    assert ask(None, 1).distribution == {0: 0.5, 1: 0.5}  # 5 or 8 points: sides of a leaf, which no case tells apart
    assert ask(None, None).possible == 10


@pytest.mark.parametrize("seed", range(30))
def test_no_leaf_is_ruled_out_that_some_results_would_lead_to(seed: int) -> None:
    """The reference gives the missing tests any results, and walks."""
    tree, draw = random_tree(seed, losses=False)[0], random.Random(seed)
    case = bt.Consultation(tree)
    while not case.done:
        case.unavailable() if draw.random() < 0.5 else case.answer(draw.choice(case.outcomes))
    n_outcomes = tree.schema.n_outcomes
    rows = np.random.default_rng(seed).integers(0, n_outcomes, (2000, len(n_outcomes)))
    for test, step in zip(case.codes, case.history, strict=True):
        if step.available:
            rows[:, test] = case.codes[test]
    missing = {test for test, step in zip(case.codes, case.history, strict=True) if not step.available}
    row = np.full((1, len(n_outcomes)), 255, dtype=np.uint8)
    row[0, list(case.codes)] = list(case.codes.values())
    leaves = set(tree.walk_codes(rows).leaf.tolist())
    if any(split.confidence is not None or split.is_score for split in tree.nodes.splits):
        return  # models take a missing result for the average one
    assert leaves <= set(possible_leaves(tree, row, case.codes, missing))
    counted = tree.nodes.counts[sorted(leaves)].sum()
    assert len(leaves) == 1 or case.possible >= tree.schema.cases(int(counted)) - 1e-6


def test_a_test_without_a_result_may_be_charged() -> None:
    prices = bt.Prices({"a": {"0": 2, "1": 3}, "b": 4}, shared={"visit": (5, ["a", "b"])})
    cases = bt.Instance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], prices=prices, test_names=["a", "b"])
    tree = bt.grow(cases)
    case = bt.Consultation(tree, charge_unavailable=True)
    left = case.worst_case_remaining
    price = case.price
    case.unavailable()
    spent = price - 1  # of the results whose branch is followed, the costliest takes 2, and not 3
    assert (case.spent, case.history[0].price, case.history[0].available) == (spent, spent, False)
    assert case.price + spent == case.spent + case.worst_case_remaining == left - 1  # the visit is paid
    case.undo()
    assert (case.spent, case.history, case.worst_case_remaining) == (0, (), left)


def test_a_score_that_is_high_or_low_enough_stops() -> None:
    tree, ends = stages_tree(), set()
    for row in wild_rows(7, 60):
        case = tree.ask(row)
        assert case.is_early == (len(case.history) == 2)
        ends.add((case.is_early, case.prediction))
        waiting = bt.Consultation(tree)
        waiting.answer(row["age"])
        assert waiting.rule is None
        waiting.answer(row["colour"]) if row["colour"] != "purple" else waiting.unavailable()
        if not waiting.done:  # the model that could not stop says what is known so far
            assert waiting.distribution["well"] == pytest.approx(waiting.shares[1])
            assert 0.231 - 1e-3 < waiting.distribution["well"] < 0.802 + 1e-3
    assert {early for early, _ in ends} == {True, False}


def test_models_take_what_is_not_available_for_the_average() -> None:
    tree = new_tree("model", None)
    case = bt.Consultation(tree)
    while not case.done:
        case.unavailable()
    parts = explain(case).contributions
    assert {part.score for part in parts} == {0.0}
    assert {part.points for part in parts} == {0.0}
    assert f"{parts[0].test} is not available" in str(explain(case))


def test_a_typing_error_is_still_refused() -> None:
    case = bt.Consultation(new_tree("model", None))
    with refused(ResultError, found="purpel"):
        case.answer("purpel")


def test_what_is_charged_without_a_result_falls_to_what_a_later_branch_takes() -> None:
    tree = late_branch_tree()
    case = bt.Consultation(tree, charge_unavailable=True)
    assert (case.spent, case.worst_case_remaining, tree.max_cost) == (0, 12, 12)
    case.unavailable()
    assert (case.spent, case.worst_case_remaining) == (5, 7)  # b and c, less 4 where a is taken to cost 1
    case.answer("0")
    assert (case.spent, case.worst_case_remaining) == (2, 10)
