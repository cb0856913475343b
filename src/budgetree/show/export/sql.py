"""A tree as SQL: an expression for the answer, or a query with probabilities and cost beside it.

Without points and models the expression is CASE within CASE. With them, and in every query, there are outcomes, then
totals, then answers, each a table of its own:

    SELECT the tree: CASE over the outcomes and totals, whose values are the answers
    FROM (SELECT outcomes, totals, and per model the class of the highest total
          FROM (SELECT outcomes, and per model and class, or points, the sum of what each outcome adds
                FROM (SELECT per test a CASE that makes the outcome of the raw value)))

An expression has a row of its own at each step, a query all rows of a table. A small tree of a model is a CASE within
CASEs, whose values are added to the totals. A total is added up only where a case comes that needs it.

Totals are whole numbers, so they are the same in every engine. Whether a case stops early takes the probability of its
likeliest class: with two classes that is a limit for the difference of the totals, with more it needs EXP, which is the
one function that not every engine has. Where losses are given, the probabilities and the expected loss of every answer
stand between the totals and the answers, and EXP is always needed; so it is for the probabilities of a query.

DISTINCT changes nothing in a table of one row; it keeps SQLite from copying the sums into every place where they are
used, and so does counting the rows of a query. There is a column per model and class (with losses, two of them, and one
per answer), of which SQLite takes 2000.

    o3  the outcome of test 3; -1: not listed      s0   a total, or s0_1 of a class     p0_1  e to the power of it
    l3  -1 also where it is missing                 m0   the highest                     x0_1  an expected loss
    h3  255 where it is missing or not listed       a0   the answer of a model           e     the leaf
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from budgetree.data.encoders import UNSEEN
from budgetree.errors import Remedy, SettingError, TreeError
from budgetree.problem import Schema
from budgetree.show.export.conditions import Condition, condition, n_levels, raw_values, visits
from budgetree.show.export.program import Answer, ByPoints, ByResult, ByScores, BySure, has_totals, program_of
from budgetree.tree.leaves import Ensemble
from budgetree.tree.tree import Tree

MAX_DEPTH = 900  # DuckDB reads a thousand expressions within each other, and others fewer
MAX_TERMS = 8  # of a sum, before it becomes a sum of sums: engines are slow where much is within each other
MAX_WHENS = 8  # likewise of a CASE by ascending limits
MAX_GUARD = 400  # letters that say which cases need a total
UNKNOWN, UNKNOWN_HIGH = -1, 255  # the outcome that is on no list
LARGEST_INTEGER = 2**31 - 1
NEVER = "(1 = 0)"  # SQLite takes TRUE and FALSE for columns where the table has such
OWN = re.compile(r"([olhsmapx]\d+(_\d+)?|e|n_[a-z]+\d*)$")  # the names of our own columns

NO_SQL = re.compile("[\0\ud800-\udfff]")
Stage = tuple[str, list[str]]  # what the table before is called, and the columns that are added to it


def to_sql(
    tree: Tree,
    *,
    backslash_escapes: bool | None = None,
    full: bool = False,
    table: str = "cases",
    columns: Sequence[str] = (),
) -> str:
    """The expression; the table's columns are called as the tests are, and a missing value is NULL. `full`: a query."""
    if (depth := n_levels(tree)) > MAX_DEPTH:
        found = f"branches on a path; a database reads at most {MAX_DEPTH} CASEs within each other"
        instead = "Export it as python, predict with the model itself, or cut it: tree.cut(budget)"
        message = f"sql: this tree has {depth:,} {found}. {instead}."
        raise TreeError(message, subject="depth", found=depth, expected=MAX_DEPTH)
    text = Writer(tree, tuple(columns), by_outcome=True).query(table) if full else Writer(tree).expression()
    if NO_SQL.search(text):
        reason = "a name or value has a NUL or half a surrogate pair, which no database reads; rename it first"
        raise TreeError(f"sql: {reason}.")
    if "\\" not in text:
        return text
    if backslash_escapes is None:
        raise SettingError(
            "sql: a name or value has a backslash. PostgreSQL, SQLite, DuckDB, Oracle and SQL Server read it as "
            "what it is, MySQL, BigQuery, Snowflake, Spark and ClickHouse as the beginning of an escape, by which a "
            "text could end early. Say which it is:",
            subject="backslash_escapes",
            remedy=Remedy("backslash_escapes=False or True.", "--no-backslash-escapes or --backslash-escapes."),
        )
    if not backslash_escapes:
        return text
    named = (*tree.test_names, *((*columns, table, *map(str, tree.class_names)) if full else ()))
    if (odd := next((name for name in named if "\\" in name), None)) is not None:
        raise TreeError(
            "sql: the name of a column has a backslash; engines in which it begins an escape have no common way to "
            "write that in the name of a column. Rename the test, and the column.",
            subject=odd,
        )
    return text.replace("\\", "\\\\")  # texts are the only place where there is one


