"""What a tree knows about new cases, and that its model file keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

import budgetree as bt
from budgetree.tree.provenance import Estimate, NewError, NewLoss


def test_the_words_give_the_error_its_standard_error_and_whether_it_is_overfitted() -> None:
    how = "on 12,000 rows held out"
    assert str(Estimate(NewError(0.29, 0.024), False, how)) == f"new cases: 29.0 % ± 2.4 wrong, {how}"
    assert str(Estimate(NewError(0.47, 0.04), True, how)).endswith("; overfitted")


@pytest.mark.parametrize("objective", ["known", "new"])
def test_a_points_tree_knows_it_and_so_does_its_model_file(objective: str, tmp_path: Path) -> None:
    frontier = bt.frontier(bt.datasets.load("house_votes"), max_budget=2, objective=objective)  # type: ignore[arg-type]
    point = frontier[-1]
    assert point.estimate is not None
    assert frontier.validation is not None
    firm = point.estimate.stability
    assert (firm is None) == (objective == "known")
    how = frontier.validation.how
    found = frontier.validation.estimates[-1].mean_cost, frontier.validation.estimates[-1].recalls
    assert point.tree.estimate == Estimate(point.estimate.new_error, point.overfitted, how, None, firm, *found)
    point.tree.to_json(tmp_path / "model.json")
    assert bt.Tree.from_json(tmp_path / "model.json").estimate == point.tree.estimate


def test_a_tree_that_was_changed_or_never_judged_knows_nothing() -> None:
    votes = bt.datasets.load("house_votes")
    assert bt.frontier(votes, max_budget=2, folds=0, objective="known")[-1].tree.estimate is None
    judged = bt.frontier(votes, max_budget=3, objective="known")[-1].tree
    assert judged.estimate is not None
    assert judged.cut(1).estimate is None
    assert judged.priced(2).estimate is None


def test_with_losses_it_says_the_loss_first(tmp_path: Path) -> None:
    estimate = Estimate(NewError(0.1, 0.02), False, "cross-validated", NewLoss(0.84, 0.12))
    assert str(estimate) == "new cases: loss 0.84 ± 0.12 a case, 10.0 % ± 2.0 wrong, cross-validated"
    instance = bt.datasets.load("house_votes").with_losses(bt.Losses(answers={"refer": 0.1}))
    tree = bt.frontier(instance, max_budget=1, method="greedy")[-1].tree
    assert tree.estimate is not None
    assert tree.estimate.new_loss is not None
    tree.to_json(tmp_path / "model.json")
    assert bt.Tree.from_json(tmp_path / "model.json").estimate == tree.estimate
