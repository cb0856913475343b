"""A tree in PMML 4.4: a TreeModel whose nodes have a branch for every group of outcomes that goes the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import quoteattr

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import Remedy, TreeError
from budgetree.problem import Schema
from budgetree.problem.units import plain_number
from budgetree.show.export.conditions import Condition, condition, raw_values
from budgetree.show.export.program import has_totals
from budgetree.show.text import summary_line
from budgetree.tree.tree import Tree

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A datetime is also a date, and True an int: they go first.
KINDS = (
    (bool, "boolean"), ((int, float, Decimal), "double"), (str, "string"),
    (datetime, "dateTime"), (date, "date"), (time, "time"),
)  # fmt: skip
INSTEAD_OF_PMML = Remedy(
    "Export it as python, javascript or sql, or learn one with leaves='tree'.",
    "Export it as Python, JavaScript or SQL, or learn one with --leaves tree.",
)


def to_pmml(tree: Tree) -> str:
    """The document; fields are called as the tests are, and what is predicted is called answer."""
    if has_totals(tree):
        message = "pmml: this tree adds up points or the scores of models, which a PMML tree cannot do."
        raise TreeError(message, subject="leaves", remedy=INSTEAD_OF_PMML)
    from budgetree import __version__

    schema, target, tests = tree.schema, "answer", sorted(tree.tests_used)
    while target in schema.test_names:
        target = f"budgetree {target}"
    kind = _kind("the answers", tree.answer_names)
    fields = [_test_field(schema, test) for test in tests]
    fields.append(_field(target, "categorical", kind, tree.answer_names, schema.wording.answers))
    # A value that no known case had is not an error: it takes the branch for such values, or stops.
    mined = [_tag("MiningField", name=schema.test_names[test], invalidValueTreatment="asIs") for test in tests]
    mined.append(_tag("MiningField", name=target, usageType="target"))
    labels = _labelled(tree.class_names, schema.wording.classes)
    lines = [
        "<?xml version='1.0' encoding='UTF-8'?>",
        '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">',
        f"<Header description={_text(summary_line(tree))}>",
        _tag("Application", name="budgetree", version=__version__),
        "</Header>",
        f'<DataDictionary numberOfFields="{len(fields)}">',
        *fields,
        "</DataDictionary>",
        '<TreeModel modelName="budgetree" functionName="classification" missingValueStrategy="none" '
        'noTrueChildStrategy="returnLastPrediction" splitCharacteristic="multiSplit">',
        "<MiningSchema>",
        *mined,
        "</MiningSchema>",
        "<Output>",
        *(_probability(name, label, target) for name, label in labels),
        "</Output>",
        *_nodes(tree),
        "</TreeModel>",
        "</PMML>",
        "",
    ]
    return "\n".join(lines)


def _test_field(schema: Schema, test: int) -> str:
    name, words, raw = schema.test_names[test], schema.wording, raw_values(schema, test)
    label = None if words.tests[test] == name else words.tests[test]
    if raw.thresholds is not None:
        return _tag("DataField", name=name, displayName=label, optype="continuous", dataType="double")
    kind = _kind(f"test {name!r}", raw.values)
    # Numbers are compared as numbers: PMML4S does not find those of a categorical field, as 0 and 1.
    optype = "continuous" if kind in ("double", "integer") else "categorical"
    return _field(name, optype, kind, raw.values, words.outcomes[test], label)


def _field(
    name: str, optype: str, kind: str, values: Sequence[Any], labels: Sequence[str], label: str | None = None
) -> str:
    listed = "".join(_tag("Value", value=value, displayValue=shown) for value, shown in _labelled(values, labels))
    return _tag("DataField", listed, name=name, displayName=label, optype=optype, dataType=kind)


def _labelled(values: Sequence[Any], labels: Sequence[str]) -> list[tuple[Any, str | None]]:
    """Each value with its label, None where that is the value itself; labels beyond the values are of missing ones."""
    return [(value, None if label == str(value) else label) for value, label in zip(values, labels, strict=False)]


def _probability(name: Any, label: str | None, target: str) -> str:
    shown = None if label is None else f"probability of {label}"
    kind = {"optype": "continuous", "dataType": "double", "targetField": target, "feature": "probability"}
    return _tag("OutputField", name=f"probability of {_value(name)}", displayName=shown, **kind, value=name)


def _kind(what: str, values: Sequence[Any]) -> str:
    """PMML's name for the type that all values have."""
    if all(type(value) is int for value in values) and any(abs(value) > LARGEST_EXACT for value in values):
        return "integer"
    kinds = {next((name for types, name in KINDS if isinstance(value, types)), None) for value in values}
    if None in kinds or len(kinds) > 1:
        odd = sorted({type(value).__name__ for value in values})
        reason = f"values of the kind {' and '.join(odd)}, which one PMML field cannot hold; write them all as texts"
        raise TreeError(f"{what}: {reason}.", subject=what, found=tuple(odd))
    return str(kinds.pop()) if kinds else "string"


