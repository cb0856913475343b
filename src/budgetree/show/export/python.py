"""A tree as a Python function that needs nothing but Python; a deep one, or one with totals, is a loop over tables."""

from __future__ import annotations

import builtins
import keyword
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from budgetree.errors import SettingError, TreeError
from budgetree.services.words import visible
from budgetree.show.export.conditions import Condition, condition, label_notes, n_levels, raw_values, visits
from budgetree.show.export.program import has_totals, tables_of
from budgetree.show.text import summary_line
from budgetree.tree.nodes import Kind
from budgetree.tree.tree import Tree

MAX_DEPTH = 40  # of branches within branches: Python refuses a hundred levels of indentation
NAN = "float('nan')"
FOLLOW = Path(__file__).with_name("follow.py")


def to_python(tree: Tree, name: str = "predict", *, full: bool = False) -> str:
    """The source of `name(case)`, where case[test] is a raw value; None and NaN are missing ones."""
    if not name.isidentifier() or keyword.iskeyword(name) or hasattr(builtins, name):
        expected = "a name for a Python function that Python does not use itself"
        raise SettingError(f"name is {name!r}; expected {expected}.", subject="name", found=name, expected=expected)
    if full or has_totals(tree) or n_levels(tree) > MAX_DEPTH:
        return _loop(tree, name, full)
    return _branches(tree, name)


def _branches(tree: Tree, name: str) -> str:
    """The source of `name(case)` as branches within branches."""
    schema, nodes, words = tree.schema, tree.nodes, tree.words
    again, known = _branched_again(tree), list[tuple[int, int]]()  # known: depth and test of those read on this path
    lines = [f"def {name}(case):", f'    """{_summary(tree)}; case[name of a test] is its raw value."""']
    for visit in visits(tree):
        node, depth, indent = visit.node, visit.depth, "    " * (1 + visit.depth)
        test, above = int(nodes.test[node]), int(nodes.parent[node])
        value = f"value_{test}" if test in again else "value"
        if visit.kind == "buy":
            child = int(nodes.below(node)[0])
            if nodes.kind[child] != Kind.BY_RESULT or nodes.test[child] != test:
                lines.append(f"{indent}# buy {visible(schema.wording.tests[test])}: {visible(words.price([node]))}")
        elif visit.kind == "open":
            known = [(at, of) for at, of in known if at < depth]
            if test in (of for _, of in known):
                continue
            if test in again:
                known.append((depth, test))
            at_once = above >= 0 and nodes.is_buy[above] and nodes.test[above] == test
            price = visible(words.price([above] if at_once else []))
            lines.append(f"{indent}{value} = case[{schema.test_names[test]!r}]  # {price}")
            if raw_values(schema, test).thresholds is not None:
                # NaN is in no range. A float, since others are not compared with one as encode does.
                lines.append(f"{indent}{value} = {NAN} if {value} is None else float({value})")
        elif visit.kind == "when":
            lines.append(f"{indent}if {_condition(condition(schema, test, visit.results), value)}:")
        elif visit.kind == "others":
            lines.append(f"{indent}else:")
        elif visit.kind == "answer":
            lines.append(f"{indent}return {literal(tree.answer_names[nodes.label[node]])}")
    imports, body = _imports("\n".join(lines)), "\n".join(lines)
    notes = "".join(f"# {note}\n" for note in label_notes(tree))
    return (f"{imports}\n\n" if imports else "") + f"{notes}{body}\n"


def _branched_again(tree: Tree) -> set[int]:
    """The tests by which some path branches twice: their value is kept, since a test is read once."""
    nodes, found = tree.nodes, set[int]()
    for node in np.flatnonzero(nodes.kind == Kind.BY_RESULT).tolist():
        test, above = int(nodes.test[node]), int(nodes.parent[node])
        while not (nodes.is_buy[above] and nodes.test[above] == test):
            if nodes.test[above] == test:
                found.add(test)
                break
            above = int(nodes.parent[above])
    return found


def _condition(taken: Condition, value: str) -> str:
    parts = [f"{value} is None or {value} != {value}"] if taken.missing else []
    for span in taken.ranges:
        low = "" if span.low is None else f"{span.low!r} <= "
        high = "" if span.high is None else f" < {span.high!r}"
        parts.append(f"{low}{value}{high}" if low or high else f"{value} == {value}")
    if len(taken.values) == 1:
        parts.append(f"{value} == {literal(taken.values[0])}")
    elif taken.values:
        parts.append(f"{value} in ({', '.join(map(literal, taken.values))})")
    return " or ".join(parts) if parts else "False"


def _imports(source: str) -> str:
    return "".join(f"import {module}\n" for module in ("datetime", "decimal") if f"{module}." in source)


def _summary(tree: Tree) -> str:
    """A text that cannot end the docstring in which it stands."""
    return visible(summary_line(tree)).replace("\\", "\\\\").replace('"', "'")


def literal(value: Any) -> str:
    """The source of a value; datetime and decimal are modules there."""
    if isinstance(value, float) and math.isinf(value):
        return f"float('{value}')"
    if isinstance(value, Decimal):
        return f"decimal.Decimal('{value}')"
    if isinstance(value, timedelta):
        return f"datetime.timedelta(microseconds={value // timedelta(microseconds=1)})"
    for kind in (datetime, date, time):  # a datetime is also a date
        # Python's own kinds know no nanoseconds, of which a text has nine digits.
        if isinstance(value, kind) and not getattr(value, "nanosecond", 0):
            return f"datetime.{kind.__name__}.fromisoformat('{value.isoformat()}')"
    if type(value) not in (str, bytes, bool, int, float):
        raise TreeError(f"{value!r:.60} is a {type(value).__name__}, which cannot be written as Python.", found=value)
    return repr(value)


def _loop(tree: Tree, name: str, full: bool) -> str:
    """The source of `name(case)` as a loop over instructions, with its tables above it."""
    tables = tables_of(tree, lambda value: _Source(literal(value)))
    for test in filter(None, tables["tests"]):
        if "values" in test:
            test["values"] = {value: code for code, value in enumerate(test["values"])}
        else:
            test["thresholds"] = [_Source(literal(edge)) for edge in test["thresholds"]]
    written = "".join(f'    "{key}": {_written(content, key)},\n' for key, content in tables.items())
    imports, follow = FOLLOW.read_text(encoding="utf-8").split("allow-untyped-calls\n\n")[1].split("\n\n\n", 1)
    lines = [
        f"{_imports(written)}{imports}\n",
        *(f"# {note}" for note in label_notes(tree)),
        f"_{name}_TABLES = {{\n{written}}}\n\n",
        f"def {name}(case):",
        f'    """{_summary(tree)}; case[name of a test] is its raw value."""',
        f"    found = _{name}(case, **_{name}_TABLES)",
        "    return found\n\n" if full else '    return found["answer"]\n\n',
        follow.replace("_follow", f"_{name}"),
    ]
    return "\n".join(lines)


class _Source(str):
    """Source code, which stands for itself within what Python shows."""

    __slots__ = ()
    __repr__ = str.__str__


def _written(content: Any, key: str) -> str:
    if key in ("tests", "totals", "steps"):  # a line for each
        return "[\n" + "".join(f"        {entry!r},\n" for entry in content) + "    ]"
    return repr(content)
