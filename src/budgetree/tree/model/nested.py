"""A tree as nested dictionaries: what Tree.to_dict returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from budgetree.tree.nodes import LEAF, NO_BRANCH

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree


def as_dict(tree: Tree) -> dict[str, Any]:
    """{"test", "counts", "label", "children": {outcome: …}}; leaves have no "test" and no "children"."""
    nodes, schema = tree.nodes, tree.schema
    counts = nodes.counts.tolist()
    if schema.weight_scale != 1:
        counts = [schema.plain_cases(row) for row in counts]
    entries: list[dict[str, Any]] = []
    for node in range(len(nodes)):
        entry: dict[str, Any] = {"counts": counts[node], "label": schema.answer_names[nodes.label[node]]}
        if nodes.test[node] != LEAF:
            entry = {"test": schema.test_names[nodes.test[node]], **entry, "children": {}}
        entries.append(entry)
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        names = schema.outcome_names[nodes.test[node]]
        for name, child in zip(names, nodes.children(node, len(names)), strict=True):
            if child != NO_BRANCH:
                entries[node]["children"][name] = entries[child]
    return entries[0]
