"""What is compared with brute force: each check takes what was built and raises where something differs."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import reference
from support import GROWERS, as_node, grow_with

import budgetree as bt
import reference_losses as brute
from _support.reference_search import ReferenceSearch
from _support.reference_walk import follow
from budgetree.learn.exact.search import Layout
from budgetree.report import summarise_tree
from budgetree.tree.model.file import model_text
from built_trees import random_codes, random_rows, random_tree
from exported import compiled, database
from losing_problems import to_tree
from page_process import HAS_NODE, Page

from .cases import Built, instance_of, shuffled

Check = Callable[[Built, Random], None]
CHECKS: dict[str, Check] = {}
SECONDS = 60.0  # for searches that take milliseconds, however busy the machine; what they leave open is a difference


class DifferenceError(AssertionError):
    """The library says one thing, brute force another."""


def check(function: Check) -> Check:
    CHECKS[function.__name__] = function
    return function


def same(what: str, ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise DifferenceError(f"{what}: {ours!r:.500}, by brute force {theirs!r:.500}")


def budgets(problem: brute.Problem, rng: Random) -> list[Fraction]:
    """At steps of the frontier, just below one, and in between."""
    needs = [need for need, _ in brute.frontier(problem)]
    need = rng.choice(needs)
    return [need, need * (1 - Fraction(1, 10**6)), needs[-1] * Fraction(rng.randrange(100), 100)]


def keeps_rules(problem: brute.Problem, tree: bt.Tree, budget: Fraction) -> None:
    """The tree does what trees may do, and costs and loses what it says."""
    plain = to_tree(tree)
    same("broken rules", brute.follows_rules(problem, plain, budget), [])
    same("loss", tree.exact_loss, brute.loss_of(problem, plain))
    same("worst case", tree.exact_max_cost, brute.need_of(problem, plain))
    same("errors", tree.exact_errors, brute.errors_of(problem, plain))


@check
def exact_frontier(built: Built, rng: Random) -> None:
    problem = built.problem
    found = bt.frontier(built.instance, method="exact", folds=0, min_cases=problem.min_cases, time_limit=SECONDS)
    same("points", [(p.tree.exact_max_cost, p.tree.exact_loss) for p in found], brute.frontier(problem))
    same("proven", [point.proven for point in found], [True] * len(found))
    for point in found:
        keeps_rules(problem, point.tree, point.tree.exact_max_cost)


@check
def optimal(built: Built, rng: Random) -> None:
    problem = built.problem
    for budget in (*budgets(problem, rng), None):
        steps = [step for step in brute.frontier(problem) if budget is None or step[0] <= budget]
        found = bt.optimal(built.instance, budget=budget, min_cases=problem.min_cases, time_limit=SECONDS)
        same(f"cost and loss within {budget}", (found.tree.exact_max_cost, found.tree.exact_loss), steps[-1])
        same("proven, gap", (found.proven, found.gap), (True, 0))
        keeps_rules(problem, found.tree, found.tree.exact_max_cost)


@check
def definition(built: Built, rng: Random) -> None:
    """The recursion that defines the search, with which other tests compare the core."""
    schema, problem = built.instance.schema, replace(built.problem, min_cases=1)
    search = ReferenceSearch(Layout(built.instance, 10**6))
    for budget in budgets(problem, rng):
        found = search.fewest(schema.costs.budget_units(budget))
        loss = Fraction(found) / schema.weight_scale / schema.loss_table.scale
        same(f"least loss within {budget}", loss, brute.least_loss(problem, budget))


@check
def greedy(built: Built, rng: Random) -> None:
    """By the core and by the plain grower, with the first impurity and its losses."""
    problem = built.problem
    for budget in budgets(problem, rng):
        expected = brute.greedy_tree(problem, budget, [Fraction(1)] * problem.n_classes)
        tree = bt.grow(built.instance, budget=budget, min_cases=problem.min_cases)
        same(f"greedy tree within {budget}", to_tree(tree), expected)
        same("loss", tree.exact_loss, brute.loss_of(problem, expected))
        least = brute.least_loss(problem, budget)
        better = bt.grow(built.instance, budget=budget, min_cases=problem.min_cases, lookahead=1)
        keeps_rules(problem, better, budget)
        if not least <= better.exact_loss <= tree.exact_loss:
            raise DifferenceError(f"lookahead: {better.exact_loss}, greedy: {tree.exact_loss}, the best: {least}")


IMPURITIES: tuple[tuple[bt.Impurity, Any], ...] = (
    (bt.Pairs(), reference.pairs),
    (bt.Powers(3), reference.powers(3)),
    (bt.Powers(5), reference.powers(5)),
    (bt.HingedPairs(1), reference.hinged_pairs(Fraction(1))),
    (bt.HingedProduct(1), reference.hinged_product(Fraction(1))),
)


@check
def growers(built: Built, rng: Random) -> None:
    """Both growers and three threads, by every kind of impurity and both rules: node by node the oracle's tree."""
    impurity, oracle = rng.choice(IMPURITIES)
    problem = _paper_problem(built.problem)
    settings: dict[str, Any] = {
        "rule": rng.choice(("worst", "expected")),
        "delta": Fraction(rng.choice((0, 0, 1, 3))),
        "budget": rng.choice((None, *budgets(built.problem, rng))),
    }
    expected = reference.grow(problem, oracle, **settings)
    for grower in GROWERS:
        tree = grow_with(grower, built.instance.with_losses(None), impurity, **settings)
        same(f"{grower}, {impurity!r}, {settings}", as_node(tree), expected)


