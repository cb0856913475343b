"""The three kinds of witness, each checked on its own: what it proves about every tree with at most m errors.

Where losses are given, it is about every tree that loses at most so much: the search counts losses, and the other two
are about the errors that such a tree makes by other weights (Whole.by_error_weights, which says why).

ratio   Lemma 2.1 of the paper, on any set of cases, each test at its least price on any path
cover   some listed case is classified rightly; its path must separate it from all but m of the other classes, and a
        feasible dual of that cover problem bounds its cost
search  no cheaper tree exists; repeated here by a plain exhaustive search, until the deadline
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from budgetree.proof.check.exhaust import Search
from budgetree.proof.check.facts import Whole
from budgetree.proof.check.reading import Flaw, counted, fields, fraction, index, items, short

HIGHEST_POWER = 1000  # a larger exponent would only keep the checker busy


@dataclass(frozen=True)
class Function:
    """An admissible F; `parameter` is the exponent of Powers or the α of the hinged functions, 0 if it has none."""

    name: str
    parameter: Fraction

    def __call__(self, counts: Iterable[int]) -> int:
        """F of the class weights, scaled by the denominator of α: ratios stay the same, and all stays whole."""
        scale, parameter = self.parameter.denominator, self.parameter.numerator
        counts = [scale * n for n in counts]
        if self.name == "Pairs":
            return (sum(counts) ** 2 - sum(n**2 for n in counts)) // 2
        if self.name == "Powers":
            return int(sum(counts) ** parameter - sum(n**parameter for n in counts))
        over = [n - parameter for n in counts if n > parameter]
        less = parameter**2 if self.name == "HingedPairs" else 0
        return 2 * sum(max(0, x * y - less) for i, x in enumerate(over) for y in over[:i])


def read_function(value: Any, where: str) -> Function:
    """The function that a document names."""
    entry = fields(value, where, ("name", "parameter"))
    name = entry["name"]
    if name not in ("Pairs", "Powers", "HingedPairs", "HingedProduct"):
        raise Flaw(f"{where}.name: expected Pairs, Powers, HingedPairs or HingedProduct, got {short(name)}")
    if name == "Pairs":
        if entry["parameter"] is not None:
            raise Flaw(f"{where}.parameter: Pairs has none, got {short(entry['parameter'])}")
        return Function(name, Fraction(0))
    parameter = fraction(entry["parameter"], f"{where}.parameter")
    if name == "Powers" and not (parameter.denominator == 1 and 2 <= parameter <= HIGHEST_POWER):
        raise Flaw(f"{where}.parameter: expected a whole number, 2 to {HIGHEST_POWER}, got {short(parameter)}")
    if parameter < 0:
        raise Flaw(f"{where}.parameter: must be at least 0, got {short(parameter)}")
    return Function(name, parameter)


def ratios(function: Function, rows: Sequence[int], whole: Whole) -> dict[int, Fraction]:
    """R(t) of every test where it is finite: its least price by what it removes of F, whatever it shows."""
    everything, found = function(whole.counts(rows)), {}
    for test, price in enumerate(whole.least if everything else ()):
        whole.deadline.check()
        parts = whole.part_counts(rows, test)
        removed = everything - max(map(function, parts)) if len(parts) > 1 else 0
        if removed > 0:
            found[test] = price / removed
    return found


def present(whole: Whole, value: Any, where: str, *, text: bool = False) -> int:
    """A row that the instance has, with a positive weight."""
    row = index(value, len(whole.weights), where, text=text)
    if not whole.weights[row]:
        raise Flaw(f"{where}: case {row} has weight 0, so it is absent")
    return row


def distinct(rows: Sequence[int], where: str) -> None:
    """Refuse a row that is listed twice."""
    if len(set(rows)) < len(rows):
        raise Flaw(f"{where}: a case is listed twice")


def ratio(whole: Whole, errors: Fraction, entry: Mapping[str, Any], where: str) -> Fraction:
    """Lemma 2.1: along the outcomes that keep most of F(G), each test pays R(t) at least for what it removes.

    A test's least price is paid whatever it shows, so the lemma also holds where no case is left on that outcome.
    """
    function = read_function(entry["impurity"], f"{where}.impurity")
    name, parameter = function.name, function.parameter
    hinged = name.startswith("Hinged")
    if not hinged and errors > 0:
        raise Flaw(f"{where}.impurity: {name} bounds trees without errors only; this one makes {short(errors)}")
    if hinged and parameter < errors:
        raise Flaw(f"{where}.impurity.parameter: is {short(parameter)}, below the {counted(errors, 'error')}")
    listed = enumerate(items(entry["objects"], f"{where}.objects"))
    rows = [present(whole, value, f"{where}.objects[{position}]") for position, value in listed]
    distinct(rows, f"{where}.objects")
    if hinged:
        function = Function(name, parameter / whole.weight_unit)
    found = ratios(function, rows, whole)
    if not found:
        raise Flaw(f"{where}.objects: no test has a finite ratio on them, so nothing is proved")
    return min(found.values()) * function(whole.counts(rows))


def cover(whole: Whole, errors: Fraction, entry: Mapping[str, Any], where: str) -> Fraction:
    """At least one of the listed cases is classified rightly, and costs at least its dual's value."""
    where = f"{where}.objects"
    proved: list[tuple[int, Fraction]] = []
    problems: list[str] = []
    for position, item in enumerate(items(entry["objects"], where)):
        try:
            proved.append(dual(whole, errors, item, f"{where}[{position}]"))
        except Flaw as flaw:
            problems += flaw.args
    if problems:
        raise Flaw(*problems)
    distinct([row for row, _ in proved], where)
    weight = whole.weight_unit * sum(whole.weights[row] for row, _ in proved)
    if weight <= errors or not proved:
        raise Flaw(f"{where}: weigh {weight} together, which must exceed the {counted(errors, 'error')}")
    return min(value for _, value in proved)


