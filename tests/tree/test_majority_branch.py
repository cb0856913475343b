"""The branch of a case whose test could not be done."""

from __future__ import annotations

import numpy as np
import pytest

import budgetree as bt
from budgetree.tree.consultation import majority_branch
from budgetree.tree.nodes import Kind
from built_trees import random_tree, state_at


def test_most_known_cases_decide() -> None:
    codes = np.repeat([[0, 0], [1, 0], [2, 1], [2, 0]], [2, 3, 4, 1], axis=0)
    classes = np.repeat(["a", "b", "c", "b"], [2, 3, 4, 1])
    tree = bt.grow(bt.Instance(codes, classes, test_names=["t", "u"], outcome_names=[["x", "y", "z"], ["n", "p"]]))
    assert tree.test_names[tree.nodes.test[0]] == "t"
    usual = majority_branch(tree, int(tree.nodes.below(0)[0]))
    assert tree.nodes.counts[usual.child].sum() == 5
    assert (usual.results, usual.words) == ([2], "z")


@pytest.mark.parametrize("seed", range(60))
def test_the_results_are_those_that_lead_there(seed: int) -> None:
    """Where the test was branched on above, only what is still possible counts."""
    tree, _ = random_tree(seed)
    nodes = tree.nodes
    for node in np.flatnonzero(nodes.kind == Kind.BY_RESULT).tolist():
        child, results, words = majority_branch(tree, node)
        below, test = nodes.below(node), int(nodes.test[node])
        possible = dict(state_at(tree, node).results)[test]
        allowed = [result for result in range(len(below)) if possible >> result & 1] or list(range(len(below)))
        taken = [result for result in allowed if below[result] == child]
        assert results == [result for result in taken if result < nodes.n_outcomes[test]]
        sizes = [int(nodes.counts[at].sum()) for at in below.tolist()]
        assert nodes.counts[child].sum() == max(sizes)
        assert (words is None) == (taken == allowed)
