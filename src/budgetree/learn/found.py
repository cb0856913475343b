"""Found: a tree that some method came up with, by what it gets wrong and the least budget that buys it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from budgetree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Errors and budget in units; the tree itself is made when asked for."""

    errors: int
    need: int
    source: str  # who found it, for people to read
    tree: Callable[[], Tree]


def found_tree(tree: Tree, source: str) -> Found:
    """A tree by what it really gets wrong and costs, not by a search's word."""
    leaves = tree.nodes.counts[tree.nodes.is_leaf]
    return Found(int(leaves.sum() - leaves.max(axis=1).sum()), int(tree.worst_from[0]), source, partial(_given, tree))


def _given(tree: Tree) -> Tree:
    return tree
