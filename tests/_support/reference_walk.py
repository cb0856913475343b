"""One case through a tree by the rules as a person reads them: no states, no arrays of the core, exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, getcontext
from fractions import Fraction

import budgetree as bt
from budgetree.tree import Branch, Buy, Ensemble, Fixed, Majority, Model, Points, Split, Totals

getcontext().prec = 60


@dataclass
class Followed:
    leaf: int
    spent: Fraction
    unlisted: int
    tests: list[int]
    chances: list[Decimal]


def add_up(totals: Totals, row: Sequence[int]) -> list[int]:
    sums = [int(start) for start in totals.intercept]
    for test, table in zip(totals.tests, totals.points, strict=True):
        points = table[min(row[test], len(table) - 1)]
        sums = [total + int(more) for total, more in zip(sums, points, strict=True)]
    outcomes = {test: len(table) - 1 for test, table in zip(totals.tests, totals.points, strict=True)}
    for root in [] if totals.trees is None else totals.trees.start:
        value = totals.trees.value[end_of(totals.trees, int(root), row, outcomes)]
        sums = [total + int(more) for total, more in zip(sums, value, strict=True)]
    return sums


def end_of(trees: Ensemble, node: int, row: Sequence[int], outcomes: dict[int, int]) -> int:
    """Where a case ends in the small tree that begins at a node."""
    if trees.test[node] < 0:
        return node
    result = row[trees.test[node]]
    if result >= outcomes[int(trees.test[node])] or result == trees.missing[node]:
        goes_left = trees.default_left[node]
    else:
        goes_left = result == trees.cut[node] if trees.by_equal[node] else result <= trees.cut[node]
    return end_of(trees, int(trees.left[node] if goes_left else trees.right[node]), row, outcomes)


def softmax(sums: Sequence[int]) -> list[Decimal]:
    sums = [0, *sums] if len(sums) == 1 else sums  # of two classes
    raised = [(Decimal(total - max(sums)) / 1_000_000).exp() for total in sums]
    return [part / sum(raised) for part in raised]


def side_of(split: Split, row: Sequence[int]) -> int:
    if split.totals is None:
        return split.sides[min(row[split.test], len(split.sides) - 1)]
    sums = add_up(split.totals, row)
    if split.confidence is not None:
        return 0 if max(softmax(sums)) >= Decimal(split.confidence) else 1
    return sum(cut <= sums[0] for cut in split.cuts)


def price_of(prices: bt.Prices, name: str, outcome: str | None) -> Fraction:
    price = prices.tests.get(name, prices.default)
    if isinstance(price, Fraction):
        return price
    assert price is not None
    return max(price.values()) if outcome is None else price[outcome]


def follow(tree: bt.Tree, row: Sequence[int]) -> Followed:
    """Where one case ends and what it pays; it reads only what it has bought."""
    schema, number, spent, unlisted = tree.schema, 0, Fraction(0), -1
    done: list[int] = []
    paid: set[str] = set()
    while True:
        node = tree.nodes[number]
        if isinstance(node, Branch):
            assert set(node.split.tests) <= set(done), "it reads what was not bought"
            number = node.children[side_of(node.split, row)]
            continue
        if not isinstance(node, Buy):
            break
        names = schema.outcome_names[node.test]
        assert node.test not in done, "it is bought twice"
        done.append(node.test)
        outcome = names[row[node.test]] if row[node.test] < len(names) else None
        if outcome is None and unlisted < 0:
            unlisted = node.test
        name = schema.test_names[node.test]
        spent += price_of(schema.prices, name, outcome)
        for fee, entry in schema.prices.shared.items():
            if name in entry.tests and fee not in paid:
                paid.add(fee)
                spent += entry.fee
        number = node.child
    if isinstance(node, Majority):
        total = sum(node.counts)
        chances = [Decimal(count) / total for count in node.counts]
    elif isinstance(node, Fixed):
        chances = [Decimal(chance) for chance in node.chances]
    elif isinstance(node, Points):
        side = sum(cut <= add_up(node.totals, row)[0] for cut in node.cuts)
        chances = [Decimal(chance) for chance in node.chances[side]]
    else:
        assert isinstance(node, Model)
        chances = softmax(add_up(node.totals, row))
    return Followed(number, spent, unlisted, done, chances)
