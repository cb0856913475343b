"""A tree as a SQL expression: CASE within CASE, in standard SQL.

A tree with points or models is outcomes, then totals, then answers, each a table of one row of its own:

    (SELECT the tree: CASE over the outcomes and totals, whose values are the answers
     FROM (SELECT DISTINCT outcomes, totals, and per model the class of the highest total
           FROM (SELECT DISTINCT outcomes, and per model and class, or points, the sum of what each outcome adds
                 FROM (SELECT per test a CASE that makes the outcome of the raw value))))

A small tree of a model is a CASE within CASEs, whose values are added to the totals.

Totals are whole numbers, written as floats, so they are the same in every engine. Whether a case stops early takes the
probability of its likeliest class: with two classes that is a limit for the difference of the totals, with more it
needs EXP, which is the one function that not every engine has. Where losses are given, the probabilities and the
expected loss of every answer stand between the totals and the answers, and EXP is always needed; so it is for the
probability beside an answer.

DISTINCT changes nothing in a table of one row; it keeps SQLite from copying the sums into every place where they are
used. There is a column per model and class (with losses, two of them, and one per answer), of which SQLite takes 2000.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from budgetree.data.encoders import UNSEEN
from budgetree.errors import Remedy, SettingError, TreeError
from budgetree.problem import Schema
from budgetree.show.export.conditions import Condition, condition, n_levels, raw_values, visits
from budgetree.show.export.program import ByScores, BySure, has_totals, least_difference, program_of
from budgetree.tree.leaves import Ensemble, Model, Totals
from budgetree.tree.nodes import Kind
from budgetree.tree.tree import Tree

Value = Literal["answer", "probability", "cost"]
MAX_DEPTH = 900  # DuckDB reads a thousand expressions within each other, and others fewer
MAX_TERMS = 100  # of a sum, before it becomes a sum of sums: SQLite reads a thousand operators within each other
VALUES: tuple[Value, ...] = ("answer", "probability", "cost")
UNKNOWN = -1  # the outcome that is on no list
NEVER = "(1 = 0)"  # SQLite takes TRUE and FALSE for columns where the table has such
NO_SQL = re.compile("[\0\ud800-\udfff]")


def to_sql(tree: Tree, *, backslash_escapes: bool | None = None, full: bool = False) -> str:
    """The expression; columns are called as the tests are, and a missing value is NULL. `full`: three of them."""
    if (depth := n_levels(tree)) > MAX_DEPTH:
        found = f"branches on a path; a database reads at most {MAX_DEPTH} CASEs within each other"
        instead = "Write it with to_python, predict with the model itself, or cut it: tree.cut(budget)"
        message = f"to_sql: this tree has {depth:,} {found}. {instead}."
        raise TreeError(message, subject="depth", found=depth, expected=MAX_DEPTH)
    writer = _TotalsWriter if has_totals(tree) else _Writer
    if full:
        text = ",\n".join(f"{writer(tree, value).expression().rstrip()} AS {value}" for value in VALUES) + "\n"
    else:
        text = writer(tree).expression()
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


class _Writer:
    """Of a tree without points and models."""

    def __init__(self, tree: Tree, value: Value = "answer") -> None:
        self.tree, self.schema, self.nodes, self.value = tree, tree.schema, tree.nodes, value
        self.answers = answer_literals(tree.schema)

    def expression(self) -> str:
        return "\n".join(self.lines()) + "\n"

    def lines(self) -> Iterator[str]:
        for visit in visits(self.tree, every=self.value != "answer"):
            indent = "  " * (2 * visit.depth)
            if visit.kind == "open":
                yield f"{indent}CASE"
            elif visit.kind == "when":
                yield f"{indent}  WHEN {self.condition(visit.node, visit.results)} THEN"
            elif visit.kind == "others":
                yield f"{indent}  ELSE"
            elif visit.kind == "answer":
                yield f"{indent}{self.cost(visit.node) if self.value == 'cost' else self.answer(visit.node)}"
            elif visit.kind == "close":
                yield f"{indent}END"

    def condition(self, node: int, results: tuple[int, ...]) -> str:
        """When a case takes one of these results of a branch."""
        return self.among(int(self.nodes.test[node]), list(results))

    def answer(self, leaf: int) -> str:
        """What a leaf answers, or how likely that is."""
        return self.said(int(self.nodes.label[leaf]), self.nodes.shares[leaf].tolist())

    def said(self, answer: int, shares: list[float]) -> str:
        if self.value == "answer":
            return self.answers[answer]
        return literal(float(shares[answer] if answer < len(shares) else max(shares)))

    def cost(self, leaf: int) -> str:
        """What a case has paid that comes to a leaf."""
        fixed, parts = 0, []
        for node in self.nodes.path(leaf):
            if self.nodes.is_buy[node]:
                charges = self.nodes.charges[self.nodes.results(node)].tolist()
                if len(set(charges)) == 1:
                    fixed += charges[0]
                else:
                    parts.append(self.charge(int(self.nodes.test[node]), charges))
        scale = float(self.schema.costs.scale)
        if not parts:
            return literal(fixed / scale)
        return f"({' + '.join([literal(float(fixed)), *parts])}) / {literal(scale)}"

    def charge(self, test: int, charges: list[int]) -> str:
        """What a test costs by its result."""
        *listed, other = charges
        by_charge = {charge: [k for k, each in enumerate(listed) if each == charge] for charge in {*listed} - {other}}
        cases = [f"WHEN {self.among(test, outcomes)} THEN {charge}" for charge, outcomes in sorted(by_charge.items())]
        return f"CASE {' '.join(cases)} ELSE {other} END"

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


class _TotalsWriter(_Writer):
    """Of a tree with points or models: a scalar subquery."""

    def __init__(self, tree: Tree, value: Value = "answer") -> None:
        super().__init__(tree, value)
        self.n_classes, self.losses = len(tree.class_names), tree.schema.loss_table
        steps = program_of(tree)
        self.totals = steps.totals
        self.number = {totals: number for number, totals in enumerate(self.totals)}
        self.answering = sorted({step.totals for step in steps.instructions if isinstance(step, ByScores)})
        self.stopping = sorted({step.totals for step in steps.instructions if isinstance(step, BySure)})
        self.added_up = list(range(len(self.totals)))
        if value == "cost":  # no answer is needed
            deciding = {split.totals for split in tree.nodes.splits if split.totals is not None}
            self.answering, self.added_up = [], sorted(self.number[totals] for totals in deciding)
        # An engine may take a new column for one of the table's where they have the same name.
        self.prefix = "t_"
        while any(name.lower().startswith(self.prefix) for name in self.schema.test_names):
            self.prefix += "_"

    def expression(self) -> str:
        outcomes = [self._outcome(test) for test in sorted(self.tree.tests_used)] or [f"0 AS {self._name('outcome')}"]
        answering, scores = self.answering, self._first
        stages = [("outcomes", [part for number in self.added_up for part in self._totals(number)])]
        tops = self.stopping if self.n_classes > 2 else []
        if self.losses.is_plain and self.value == "probability":
            stages += [
                ("scores", [scores("top", number, "score", ">=") for number in sorted({*tops, *answering})]),
                ("tops", [self._likeliest(number) for number in answering]),
            ]
        elif self.losses.is_plain:
            columns = [scores("top", number, "score", ">=") for number in tops]
            stages.append(("scores", columns + [scores("answer", number, "score", ">=") for number in answering]))
        else:  # e to the power of each score, the expected loss of every answer, and the first of least
            stages += [
                ("scores", [scores("top", number, "score", ">=") for number in sorted({*tops, *answering})]),
                ("tops", [part for number in answering for part in self._raised(number)]),
                ("raised", [part for number in answering for part in self._expected_losses(number)]),
                ("losses", [scores("answer", number, "loss", "<=") for number in answering]),
            ]
        rows = f"SELECT {_listed(outcomes)}"
        for source, columns in stages:
            rows = f"SELECT DISTINCT {_listed([f'{source}.*', *columns])} FROM (\n{rows}\n) AS {source}"
        return "\n".join(["(SELECT", *self.lines(), f"FROM (\n{rows}\n) AS answers)\n"])

    def condition(self, node: int, results: tuple[int, ...]) -> str:
        if self.nodes.kind[node] == Kind.BY_RESULT:
            test = int(self.nodes.test[node])
            return self.among(test, [result for result in results if result < self.schema.n_outcomes[test]])
        split = self.nodes.splits[self.nodes.rule[node]]
        assert split.totals is not None
        number = self.number[split.totals]
        if split.confidence is not None:
            sure = self._is_sure(number, split.confidence)
            return sure if results == (0,) else f"NOT ({sure})"
        return " OR ".join(self._is_between(number, split.cuts, side) for side in results)

    def among(self, test: int, outcomes: list[int]) -> str:
        return _among(self._name("outcome", test), outcomes)

    def answer(self, leaf: int) -> str:
        rule = self.nodes.scored(leaf)
        if rule is None:
            return super().answer(leaf)
        number = self.number[rule.totals]
        if isinstance(rule, Model):
            return self._name("answer", number)
        found = self.losses.best(np.array(rule.chances)).tolist()
        best = [self.said(answer, list(shares)) for answer, shares in zip(found, rule.chances, strict=True)]
        total = self._name("score", number, 0)
        cases = [f"WHEN {total} < {cut} THEN {answer}" for cut, answer in zip(rule.cuts, best, strict=False)]
        return f"CASE {' '.join(cases)} ELSE {best[-1]} END" if cases else best[0]

    def _is_between(self, number: int, cuts: tuple[int, ...], side: int) -> str:
        total = self._name("score", number, 0)
        limits = [f"{total} >= {cuts[side - 1]}"] if side else []
        limits += [f"{total} < {cuts[side]}"] if side < len(cuts) else []
        return " AND ".join(limits)

    def _name(self, kind: str, *numbers: int) -> str:
        return self.prefix + "_".join([kind, *map(str, numbers)])

    def _names(self, kind: str, number: int) -> list[str]:
        """Of a model: a column per answer for losses, per class for all else; a single score is the second class's."""
        if kind == "score" and self.totals[number].n_totals == 1:
            return [literal(0.0), self._name(kind, number, 0)]
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

    def _totals(self, number: int) -> list[str]:
        """A column per total."""
        totals, columns = self.totals[number], []
        for position, start in enumerate(totals.intercept.tolist()):
            parts = [literal(float(start))]
            for test, table in zip(totals.tests, totals.points, strict=True):
                *listed, other = table[:, position].tolist()
                rows = [f"WHEN {outcome} THEN {points}" for outcome, points in enumerate(listed) if points != other]
                if rows:
                    parts.append(f"CASE {self._name('outcome', test)} {' '.join(rows)} ELSE {other} END")
                elif other:
                    parts.append(f"({other})")
            parts += self._trees(totals, position)
            columns.append(f"{_sum(parts)} AS {self._name('score', number, position)}")
        return columns

    def _trees(self, totals: Totals, position: int) -> list[str]:
        """What each small tree adds to one total."""
        written: list[str] = []  # of the subtrees that begin behind a node, the nearest last
        trees = totals.trees
        if trees is None:
            return []
        for node in range(len(trees.test) - 1, -1, -1):
            if trees.test[node] < 0:
                written.append(str(trees.value[node, position]))
            else:
                left, right = written.pop(), written.pop()
                written.append(
                    left if left == right else f"CASE WHEN {self._goes_left(trees, node)} THEN {left} ELSE {right} END"
                )
        return [f"({tree})" if tree.startswith("-") else tree for tree in reversed(written)]

    def _goes_left(self, trees: Ensemble, node: int) -> str:
        outcome, cut = self._name("outcome", int(trees.test[node])), int(trees.cut[node])
        missing = int(trees.missing[node])
        if trees.by_equal[node]:
            taken = {cut, UNKNOWN, missing} if trees.default_left[node] else {cut} - {missing}
            return f"{outcome} IN ({', '.join(map(str, sorted(taken)))})" if taken else NEVER
        if trees.default_left[node]:
            return f"{outcome} <= {cut}" + (f" OR {outcome} = {missing}" if missing > cut else "")
        return f"{outcome} BETWEEN 0 AND {cut}" + (f" AND {outcome} <> {missing}" if 0 <= missing <= cut else "")

    def _power(self, number: int, score: str) -> str:
        return f"EXP(({score} - {self._name('top', number)}) * 1e-6)"

    def _raised(self, number: int) -> list[str]:
        names = zip(self._names("score", number), self._names("raised", number), strict=True)
        return [f"{self._power(number, score)} AS {raised}" for score, raised in names]

    def _expected_losses(self, number: int) -> list[str]:
        raised, written = self._names("raised", number), []
        total = f"({' + '.join(raised)})"
        for name, units in zip(self._names("loss", number), self.losses.units.T.tolist(), strict=True):
            terms = [
                f"{power} / {total} * {literal(float(loss))}" for power, loss in zip(raised, units, strict=True) if loss
            ]
            written.append(f"{' + '.join(terms) or '0e0'} AS {name}")
        return written

    def _likeliest(self, number: int) -> str:
        """The probability of the class with the highest score."""
        powers = (self._power(number, score) for score in self._names("score", number))
        return f"1e0 / ({' + '.join(powers)}) AS {self._name('answer', number)}"

    def _first(self, kind: str, number: int, compared: str, beats: str) -> str:
        """The top, or the answer, whose score or loss beats the others; of equal ones the first."""
        columns = self._names(compared, number)
        values = columns if kind == "top" else self.answers
        if kind == "answer" and self.value == "probability":  # of the answer, or the likeliest class: that has e^0
            raised = self._names("raised", number)
            tops = ["1e0"] * (len(self.answers) - len(raised))
            values = [f"{power} / ({' + '.join(raised)})" for power in (*raised, *tops)]
        cases = [
            f"WHEN {' AND '.join(f'{name} {beats} {other}' for other in columns[index + 1 :])} THEN {values[index]}"
            for index, name in enumerate(columns[:-1])
        ]
        found = f"CASE {' '.join(cases)} ELSE {values[len(columns) - 1]} END" if cases else values[0]
        return f"{found} AS {self._name(kind, number)}"

    def _is_sure(self, number: int, confidence: float) -> str:
        scores = self._names("score", number)
        if len(scores) == 2:
            return f"ABS({scores[0]} - {scores[1]}) >= {least_difference(confidence)}"
        return f"1e0 / ({' + '.join(self._power(number, score) for score in scores)}) >= {literal(confidence)}"


def _listed(columns: list[str]) -> str:
    """One per line, and nothing indented: a name or a value may have line breaks of its own."""
    return "\n" + ",\n".join(columns) + "\n"


def _sum(parts: list[str]) -> str:
    """The sum of the parts; of many, by sums of some."""
    if len(parts) <= MAX_TERMS:
        return " + ".join(parts)
    return _sum([f"({_sum(parts[at : at + MAX_TERMS])})" for at in range(0, len(parts), MAX_TERMS)])


def _among(outcome: str, taken: list[int]) -> str:
    """Ascending outcomes; those of neighbouring levels are a range."""
    if len(taken) > 2 and taken[-1] - taken[0] == len(taken) - 1:
        return f"{outcome} BETWEEN {taken[0]} AND {taken[-1]}"
    return f"{outcome} IN ({', '.join(map(str, taken))})"
