"""Certificates under rules are never above brute force; a checker of its own refuses trees that break one."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import budgetree as bt
from budgetree.errors import TreeError
from budgetree.problem.cost_model import RuleKind
from budgetree.proof.check import seal, verify
from budgetree.proof.check.exhaust import ENDLESS, Search
from budgetree.proof.check.facts import RULES, Whole
from budgetree.proof.entries import facts_of
from reference_rules import RuleProblem, combinations_of_rules, draw_problem, least_losses
from ruled import instance_of

pytestmark = pytest.mark.filterwarnings("ignore:prices. no path can buy")
MOST = 12


def drawn(kinds: tuple[str, ...], n_resources: int) -> RuleProblem:
    return draw_problem(Random(f"certificate {kinds} {n_resources}"), kinds, n_resources)


@pytest.mark.parametrize("n_resources", [1, 2, 3])
def test_no_bound_under_rules_is_above_brute_force(n_resources: int) -> None:
    n_held = n_tight = 0
    for kinds in combinations_of_rules():
        problem = drawn(kinds, n_resources)
        known = least_losses(problem, MOST, known_only=True)
        instance, least = instance_of(problem), least_losses(problem, MOST)
        if least[MOST] is None:
            continue
        facts = facts_of(instance)
        for tree in (bt.optimal(instance, budget=MOST).tree, bt.grow(instance, budget=MOST)):
            try:
                certificate = bt.certify(instance, tree)
            except TreeError:
                assert "by outcome" in kinds  # known cases do not say what others pay there
                continue
            n_held += 1
            report = certificate.check()
            assert report.ok, (kinds, str(report))
            assert not report.unverified
            reached = [at for at, loss in enumerate(known) if loss is not None and loss <= tree.exact_loss]
            assert certificate.lower_bound <= reached[0] <= certificate.known_max_cost, kinds
            n_tight += certificate.lower_bound == reached[0]
            for bound in certificate.document["bounds"]:
                assert bound["ignores"] == facts.ignored(bound["kind"])
                assert Fraction(bound["value"]) <= reached[0], (kinds, bound["kind"])
            assert certificate.guarantee is None or not instance.schema.costs.rules
    assert n_held > 90
    assert n_tight > 0.7 * n_held


@pytest.mark.parametrize("n_resources", [1, 2, 3])
def test_the_checkers_search_is_brute_force(n_resources: int) -> None:
    for kinds in combinations_of_rules():
        if "by outcome" in kinds:
            continue  # it takes each test at its least price
        problem = drawn(kinds, n_resources)
        instance, expected = instance_of(problem), least_losses(problem, MOST)
        whole = Whole(facts_of(instance))
        search, measure = Search(whole), whole.measure
        if whole.losses is None:  # errors, each of which may lose 2
            measure /= instance.schema.loss_table.scale
        for budget in Random(str(kinds)).sample(range(MOST + 1), MOST + 1):
            right = expected[budget]
            for limit in (0, 1, 2, 4, 40):
                found = search.least(int(budget / (whole.unit or 1)), int(limit / measure))
                if right is None:
                    assert found == ENDLESS, kinds
                elif right <= limit:
                    assert found * measure == right, (kinds, budget)
                else:
                    assert limit < found * measure <= right, (kinds, budget)


def test_the_checker_names_rules_as_the_library_does() -> None:
    assert tuple(RuleKind) == RULES


@pytest.mark.parametrize("kind", ["ratio", "cover", "search"])
def test_what_a_bound_leaves_out_cannot_be_changed(kind: str) -> None:
    instance = with_rules()
    certificate = bt.certify(instance, bt.grow(instance, budget=9))
    bound = next((one for one in certificate.document["bounds"] if one["kind"] == kind), None)
    if bound is None:
        return
    assert bound["ignores"] == ([] if kind == "search" else ["shared fees", "panels", "limits", "order"])
    for wrong in (["order"], [*bound["ignores"], "prices by outcome"], None):
        document: dict[str, Any] = deepcopy(dict(certificate.document))
        document["bounds"][certificate.document["bounds"].index(bound)]["ignores"] = wrong
        problems = verify(document | {"seal": seal(document)}, facts_of(instance)).problems
        assert any(".ignores: expected" in problem for problem in problems), problems


def with_rules() -> bt.Instance:
    """x shows the class but for one case, that y tells; p and q are a panel; y may follow x where that is 1."""
    rows = [(0, 0, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0), (1, 1, 1, 1), (1, 1, 0, 0), (0, 0, 1, 1)]
    prices = bt.Prices(
        {"x": 2, "y": 1},
        shared={"visit": (1, ["x"])},
        limits={"time": bt.Limit(7, {"x": 2, "y": 4}, unit="min")},
        panels={"lab": {"tests": ["p", "q"], "price": 3, "time": 3}},
        order={"y": {"after": {"x": ["1"]}}},
        first=["x"],
    )
    labels = ["a", "a", "b", "c", "c", "a"]
    return bt.Instance(rows, labels, test_names=["x", "y", "p", "q"], outcome_names=[["0", "1"]] * 4, prices=prices)


def tree_of(*nodes: tuple[int | None, dict[str, int]]) -> list[dict[str, Any]]:
    return [{"test": test, "children": children} for test, children in nodes]


LEAF: tuple[None, dict[str, int]] = (None, {})
P, Q, X, Y = range(4)  # tests are by name
BROKEN = {
    "'y' is asked before 'x', with which every path begins": tree_of((Y, {"0": 1, "1": 2}), LEAF, LEAF),
    "'y' is asked where 'x' may have shown another outcome": tree_of(
        (X, {"0": 1, "1": 2}), (Y, {"0": 3, "1": 4}), LEAF, LEAF, LEAF
    ),
    "a case may take 9 there, the limit is 7": tree_of(
        *[(X, {"0": 1, "1": 2}), LEAF, (P, {"0": 3, "1": 4}), (Q, {"0": 5}), (Q, {"0": 6, "1": 7})],
        *[LEAF, LEAF, (Y, {"1": 8}), LEAF],
    ),
    "the path buys a panel without 'q', which is in it": tree_of(
        (X, {"0": 1, "1": 2}), LEAF, (P, {"0": 3, "1": 4}), LEAF, LEAF
    ),
    "the path ends before 'x', with which every path begins": tree_of(LEAF),
}


@pytest.mark.parametrize("flaw", BROKEN)
def test_a_tree_that_breaks_a_rule_is_refused(flaw: str) -> None:
    instance = with_rules()
    facts = facts_of(instance)
    honest = bt.certify(instance, bt.optimal(instance, budget=9).tree)
    assert honest.check().ok
    document = dict(honest.document) | {"tree": BROKEN[flaw]}
    problems = verify(document | {"seal": seal(document)}, facts).problems
    assert any(problem.startswith("tree") and flaw in problem for problem in problems), problems


def test_rules_enter_the_fingerprint_and_are_checked() -> None:
    facts = facts_of(with_rules())
    assert facts.problems() == []
    (limit,), marks = facts.limits, {facts.fingerprint()}
    others: list[dict[str, Any]] = [
        {"limits": [type(limit)(limit.most + 1, limit.amounts, limit.shared)]},
        {"limits": [type(limit)(limit.most, limit.amounts, [])]},
        {"panels": []},
        {"order": []},
        {"order": [(Y, X, frozenset([0]))]},
        {"first": []},
    ]
    for other in others:
        marks.add(type(facts)(**{**facts.__dict__, **other}).fingerprint())
    assert len(marks) == 7
    wrong: list[dict[str, Any]] = [
        {"limits": [type(limit)(-limit.most, limit.amounts, limit.shared)]},
        {"limits": [type(limit)(limit.most, limit.amounts[1:], limit.shared)]},
        {"panels": [frozenset([7])]},
        {"order": [(Y, 9, None)]},
        {"order": [(Y, X, frozenset([5]))]},
        {"first": [-1]},
    ]
    for other in wrong:
        (problem,) = type(facts)(**{**facts.__dict__, **other}).problems()
        assert problem.startswith("facts:"), other