class Writer:
    """Of any tree; by the columns of the table alone where that suffices, else by outcomes and totals.

    `columns` of the table stand beside the answers of a query.
    """

    def __init__(self, tree: Tree, columns: tuple[str, ...] = (), *, by_outcome: bool = False) -> None:
        self.tree, self.schema, self.nodes, self.columns = tree, tree.schema, tree.nodes, columns
        self.answers, self.by_outcome = answer_literals(tree.schema), by_outcome or has_totals(tree)
        self.n_classes, self.losses = len(tree.class_names), tree.schema.loss_table
        program = program_of(tree)
        self.totals, self.steps = program.totals, program.instructions  # of which each node has its own
        self.spent = [program.spent(resource) for resource in range(len(tree.schema.costs.resources))]
        self.answering = sorted({step.totals for step in self.steps if isinstance(step, ByScores)})
        self.stopping = sorted({step.totals for step in self.steps if isinstance(step, BySure)})
        # An engine may take a new column for one of the table's where they have the same name.
        self.prefix, names = "", [name.lower() for name in (*self.schema.test_names, *columns)]
        while any(name.startswith(self.prefix) and OWN.match(name.removeprefix(self.prefix)) for name in names):
            self.prefix += "t"

    def expression(self) -> str:
        """The answer; with outcomes, as a scalar subquery."""
        if not self.by_outcome:
            return "\n".join(self.lines(self.answer)) + "\n"
        rows = f"SELECT {_listed(self._outcomes() or ['0 AS n_none'])}"
        for source, columns in self._stages(self.losses.is_plain):
            rows = f"SELECT DISTINCT {_listed([f'{source}.*', *columns])} FROM (\n{rows}\n) AS {source}"
        return "\n".join(["(SELECT", *self.lines(self.answer), f"FROM (\n{rows}\n) AS answers)\n"])

    def query(self, table: str) -> str:
        """Answer, probabilities and cost of every row of a table, beside some of its columns."""
        costs = self.schema.costs
        made = ["answer", *(f"probability of {name}" for name in self.tree.class_names), *costs.cost_names]
        names = Counter(name.lower() for name in (*made, *dict.fromkeys(self.columns)))
        if both := next((name for name, count in names.items() if count > 1), None):
            message = f"columns: {both!r} is what the query calls a column of its own"
            raise SettingError(f"{message}; rename the table's, or the limit.", subject="columns", found=both)
        kept = [*map(column, self.columns)]
        rows = f"SELECT {_listed([*kept, *self._outcomes(), self._counted('cases')])} FROM {column(table)}"
        leaf = ["\n".join(self.lines(str, every=True)) + f" AS {self._name('e')}"]
        for source, columns in [*self._stages(False), ("answers", leaf)]:
            rows = f"SELECT {_listed([f'{source}.*', *columns, self._counted(source)])} FROM (\n{rows}\n) AS {source}"
        values: list[Callable[[int], str]] = [self.answer]
        values += [partial(self._probability, position=position) for position in range(self.n_classes)]
        values += [partial(self._cost, resource=resource) for resource in range(len(costs.resources))]
        found = [f"{self._by_leaf(value)} AS {column(name)}" for name, value in zip(made, values, strict=True)]
        return f"SELECT {_listed([*kept, *found])} FROM (\n{rows}\n) AS ends\n"

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
        step = self.steps[node]
        if isinstance(step, ByResult):
            if not self.by_outcome:
                name, taken = self.schema.test_names[step.test], condition(self.schema, step.test, results)
                return condition_words(column(name), taken)
            unlisted = len(step.children) - 1
            return _among(self._name("o", step.test), sorted(UNKNOWN if one == unlisted else one for one in results))
        if isinstance(step, BySure):
            return self._is_sure(step) if results == (0,) else f"NOT ({self._is_sure(step)})"
        assert isinstance(step, ByPoints)
        total, cuts, sides = self._name("s", step.totals), step.cuts, []
        for side in results:
            limits = [f"{total} >= {cuts[side - 1]}"] if side else []
            sides.append(" AND ".join(limits + ([f"{total} < {cuts[side]}"] if side < len(cuts) else [])))
        return " OR ".join(sides)

    def answer(self, at: int) -> str:
        """What a leaf answers, or another instruction."""
        step = self.steps[at]
        if isinstance(step, ByScores):
            return self._name("a", step.totals)
        if isinstance(step, Answer):
            return self.answers[step.answer]
        assert isinstance(step, ByPoints)
        return self._by_total(step, self.answer)

    def _cost(self, leaf: int, resource: int) -> str:
        """What a case has taken of a resource that comes to a leaf."""
        fixed, by_outcome = self.spent[resource][leaf]
        parts = [self._looked_up(self._name("o", test), charges, float) for test, charges in by_outcome.items()]
        scale = float(self.schema.costs.resources[resource].scale)
        if not parts:
            return literal(fixed / scale)
        return f"({' + '.join([literal(float(fixed)), *parts])}) / {literal(scale)}"

    def _probability(self, at: int, position: int) -> str:
        """How likely one class is at a leaf."""
        step = self.steps[at]
        if isinstance(step, ByScores):
            powers = self._names("p", step.totals)
            return f"{powers[position]} / ({' + '.join(powers)})"
        if isinstance(step, Answer):
            return literal(float(step.shares[position]))
        assert isinstance(step, ByPoints)
        return self._by_total(step, partial(self._probability, position=position))

    def _counted(self, rows: str) -> str:
        return f"COUNT(*) OVER () AS {self._name(f'n_{rows}')}"

    def _by_leaf(self, value: Callable[[int], str]) -> str:
        """What stands at the leaf of a case; the commonest comes last."""
        groups: dict[str, list[int]] = {}
        for leaf in np.flatnonzero(self.nodes.is_leaf).tolist():
            groups.setdefault(value(leaf), []).append(leaf)
        *some, (others, _) = sorted(groups.items(), key=lambda group: len(group[1]))
        cases = [f"WHEN {_among(self._name('e'), leaves)} THEN {said}" for said, leaves in some]
        return f"CASE {' '.join(cases)} ELSE {others} END" if cases else others

    def _by_total(self, step: ByPoints, value: Callable[[int], str]) -> str:
        total, values = self._name("s", step.totals), list(map(value, step.children))
        last = [k for k, value in enumerate(values[:-1]) if value != values[k + 1]]  # of those that are the same
        return _stepwise([f"{total} < {step.cuts[k]}" for k in last], [*(values[k] for k in last), values[-1]])

    def _name(self, kind: str, *numbers: int) -> str:
        return f"{self.prefix}{kind}{'_'.join(map(str, numbers))}"

    def _names(self, kind: str, number: int) -> list[str]:
        """Of a model: a column per answer for losses, per class for all else; a single score is the second class's."""
        if kind == "s" and self.totals[number].n_totals == 1:
            return [literal(0.0), self._name(kind, number)]
        return [self._name(kind, number, i) for i in range(len(self.answers) if kind == "x" else self.n_classes)]

    def _outcomes(self) -> list[str]:
        return [self._outcome(test) for test in sorted(self.tree.tests_used)]

    def _outcome(self, test: int) -> str:
        """The outcome of the raw value, as encode finds it."""
        quoted, raw, name = column(self.schema.test_names[test]), raw_values(self.schema, test), self._name("o", test)
        if raw.thresholds is not None:
            edges = [edge for edge in raw.thresholds if edge != math.inf]
            levels = _stepwise([f"{quoted} < {literal(edge)}" for edge in edges], [*map(str, range(len(edges) + 1))])
            return f"CASE WHEN {quoted} IS NULL THEN {self._missing(test)} ELSE {levels} END AS {name}"
        taken = [condition(self.schema, test, (outcome,)) for outcome in range(int(self.schema.n_outcomes[test]))]
        cases = [f"WHEN {condition_words(quoted, each)} THEN {outcome}" for outcome, each in enumerate(taken)]
        return f"CASE {' '.join(cases)} ELSE {UNKNOWN} END AS {name}"

    def _stages(self, only_answers: bool) -> list[Stage]:
        """From the outcomes on: what small trees compare, totals, and what follows of the totals of models."""
        answering, first, (guards, levels) = self.answering, self._first, self._guards()
        stages: list[Stage] = [("outcomes", self._compared())]
        # All totals; those that only some cases need come after those that tell who they are.
        for level in range(max(levels, default=-1) + 1):
            some = [self._totals(number, guards[number]) for number, at in enumerate(levels) if at == level]
            stages.append((f"totals{level}", [column for columns in some for column in columns]))
        tops = self.stopping if self.n_classes > 2 else []
        if only_answers:
            columns = [first("m", number, "s", ">=") for number in tops]
            stages.append(("scores", columns + [first("a", number, "s", ">=") for number in answering]))
        else:  # e to the power of each score, the expected loss of every answer, and the first of least
            stages.append(("scores", [first("m", number, "s", ">=") for number in sorted({*tops, *answering})]))
            raised = [
                f"{self._power(number, score)} AS {name}"
                for number in answering
                for score, name in zip(self._names("s", number), self._names("p", number), strict=True)
            ]
            if self.losses.is_plain:
                stages.append(("tops", raised + [first("a", number, "s", ">=") for number in answering]))
            else:
                stages += [
                    ("tops", raised),
                    ("raised", [part for number in answering for part in self._expected_losses(number)]),
                    ("losses", [first("a", number, "x", "<=") for number in answering]),
                ]
        return [stage for stage in stages if stage[1]]

    def _compared(self) -> list[str]:
        """Outcomes for small trees, with what is missing or not listed below or above all others."""
        columns = []
        for test in sorted({test for totals in self.totals if totals.trees is not None for test in totals.trees.tests}):
            outcome, others = self._name("o", test), sorted({UNKNOWN, self._missing(test)})
            columns += [
                f"CASE WHEN {_among(outcome, others)} THEN {beyond} ELSE {outcome} END AS {self._name(kind, test)}"
                for kind, beyond in (("l", UNKNOWN), ("h", UNKNOWN_HIGH))
            ]
        return columns

    def _missing(self, test: int) -> int:
        missing = raw_values(self.schema, test).missing
        return UNKNOWN if missing == UNSEEN else missing

    def _guards(self) -> tuple[list[str | None], list[int]]:
        """Per total, when a case needs it (None: always), and how many totals stand one above the other before it."""
        nodes, places = self.nodes, [list[list[tuple[int, int]]]() for _ in self.totals]
        for node, number in enumerate(map(_totals_of, self.steps[: len(nodes)])):
            above = [(at, below) for at, below in pairwise(nodes.path(node)) if not nodes.is_buy[at]]
            if number is not None and number not in {_totals_of(self.steps[at]) for at, _ in above}:
                places[number].append(above)
        needs = [{_totals_of(self.steps[at]) for path in paths for at, _ in path} - {None} for paths in places]
        guards = [self._guard(paths) for paths in places]
        levels = [0] * len(guards)
        for _ in guards:
            levels = [
                0 if guard is None else max((levels[before] + 1 for before in need if before is not None), default=0)
                for guard, need in zip(guards, needs, strict=True)
            ]
        if max(levels, default=0) >= len(guards):  # two totals that need each other
            return [None] * len(guards), [0] * len(guards)
        return guards, levels

    def _guard(self, paths: list[list[tuple[int, int]]]) -> str | None:
        words = []
        for path in paths:
            below = self.nodes.below
            taken = [(at, tuple(np.flatnonzero(below(at) == child).tolist())) for at, child in path]
            words.append(" AND ".join(f"({self.condition(at, results)})" for at, results in taken))
        guard = " OR ".join(words)
        # Confidence among many classes needs columns that come later.
        by_confidence = self.n_classes > 2 and any(
            isinstance(self.steps[at], BySure) for path in paths for at, _ in path
        )
        return None if not all(words) or by_confidence or len(guard) > MAX_GUARD else guard

    def _totals(self, number: int, guard: str | None) -> list[str]:
        """A column per total, added up in its unit: whole numbers, or floats where these could be too large."""
        totals, columns = self.totals[number], []
        unit, several = totals.unit, totals.n_totals > 1
        for position, start in enumerate((totals.intercept // unit).tolist()):
            tables = [(table[:, position].astype(np.int64) // unit).tolist() for table in totals.points]
            ends = [] if totals.trees is None else (totals.trees.value[:, position].astype(np.int64) // unit).tolist()
            largest = abs(start) + sum(max(map(abs, table)) for table in tables) + sum(map(abs, ends))
            number_type = int if largest <= LARGEST_INTEGER else float
            parts = [literal(number_type(start))] if start else []
            for test, table in zip(totals.tests, tables, strict=True):
                if any(table):
                    parts.append(self._looked_up(self._name("o", test), table, number_type))
            if totals.trees is not None:
                parts += self._trees(totals.trees, [literal(number_type(end)) for end in ends])
            added = f"({_sum(parts or ['0'])}) * {literal(float(unit))}"
            added = added if guard is None else f"CASE WHEN {guard} THEN {added} END"
            columns.append(f"{added} AS {self._name('s', number, *([position] if several else []))}")
        return columns

    def _looked_up(self, outcome: str, table: list[int], number_type: type) -> str:
        """What a table says of an outcome; its last entry is for one that is not listed, which is -1."""
        runs = [(value, len(list(run))) for value, run in groupby([table[-1], *table[:-1]])]
        limits = np.cumsum([length for _, length in runs]) + UNKNOWN  # where the next run begins
        values = [literal(number_type(value)) for value, _ in runs]
        return _stepwise(
            [f"{outcome} < {limit}" for limit in limits[:-1].tolist()],
            [f"({v})" if len(values) == 1 else v for v in values],
        )

    def _trees(self, trees: Ensemble, ends: list[str]) -> list[str]:
        """What each small tree adds to one total."""
        written: list[str] = []  # of the subtrees that begin behind a node, the nearest last
        for node in range(len(trees.test) - 1, -1, -1):
            if trees.test[node] < 0:
                written.append(ends[node])
            else:
                left, right = written.pop(), written.pop()
                written.append(
                    left if left == right else f"CASE WHEN {self._goes_left(trees, node)} THEN {left} ELSE {right} END"
                )
        return [f"({tree})" if tree.startswith("-") else tree for tree in reversed(written)]

    def _goes_left(self, trees: Ensemble, node: int) -> str:
        test, cut, missing = int(trees.test[node]), int(trees.cut[node]), int(trees.missing[node])
        outcome, is_default = self._name("o", test), bool(trees.default_left[node])
        if trees.by_equal[node]:
            taken = {cut, UNKNOWN, missing} if is_default else {cut} - {missing}
            return _among(outcome, sorted(taken))
        if missing == self._missing(test):
            return f"{self._name('l' if is_default else 'h', test)}<{cut + 1}"
        if is_default:
            return f"{outcome} <= {cut}" + (f" OR {outcome} = {missing}" if missing > cut else "")
        return f"{outcome} BETWEEN 0 AND {cut}" + (f" AND {outcome} <> {missing}" if 0 <= missing <= cut else "")

    def _power(self, number: int, score: str) -> str:
        return f"EXP(({score} - {self._name('m', number)}) * 1e-6)"

    def _expected_losses(self, number: int) -> list[str]:
        raised, written = self._names("p", number), []
        total = f"({' + '.join(raised)})"
        for name, units in zip(self._names("x", number), self.losses.units.T.tolist(), strict=True):
            terms = [
                f"{power} / {total} * {literal(float(loss))}" for power, loss in zip(raised, units, strict=True) if loss
            ]
            written.append(f"{' + '.join(terms) or '0e0'} AS {name}")
        return written

    def _first(self, kind: str, number: int, compared: str, beats: str) -> str:
        """The top, or the answer, whose score or loss beats the others; of equal ones the first."""
        columns = self._names(compared, number)
        values = columns if kind == "m" else self.answers
        cases = [
            f"WHEN {' AND '.join(f'{name} {beats} {other}' for other in columns[index + 1 :])} THEN {values[index]}"
            for index, name in enumerate(columns[:-1])
        ]
        found = f"CASE {' '.join(cases)} ELSE {values[len(columns) - 1]} END" if cases else values[0]
        return f"{found} AS {self._name(kind, number)}"

    def _is_sure(self, step: BySure) -> str:
        scores = self._names("s", step.totals)
        if step.difference is not None:
            return f"ABS({scores[0]} - {scores[1]}) >= {step.difference}"
        powers = " + ".join(self._power(step.totals, score) for score in scores)
        return f"1e0 / ({powers}) >= {literal(step.confidence)}"


def _totals_of(step: object) -> int | None:
    """The totals that an instruction needs, by their number."""
    return step.totals if isinstance(step, (ByPoints, BySure, ByScores)) else None


def _listed(columns: Sequence[str]) -> str:
    """One per line, and nothing indented: a name or a value may have line breaks of its own."""
    return "\n" + ",\n".join(columns) + "\n"


def _sum(parts: list[str]) -> str:
    """The sum of the parts; of many, by sums of some."""
    while len(parts) > MAX_TERMS:
        parts = [f"({' + '.join(parts[at : at + MAX_TERMS])})" for at in range(0, len(parts), MAX_TERMS)]
    return " + ".join(parts)


def _stepwise(limits: list[str], values: list[str]) -> str:
    """The value of the first limit that holds, else the last; each limit holds where one before it does."""
    if len(limits) <= MAX_WHENS:
        cases = [f"WHEN {limit} THEN {value}" for limit, value in zip(limits, values, strict=False)]
        return f"CASE {' '.join(cases)} ELSE {values[-1]} END" if cases else values[0]
    size = math.isqrt(len(limits)) + 1
    ends = range(size - 1, len(limits), size)
    parts = [_stepwise(limits[end - size + 1 : end], values[end - size + 1 : end + 1]) for end in ends]
    parts.append(_stepwise(limits[len(parts) * size :], values[len(parts) * size :]))
    return _stepwise([limits[end] for end in ends], parts)


def _among(outcome: str, taken: list[int]) -> str:
    """Ascending outcomes; those of neighbouring levels are a range."""
    if not taken:
        return NEVER
    if len(taken) == 1:
        return f"{outcome} = {taken[0]}"
    if len(taken) > 2 and taken[-1] - taken[0] == len(taken) - 1:
        return f"{outcome} BETWEEN {taken[0]} AND {taken[-1]}"
    return f"{outcome} IN ({', '.join(map(str, taken))})"


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
