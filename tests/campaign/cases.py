"""Random cases with everything that makes trouble: weights, fees, prices by outcome of any size, gaps, odd names.

A Case is plain data, so that it can be written as JSON and made smaller; `build` makes the instance, and the brute
force's problem in the instance's own order of classes and outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

import budgetree as bt
import reference_losses as brute
from budgetree.data.table import name_key

GAP = None  # what stands in a table where a value is missing
GAP_NAME = "missing"
MAX_LOST = Fraction(1, 1000)  # of a price: what more rounding would change is refused
ODD_NAMES = (
    "a", "b", "A b", "it's", 'say "x"', "two\nlines", "tab\there", "semi;colon", "comma, x", "back\\slash", "`tick`",
    "[x]", "{0}", "%s", "select", "from", "NULL", "true", "case when", "class", "def", "None", "return", "lambda",
    "__class__", "'; drop table cases; --", "<script>alert(1)</script>", "</script>", "&amp;", "<b>", "=cmd()", "+1",
    "-1", "0", "1.0", "1e5", "007", "é", "e\u0301x", "日本", "😀", "\u202ertl", "\u200bzero", "Straße", "İstanbul",
    " lead", "trail ", "$(x)", "${x}", "#", "--", "/* x */", "'''", '"""', "\\n", "x" * 80,
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A brute-force problem, and how it is given to the library."""

    problem: brute.Problem
    tests: tuple[str, ...]
    outcomes: tuple[tuple[str | None, ...], ...]  # GAP at most once per test, in a table of values alone
    classes: tuple[Any, ...]
    answers: tuple[str, ...]  # beyond the classes
    is_table: bool  # given as a table of values, not as codes

    def to_json(self) -> dict[str, Any]:
        problem = self.problem
        return {
            "rows": problem.rows,
            "classes_of_rows": problem.classes,
            "prices": _texts(problem.prices),
            "losses": _texts(problem.losses),
            "weights": _texts(problem.weights),
            "fees": _texts(problem.fees),
            "needs": [sorted(needs) for needs in problem.needs],
            "min_cases": problem.min_cases,
            "tests": self.tests,
            "outcomes": self.outcomes,
            "classes": self.classes,
            "answers": self.answers,
            "is_table": self.is_table,
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Case:
        problem = brute.Problem(
            rows=_tuples(content["rows"]),
            classes=_tuples(content["classes_of_rows"]),
            prices=_fractions(content["prices"]),
            losses=_fractions(content["losses"]),
            weights=_fractions(content["weights"]),
            fees=_fractions(content["fees"]),
            needs=tuple(map(frozenset, content["needs"])),
            min_cases=content["min_cases"],
        )
        names = {key: _tuples(content[key]) for key in ("tests", "outcomes", "classes", "answers")}
        return cls(problem, is_table=content["is_table"], **names)

    @cached_property
    def built(self) -> Built:
        return build(self)


@dataclass(frozen=True)
class Built:
    """An instance, and the same for brute force: outcomes and classes in the instance's order, prices as counted."""

    instance: bt.Instance
    problem: brute.Problem
    values: tuple[tuple[Any, ...], ...]  # per test and outcome, what a row of data has there
    answers: tuple[Any, ...]  # names, in the order of their positions
    case: Case


def _texts(amounts: Any) -> Any:
    return [_texts(inner) for inner in amounts] if isinstance(amounts, tuple) else str(amounts)


def _fractions(texts: Any) -> Any:
    return tuple(map(_fractions, texts)) if isinstance(texts, list) else Fraction(texts)


def _tuples(lists: Any) -> Any:
    return tuple(map(_tuples, lists)) if isinstance(lists, list | tuple) else lists


def draw(rng: Random) -> Case:
    """Cases of up to nine rows and four tests, so that brute force has an answer."""
    is_table = rng.random() < 0.5
    problem = brute.random_problem(
        rng, weights=False if is_table else None, denominators=rng.choice(((1, 2, 4), (1, 3, 10)))
    )
    if not is_table:
        # Weights are floats: what these do not hold exactly is not what was meant.
        weights = tuple(Fraction(round(weight * 4), 4) for weight in problem.weights)
        problem = replace(problem, weights=weights if any(weights) else (Fraction(1),) * len(weights))
    problem = _repriced(rng, problem)
    if is_table:
        problem = _shown_only(problem)
    return Case(problem, is_table=is_table, **_names(rng, problem, is_table))


