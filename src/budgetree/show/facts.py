"""A tree in a few numbers, as every document that programs read has them."""

from __future__ import annotations

from typing import Any

from budgetree.tree import Tree


def size_and_cost(tree: Tree) -> dict[str, Any]:
    """What it costs, what it gets wrong among the known cases, how large it is and where it came from."""
    has_losses = tree.schema.losses is not None
    lost = {"loss": tree.loss, "referred": tree.referred} if has_losses else {}
    return {
        "max_cost": tree.max_cost,
        "known_max_cost": tree.known_max_cost,
        "mean_cost": tree.mean_cost,
        "errors": tree.errors,
        **lost,
        "n_objects": tree.n_objects,
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "origin": str(tree.origin),
    }
