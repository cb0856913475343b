"""The branch of a case whose test could not be done."""

from __future__ import annotations

import numpy as np

import budgetree as bt
from budgetree.tree.routing import majority_branch
from new_cases import new_tree


def test_most_known_cases_decide() -> None:
    codes = np.repeat([[0, 0], [1, 0], [2, 1], [2, 0]], [2, 3, 4, 1], axis=0)
    classes = np.repeat(["a", "b", "c", "b"], [2, 3, 4, 1])
    tree = bt.grow(bt.Instance(codes, classes, test_names=["t", "u"], outcome_names=[["x", "y", "z"], ["n", "p"]]))
    usual = majority_branch(tree, 0)
    assert tree.test_names[tree.nodes.test[0]] == "t"
    assert tree.nodes.counts[usual.child].sum() == 5
    assert usual.outcomes == "z"


def test_a_purchase_assumes_nothing_and_models_have_their_own_side() -> None:
    tree = new_tree("model", None)
    assert tree.nodes.otherwise is not None
    inner = np.flatnonzero(~tree.nodes.is_leaf).tolist()
    assert [majority_branch(tree, node).child for node in inner] == tree.nodes.otherwise[inner].tolist()
    for node in inner:
        assert (majority_branch(tree, node).outcomes is None) == tree.outline.is_purchase((node,))


def test_a_branch_for_the_unlisted_alone_is_not_the_usual_one() -> None:
    codes = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 8)
    tree = bt.predictive(bt.Instance(codes, codes[:, 0] ^ codes[:, 1]), budget=2)
    assert tree.models is None
    assert tree.nodes.otherwise is not None
    usual = majority_branch(tree, 0)
    assert usual.child != tree.nodes.otherwise[0]
    assert usual.outcomes == "0"
