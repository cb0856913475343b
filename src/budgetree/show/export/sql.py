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
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

import numpy as np

from budgetree.data.encoders import UNSEEN
from budgetree.errors import Remedy, SettingError, TreeError
from budgetree.show.export.conditions import condition, n_levels, raw_values
from budgetree.show.export.program import ByScores, BySure, has_totals, least_difference, program_of
from budgetree.show.export.sql_plain import NEVER, PlainWriter, column, condition_words, literal
from budgetree.tree.leaves import Ensemble, Model, Points
from budgetree.tree.nodes import NO_RULE, Kind
from budgetree.tree.tree import Tree

MAX_DEPTH = 900  # DuckDB reads a thousand expressions within each other, and others fewer
MAX_TERMS = 8  # of a sum, before it becomes a sum of sums: engines are slow where much is within each other
MAX_WHENS = 8  # likewise of a CASE by ascending limits
MAX_GUARD = 400  # letters that say which cases need a total
UNKNOWN, UNKNOWN_HIGH = -1, 255  # the outcome that is on no list
LARGEST_INTEGER = 2**31 - 1
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
    if full:
        text = TotalsWriter(tree, tuple(columns)).query(table)
    else:
        text = TotalsWriter(tree).expression() if has_totals(tree) else PlainWriter(tree).expression()
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