def _paper_problem(problem: brute.Problem) -> reference.Problem:
    fees = [
        (amount, frozenset(test for test, needs in enumerate(problem.needs) if fee in needs))
        for fee, amount in enumerate(problem.fees)
    ]
    return reference.Problem(
        codes=problem.rows,
        labels=problem.classes,
        n_classes=problem.n_classes,
        n_outcomes=tuple(map(len, problem.prices)),
        prices=problem.prices,
        fees=tuple(fees),
        weights=problem.weights,
    )


@check
def greedy_frontier(built: Built, rng: Random) -> None:
    problem = built.problem
    best = brute.frontier(problem)[-1][1]
    for point in bt.frontier(built.instance, method="greedy", folds=0, min_cases=problem.min_cases):
        keeps_rules(problem, point.tree, point.tree.exact_max_cost)
        if point.tree.exact_loss < brute.least_loss(problem, point.tree.exact_max_cost):
            raise DifferenceError(f"a greedy tree loses {point.tree.exact_loss}, less than any can")
        if Fraction(point.lower_bound) > best * (1 + Fraction(1, 10**12)):
            raise DifferenceError(f"the bound {point.lower_bound} is above the least loss {best}")


@check
def certificates(built: Built, rng: Random) -> None:
    """What a certificate says of all trees is true of the best one, and its own check agrees, also from a file."""
    problem = replace(built.problem, min_cases=1)
    for tree in trees(built, rng):
        certificate = bt.certify(built.instance, tree, time_limit=SECONDS)
        least = min(need for need, loss in known_frontier(problem) if loss <= tree.exact_loss)
        bound = Fraction(certificate.document["lower_bound"])
        if bound > least:
            raise DifferenceError(f"no tree costs less than {bound}, says a certificate; one costs {least}")
        same(
            "what known cases cost",
            Fraction(certificate.document["known_max_cost"]),
            known_cost(problem, to_tree(tree)),
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "certificate.json"
            certificate.to_json(path)
            read = bt.Certificate.from_json(path)
        report = read.check(built.instance, time_limit=SECONDS)
        same("the check", (report.problems, report.unverified, read.contradiction(tree)), ((), (), None))


def known_frontier(problem: brute.Problem) -> list[brute.Point]:
    """(worst case of known cases, loss): what the paper calls max-cost leaves out the outcomes that no case shows."""

    def collect(cases: brute.Cases, paid: brute.Fees) -> list[brute.Point]:
        points = {(Fraction(0), problem.leaf_loss(cases))}
        for test, parts in problem.splits(cases):
            due, after = problem.due(test, paid), paid | problem.needs[test]
            joined: list[brute.Point] = [(Fraction(0), Fraction(0))]
            for outcome, part in parts.items():
                price = due + problem.prices[test][outcome]
                below = [(price + need, loss) for need, loss in collect(part, after)]
                joined = brute.pareto({(max(a, c), b + d) for a, b in joined for c, d in below})
            points.update(joined)
        return brute.pareto(points)

    return collect(problem.known, frozenset())


def known_cost(problem: brute.Problem, tree: brute.Tree) -> Fraction:
    return max(visit.spent for visit in brute.visits(problem, tree) if visit.cases)


def trees(built: Built, rng: Random) -> Iterator[bt.Tree]:
    """A greedy one and the best one, within some budget."""
    budget = rng.choice(budgets(built.problem, rng)[:2])
    yield bt.grow(built.instance, budget=budget, min_cases=built.problem.min_cases)
    yield bt.optimal(built.instance, budget=None, min_cases=built.problem.min_cases, time_limit=SECONDS).tree


def walk(problem: brute.Problem, tree: brute.Tree, row: tuple[int, ...]) -> tuple[int, Fraction, bool]:
    """Where a row ends: the answer, what it paid, and whether no case had shown its outcome there."""
    cases, paid, spent = problem.known, frozenset[int](), Fraction(0)
    while tree[0] == "test":
        _, test, children = tree
        spent += problem.due(test, paid) + problem.prices[test][row[test]]
        paid |= problem.needs[test]
        if row[test] not in children:
            return problem.best_answer(cases), spent, True
        cases = problem.split(cases, test)[row[test]]
        tree = children[row[test]]
    return tree[1], spent, False


def any_rows(problem: brute.Problem, rng: Random) -> list[tuple[int, ...]]:
    """The known ones, and combinations never seen."""
    new = [tuple(rng.randrange(len(prices)) for prices in problem.prices) for _ in range(8)]
    return [*problem.rows, *new]


@check
def walking(built: Built, rng: Random) -> None:
    """Codes, raw values, and the model file; the same for a tree that was written and read."""
    problem, scale = built.problem, built.instance.schema.costs.scale
    rows = any_rows(problem, rng)
    raw = [[own[code] for own, code in zip(built.values, row, strict=True)] for row in rows]
    for tree in trees(built, rng):
        expected = [walk(problem, to_tree(tree), row) for row in rows]
        names = [built.answers[answer] for answer, _, _ in expected]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            tree.to_json(path)
            read = bt.Tree.from_json(path)
        same("the tree from its file", read == tree, True)
        for either in (tree, read):
            found = either.walk_codes(np.array(rows))
            same("answers", found.answers.tolist(), [answer for answer, _, _ in expected])
            same(
                "costs",
                [Fraction(spent) / scale for spent in found.spent.tolist()],
                [spent for _, spent, _ in expected],
            )
            same("names", either.predict_codes(np.array(rows)).tolist(), names)
            if either.schema.encoders:
                same("names by raw values", either.predict(raw).tolist(), names)


@check
def exports(built: Built, rng: Random) -> None:
    """Python, SQL by two engines, and rules: each answers as the tree does."""
    problem, names = built.problem, built.instance.test_names
    rows = any_rows(problem, rng)
    raw = [{name: built.values[t][row[t]] for t, name in enumerate(names)} for row in rows]
    columns = {name: [entry[name] for entry in raw] for name in names}
    for tree in trees(built, rng):
        ends = [walk(problem, to_tree(tree), row) for row in rows]
        expected = [built.answers[answer] for answer, _, _ in ends]
        diagnose = compiled(tree)
        same("Python", [diagnose(entry) for entry in raw], expected)
        is_mixed = len({type(name) for name in built.answers}) > 1
        if is_mixed:
            continue
        same("DuckDB", _by_duckdb(tree, columns), expected)
        same("SQLite", _by_sqlite(tree, columns), expected)
        for row, (answer, _, is_stopped) in zip(rows, ends, strict=True):
            if not is_stopped:
                same("rules", _by_rules(built, tree, row), [built.answers[answer]])


def _by_duckdb(tree: bt.Tree, columns: dict[str, list[Any]]) -> list[Any]:
    connection = database()
    types = {
        name: pa.string() if any(isinstance(value, str) for value in column) else None
        for name, column in columns.items()
    }
    table = pa.table([pa.array(column, types[name]) for name, column in columns.items()], names=[*columns])
    connection.register("cases", table)
    return [
        row[0]
        for row in connection.execute(f"SELECT {tree.export('sql', backslash_escapes=False)} FROM cases").fetchall()
    ]


def _by_sqlite(tree: bt.Tree, columns: dict[str, list[Any]]) -> list[Any]:
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE cases ({', '.join(quoted)})")
        places = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO cases VALUES ({places})", zip(*columns.values(), strict=True))
        return [
            row[0]
            for row in connection.execute(
                f"SELECT {tree.export('sql', backslash_escapes=False)} FROM cases ORDER BY rowid"
            )
        ]


def _by_rules(built: Built, tree: bt.Tree, row: tuple[int, ...]) -> list[Any]:
    """The answers of all rules that hold."""
    schema = built.instance.schema
    shown = {name: schema.outcome_names[t][row[t]] for t, name in enumerate(schema.test_names)}
    return [rule.label for rule in tree.rules() if all(shown[test] in outcomes for test, outcomes in rule.conditions)]


@cache
def page() -> Page:
    return Page()


@check
def page_routing(built: Built, rng: Random) -> None:
    """The report page's scripts under node."""
    if not HAS_NODE:
        return
    problem = built.problem
    rows = any_rows(problem, rng)
    for tree in trees(built, rng):
        expected = [walk(problem, to_tree(tree), row) for row in rows]
        ends = page().ask({"content": summarise_tree(tree, title="campaign"), "rows": rows})["ends"]
        same(
            "page", [(end["label"], end["stopped"]) for end in ends], [(answer, stops) for answer, _, stops in expected]
        )
        for end, (_, spent, _) in zip(ends, expected, strict=True):
            if abs(Fraction(end["spent"]) - spent) > spent * Fraction(1, 10**9):
                raise DifferenceError(f"the page spends {end['spent']}, by brute force {float(spent)}")


@check
def permutations(built: Built, rng: Random) -> None:
    """Rows and tests in another order: the same points, and the same model files but for the order of columns."""
    other, least = instance_of(shuffled(built.case, rng)), built.problem.min_cases
    budget = rng.choice(budgets(built.problem, rng))
    made: list[Callable[[bt.Instance], bt.Tree]] = [
        lambda cases: bt.grow(cases, budget=budget, min_cases=least),
        lambda cases: bt.optimal(cases, budget=budget, min_cases=least, time_limit=SECONDS).tree,
        lambda cases: bt.predictive(cases.with_losses(None), budget=budget, leaves=rng.choice(("tree", "model"))),
    ]
    for make in made:
        state = rng.getstate()
        first = file_of(make(built.instance))
        rng.setstate(state)
        same("the model of shuffled rows and tests", file_of(make(other)), first)
    frontiers = [bt.frontier(one, method="greedy", folds=0, min_cases=least) for one in (other, built.instance)]
    ours, theirs = ([file_of(point.tree) for point in found] for found in frontiers)
    same("the frontier of shuffled rows and tests", ours, theirs)


def file_of(tree: bt.Tree) -> dict[str, Any]:
    """What its model file says, but for the order in which columns and the tests of fees were given."""
    content: dict[str, Any] = json.loads(model_text(tree))
    del content["input_columns"]
    for fee in content["prices"].get("shared", {}).values():
        fee["tests"].sort()
    return content


@check
def points_and_stages(_: Built, rng: Random) -> None:
    """A random tree with points, models and stops: the walk, Python and DuckDB against a follower of one case."""
    seed = rng.randrange(10**9)
    tree, _ = random_tree(seed)
    codes, scale = random_codes(tree, seed, 30), tree.schema.costs.scale
    found = tree.walk_codes(codes)
    ways = [follow(tree, row) for row in codes.tolist()]
    same("leaves", found.leaf.tolist(), [way.leaf for way in ways])
    same("costs", [Fraction(spent) / scale for spent in found.spent.tolist()], [way.spent for way in ways])
    same("unlisted", found.unlisted.tolist(), [way.unlisted for way in ways])
    for chances, way in zip(found.probabilities.tolist(), ways, strict=True):
        if max(abs(ours - float(theirs)) for ours, theirs in zip(chances, way.chances, strict=True)) > 1e-9:
            raise DifferenceError(f"tree {seed}: chances {chances}, one by one {way.chances}")
    rows = random_rows(tree, seed, 30)
    walked = tree.walk([[row[name] for name in tree.schema.input_columns] for row in rows]).answers.tolist()
    diagnose = compiled(tree)
    same("Python", [diagnose(row) for row in rows], [tree.answer_names[answer] for answer in walked])
