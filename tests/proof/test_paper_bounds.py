"""The paper's guarantee is stated for what it was proven for: whole greedy trees without errors, fees and losses."""

from __future__ import annotations

import numpy as np
import pytest

import budgetree as bt


def guarantee(instance: bt.Instance, tree: bt.Tree) -> float | None:
    return bt.certify(instance, tree, time_limit=0).guarantee


def test_the_guarantee_is_that_of_a_whole_greedy_tree() -> None:
    votes, pima = bt.datasets.load("house_votes"), bt.datasets.load("pima")
    assert guarantee(votes, bt.grow(votes, bt.Powers(3))) == pytest.approx(np.log(342**3 - 225**3 - 117**3) + 1)
    assert guarantee(votes, bt.grow(votes, bt.HingedPairs(2))) is not None
    assert guarantee(votes, bt.grow(votes, bt.HingedPairs(2.5))) is None
    assert guarantee(pima, bt.grow(pima)) is None, "a shared fee"
    assert guarantee(votes, bt.grow(votes, bt.Gini())) is None
    assert guarantee(votes, bt.grow(votes, bt.Powers(3)).cut(3)) is None


def test_cases_that_no_test_separates_losses_and_leaves_of_several_cases_void_it() -> None:
    codes, labels = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], ["a", "b", "b", "a", "a"]
    instance = bt.Instance(codes, labels)
    assert guarantee(instance, bt.grow(instance)) is not None
    mixed = bt.Instance(codes, ["a", "b", "b", "a", "b"])
    assert guarantee(mixed, bt.grow(mixed)) is None
    losses = instance.with_losses({"a": 2})
    assert guarantee(losses, bt.grow(losses)) is None
    assert guarantee(instance, bt.grow(instance, min_cases=2)) is None


@pytest.mark.parametrize("name", ["house_votes", "soybean"])
def test_the_check_grows_the_tree_again(name: str) -> None:
    instance = bt.datasets.load(name)
    certificate = bt.certify(instance, bt.grow(instance, bt.HingedProduct(1)), time_limit=0)
    assert certificate.guarantee is not None
    report = certificate.check(time_limit=30)
    assert report.ok, str(report)
    assert not [text for text in report.unverified if text.startswith("guarantee")]
