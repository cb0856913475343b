"""Trees, instances and prices as certificates have them: one grid of prices, and what was rounded is said."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import pytest

import budgetree as bt
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
