"""The tree of a document: read again from its entries, with the cases of each node counted again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from budgetree.proof.check.facts import Asked, Fees, Whole
from budgetree.proof.check.reading import Flaw, fields, index, items, short


@dataclass(frozen=True)
class Node:
    """A node of the document's tree."""

    rows: list[int]  # the known cases that come there
    asked: Asked
    shown: Asked  # those of them that a known case showed where the test was bought
    test: int | None  # None for a leaf


def read_tree(entries: Any, whole: Whole) -> list[Node]:
    """The tree, if every node has the children that the known cases ask for."""
    nodes = items(entries, "tree")
    reached: dict[int, tuple[list[int], Asked, Asked]] = {0: (whole.rows, {}, {})}
    found: list[Node] = []
    for number, entry in enumerate(nodes):
        whole.deadline.check()
        where = f"tree[{number}]"
        node = fields(entry, where, ("test", "children"))
        children = fields(node["children"], f"{where}.children")
        if number not in reached:
            raise Flaw(f"{where}: is not the child of an earlier node")
        rows, asked, shown = reached[number]
        if node["test"] is None:
            if children:
                raise Flaw(f"{where}.children: a leaf has none, got {short(children)}")
            found.append(Node(rows, asked, shown, None))
            continue
        test = index(node["test"], len(whole.facts.test_names), f"{where}.test")
        names = whole.facts.outcome_names[test]
        found.append(Node(rows, asked, shown, test))
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
            possible = asked.get(test, frozenset(range(len(names)))) & set(outcomes)
            seen = shown.get(test, parts.keys()) & possible
            below = sorted(row for outcome in outcomes for row in parts.get(outcome, ()))
            reached[child] = below, {**asked, test: possible}, {**shown, test: seen}
    if not nodes:
        raise Flaw("tree: has no node")
    return found


def path_cost(amounts: Sequence[Sequence[Fraction]], shared: Fees, asked: Asked) -> Fraction:
    """What a path has taken, at the costliest outcome that each test may have shown."""
    own = sum((max(amounts[test][outcome] for outcome in shown) for test, shown in asked.items()), Fraction(0))
    return own + sum(amount for amount, tests in shared if any(test in tests for test in asked))


def max_costs(tree: list[Node], whole: Whole) -> tuple[Fraction, Fraction]:
    """What no known case exceeds, and what no case does; a Flaw where a path breaks a rule.

    A case may show the costliest outcome of any test, though no known case does there: then it is asked no more than
    the rest of what every path begins with.
    """
    facts, known, most = whole.facts, Fraction(0), Fraction(0)
    for number, node in enumerate(tree):
        whole.deadline.check()
        if flaw := facts.broken_order(node.test, node.asked):
            raise Flaw(f"tree[{number}]: {flaw}")
        if node.test is None:
            known = max(known, path_cost(facts.prices, facts.shared, node.shown))
        elif node.test not in node.asked:
            due = facts.due(node.test) - node.asked.keys()
            asked = {**node.asked, **{test: set(range(len(facts.prices[test]))) for test in due}}
            most = max(most, path_cost(facts.prices, facts.shared, asked))
            for limit in facts.limits:
                if (taken := path_cost(limit.amounts, limit.shared, asked)) > limit.most:
                    raise Flaw(
                        f"tree[{number}]: a case may take {short(taken)} there, the limit is {short(limit.most)}"
                    )
    return known, max(known, most)
