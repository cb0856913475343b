"""A tree as text: one line per branch, leaves that predict the same side by side on one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Schema
from budgetree.problem.units import show_number
from budgetree.tree.nodes import LEAF, NO_BRANCH, Charges, Nodes


def render(schema: Schema, nodes: Nodes, charges: Charges, summary: str, max_depth: int | None) -> str:
    """The summary line, then the tree."""
    lines = [summary, _describe(schema, nodes, charges, 0, folded=max_depth == 0)]
    # A stack rather than recursion: a tree may be deeper than Python's recursion limit.
    goes_on = max_depth != 0 and nodes.test[0] != LEAF
    stack = list(reversed(_branches(schema, nodes, 0, ""))) if goes_on else []
    while stack:
        prefix, is_last, depth, names, children = stack.pop()
        counts = nodes.counts[children].sum(axis=0)
        folded = max_depth is not None and depth >= max_depth
        shown = _describe(schema, nodes, charges, children[0], folded=folded, counts=counts)
        lines.append(f"{prefix}{'└─ ' if is_last else '├─ '}{' | '.join(_joined(names))}: {shown}")
        if nodes.test[children[0]] != LEAF and not folded:
            below = _branches(schema, nodes, children[0], prefix + ("   " if is_last else "│  "), depth + 1)
            stack.extend(reversed(below))
    return "\n".join(lines)


Branch = tuple[str, bool, int, list[str], list[int]]


def _branches(schema: Schema, nodes: Nodes, node: int, prefix: str, depth: int = 1) -> list[Branch]:
    """The node's branches: outcomes that lead to one child, or to leaves of one class and cost, are one."""
    groups: dict[tuple[int, ...], tuple[list[str], list[int]]] = {}
    names = schema.outcome_names[nodes.test[node]]
    for name, child in zip(names, nodes.children(node, len(names)).tolist(), strict=True):
        if child == NO_BRANCH:
            continue
        is_leaf = nodes.test[child] == LEAF
        key = (-1, int(nodes.label[child]), int(nodes.paid[child])) if is_leaf else (child,)
        outcomes, children = groups.setdefault(key, ([], []))
        outcomes.append(name)
        if child not in children:
            children.append(child)
    last = len(groups) - 1
    return [(prefix, index == last, depth, *group) for index, group in enumerate(groups.values())]


def _joined(names: list[str]) -> list[str]:
    """Neighbouring ranges of numbers as one: "1 to 2", "2 to 5" is "1 to 5"."""
    joined: list[str] = []
    for name in names:
        low, _, high = name.partition(" to ")
        if _is_number(low) and _is_number(high) and joined and joined[-1].endswith(f" to {low}"):
            joined[-1] = f"{joined[-1].partition(' to ')[0]} to {high}"
        else:
            joined.append(name)
    return joined


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _describe(
    schema: Schema,
    nodes: Nodes,
    charges: Charges,
    node: int,
    *,
    folded: bool,
    counts: NDArray[np.int64] | None = None,
) -> str:
    counted = _counts(schema, nodes.counts[node] if counts is None else counts)
    spent = "" if node == 0 else f", spent {_amount(schema, nodes.paid[node])}"
    if nodes.test[node] == LEAF:
        return f"→ {schema.class_names[nodes.label[node]]}{spent}  [{counted}]"
    if folded:
        return f"→ … {schema.class_names[nodes.label[node]]}{spent}  [{counted}]"
    return f"{schema.test_names[nodes.test[node]]}? {_price(schema, nodes, charges, node)}{spent}  [{counted}]"


def _price(schema: Schema, nodes: Nodes, charges: Charges, node: int) -> str:
    test, table = nodes.test[node], schema.table
    if charges.repeated[node]:
        return "already paid"
    due = int(charges.fees_due[node])
    own = table.own[test, : schema.n_outcomes[test]]
    low, high = _amount(schema, own.min() + due), _amount(schema, own.max() + due)
    price = f"costs {low}" if low == high else f"costs {low} to {high}"
    if not due:
        return price
    names = ", ".join(table.fee_names[fee] for fee in table.fees_in(charges.unpaid[node]))
    return f"{price} with {_amount(schema, due)} for {names}"


def _amount(schema: Schema, units: int) -> str:
    return show_number(Fraction(int(units)) / schema.table.scale)


def _counts(schema: Schema, counts: NDArray[np.int64]) -> str:
    shown = [
        f"{name} {show_number(Fraction(int(count)) / schema.weight_scale)}"
        for name, count in zip(schema.class_names, counts, strict=True)
        if count
    ]
    return ", ".join(shown)
