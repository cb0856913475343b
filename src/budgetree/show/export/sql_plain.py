"""What SQL has of a tree without points and models: CASE within CASE, conditions on columns, and values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from budgetree.errors import TreeError
from budgetree.problem import Schema
from budgetree.show.export.conditions import Condition, condition, visits
from budgetree.tree.tree import Tree

NEVER = "(1 = 0)"  # SQLite takes TRUE and FALSE for columns where the table has such


class PlainWriter:
    """Of a tree without points and models."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.schema, self.nodes = tree, tree.schema, tree.nodes
        self.answers = answer_literals(tree.schema)

    def expression(self) -> str:
        """The answer."""
        return "\n".join(self.lines(self.answer)) + "\n"

    def lines(self, at_leaf: Callable[[int], str], *, every: bool = False) -> Iterator[str]:
        """CASE within CASE; leaves that answer the same are joined, unless `every` one counts."""
        for visit in visits(self.tree, every=every):
            indent = "  " * (2 * visit.depth)
            if visit.kind == "open":
                yield f"{indent}CASE"
            elif visit.kind == "when":
                yield f"{indent}  WHEN {self.condition(visit.node, visit.results)} THEN"
            elif visit.kind == "others":
                yield f"{indent}  ELSE"
            elif visit.kind == "answer":
                yield f"{indent}{at_leaf(visit.node)}"
            elif visit.kind == "close":
                yield f"{indent}END"

    def condition(self, node: int, results: tuple[int, ...]) -> str:
        """When a case takes one of these results of a branch."""
        return self.among(int(self.nodes.test[node]), list(results))

    def answer(self, leaf: int) -> str:
        """What a leaf answers."""
        return self.answers[int(self.nodes.label[leaf])]

    def among(self, test: int, outcomes: list[int]) -> str:
        """Whether a test shows one of these outcomes."""
        return condition_words(column(self.schema.test_names[test]), condition(self.schema, test, tuple(outcomes)))


def column(name: str) -> str:
    """A column's name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def condition_words(quoted: str, taken: Condition) -> str:
    """When the value of a column takes a branch."""
    parts = [f"{quoted} IS NULL"] if taken.missing else []
    for span in taken.ranges:
        limits = [f"{quoted} >= {literal(span.low)}"] if span.low is not None else []
        limits += [f"{quoted} < {literal(span.high)}"] if span.high is not None else []
        parts.append(" AND ".join(limits) if limits else f"{quoted} IS NOT NULL")
    if taken.values:
        parts.append(f"{quoted} IN ({', '.join(map(literal, taken.values))})")
    return " OR ".join(parts) if parts else NEVER


def answer_literals(schema: Schema) -> list[str]:
    """The classes and other answers as values of one type, as those of one expression are."""
    names = schema.answer_names
    if len({str(name) for name in names}) < len(names):
        raise TreeError(f"classes {names!r:.80} look alike as text; SQL could not tell them apart.", found=names)
    kinds = {next(kind for kind in (bool, str, object) if isinstance(name, kind)) for name in names}
    return [literal(name if len(kinds) == 1 else str(name)) for name in names]


def literal(value: Any) -> str:
    """A value that reads back as the same one."""
    if isinstance(value, bool):
        return "(1 = 1)" if value else NEVER
    if isinstance(value, float):
        # With an exponent the literal is a double; without, some engines make it a decimal and compare otherwise.
        if not math.isfinite(value):
            return f"CAST('{value}' AS DOUBLE PRECISION)"
        return repr(value) if "e" in repr(value) else f"{value!r}e0"
    if isinstance(value, (int, Decimal)):
        return str(value)
    if isinstance(value, datetime):
        kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMP WITH TIME ZONE"
        return f"{kind} '{value.isoformat(' ')}'"
    if isinstance(value, (date, time)):
        return f"{'DATE' if isinstance(value, date) else 'TIME'} '{value.isoformat()}'"
    if isinstance(value, timedelta):
        return f"INTERVAL '{value // timedelta(microseconds=1)} microseconds'"
    if not isinstance(value, str):
        raise TreeError(f"{value!r:.60} is a {type(value).__name__}, which cannot be written as SQL.", found=value)
    return "'" + value.replace("'", "''") + "'"