def dual(whole: Whole, errors: Fraction, item: Any, where: str) -> tuple[int, Fraction]:
    """The case, and the least its path can cost if it is classified rightly.

    Cases of other classes that its path does not separate from it are errors; they weigh at most m, so their dual
    values sum to at most λm, and the others' are paid for by the tests that separate them.
    """
    item = fields(item, where, ("object", "dual"))
    facts, place, row = whole.facts, f"{where}.dual", present(whole, item["object"], f"{where}.object")
    values: dict[int, Fraction] = {}
    for key, text in fields(item["dual"], place).items():
        other = present(whole, key, place, text=True)
        values[other] = fraction(text, f"{place}[{key}]")
        if values[other] < 0 or facts.labels[other] == facts.labels[row]:
            raise Flaw(f"{place}[{key}]: must be at least 0, on a case of another class than case {row}")
    scale = math.lcm(*(value.denominator for value in values.values()))
    scaled = {other: int(value * scale) for other, value in values.items() if value}
    problems = []
    for test, price in enumerate(whole.least):
        whole.deadline.check()
        column = whole.column(test)
        load = sum(value for other, value in scaled.items() if column[other] != column[row])
        if load > price * scale:
            name, weight = facts.test_names[test], short(Fraction(load, scale))
            problems.append(f"{place}: test {name!r} is loaded with {weight}, its price is {price}")
    if problems:
        raise Flaw(*problems)
    weights = ((value, whole.weights[other] * whole.weight_unit) for other, value in values.items())
    steepest = max((value / weight for value, weight in weights), default=Fraction(0))  # λ
    return row, sum(values.values(), Fraction(0)) - steepest * errors


def search(whole: Whole, finder: Search, value: Fraction, where: str, loss: Fraction) -> None:
    """Look for a tree that refutes the value: cheaper, that is, by a unit at least."""
    limit, steps = math.floor(loss / whole.measure), value / (whole.unit or 1)
    if steps < 0 or steps.denominator != 1:
        raise Flaw(f"{where}.value: expected a multiple of {whole.unit}, as all costs are, got {short(value)}")
    if steps == 0:
        return
    least = finder.least(int(steps) - 1, limit)
    if least <= limit:
        found = least * whole.measure
        what = f"makes {counted(found, 'error')}" if whole.losses is None else f"loses {short(found)}"
        raise Flaw(f"{where}.value: a tree cheaper than {short(value)} {what}")
