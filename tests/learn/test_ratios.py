"""R(t) by counting pairs one by one; families of your own; what is warned of."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import budgetree as bt


def pairs_of(labels: list[int]) -> int:
    return sum(a != b for a, b in combinations(labels, 2))


@pytest.mark.parametrize("rows", [None, list(range(40)), [True, False] * 30])
def test_ratios_are_those_of_the_paper(rows: Any) -> None:
    rng = np.random.default_rng(1)
    codes, labels = rng.integers(0, 3, (60, 4), dtype=np.uint8), rng.integers(0, 2, 60)
    prices = [2, 0.5, 3, 1]
    cases = bt.Instance(codes, labels, test_names=list("abcd"), prices=dict(zip("abcd", prices, strict=True)))
    at = range(60) if rows is None else np.arange(60)[rows].tolist()
    found = bt.ratios(cases, rows)
    for test, (name, ratio) in enumerate(found.items()):
        whole = pairs_of(cases.labels[list(at)].tolist())
        parts = [[int(cases.labels[i]) for i in at if cases.codes[i, test] == code] for code in range(3)]
        worst = max(Fraction(str(prices["abcd".index(name)])) / (whole - pairs_of(part)) for part in parts if part)
        assert ratio == worst


@pytest.mark.parametrize("name", ["house_votes", "pima", "soybean"])
def test_the_greedy_tree_begins_with_the_least_ratio(name: str) -> None:
    cases = bt.datasets.load(name)
    found = bt.ratios(cases)
    assert found[bt.Consultation(bt.grow(cases)).next_test] == min(found.values())


def test_a_test_that_removes_nothing_somewhere_is_infinite() -> None:
    cases = bt.Instance([[0, 0], [0, 0], [0, 1], [0, 1]], [0, 1, 0, 1], test_names=["same", "half"])
    assert bt.ratios(cases)["same"] == float("inf")
    assert bt.ratios(cases, [0, 1]) == {"same": float("inf"), "half": float("inf")}


class Never(bt.Impurity):
    """One wherever two classes meet, however many cases: no test of a mixed node removes it everywhere."""

    def value(self, counts: Any) -> Any:
        return (np.count_nonzero(counts, axis=-1) > 1).astype(float)


class Own(bt.Impurity):
    """HingedPairs, written again."""

    exact = True

    def __init__(self, alpha: Any) -> None:
        self.alpha = Fraction(alpha)

    def value(self, counts: Any) -> Any:
        over = np.maximum(counts.astype(object) - self.alpha, 0)
        total = over.sum(axis=-1)
        return (total * total - (over * over).sum(axis=-1)) * Fraction(1, 2)

    def __repr__(self) -> str:
        return f"Own({self.alpha})"


def test_a_family_of_ones_own_is_grown_for_all_alphas() -> None:
    cases = bt.datasets.load("figure1")
    own = bt.tradeoff(cases, Own)
    assert own.parameter_name == "alpha"
    assert own.name == "Own"
    assert (own.points[-1].parameter, own.points[-1].errors) == (0, 10)
    frontier = bt.frontier(cases, impurities=[Own], method="greedy", folds=0)
    assert [point.errors for point in frontier] == [30, 10]


def test_named_impurities_and_a_rule_that_never_chooses_are_warned_of() -> None:
    cases = bt.datasets.load("figure1")
    with pytest.warns(UserWarning, match="impurities are named, so trees are grown greedily"):
        bt.frontier(cases, impurities=[bt.Powers(3)], folds=0)
    with pytest.warns(UserWarning, match="so Pairs chose every test"):
        bt.grow(cases, Never())