def _repriced(rng: Random, problem: brute.Problem) -> brute.Problem:
    """Prices between 1e-9 and 1e12: all of one size, of a few sizes, or of any."""
    kind = rng.randrange(4)
    size = rng.randint(-9, 12)
    if kind == 0:
        return problem

    def sized(amount: Fraction) -> Fraction:
        exponent = size if kind == 1 else size + rng.randint(-3, 3) if kind == 2 else rng.randint(-9, 12)
        digits = amount if rng.random() < 0.5 else amount * rng.randint(1, 999)
        return digits * Fraction(10) ** max(-9, min(12, exponent))

    by_outcome = [len(set(prices)) > 1 for prices in problem.prices]
    prices = [
        tuple(map(sized, row)) if various else (sized(row[0]),) * len(row)
        for row, various in zip(problem.prices, by_outcome, strict=True)
    ]
    return replace(problem, prices=tuple(prices), fees=tuple(map(sized, problem.fees)))


def _shown_only(problem: brute.Problem) -> brute.Problem:
    """In a table of values a test has the outcomes that are there."""
    rows, prices = [list(row) for row in problem.rows], []
    for test, own in enumerate(problem.prices):
        shown = sorted({row[test] for row in rows})
        for row in rows:
            row[test] = shown.index(row[test])
        prices.append(tuple(own[outcome] for outcome in shown))
    return replace(problem, rows=tuple(map(tuple, rows)), prices=tuple(prices))


def _names(rng: Random, problem: brute.Problem, is_table: bool) -> dict[str, Any]:
    """Different names, also for those who do not mind capitals."""
    is_odd = rng.random() < 0.7

    def some(count: int, prefix: str) -> list[str]:
        if not is_odd:
            return [f"{prefix}{number}" for number in range(count)]
        return rng.sample(ODD_NAMES, count)

    outcomes: list[tuple[str | None, ...]] = []
    for prices in problem.prices:
        named: list[str | None] = list(some(len(prices), "o"))
        if is_table and rng.random() < 0.4:
            named[rng.randrange(len(named))] = GAP
        outcomes.append(tuple(named))
    labels = some(problem.n_answers, "c")
    classes: tuple[Any, ...] = tuple(labels[: problem.n_classes])
    if not is_odd and rng.random() < 0.5 and problem.n_answers == problem.n_classes:
        classes = tuple(range(problem.n_classes))
    return {
        "tests": tuple(sorted(some(len(problem.prices), "t"), key=name_key)),  # as an instance has them
        "outcomes": tuple(outcomes),
        "classes": classes,
        "answers": tuple(labels[problem.n_classes :]),
    }


def shuffled(case: Case, rng: Random) -> Case:
    """The same rows and tests in another order."""
    problem, n_rows, n_tests = case.problem, len(case.problem.rows), len(case.tests)
    rows, tests = rng.sample(range(n_rows), n_rows), rng.sample(range(n_tests), n_tests)
    other = replace(
        problem,
        rows=tuple(tuple(problem.rows[row][test] for test in tests) for row in rows),
        classes=tuple(problem.classes[row] for row in rows),
        weights=tuple(problem.weights[row] for row in rows),
        prices=tuple(problem.prices[test] for test in tests),
        needs=tuple(problem.needs[test] for test in tests),
    )
    names, outcomes = (tuple(given[test] for test in tests) for given in (case.tests, case.outcomes))
    return replace(case, problem=other, tests=names, outcomes=outcomes)


def build(case: Case) -> Built:
    """By the public names alone; a ValueError is the library's refusal."""
    return _from_table(case) if case.is_table else _from_codes(case)


