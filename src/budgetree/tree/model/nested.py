"""A tree as nested dictionaries: what Tree.to_dict returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from budgetree.tree.nodes import LEAF, NO_BRANCH

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree


def as_dict(tree: Tree) -> dict[str, Any]:
    """{"test", "counts", "label", "children": {outcome: …}}; leaves have no "test" and no "children".

    Where outcomes share a subtree, it stands at the first of them, and "same" says {other outcome: first}: written at
    all of them, three tests of 255 levels would take gigabytes.
    """
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
        names, first = schema.outcome_names[nodes.test[node]], dict[int, str]()
        for name, child in zip(names, nodes.children(node, len(names)).tolist(), strict=True):
            if child == NO_BRANCH:
                continue
            if child in first:
                entries[node].setdefault("same", {})[name] = first[child]
            else:
                first[child] = name
                entries[node]["children"][name] = entries[child]
    return entries[0]
