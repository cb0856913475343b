"""A tree in PMML 4.4: a TreeModel whose nodes have a branch for every group of outcomes that goes the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import quoteattr

from budgetree.data.encoders import NumberEncoder
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import Remedy, TreeError
from budgetree.problem import Schema
from budgetree.problem.units import plain_number
from budgetree.show.export.conditions import Condition, Range, branches, condition
from budgetree.show.text import summary_line
from budgetree.tree.nodes import LEAF
from budgetree.tree.tree import Tree

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A datetime is also a date, and True an int: they go first.
KINDS = ((bool, "boolean"), ((int, float, Decimal), "double"), (str, "string"))
INSTEAD_OF_PMML = Remedy(
    "Export it with to_python, to_javascript or to_sql, or learn one with leaves='count'.",
    "Export it as Python, JavaScript or SQL, or learn one with --leaves count.",
)
MOMENTS = ((datetime, "dateTime"), (date, "date"), (time, "time"))


def to_pmml(tree: Tree) -> str:
    """The document; fields are called as the tests are, and what is predicted is called answer."""
    if tree.models is not None:
        raise TreeError("the leaves of this tree are models, which a PMML tree cannot hold.", remedy=INSTEAD_OF_PMML)
    from budgetree import __version__

    schema, target = tree.schema, _unused_name(tree.schema.test_names)
    tests = sorted(tree.tests_used)
    kind = _kind("the answers", tree.answer_names)
    fields = [_test_field(schema, test) for test in tests]
    fields.append(_field(target, "categorical", kind, _labelled(tree.answer_names, schema.wording.answers)))
    lines = [
        "<?xml version='1.0' encoding='UTF-8'?>",
        '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">',
        f"<Header description={_text(summary_line(tree))}>",
        f'<Application name="budgetree" version={_text(__version__)}/>',
        "</Header>",
        f'<DataDictionary numberOfFields="{len(fields)}">',
        *fields,
        "</DataDictionary>",
        '<TreeModel modelName="budgetree" functionName="classification" missingValueStrategy="none" '
        'noTrueChildStrategy="returnLastPrediction" splitCharacteristic="multiSplit">',
        "<MiningSchema>",
        *(
            # A value that no known case had is no error: it takes the branch for such values, or stops.
            f'<MiningField name={_text(schema.test_names[test])} invalidValueTreatment="asIs"/>'
            for test in tests
        ),
        f'<MiningField name={_text(target)} usageType="target"/>',
        "</MiningSchema>",
        *_output(tree, target, kind),
        *_nodes(tree),
        "</TreeModel>",
        "</PMML>",
        "",
    ]
    return "\n".join(lines)


def _unused_name(taken: Sequence[str]) -> str:
    name = "answer"
    while name in taken:
        name = f"budgetree {name}"
    return name


def _test_field(schema: Schema, test: int) -> str:
    name, words = schema.test_names[test], schema.wording
    label = "" if words.tests[test] == name else words.tests[test]
    if schema.encoders is None:
        codes = range(int(schema.n_outcomes[test]))
        return _field(name, "continuous", "double", _labelled(codes, words.outcomes[test]), label)
    encoder = schema.encoders[test]
    if isinstance(encoder, NumberEncoder):
        return f'<DataField name={_text(name)}{_shown("displayName", label)} optype="continuous" dataType="double"/>'
    values, kind = _labelled(encoder.values, words.outcomes[test]), _kind(f"test {name!r}", encoder.values)
    # Numbers are compared as numbers: PMML4S does not find those of a categorical field, as 0 and 1.
    return _field(name, "continuous" if kind in ("double", "integer") else "categorical", kind, values, label)


def _labelled(values: Sequence[Any], labels: Sequence[str]) -> list[tuple[Any, str]]:
    """Each value with its label, "" where that is the value itself; labels beyond the values are of missing ones."""
    return [(value, "" if label == str(value) else label) for value, label in zip(values, labels, strict=False)]


def _field(name: str, optype: str, kind: str, values: Sequence[tuple[Any, str]], label: str = "") -> str:
    listed = "".join(f"<Value value={_text(_value(value))}{_shown('displayValue', text)}/>" for value, text in values)
    shown = _shown("displayName", label)
    return f'<DataField name={_text(name)}{shown} optype="{optype}" dataType="{kind}">{listed}</DataField>'


def _shown(attribute: str, label: str) -> str:
    """What people read in place of a name, as PMML has it."""
    return f" {attribute}={_text(label)}" if label else ""


def _kind(what: str, values: Sequence[Any]) -> str:
    """PMML's name for the type that all values have."""
    if any(isinstance(value, int) and abs(value) > LARGEST_EXACT for value in values) and all(
        type(value) is int for value in values
    ):
        return "integer"
    kinds = {next((name for types, name in (*KINDS, *MOMENTS) if isinstance(value, types)), None) for value in values}
    if None in kinds or len(kinds) > 1:
        odd = sorted({type(value).__name__ for value in values})
        raise TreeError(
            f"{what}: values of the kind {' and '.join(odd)}, which one PMML field cannot hold; write them all as "
            "texts.",
            subject=what,
            found=tuple(odd),
        )
    return str(kinds.pop()) if kinds else "string"


