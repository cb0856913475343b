"""The tree of a document: read again from its entries, with the cases of each node counted again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from budgetree.proof.check.facts import Whole
from budgetree.proof.check.reading import Flaw, fields, index, items, short


@dataclass(frozen=True)
class Node:
    """A node of the document's tree."""

    rows: list[int]  # the known cases that come there
    asked: dict[int, frozenset[int]]  # the outcomes that each test before may have shown
    test: int | None  # None for a leaf


def read_tree(entries: Any, whole: Whole) -> list[Node]:
    """The tree, if every node has the children that the known cases ask for."""
    nodes = items(entries, "tree")
    reached: dict[int, tuple[list[int], dict[int, frozenset[int]]]] = {0: (whole.rows, {})}
    found: list[Node] = []
    for number, entry in enumerate(nodes):
        whole.deadline.check()
        where = f"tree[{number}]"
        node = fields(entry, where, ("test", "children"))
        children = fields(node["children"], f"{where}.children")
        if number not in reached:
            raise Flaw(f"{where}: is not the child of an earlier node")
        rows, asked = reached[number]
        if node["test"] is None:
            if children:
                raise Flaw(f"{where}.children: a leaf has none, got {short(children)}")
            found.append(Node(rows, asked, None))
            continue
        test = index(node["test"], len(whole.facts.test_names), f"{where}.test")
        names = whole.facts.outcome_names[test]
        found.append(Node(rows, asked, test))
        parts = whole.parts(rows, test)
        given = {index(key, len(names), f"{where}.children", text=True): key for key in children}
        shared: dict[int, list[int]] = {}  # the outcomes of each child
        for outcome, key in given.items():
            place = f"{where}.children[{key}]"
            child = index(children[key], len(nodes), place)
            if child <= number or child in reached:
                raise Flaw(f"{place}: node {child} must come after node {number} and have no other parent")
            shared.setdefault(child, []).append(outcome)
        alone = {outcomes[0] for outcomes in shared.values() if parts.keys().isdisjoint(outcomes)}
        for outcome in sorted(parts.keys() - given.keys() | alone):
            fault = "has no child, but cases" if outcome in parts else "has a child, but no cases"
            raise Flaw(f"{where}.children: outcome {names[outcome]!r} {fault} show it there")
        for child, outcomes in shared.items():
            possible = asked.get(test, frozenset(range(len(names)))).intersection(outcomes)
            below = sorted(row for outcome in outcomes for row in parts.get(outcome, ()))
            reached[child] = below, {**asked, test: possible}
    if not nodes:
        raise Flaw("tree: has no node")
    return found


def path_cost(whole: Whole, asked: Mapping[int, Collection[int]]) -> Fraction:
    """What a path has paid, at the costliest outcome that each test may have shown."""
    facts = whole.facts
    own = sum((max(facts.prices[test][outcome] for outcome in shown) for test, shown in asked.items()), Fraction(0))
    return own + sum(amount for amount, tests in facts.shared if any(test in tests for test in asked))


def max_costs(tree: list[Node], whole: Whole) -> tuple[Fraction, Fraction]:
    """What no known case exceeds, and what no case does.

    A case may show the costliest outcome of any test, though no known case does there.
    """
    known = most = Fraction(0)
    for node in tree:
        whole.deadline.check()
        if node.test is None:
            known = max(known, path_cost(whole, node.asked))
        elif node.test not in node.asked:
            everything = range(len(whole.facts.prices[node.test]))
            most = max(most, path_cost(whole, {**node.asked, node.test: everything}))
    return known, max(known, most)