def _prices(case: Case) -> bt.Prices:
    named = [tuple(GAP_NAME if name is GAP else name for name in names) for names in case.outcomes]
    tests = {
        test: dict(zip(names, prices, strict=True))
        for test, names, prices in zip(case.tests, named, case.problem.prices, strict=True)
    }
    fees = {
        f"fee {fee}": (amount, [case.tests[test] for test, needs in enumerate(case.problem.needs) if fee in needs])
        for fee, amount in enumerate(case.problem.fees)
    }
    return bt.Prices(tests, shared={name: entry for name, entry in fees.items() if entry[1]})


def _losses(case: Case, order: list[int]) -> bt.Losses | None:
    problem = case.problem
    if problem.losses == brute.zero_one(problem.n_classes):
        return None
    extra = {name: [problem.losses[c][problem.n_classes + at] for c in order] for at, name in enumerate(case.answers)}
    return bt.Losses([[problem.losses[c][a] for a in order] for c in order], answers=extra)


def instance_of(case: Case) -> bt.Instance:
    """The known cases, with the tests in any order."""
    problem = case.problem
    if case.is_table:
        values = [[case.outcomes[test][row[test]] for row in problem.rows] for test in range(len(case.tests))]
        target = next(name for name in ("answer", "the answer") if name not in case.tests)
        labels = [case.classes[label] for label in problem.classes]
        table = pa.table([*map(pa.array, values), pa.array(labels)], names=[*case.tests, target])
        instance = bt.Instance.from_frame(table, target, prices=_prices(case), duplicates="keep")
        losses = _losses(case, [case.classes.index(name) for name in instance.class_names])
        return instance if losses is None else instance.with_losses(losses)
    return bt.Instance(
        np.array(problem.rows),
        problem.classes,
        prices=_prices(case),
        weights=[float(weight) for weight in problem.weights],
        losses=_losses(case, list(range(problem.n_classes))),
        test_names=case.tests,
        outcome_names=case.outcomes,
        class_names=case.classes,
    )


def _from_codes(case: Case) -> Built:
    problem, instance = case.problem, instance_of(case)
    values = tuple(tuple(range(len(names))) for names in case.outcomes)
    return Built(instance, _counted(instance, problem), values, (*case.classes, *case.answers), case)


def _from_table(case: Case) -> Built:
    problem, instance = case.problem, instance_of(case)
    order = [case.classes.index(name) for name in instance.class_names]
    # The instance has put outcomes in an order of its own: the gap last, perhaps.
    found = [tuple(None if name == GAP_NAME else name for name in names) for names in instance.outcome_names]
    places = [[names.index(name) for name in own] for names, own in zip(case.outcomes, found, strict=True)]
    answers = [*order, *range(problem.n_classes, problem.n_answers)]
    ordered = replace(
        problem,
        rows=tuple(tuple(place.index(code) for place, code in zip(places, row, strict=True)) for row in problem.rows),
        classes=tuple(order.index(label) for label in problem.classes),
        prices=tuple(tuple(own[at] for at in place) for own, place in zip(problem.prices, places, strict=True)),
        losses=tuple(tuple(problem.losses[c][a] for a in answers) for c in order),
    )
    return Built(instance, _counted(instance, ordered), tuple(found), (*instance.class_names, *case.answers), case)


def _counted(instance: bt.Instance, problem: brute.Problem) -> brute.Problem:
    """Prices as the library counts them, which may be rounded, but never by more than a thousandth."""
    table = instance.schema.costs
    prices = tuple(
        tuple(Fraction(int(units)) / table.scale for units in row[: len(own)])
        for row, own in zip(table.amounts[0], problem.prices, strict=True)
    )
    counted = {
        name: Fraction(int(units)) / table.scale for name, units in zip(table.fee_names, table.fees[0], strict=False)
    }
    fees = tuple(counted.get(f"fee {fee}", amount) for fee, amount in enumerate(problem.fees))
    for given, own in (*zip(problem.prices, prices, strict=True), (problem.fees, fees)):
        for amount, units in zip(given, own, strict=True):
            if abs(amount - units) > MAX_LOST * amount:
                raise AssertionError(f"{amount} is counted as {units}")
    return replace(problem, prices=prices, fees=fees)
