"""A tree as a SQL expression: CASE within CASE, in standard SQL."""

from __future__ import annotations

from budgetree.show.export.conditions import condition
from budgetree.show.export.model_sql import models_to_sql
from budgetree.show.export.sql_words import answer_literals, column, condition_words
from budgetree.tree.tree import Tree

MAX_DEPTH = 900  # DuckDB reads a thousand expressions within each other, and others fewer


def to_sql(tree: Tree, backslash_escapes: bool | None = None) -> str:
    """The expression; columns are called as the tests are, and a missing value is NULL."""
    text = _expression(tree)
    if "\0" in text or not _is_unicode(text):
        raise ValueError(
            "to_sql: a name or value has a NUL or half a surrogate pair, which no database reads; rename it first."
        )
    if "\\" not in text:
        return text
    if backslash_escapes is None:
        raise ValueError(
            "to_sql: a name or value has a backslash. PostgreSQL, SQLite, DuckDB, Oracle and SQL Server read it as "
            "what it is, MySQL, BigQuery, Snowflake, Spark and ClickHouse as the beginning of an escape, by which a "
            "text could end early. Say which it is: backslash_escapes=False or True (--no-backslash-escapes or "
            "--backslash-escapes)."
        )
    if not backslash_escapes:
        return text
    if any("\\" in name for name in tree.test_names):
        raise ValueError(
            "to_sql: the name of a test has a backslash; engines in which it begins an escape have no common way to "
            "write that in the name of a column. Rename the test, and the column."
        )
    return text.replace("\\", "\\\\")  # texts are the only place where there is one


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _expression(tree: Tree) -> str:
    if tree.models is not None:
        return models_to_sql(tree)
    if tree.depth > MAX_DEPTH:
        raise ValueError(
            f"to_sql: this tree has {tree.depth:,} tests on a path; a database reads at most {MAX_DEPTH} CASEs within "
            "each other. Write it with to_python, predict with the model itself, or cut it: tree.cut(budget)."
        )
    outline, schema, nodes = tree.outline, tree.schema, tree.nodes
    answers = answer_literals(schema)

    def label(node: int) -> str:
        return answers[int(nodes.label[node])]

    lines = []
    for visit in outline.walk(unknown_last=True):
        node, indent = visit.group[0], "  " * (2 * visit.depth)
        if visit.branch is not None and outline.takes_unknown(visit.group, visit.branch):
            is_only = len(visit.branch.outcomes) == schema.n_outcomes[nodes.test[node]]
            lines.append(f"{indent}  {'WHEN TRUE THEN' if is_only else 'ELSE'}")
        elif visit.branch is not None:
            test = int(nodes.test[node])
            taken = condition_words(column(schema.test_names[test]), condition(schema, test, visit.branch.outcomes))
            lines.append(f"{indent}  WHEN {taken} THEN")
        elif visit.kind == "leave":
            if nodes.otherwise is None:
                lines.append(f"{indent}  ELSE {label(node)}")
            lines.append(f"{indent}END")
        else:
            lines.append(f"{indent}{label(node) if outline.is_leaf(visit.group) else 'CASE'}")
    return "\n".join(lines) + "\n"
