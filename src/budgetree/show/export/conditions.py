"""What every language needs: when a raw value takes a branch (ranges, values, missing), and what names mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from budgetree.data.encoders import UNSEEN, NumberEncoder
from budgetree.problem import Schema
from budgetree.services.words import visible
from budgetree.tree.nodes import NO_BRANCH
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


def children(tree: Tree, node: int) -> list[int | None]:
    """Where each outcome leads, and last where any other result does; None: the case stops here."""
    nodes = tree.nodes
    otherwise = None if nodes.otherwise is None else int(nodes.otherwise[node])
    below = nodes.children(node, int(tree.schema.n_outcomes[nodes.test[node]])).tolist()
    return [otherwise if child == NO_BRANCH else child for child in (*below, NO_BRANCH)]


def branches(tree: Tree, node: int) -> tuple[dict[int, list[int]], int | None]:
    """The outcomes that lead to each child, and the child for all others."""
    *below, otherwise = children(tree, node)
    found: dict[int, list[int]] = {}
    for outcome, child in enumerate(below):
        if child is not None and child != otherwise:
            found.setdefault(child, []).append(outcome)
    return found, otherwise


def short(entries: list[Any]) -> Any:
    """One entry instead of many that are the same."""
    return entries[0] if len(set(entries)) == 1 else entries


def leaf_models(tree: Tree) -> list[tuple[list[float], list[tuple[int, list[list[float]]]]]]:
    """Per model of the leaves: the scores it starts with, and for each of its tests what every outcome adds."""
    models = () if tree.models is None else zip(tree.models.models, tree.models.contributions, strict=True)
    tables = [(model, zip(model.tests, added, strict=True)) for model, added in models]
    return [(model.intercept.tolist(), [(test, rows.tolist()) for test, rows in added]) for model, added in tables]


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