class TotalsWriter(PlainWriter):
    """Of any tree; `columns` of the table stand beside the answers of a query."""

    def __init__(self, tree: Tree, columns: tuple[str, ...] = ()) -> None:
        super().__init__(tree)
        self.columns = columns
        self.n_classes, self.losses = len(tree.class_names), tree.schema.loss_table
        steps = program_of(tree)
        self.totals = steps.totals
        self.number = {totals: number for number, totals in enumerate(self.totals)}
        self.answering = sorted({step.totals for step in steps.instructions if isinstance(step, ByScores)})
        self.stopping = sorted({step.totals for step in steps.instructions if isinstance(step, BySure)})
        # An engine may take a new column for one of the table's where they have the same name.
        self.prefix, names = "", [name.lower() for name in (*self.schema.test_names, *columns)]
        while any(name.startswith(self.prefix) and OWN.match(name.removeprefix(self.prefix)) for name in names):
            self.prefix += "t"

    def expression(self) -> str:
        """The answer, as a scalar subquery."""
        rows = f"SELECT {_listed(self._outcomes() or ['0 AS n_none'])}"
        for source, columns in self._stages(self.losses.is_plain):
            rows = f"SELECT DISTINCT {_listed([f'{source}.*', *columns])} FROM (\n{rows}\n) AS {source}"
        return "\n".join(["(SELECT", *self.lines(self.answer), f"FROM (\n{rows}\n) AS answers)\n"])

    def query(self, table: str) -> str:
        """Answer, probabilities and cost of every row of a table, beside some of its columns."""
        made = ["answer", *(f"probability of {name}" for name in self.tree.class_names), "cost"]
        if both := sorted({name.lower() for name in made} & {name.lower() for name in self.columns}):
            message = f"columns: {both[0]!r} is what the query calls a column of its own; rename the table's."
            raise SettingError(message, subject="columns", found=both[0])
        kept = [*map(column, self.columns)]
        rows = f"SELECT {_listed([*kept, *self._outcomes(), self._counted('cases')])} FROM {column(table)}"
        leaf = ["\n".join(self.lines(str, every=True)) + f" AS {self._name('e')}"]
        for source, columns in [*self._stages(False), ("answers", leaf)]:
            rows = f"SELECT {_listed([f'{source}.*', *columns, self._counted(source)])} FROM (\n{rows}\n) AS {source}"
        values: list[Callable[[int], str]] = [self.answer]
        values += [self._probability(position) for position in range(self.n_classes)] + [self.cost]
        found = [f"{self._by_leaf(value)} AS {column(name)}" for name, value in zip(made, values, strict=True)]
        return f"SELECT {_listed([*kept, *found])} FROM (\n{rows}\n) AS ends\n"

    def condition(self, node: int, results: tuple[int, ...]) -> str:
        if self.nodes.kind[node] == Kind.BY_RESULT:
            test = int(self.nodes.test[node])
            unlisted = int(self.schema.n_outcomes[test])
            return self.among(test, sorted(UNKNOWN if result == unlisted else result for result in results))
        split = self.nodes.splits[self.nodes.rule[node]]
        assert split.totals is not None
        number = self.number[split.totals]
        if split.confidence is not None:
            sure = self._is_sure(number, split.confidence)
            return sure if results == (0,) else f"NOT ({sure})"
        return " OR ".join(self._is_between(number, split.cuts, side) for side in results)

    def among(self, test: int, outcomes: list[int]) -> str:
        return _among(self._name("o", test), outcomes)

    def answer(self, leaf: int) -> str:
        rule = self.nodes.scored(leaf)
        if isinstance(rule, Model):
            return self._name("a", self.number[rule.totals])
        if rule is None:
            return super().answer(leaf)
        return self._by_total(rule, [self.answers[best] for best in self.losses.best(np.array(rule.chances)).tolist()])

    def cost(self, leaf: int) -> str:
        """What a case has paid that comes to a leaf."""
        fixed, parts = 0, []
        for node in self.nodes.path(leaf):
            if self.nodes.is_buy[node]:
                charges = self.nodes.charges[self.nodes.results(node)].tolist()
                if len(set(charges)) == 1:
                    fixed += charges[0]
                else:
                    parts.append(self._looked_up(self._name("o", int(self.nodes.test[node])), charges, float))
        scale = float(self.schema.costs.scale)
        if not parts:
            return literal(fixed / scale)
        return f"({' + '.join([literal(float(fixed)), *parts])}) / {literal(scale)}"

    def _probability(self, position: int) -> Callable[[int], str]:
        """How likely one class is at a leaf."""

        def value(leaf: int) -> str:
            rule = self.nodes.scored(leaf)
            if isinstance(rule, Model):
                powers = self._names("p", self.number[rule.totals])
                return f"{powers[position]} / ({' + '.join(powers)})"
            if rule is None:
                return literal(float(self.nodes.shares[leaf, position]))
            return self._by_total(rule, [literal(float(chances[position])) for chances in rule.chances])

        return value

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

    def _by_total(self, rule: Points, values: list[str]) -> str:
        total = self._name("s", self.number[rule.totals])
        last = [k for k, value in enumerate(values[:-1]) if value != values[k + 1]]  # of those that are the same
        return _stepwise([f"{total} < {rule.cuts[k]}" for k in last], [*(values[k] for k in last), values[-1]])

    def _is_between(self, number: int, cuts: tuple[int, ...], side: int) -> str:
        total = self._name("s", number)
        limits = [f"{total} >= {cuts[side - 1]}"] if side else []
        limits += [f"{total} < {cuts[side]}"] if side < len(cuts) else []
        return " AND ".join(limits)

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
            missing = UNKNOWN if raw.missing == UNSEEN else raw.missing
            return f"CASE WHEN {quoted} IS NULL THEN {missing} ELSE {levels} END AS {name}"
        taken = [condition(self.schema, test, (outcome,)) for outcome in range(int(self.schema.n_outcomes[test]))]
        cases = [f"WHEN {condition_words(quoted, each)} THEN {outcome}" for outcome, each in enumerate(taken)]
        return f"CASE {' '.join(cases)} ELSE {UNKNOWN} END AS {name}"

    def _stages(self, only_answers: bool) -> list[Stage]:
        """From the outcomes on: what small trees compare, totals, and what follows of the totals of models."""
        answering, first = self.answering, self._first
        stages: list[Stage] = [("outcomes", self._compared())]
        stages += [(f"totals{level}", columns) for level, columns in enumerate(self._added_up())]
        tops = self.stopping if self.n_classes > 2 else []
        if only_answers:
            columns = [first("m", number, "s", ">=") for number in tops]
            stages.append(("scores", columns + [first("a", number, "s", ">=") for number in answering]))
        else:  # e to the power of each score, the expected loss of every answer, and the first of least
            stages.append(("scores", [first("m", number, "s", ">=") for number in sorted({*tops, *answering})]))
            raised = [part for number in answering for part in self._raised(number)]
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
            outcome, missing = self._name("o", test), self._missing(test)
            others = [UNKNOWN] if missing is None else [UNKNOWN, missing]
            columns.append(
                f"CASE WHEN {_among(outcome, others)} THEN {UNKNOWN} ELSE {outcome} END AS {self._name('l', test)}"
            )
            columns.append(
                f"CASE WHEN {_among(outcome, others)} THEN {UNKNOWN_HIGH} ELSE {outcome} END AS {self._name('h', test)}"
            )
        return columns

    def _missing(self, test: int) -> int | None:
        missing = raw_values(self.schema, test).missing
        return None if missing == UNSEEN else missing

    def _added_up(self) -> list[list[str]]:
        """The columns of all totals; those that only some cases need come after those that tell who they are."""
        guards, levels = self._guards()
        found: list[list[str]] = [[] for _ in range(max(levels, default=-1) + 1)]
        for number, (guard, level) in enumerate(zip(guards, levels, strict=True)):
            found[level] += self._totals(number, guard)
        return found

    def _guards(self) -> tuple[list[str | None], list[int]]:
        """Per total, when a case needs it (None: always), and how many totals stand one above the other before it."""
        nodes, places = self.nodes, [list[list[tuple[int, int]]]() for _ in self.totals]
        for node in range(len(nodes)):
            number = self._number_at(node)
            above = [(at, below) for at, below in pairwise(nodes.path(node)) if not nodes.is_buy[at]]
            if number is not None and number not in {self._number_at(at) for at, _ in above}:
                places[number].append(above)
        needs = [{self._number_at(at) for path in paths for at, _ in path} - {None} for paths in places]
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

    def _number_at(self, node: int) -> int | None:
        nodes = self.nodes
        if nodes.kind[node] == Kind.BY_TOTAL:
            totals = nodes.splits[nodes.rule[node]].totals
        else:
            scored = nodes.scored(node) if nodes.rule[node] != NO_RULE else None
            totals = None if scored is None else scored.totals
        return None if totals is None else self.number[totals]

    def _guard(self, paths: list[list[tuple[int, int]]]) -> str | None:
        words = []
        for path in paths:
            parts = [f"({self.condition(at, self._results(at, below))})" for at, below in path]
            words.append(" AND ".join(parts))
        guard = " OR ".join(words)
        # Confidence among many classes needs columns that come later.
        by_confidence = self.n_classes > 2 and any(
            self._number_at(at) in self.stopping for path in paths for at, _ in path
        )
        return None if not all(words) or by_confidence or len(guard) > MAX_GUARD else guard

    def _results(self, node: int, child: int) -> tuple[int, ...]:
        return tuple(result for result, at in enumerate(self.nodes.below(node).tolist()) if at == child)

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
        if missing == (UNKNOWN if (usual := self._missing(test)) is None else usual):
            return f"{self._name('l' if is_default else 'h', test)}<{cut + 1}"
        if is_default:
            return f"{outcome} <= {cut}" + (f" OR {outcome} = {missing}" if missing > cut else "")
        return f"{outcome} BETWEEN 0 AND {cut}" + (f" AND {outcome} <> {missing}" if 0 <= missing <= cut else "")

    def _power(self, number: int, score: str) -> str:
        return f"EXP(({score} - {self._name('m', number)}) * 1e-6)"

    def _raised(self, number: int) -> list[str]:
        names = zip(self._names("s", number), self._names("p", number), strict=True)
        return [f"{self._power(number, score)} AS {raised}" for score, raised in names]

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

    def _is_sure(self, number: int, confidence: float) -> str:
        scores = self._names("s", number)
        if len(scores) == 2:
            return f"ABS({scores[0]} - {scores[1]}) >= {least_difference(confidence)}"
        return f"1e0 / ({' + '.join(self._power(number, score) for score in scores)}) >= {literal(confidence)}"


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
