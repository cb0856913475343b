"""A tree as a SQL expression: CASE within CASE, in standard SQL."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from budgetree.show.export.conditions import Condition, condition
from budgetree.tree.tree import Tree


def to_sql(tree: Tree) -> str:
    """The expression; columns are called as the tests are, and a missing value is NULL."""
    outline, schema, nodes = tree.outline, tree.schema, tree.nodes
    if tree.models is not None:
        raise ValueError(
            'to_sql: this tree answers by models, which are not written as SQL; learn one with leaves="count", '
            "or use to_python."
        )
    kinds = {next(kind for kind in (bool, str, object) if isinstance(name, kind)) for name in schema.class_names}

    if len({str(name) for name in schema.class_names}) < len(schema.class_names):
        raise ValueError(f"classes {schema.class_names!r:.80} look alike as text; SQL could not tell them apart.")

    def label(node: int) -> str:
        name = schema.class_names[nodes.label[node]]
        return _literal(name if len(kinds) == 1 else str(name))  # the values of one expression are of one type

    lines = []
    for visit in outline.walk(unknown_last=True):
        node, indent = visit.group[0], "  " * (2 * visit.depth)
        if visit.branch is not None and outline.takes_unknown(visit.group, visit.branch):
            is_only = len(visit.branch.outcomes) == schema.n_outcomes[nodes.test[node]]
            lines.append(f"{indent}  {'WHEN TRUE THEN' if is_only else 'ELSE'}")
        elif visit.branch is not None:
            test = int(nodes.test[node])
            taken = _condition(_column(schema.test_names[test]), condition(schema, test, visit.branch.outcomes))
            lines.append(f"{indent}  WHEN {taken} THEN")
        elif visit.kind == "leave":
            if nodes.otherwise is None:
                lines.append(f"{indent}  ELSE {label(node)}")
            lines.append(f"{indent}END")
        else:
            lines.append(f"{indent}{label(node) if outline.is_leaf(visit.group) else 'CASE'}")
    return "\n".join(lines) + "\n"


def _condition(column: str, taken: Condition) -> str:
    parts = [f"{column} IS NULL"] if taken.missing else []
    for span in taken.ranges:
        limits = [f"{column} >= {_literal(span.low)}"] if span.low is not None else []
        limits += [f"{column} < {_literal(span.high)}"] if span.high is not None else []
        parts.append(" AND ".join(limits) if limits else f"{column} IS NOT NULL")
    if taken.values:
        parts.append(f"{column} IN ({', '.join(map(_literal, taken.values))})")
    return " OR ".join(parts) if parts else "FALSE"


def _column(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
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
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, time):
        return f"TIME '{value.isoformat()}'"
    if isinstance(value, timedelta):
        return f"INTERVAL '{value // timedelta(microseconds=1)} microseconds'"
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.60} is a {type(value).__name__}, which cannot be written as SQL.")
    return "'" + value.replace("'", "''") + "'"
