"""Where a tree came from is a record; the words are made from it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import budgetree as bt
from budgetree.tree.provenance import Change, ChangeKind, Function, Method, Origin


@pytest.fixture(scope="module")
def pima() -> bt.Instance:
    return bt.datasets.load("pima")


def test_a_grown_tree_says_how(pima: bt.Instance) -> None:
    tree = bt.grow(pima, bt.HingedPairs(2.5), delta=3, budget=20, rule="expected")
    function = Function("HingedPairs", (("alpha", Fraction(5, 2)),), "HingedPairs(2.5)")
    assert tree.origin == Origin(Method.GREEDY, function, Fraction(3), Fraction(20), "expected")
    assert str(tree.origin) == "greedy HingedPairs(2.5), delta=3, budget=20, rule=expected"
    assert bt.grow(pima, budget=float("inf")).origin == bt.grow(pima).origin


def test_changes_are_kept_in_their_order(pima: bt.Instance) -> None:
    tree = bt.grow(pima)
    changed = tree.cut(20.5).trim().priced(1)
    kinds = [ChangeKind.CUT, ChangeKind.TRIMMED, ChangeKind.REPRICED]
    assert [change.kind for change in changed.origin.changes] == kinds
    assert changed.origin.changes[0] == Change(ChangeKind.CUT, Fraction(41, 2))
    assert str(changed.origin) == "greedy Pairs(), cut at 20.5, trimmed, at other prices"
    assert tree.cut(10**6) is tree
    assert tree.priced(pima.prices) is tree


def test_only_a_tree_that_is_as_the_paper_grows_it_is_whole(pima: bt.Instance) -> None:
    tree = bt.grow(pima)
    assert tree.origin.is_whole_greedy
    others = [
        bt.grow(pima, budget=9),
        bt.grow(pima, delta=5),
        bt.grow(pima, rule="expected"),
        tree.cut(9),
        tree.priced(1),
    ]
    assert not any(other.origin.is_whole_greedy for other in others)
    assert not bt.optimal(pima, budget=9).tree.origin.is_whole_greedy


def test_each_method_has_its_name(pima: bt.Instance) -> None:
    assert bt.optimal(pima, budget=20).tree.origin == Origin(Method.EXACT)
    assert bt.frontier(pima, folds=0, objective="known")[0].tree.origin.method in ("leaf", "exact")
    curve = bt.tradeoff(pima, bt.Powers(3))
    assert curve.points[1].tree.origin.delta == Fraction(str(curve.points[1].parameter))
    (point, *_) = [point for point in bt.frontier(pima, method="greedy", max_budget=20, folds=0) if point.max_cost > 0]
    assert point.tree.origin.method == "greedy"
    assert point.source.split(",")[0] in str(point.tree.origin)


def test_a_users_impurity_is_not_taken_for_ours(pima: bt.Instance) -> None:
    class Powers(bt.Powers):
        pass

    origin = bt.grow(pima, Powers(3)).origin
    assert origin.impurity is not None
    assert origin.impurity.name.endswith("Powers")
    assert origin.impurity.name != "Powers"
