"""A tree as a SQL expression: CASE within CASE, in standard SQL.

A tree with models is outcomes, then scores, then answers, each a table of one row of its own:

    (SELECT the tree: CASE over the outcomes, whose values are the answers
     FROM (SELECT DISTINCT outcomes, scores, and per model the class of the highest score
           FROM (SELECT DISTINCT outcomes, and per model and class the sum of what each outcome adds
                 FROM (SELECT per test a CASE that makes the outcome of the raw value))))

The class is found by comparing sums, added up in the order in which predict adds them. Whether a case stops early takes
the probability of its likeliest class: with two classes that is a limit for the difference of the scores, with more it
needs EXP, which is the one function that not every engine has. Where losses are given, the probabilities and the
expected loss of every answer stand between the scores and the answers, and EXP is always needed.

DISTINCT changes nothing in a table of one row; it keeps SQLite from copying the sums into every place where they are
used. There is a column per model and class (with losses, two of them, and one per answer), of which SQLite takes 2000.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from budgetree.data.encoders import UNSEEN
from budgetree.errors import Remedy, SettingError, TreeError
from budgetree.problem import Schema
from budgetree.show.export.conditions import Condition, branches, condition, raw_values
from budgetree.tree.leaf_models import softmax
from budgetree.tree.nodes import LEAF
from budgetree.tree.tree import Tree

MAX_DEPTH = 900  # DuckDB reads a thousand expressions within each other, and others fewer
UNKNOWN = -1  # the outcome that is on no list
FARTHEST = 1e3  # apart, two scores are as sure as a float can say
NO_SQL = re.compile("[\0\ud800-\udfff]")


def to_sql(tree: Tree, backslash_escapes: bool | None = None) -> str:
    """The expression; columns are called as the tests are, and a missing value is NULL."""
    text = _expression(tree) if tree.models is None else _ModelWriter(tree).expression()
    if NO_SQL.search(text):
        reason = "a name or value has a NUL or half a surrogate pair, which no database reads; rename it first"
        raise TreeError(f"to_sql: {reason}.")
    if "\\" not in text:
        return text
    if backslash_escapes is None:
        raise SettingError(
            "to_sql: a name or value has a backslash. PostgreSQL, SQLite, DuckDB, Oracle and SQL Server read it as "
            "what it is, MySQL, BigQuery, Snowflake, Spark and ClickHouse as the beginning of an escape, by which a "
            "text could end early. Say which it is:",
            subject="backslash_escapes",
            remedy=Remedy("backslash_escapes=False or True.", "--no-backslash-escapes or --backslash-escapes."),
        )
    if not backslash_escapes:
        return text
    if (named := next((name for name in tree.test_names if "\\" in name), None)) is not None:
        raise TreeError(
            "to_sql: the name of a test has a backslash; engines in which it begins an escape have no common way to "
            "write that in the name of a column. Rename the test, and the column.",
            subject=named,
        )
    return text.replace("\\", "\\\\")  # texts are the only place where there is one


def _expression(tree: Tree) -> str:
    if tree.depth > MAX_DEPTH:
        found = f"tests on a path; a database reads at most {MAX_DEPTH} CASEs within each other"
        instead = "Write it with to_python, predict with the model itself, or cut it: tree.cut(budget)"
        message = f"to_sql: this tree has {tree.depth:,} {found}. {instead}."
        raise TreeError(message, subject="depth", found=tree.depth, expected=MAX_DEPTH)
    outline, schema, nodes = tree.outline, tree.schema, tree.nodes
    answers, lines = answer_literals(schema), []
    for visit in outline.walk(unknown_last=True):
        indent, branch = "  " * (2 * visit.depth), visit.branch
        test, answer = int(nodes.test[visit.group[0]]), answers[int(nodes.label[visit.group[0]])]
        if branch is not None and outline.takes_unknown(visit.group, branch):
            lines.append(f"{indent}  {'WHEN TRUE THEN' if outline.takes_all(visit.group, branch) else 'ELSE'}")
        elif branch is not None:
            taken = condition_words(column(schema.test_names[test]), condition(schema, test, branch.outcomes))
            lines.append(f"{indent}  WHEN {taken} THEN")
        elif visit.kind == "leave":
            lines += [f"{indent}  ELSE {answer}"] if nodes.otherwise is None else []
            lines.append(f"{indent}END")
        else:
            lines.append(f"{indent}{answer if test == LEAF else 'CASE'}")
    return "\n".join(lines) + "\n"


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
    return " OR ".join(parts) if parts else "FALSE"


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
    if isinstance(value, (date, time)):
        return f"{'DATE' if isinstance(value, date) else 'TIME'} '{value.isoformat()}'"
    if isinstance(value, timedelta):
        return f"INTERVAL '{value // timedelta(microseconds=1)} microseconds'"
    if not isinstance(value, str):
        raise TreeError(f"{value!r:.60} is a {type(value).__name__}, which cannot be written as SQL.", found=value)
    return "'" + value.replace("'", "''") + "'"


class _ModelWriter:
    """Of a tree with models: a scalar subquery."""

    def __init__(self, tree: Tree) -> None:
        assert tree.models is not None
        self.tree, self.schema, self.models = tree, tree.schema, tree.models
        self.answers = answer_literals(tree.schema)
        self.n_classes, self.losses = len(tree.class_names), tree.schema.loss_table
        self.tests = sorted(tree.tests_used)
        is_read = tree.nodes.is_leaf | tree.may_stop
        self.used = sorted({int(number) for number in self.models.of_node[is_read]})
        self.stopping = sorted({int(number) for number in self.models.of_node[tree.may_stop]})
        # An engine may take a new column for one of the table's where they have the same name.
        self.prefix = "t_"
        while any(name.lower().startswith(self.prefix) for name in self.schema.test_names):
            self.prefix += "_"

    def expression(self) -> str:
        outcomes = [self._outcome(test) for test in self.tests] or [f"0 AS {self._name('outcome')}"]
        stages = [("outcomes", [self._score(number, label) for number in self.used for label in range(self.n_classes)])]
        if self.losses.is_plain:
            tops = [self._first("top", number, "score", ">=") for number in self.stopping if self.n_classes > 2]
            stages.append(("scores", tops + [self._first("answer", number, "score", ">=") for number in self.used]))
        else:  # e to the power of each score, the expected loss of every answer, and the first of least
            stages += [
                ("scores", [self._first("top", number, "score", ">=") for number in self.used]),
                ("tops", [part for number in self.used for part in self._raised(number)]),
                ("raised", [part for number in self.used for part in self._expected_losses(number)]),
                ("losses", [self._first("answer", number, "loss", "<=") for number in self.used]),
            ]
        rows = f"SELECT {_listed(outcomes)}"
        for source, columns in stages:
            rows = f"SELECT DISTINCT {_listed([f'{source}.*', *columns])} FROM (\n{rows}\n) AS {source}"
        return "\n".join(["(SELECT", *self._nodes(), f"FROM (\n{rows}\n) AS answers)\n"])

    def _name(self, kind: str, *numbers: int) -> str:
        return self.prefix + "_".join([kind, *map(str, numbers)])

    def _names(self, kind: str, number: int) -> list[str]:
        """Of a model: a column per answer for losses, per class for all else."""
        return [self._name(kind, number, i) for i in range(len(self.answers) if kind == "loss" else self.n_classes)]

    def _outcome(self, test: int) -> str:
        """The outcome of the raw value, as encode finds it."""
        quoted, raw = column(self.schema.test_names[test]), raw_values(self.schema, test)
        if raw.thresholds is not None:
            cases = [f"WHEN {quoted} IS NULL THEN {UNKNOWN if raw.missing == UNSEEN else raw.missing}"]
            levels = [(level, edge) for level, edge in enumerate(raw.thresholds) if edge != math.inf]
            cases += [f"WHEN {quoted} < {literal(edge)} THEN {level}" for level, edge in levels]
            otherwise = levels[-1][0] + 1 if levels else 0
        else:
            taken = [condition(self.schema, test, (outcome,)) for outcome in range(int(self.schema.n_outcomes[test]))]
            cases = [f"WHEN {condition_words(quoted, each)} THEN {outcome}" for outcome, each in enumerate(taken)]
            otherwise = UNKNOWN
        return f"CASE {' '.join(cases)} ELSE {otherwise} END AS {self._name('outcome', test)}"

    def _score(self, number: int, label: int) -> str:
        model = self.models.models[number]
        parts = [literal(float(model.intercept[label]))]
        for test, table in zip(model.tests, self.models.contributions[number], strict=True):
            added = table[:-1, label].tolist()
            if any(added):
                rows = [f"WHEN {outcome} THEN {literal(value)}" for outcome, value in enumerate(added) if value]
                parts.append(f"CASE {self._name('outcome', test)} {' '.join(rows)} ELSE 0e0 END")
        return f"{' + '.join(parts)} AS {self._name('score', number, label)}"

    def _raised(self, number: int) -> list[str]:
        names = zip(self._names("score", number), self._names("raised", number), strict=True)
        return [f"EXP({score} - {self._name('top', number)}) AS {raised}" for score, raised in names]

    def _expected_losses(self, number: int) -> list[str]:
        raised, written = self._names("raised", number), []
        total = f"({' + '.join(raised)})"
        for name, units in zip(self._names("loss", number), self.losses.units.T.tolist(), strict=True):
            terms = [
                f"{power} / {total} * {literal(float(loss))}" for power, loss in zip(raised, units, strict=True) if loss
            ]
            written.append(f"{' + '.join(terms) or '0e0'} AS {name}")
        return written

    def _first(self, kind: str, number: int, compared: str, beats: str) -> str:
        """The top, or the answer, whose score or loss beats the others; of equal ones the first."""
        columns = self._names(compared, number)
        values = columns if kind == "top" else self.answers
        cases = [
            f"WHEN {' AND '.join(f'{name} {beats} {other}' for other in columns[index + 1 :])} THEN {values[index]}"
            for index, name in enumerate(columns[:-1])
        ]
        found = f"CASE {' '.join(cases)} ELSE {values[len(columns) - 1]} END" if cases else values[0]
        return f"{found} AS {self._name(kind, number)}"

    def _is_sure(self, number: int) -> str:
        scores, sure = self._names("score", number), self.models.sure
        assert sure is not None
        if len(scores) == 1:
            return "TRUE"
        if len(scores) == 2:
            return f"ABS({scores[0]} - {scores[1]}) >= {literal(_sure_difference(sure))}"
        raised = " + ".join(f"EXP({score} - {self._name('top', number)})" for score in scores)
        return f"1e0 / ({raised}) >= {literal(sure)}"

    def _nodes(self) -> list[str]:
        """The root as lines: children have larger numbers than their parents, so they are written first."""
        nodes, written = self.tree.nodes, dict[int, list[str]]()
        for node in reversed(range(len(nodes))):
            test, number = int(nodes.test[node]), int(self.models.of_node[node])
            if test == LEAF:
                written[node] = [self._name("answer", number)]
                continue
            below, otherwise = branches(self.tree, node)
            assert otherwise is not None
            cases = [(self._is_sure(number), [self._name("answer", number)])] if self.tree.may_stop[node] else []
            cases += [(_among(self._name("outcome", test), taken), written[child]) for child, taken in below.items()]
            heads = [*((f"WHEN {taken} THEN", value) for taken, value in cases), ("ELSE", written[otherwise])]
            lines = [line for head, value in heads for line in (f"  {head}", *(f"    {line}" for line in value))]
            written[node] = ["CASE", *lines, "END"] if cases else written[otherwise]
        return written[0]


def _listed(columns: list[str]) -> str:
    """One per line, and nothing indented: a name or a value may have line breaks of its own."""
    return "\n" + ",\n".join(columns) + "\n"


def _among(outcome: str, taken: list[int]) -> str:
    """Ascending outcomes; those of neighbouring levels are a range."""
    if len(taken) > 2 and taken[-1] - taken[0] == len(taken) - 1:
        return f"{outcome} BETWEEN {taken[0]} AND {taken[-1]}"
    return f"{outcome} IN ({', '.join(map(str, taken))})"


def _sure_difference(sure: float) -> float:
    """The least difference of two scores that makes one as likely as this, to the last digit of what softmax says."""

    def likeliest(difference: float) -> float:
        return float(softmax(np.array([[0.0, -difference]])).max())

    below, at = 0.0, FARTHEST
    if likeliest(below) >= sure:
        return below
    while below < (middle := below + (at - below) / 2) < at:
        below, at = (below, middle) if likeliest(middle) >= sure else (middle, at)
    return at
