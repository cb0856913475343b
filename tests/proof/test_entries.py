"""Trees, instances and prices as certificates have them: one grid of prices, and what was rounded is said."""

from __future__ import annotations

import copy
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree.errors import TreeError
from budgetree.proof.check import seal
from budgetree.proof.entries import facts_of, rounded_prices, tree_entries


def a_third() -> bt.Instance:
    """A fee of 0.3333333333333333 beside a price of 1000: sixteen digits and four more are too many."""
    prices = bt.Prices({"0": {"0": 1, "1": 1000}}, shared={"fee": (1 / 3, ["0"])})
    return bt.Instance([[0], [1]], ["a", "b"], prices=prices)


def test_the_search_counts_on_the_grid_of_the_tree() -> None:
    instance = a_third()
    certificate = bt.certify(instance, bt.grow(instance))
    report = certificate.check()
    assert report.ok, str(report)
    assert not report.unverified
    assert certificate.bounds["search"] == pytest.approx(4 / 3)


def test_a_rounded_price_is_said_and_checked() -> None:
    instance = a_third()
    certificate = bt.certify(instance, bt.grow(instance))
    (entry,) = certificate.rounded
    assert (entry["test"], entry["fee"]) == (None, 0)
    assert entry["given"] == pytest.approx(1 / 3)
    assert 0 < abs(entry["given"] - entry["counted"]) < 1e-9
    line = "prices are counted on one grid: 0.3333333333333333 is counted as 0.33333333333"
    assert line in certificate.to_text().splitlines()
    for key, value in (("counted", "1/3"), ("given", "1/2"), ("fee", 1), ("test", "x")):
        document: dict[str, Any] = copy.deepcopy(dict(certificate.document))
        document["rounded"][0] |= {key: value} if key != "test" else {"test": 7, "fee": None}
        document["seal"] = seal(document)
        problems = bt.Certificate(document).check(instance).problems
        assert any(problem.startswith("rounded[0].") for problem in problems), (key, problems)


def test_prices_that_are_counted_as_given_leave_nothing_to_say() -> None:
    prices = bt.Prices({"0": {"0": 0.1, "1": Fraction(1, 3)}, "1": 2}, shared={"fee": (0.25, ["1"])})
    instance = bt.Instance([[0, 1], [1, 0]], ["a", "b"], prices=prices)
    assert rounded_prices(instance.schema) == []
    assert bt.certify(instance, bt.grow(instance)).document["rounded"] == []


def test_a_tree_is_a_list_of_tests_and_children() -> None:
    instance = bt.Instance([[0, 0], [0, 1], [2, 0]], ["a", "b", "b"])
    assert tree_entries(bt.grow(instance, bt.HingedPairs(0))) == [
        {"test": 0, "children": {"0": 1, "2": 2}},
        {"test": 1, "children": {"0": 3, "1": 4}},
        *[{"test": None, "children": {}}] * 3,
    ]


def test_facts_are_the_instance_in_plain_numbers() -> None:
    losses = bt.Losses({"a": 2}, answers={"refer": Fraction(1, 3)})
    instance = bt.Instance([[0, 1], [1, 0]], ["a", "b"], weights=[0.5, 2], prices={"0": 1, "1": 2.5}, losses=losses)
    facts = facts_of(instance)
    assert [list(row) for row in facts.codes] == [[0, 1], [1, 0]]
    assert list(facts.weights) == [Fraction(1, 2), 2]
    assert facts.prices == [[1, 1], [Fraction(5, 2)] * 2]
    assert facts.losses is not None
    assert facts.losses.answers == ["a", "b", "refer"]
    assert facts.losses.matrix == [[0, 2, Fraction(1, 3)], [1, 0, Fraction(1, 3)]]
    assert facts_of(instance.with_losses({"a": 1})).losses is None


def built_at_random(cases: bt.Instance, rng: random.Random) -> bt.Tree:
    """Tests are bought early and never used, outcomes share branches, and what was bought decides again below."""
    builder, n_outcomes = bt.TreeBuilder(cases), cases.schema.n_outcomes
    ends, n_nodes = [builder.root], 0
    while ends:
        end, n_nodes = ends.pop(), n_nodes + 1
        bought = list(end.state.tests)
        left = [test for test in range(cases.n_tests) if test not in bought]
        if left and rng.random() < 0.6 and n_nodes < 20:
            ends.append(builder.buy(end, rng.choice(left)))
        elif bought and rng.random() < 0.7 and n_nodes < 20:
            test = rng.choice(bought)
            sides = [rng.randrange(3) for _ in range(int(n_outcomes[test]) + 1)]
            numbers = {side: number for number, side in enumerate(dict.fromkeys(sides))}
            ends += builder.branch(end, bt.Split.by_result(test, [numbers[side] for side in sides]))
        else:
            builder.leaf(end)
    return builder.build()


@pytest.mark.parametrize("by_outcome", [False, True])
def test_the_certificate_of_a_tree_by_results_holds_or_is_refused(by_outcome: bool) -> None:
    n_held = 0
    for seed in range(40):
        rng = random.Random(seed)
        codes = np.random.default_rng(seed).integers(0, 3, (25, 3))
        prices = {"0": {"0": 1, "1": 2, "2": 4} if by_outcome else 3, "1": 2, "2": 1}
        cases = bt.Instance(
            codes,
            [rng.choice("ab") for _ in codes],
            prices=bt.Prices(prices, shared={"visit": (2, ["0", "1"])}),
        )
        tree = built_at_random(cases, rng)
        try:
            certificate = bt.certify(cases, tree)
        except TreeError:
            continue
        n_held += 1
        report = certificate.check(cases)
        assert report.ok, str(report)
        assert (certificate.errors, certificate.max_cost) == (tree.errors, tree.max_cost)
        assert certificate.known_max_cost == tree.known_max_cost
    assert n_held > 10


def test_a_tree_of_models_is_refused() -> None:
    cases = bt.datasets.load("house_votes")
    with pytest.raises(TreeError, match="points, a model or fixed probabilities decide somewhere"):
        bt.certify(cases, bt.predictive(cases, budget=2))
