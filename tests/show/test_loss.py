"""What a tree gets wrong, in words."""

from __future__ import annotations

import pytest

import budgetree as bt
from budgetree.show.text import loss_words
from losing import losing_tree


@pytest.mark.parametrize(
    ("leaves", "words"),
    [
        (None, "loss 26.5 (2 errors, 63 referred)"),
        ("model", "loss 37.9 (1 error, 113 referred)"),
    ],
)
def test_loss_is_said_with_the_errors_and_referrals_that_make_it(leaves: str | None, words: str) -> None:
    assert loss_words(losing_tree(leaves), has_losses=True) == words
    assert losing_tree(leaves).summary().endswith(f"; {words}")


def test_without_losses_only_errors_are_said() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    assert loss_words(tree, has_losses=False) == f"{tree.errors} errors"


def test_referrals_are_said_where_there_are_any() -> None:
    tree = bt.grow(bt.Instance([[0], [0], [1]], ["a", "b", "b"], losses=bt.Losses({"a": 3})))
    assert loss_words(tree, has_losses=True) == "loss 1 (1 error)"