def _output(tree: Tree, target: str, kind: str) -> Iterator[str]:
    yield "<Output>"
    for name, called in zip(tree.class_names, tree.schema.wording.classes, strict=True):
        value, label = _value(name), "" if called == str(name) else f"probability of {called}"
        yield (
            f"<OutputField name={_text(f'probability of {value}')}{_shown('displayName', label)} "
            f'optype="continuous" dataType="double" '
            f'targetField={_text(target)} feature="probability" value={_text(value)}/>'
        )
    yield "</Output>"


def _nodes(tree: Tree) -> Iterator[str]:
    """Depth first, by a stack rather than recursion: a tree may be deeper than Python's recursion limit."""
    stack: list[tuple[int, str] | None] = [(0, "<True/>")]
    while stack:
        entry = stack.pop()
        if entry is None:
            yield "</Node>"
            continue
        node, predicate = entry
        yield from _opened(tree, node, predicate)
        stack.append(None)
        stack.extend(reversed(_below(tree, node)))


def _opened(tree: Tree, node: int, predicate: str) -> Iterator[str]:
    """A node without what is below it."""
    nodes, schema = tree.nodes, tree.schema
    cases = [plain_number(schema.cases(units)) for units in nodes.counts[node].tolist()]
    score = _value(tree.answer_names[nodes.label[node]])
    total = plain_number(schema.cases(nodes.counts[node].sum()))
    yield f'<Node id="{node}" score={_text(score)} recordCount="{total}">'
    yield f'<Extension extender="budgetree" name="cost" value="{schema.table.amount(nodes.paid[node])}"/>'
    yield predicate
    for name, count, share in zip(tree.class_names, cases, nodes.shares[node].tolist(), strict=True):
        yield f'<ScoreDistribution value={_text(_value(name))} recordCount="{count}" probability="{share!r}"/>'


def _below(tree: Tree, node: int) -> list[tuple[int, str]]:
    """The children and when they are chosen; the child of whatever else a test may show comes last."""
    test = int(tree.nodes.test[node])
    if test == LEAF:
        return []
    below, otherwise = branches(tree, node)
    name = tree.schema.test_names[test]
    found = [
        (child, _predicate(name, condition(tree.schema, test, tuple(outcomes)))) for child, outcomes in below.items()
    ]
    return found if otherwise is None else [*found, (otherwise, "<True/>")]


def _predicate(field: str, taken: Condition) -> str:
    parts = [_simple(field, "isMissing")] if taken.missing else []
    parts += [_range(field, span) for span in taken.ranges]
    parts += [_simple(field, "equal", value) for value in taken.values]
    return _compound("or", parts) if parts else "<False/>"


def _range(field: str, span: Range) -> str:
    ends = [
        *([] if span.low is None else [_simple(field, "greaterOrEqual", span.low)]),
        *([] if span.high is None else [_simple(field, "lessThan", span.high)]),
    ]
    return _compound("and", ends) if ends else _simple(field, "isNotMissing")


def _simple(field: str, operator: str, value: Any = None) -> str:
    compared = "" if value is None else f" value={_text(_value(value))}"
    return f'<SimplePredicate field={_text(field)} operator="{operator}"{compared}/>'


def _compound(operator: str, parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f'<CompoundPredicate booleanOperator="{operator}">{"".join(parts)}</CompoundPredicate>'


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


def _text(text: str) -> str:
    """An attribute's value with its quotes; invisible letters, and those that turn a line round, by their numbers."""
    bad = NO_XML.search(text)
    if bad is not None:
        raise TreeError(f"{text!r:.60} has the character {bad[0]!r}, which XML cannot hold; rename it.", found=bad[0])
    return "".join(c if c.isprintable() else f"&#{ord(c)};" for c in quoteattr(text))