def _nodes(tree: Tree) -> Iterator[str]:
    """Depth first, by a stack rather than recursion: a tree may be deeper than Python's recursion limit."""
    nodes, schema = tree.nodes, tree.schema
    stack: list[tuple[int, str] | None] = [(0, "<True/>")]
    while stack:
        entry = stack.pop()
        if entry is None:
            yield "</Node>"
            continue
        node, predicate = entry
        end = node
        while nodes.is_buy[end]:
            end = int(nodes.below(end)[0])
        if nodes.is_leaf[end]:
            node = end
        score = _value(tree.answer_names[nodes.label[node]])
        total = plain_number(schema.cases(nodes.counts[node].sum()))
        yield f'<Node id="{node}" score={_text(score)} recordCount="{total}">'
        spent = schema.costs.amounts_of(nodes.all_spent[:, node].tolist()).values()
        for name, amount in zip(schema.costs.cost_names, spent, strict=True):
            yield _tag("Extension", extender="budgetree", name=name, value=amount)
        yield predicate
        cases = schema.plain_cases(nodes.counts[node].tolist())
        for name, count, share in zip(tree.class_names, cases, nodes.shares[node].tolist(), strict=True):
            yield _tag("ScoreDistribution", value=name, recordCount=count, probability=share)
        stack += [None, *reversed(_below(tree, end))]


def _below(tree: Tree, node: int) -> list[tuple[int, str]]:
    """The nodes below a branch and when they are chosen; the one for results that are not listed comes last.

    The leaf for what no known case showed answers as the branch does, so a case simply stops there.
    """
    nodes, schema = tree.nodes, tree.schema
    if nodes.is_leaf[node]:
        return []
    *below, others = nodes.below(node).tolist()
    test, results = int(nodes.test[node]), dict[int, list[int]]()
    for outcome, child in enumerate(below):
        if child != others:
            results.setdefault(child, []).append(outcome)
    taken = {child: condition(schema, test, tuple(outcomes)) for child, outcomes in results.items()}
    found = [(child, _predicate(schema.test_names[test], when)) for child, when in taken.items()]
    return found if tree.outline.is_hidden(others) else [*found, (others, "<True/>")]


def _predicate(field: str, taken: Condition) -> str:
    def simple(operator: str, value: Any = None) -> str:
        return _tag("SimplePredicate", field=field, operator=operator, value=value)

    parts = [simple("isMissing")] if taken.missing else []
    for span in taken.ranges:
        ends = [] if span.low is None else [simple("greaterOrEqual", span.low)]
        ends += [] if span.high is None else [simple("lessThan", span.high)]
        parts.append(_compound("and", ends) if ends else simple("isNotMissing"))
    parts += [simple("equal", value) for value in taken.values]
    return _compound("or", parts) if parts else "<False/>"


def _compound(operator: str, parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else _tag("CompoundPredicate", "".join(parts), booleanOperator=operator)


def _tag(tag: str, content: str | None = None, /, **attributes: Any) -> str:
    """An element, without the attributes that are None."""
    written = "".join(f" {key}={_text(_value(value))}" for key, value in attributes.items() if value is not None)
    return f"<{tag}{written}/>" if content is None else f"<{tag}{written}>{content}</{tag}>"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


def _text(text: str) -> str:
    """An attribute's value with its quotes; invisible letters, and those that turn a line round, by their numbers."""
    if bad := NO_XML.search(text):
        raise TreeError(f"{text!r:.60} has the character {bad[0]!r}, which XML cannot hold; rename it.", found=bad[0])
    return "".join(c if c.isprintable() else f"&#{ord(c)};" for c in quoteattr(text))
