"""What every language needs: when a raw value takes a branch (ranges, values, missing), and what names mean."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from budgetree.data.encoders import UNSEEN, NumberEncoder
from budgetree.problem import Schema
from budgetree.services.words import visible
from budgetree.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Range:
    """low <= x < high; None where there is no such end."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Condition:
    """True for a missing value if so said, and for values of the list or in one of the ranges."""

    missing: bool
    values: tuple[Any, ...] = ()
    ranges: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True)
class RawValues:
    """How a raw value becomes an outcome: by where levels begin, or by its position among values."""

    thresholds: Sequence[float] | None
    values: Sequence[Any]  # none where there are thresholds
    missing: int  # the outcome of a missing value


def raw_values(schema: Schema, test: int) -> RawValues:
    """What the test's raw values are; where only codes are known, the codes."""
    if schema.encoders is None:
        return RawValues(None, range(int(schema.n_outcomes[test])), UNSEEN)
    encoder = schema.encoders[test]
    if isinstance(encoder, NumberEncoder):
        return RawValues(encoder.thresholds, (), encoder.levels if encoder.has_missing else UNSEEN)
    return RawValues(None, encoder.values, len(encoder.values) if encoder.has_missing else UNSEEN)


def condition(schema: Schema, test: int, outcomes: tuple[int, ...]) -> Condition:
    """What the test's raw value must be for one of these outcomes; where only codes are known, the code itself."""
    raw = raw_values(schema, test)
    n_present = len(raw.values) if raw.thresholds is None else len(raw.thresholds) + 1
    present = [outcome for outcome in outcomes if outcome < n_present]
    missing = len(present) < len(outcomes)
    if raw.thresholds is not None:
        return Condition(missing, ranges=_ranges(raw.thresholds, present))
    return Condition(missing, values=tuple(raw.values[outcome] for outcome in present))


def _ranges(thresholds: Sequence[float], levels: list[int]) -> tuple[Range, ...]:
    """Neighbouring levels become one range; the first and last level have no outer end."""
    edges = (None, *thresholds, None)
    found: list[Range] = []
    for level in levels:
        low, high = edges[level], edges[level + 1]
        if low == math.inf:  # a level that no value is rounded to
            continue
        high = None if high == math.inf else high
        if found and found[-1].high == low:
            found[-1] = Range(found[-1].low, high)
        else:
            found.append(Range(low, high))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Visit:
    """One stop of a walk through a tree, for languages that nest.

    A branch is opened, then come the children `when` a case shows one of some results, the last child is for all
    `others`, and the branch is closed. A purchase and an answer stand alone.
    """

    kind: Literal["buy", "open", "when", "others", "close", "answer"]
    depth: int
    node: int
    results: tuple[int, ...] = ()


def visits(tree: Tree, *, every: bool = False) -> Iterator[Visit]:
    """Depth first, by a stack rather than recursion; children that do and answer the same once, unless `every` one."""
    nodes, outline = tree.nodes, tree.outline
    stack: list[Visit | tuple[int, int]] = [(0, 0)]  # a visit, or a depth and a node to enter
    while stack:
        entry = stack.pop()
        if isinstance(entry, Visit):
            yield entry
            continue
        depth, node = entry
        if nodes.is_leaf[node]:
            yield Visit("answer", depth, node)
        elif nodes.is_buy[node]:
            yield Visit("buy", depth, node)
            stack.append((depth, int(nodes.below(node)[0])))
        else:
            below = nodes.below(node).tolist()
            last = len(below) - 1  # a result that is not listed, or the highest total
            by_child = ([result for result, at in enumerate(below) if at == child] for child in dict.fromkeys(below))
            joined = zip(by_child, dict.fromkeys(below), strict=True) if every else outline.joined(node, hidden=True)
            *some, (_, others) = sorted(joined, key=lambda found: found[0][-1] == last)
            if not some:
                stack.append((depth, others))
                continue
            yield Visit("open", depth, node)
            stack += [Visit("close", depth, node), (depth + 1, others), Visit("others", depth, node)]
            for results, child in reversed(some):
                stack += [(depth + 1, child), Visit("when", depth, node, tuple(results))]


def n_levels(tree: Tree) -> int:
    """The most branches on a path."""
    return int((tree.nodes.depth - tree.nodes.n_bought).max())


def label_notes(tree: Tree) -> list[str]:
    """A line per test and answer that has labels, and one for the unit; each is one line, whatever the labels are.

    >>> import budgetree as bt
    >>> cases = bt.Instance([[0], [1]], [0, 1], test_names=["sex"])
    >>> words = bt.Labels({"sex": {"name": "Sex", "outcomes": {0: "female"}}}, {1: "ill"}, unit="€")
    >>> label_notes(bt.grow(cases.with_labels(words)))
    ['costs are in €', 'sex: Sex (0: female)', 'answer 1: ill']
    """
    schema, words = tree.schema, tree.schema.wording
    lines = [f"costs are in {words.unit_name}"] if words.unit_name else []
    for test in sorted(tree.tests_used):
        names, outcomes = schema.outcome_names[test], words.outcomes[test]
        meant = ", ".join(f"{names[index]}: {outcomes[index]}" for index in sorted(words.labelled[test]))
        name, label = schema.test_names[test], words.tests[test]
        if meant or label != name:
            lines.append(f"{name}: {label}{f' ({meant})' if meant else ''}")
    for answer, label in zip(map(str, schema.answer_names), words.answers, strict=True):
        if label != answer:
            lines.append(f"answer {answer}: {label}")
    return [visible(line) for line in lines]
