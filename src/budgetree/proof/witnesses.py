"""Checking the witnesses of lower bounds, in exact arithmetic.

ratio   Lemma 2.1 of the paper, on any set of objects, each test at its least price and without fees
cover   some listed object is classified rightly; its path must part it from all but m of the other classes, and a
        feasible dual of that cover problem bounds its cost
search  no cheaper tree exists; repeated here by a plain exhaustive search, within the time limit
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from budgetree.proof.exhaust import OutOfTimeError, Search
from budgetree.proof.facts import Facts
from budgetree.proof.reading import Flaw, read_fraction, read_index, read_list, read_object, short

Result = TypeVar("Result")

HIGHEST_POWER = 1000  # a larger exponent would only keep the checker busy


def gcd_of(numbers: Iterable[Fraction]) -> Fraction:
    divisor = Fraction(0)
    for number in set(numbers):
        below = math.lcm(divisor.denominator, number.denominator)
        divisor = Fraction(math.gcd(int(divisor * below), int(number * below)), below)
    return divisor


def impurity_of(name: str, parameter: int, counts: Sequence[int]) -> int:
    """F of the class weights; `parameter` is the exponent of Powers or the α of the hinged functions."""
    total = sum(counts)
    if name == "Pairs":
        return (total**2 - sum(n**2 for n in counts)) // 2
    if name == "Powers":
        return int(total**parameter - sum(n**parameter for n in counts))
    over = [n - parameter for n in counts if n > parameter]
    less = parameter**2 if name == "HingedPairs" else 0
    return 2 * sum(max(0, x * y - less) for i, x in enumerate(over) for y in over[:i])


class Witnesses:
    """The facts in whole numbers, and what each kind of witness proves; `problems` and `unverified` fill on the way."""

    def __init__(self, facts: Facts, time_limit: float | None) -> None:
        self.facts, self.time_limit = facts, time_limit
        self.deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self.problems: list[str] = []
        self.unverified: list[str] = []
        self.rows = [row for row, weight in enumerate(facts.weights) if weight > 0]
        self.grain = gcd_of(facts.weights)
        self.weights = [int(weight / self.grain) for weight in facts.weights]  # whole, in grains
        self.least = [min(row) for row in facts.prices]
        self.unit = gcd_of([price for row in facts.prices for price in row] + [fee for fee, _ in facts.fees])
        self.search: Search | None = None

    def attempt(self, step: Callable[..., Result], *arguments: Any) -> Result | None:
        """The step's result, or None and a problem more."""
        try:
            return step(*arguments)
        except Flaw as flaw:
            self.problems.append(str(flaw))
            return None

    def claim(self, stated: Any, right: Fraction, where: str) -> None:
        if (number := read_fraction(stated, where)) != right:
            raise Flaw(f"{where}: is {short(number)}, must be {short(right)}")

    def counts(self, rows: Iterable[int]) -> list[int]:
        totals = [0] * len(self.facts.class_names)
        for row in rows:
            totals[self.facts.labels[row]] += self.weights[row]
        return totals

    def parts(self, rows: Iterable[int], test: int) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for row in rows:
            found.setdefault(int(self.facts.codes[row][test]), []).append(row)
        return found

    def function(self, value: Any, where: str) -> tuple[str, Fraction]:
        """The name and the parameter (0 if it has none) of an admissible F."""
        entry = read_object(value, where, ("name", "parameter"))
        name = entry["name"]
        if name not in ("Pairs", "Powers", "HingedPairs", "HingedProduct"):
            raise Flaw(f"{where}.name: expected Pairs, Powers, HingedPairs or HingedProduct, got {short(name)}")
        if name == "Pairs":
            if entry["parameter"] is not None:
                raise Flaw(f"{where}.parameter: Pairs has none, got {short(entry['parameter'])}")
            return name, Fraction(0)
        parameter = read_fraction(entry["parameter"], f"{where}.parameter")
        if name == "Powers" and not (parameter.denominator == 1 and 2 <= parameter <= HIGHEST_POWER):
            raise Flaw(f"{where}.parameter: expected a whole number from 2 to {HIGHEST_POWER}, got {short(parameter)}")
        if parameter < 0:
            raise Flaw(f"{where}.parameter: must be at least 0, got {short(parameter)}")
        return name, parameter

    def bound(self, entry: Any, where: str, errors: Fraction) -> Fraction:
        """The value that the witness proves."""
        kind = read_object(entry, where).get("kind")
        if kind == "search":
            value = read_fraction(read_object(entry, where, ("kind", "value"))["value"], f"{where}.value")
            self.exhaust(value, errors, where)
            return value
        if kind == "cover":
            read_object(entry, where, ("kind", "objects", "value"))
            right = self.cover(read_list(entry["objects"], f"{where}.objects"), f"{where}.objects", errors)
        elif kind == "ratio":
            read_object(entry, where, ("kind", "impurity", "objects", "value"))
            right = self.ratio(entry, where, errors)
        else:
            raise Flaw(f"{where}.kind: expected ratio, cover or search, got {short(kind)}")
        self.attempt(self.claim, entry["value"], right, f"{where}.value")
        return right

    def present(self, value: Any, where: str, *, text: bool = False) -> int:
        row = read_index(value, len(self.weights), where, text=text)
        if not self.weights[row]:
            raise Flaw(f"{where}: object {row} has weight 0, so it is absent")
        return row

    def distinct(self, rows: Sequence[int], where: str) -> None:
        if len(set(rows)) < len(rows):
            raise Flaw(f"{where}: an object is listed twice")

    def ratio(self, entry: Mapping[str, Any], where: str, errors: Fraction) -> Fraction:
        """Lemma 2.1: along the outcomes that keep most of F(G), each test pays R(t) at least for what it removes.

        A test's least price is paid whatever it shows, so the lemma also holds where no object is left on that outcome.
        """
        name, parameter = self.function(entry["impurity"], f"{where}.impurity")
        if name in ("Pairs", "Powers") and errors > 0:
            raise Flaw(f"{where}.impurity: {name} bounds trees without errors only; this one makes {short(errors)}")
        if name.startswith("Hinged") and parameter < errors:
            raise Flaw(f"{where}.impurity.parameter: is {short(parameter)}, below the {short(errors)} errors")
        listed = enumerate(read_list(entry["objects"], f"{where}.objects"))
        rows = [self.present(value, f"{where}.objects[{position}]") for position, value in listed]
        self.distinct(rows, f"{where}.objects")
        if name.startswith("Hinged"):
            parameter /= self.grain
        scale = parameter.denominator  # c · F(G) / (F(G) − F(H)) is the same on scaled weights, so all stays whole

        def impurity(objects: Iterable[int]) -> int:
            return impurity_of(name, parameter.numerator, [scale * n for n in self.counts(objects)])

        whole, found = impurity(rows), []
        for test, price in enumerate(self.least):
            parts = self.parts(rows, test)
            removed = whole - max(map(impurity, parts.values())) if len(parts) > 1 else 0
            if removed > 0:
                found.append(price * Fraction(whole, removed))
        if not found:
            raise Flaw(f"{where}.objects: no test has a finite ratio on them, so nothing is proved")
        return min(found)

    def cover(self, listed: Sequence[Any], where: str, errors: Fraction) -> Fraction:
        """At least one of the listed objects is classified rightly and costs at least its dual's value."""
        found = [self.attempt(self.dual, entry, f"{where}[{i}]", errors) for i, entry in enumerate(listed)]
        proved = [pair for pair in found if pair is not None]
        if len(proved) < len(listed):
            raise Flaw(f"{where}: {len(listed) - len(proved)} of {len(listed)} objects have no valid dual")
        self.distinct([row for row, _ in proved], where)
        weight = sum((self.facts.weights[row] for row, _ in proved), Fraction(0))
        if weight <= errors:
            raise Flaw(f"{where}: weigh {weight} together, which must exceed the {short(errors)} errors")
        return min(value for _, value in proved)

    def dual(self, entry: Any, where: str, errors: Fraction) -> tuple[int, Fraction]:
        """The object and the least its path can cost if it is classified rightly.

        Objects of other classes that its path leaves unparted are errors; they weigh at most m, so their dual values
        sum to at most λm, and the others' are paid for by the tests that part them.
        """
        entry = read_object(entry, where, ("object", "dual"))
        facts, place, row = self.facts, f"{where}.dual", self.present(entry["object"], f"{where}.object")
        values: dict[int, Fraction] = {}
        for key, text in read_object(entry["dual"], place).items():
            other = self.present(key, place, text=True)
            values[other] = read_fraction(text, f"{place}[{key}]")
            if values[other] < 0 or facts.labels[other] == facts.labels[row]:
                raise Flaw(f"{place}[{key}]: must be at least 0, on an object of another class than object {row}")
        scale = math.lcm(*(value.denominator for value in values.values()))
        whole = {other: int(value * scale) for other, value in values.items() if value}
        for test, price in enumerate(self.least):
            load = sum(value for other, value in whole.items() if facts.codes[other][test] != facts.codes[row][test])
            if load > price * scale:
                name = facts.test_names[test]
                load_text = short(Fraction(load, scale))
                self.problems.append(f"{place}: test {name!r} is loaded with {load_text}, its price is {price}")
        heaviest = max((value / facts.weights[other] for other, value in values.items()), default=Fraction(0))
        return row, sum(values.values(), Fraction(0)) - heaviest * errors

    def exhaust(self, value: Fraction, errors: Fraction, where: str) -> None:
        if value <= 0:
            return
        unit, facts, rows = self.unit or Fraction(1), self.facts, self.rows
        try:
            if self.search is None:
                self.search = Search(
                    [[int(code) for code in facts.codes[row]] for row in rows],
                    [int(facts.labels[row]) for row in rows],
                    [self.weights[row] for row in rows],
                    [int(price / unit) for price in self.least],
                    [(int(fee / unit), tests) for fee, tests in facts.fees],
                    self.deadline,
                )
            limit = math.floor(errors / self.grain)
            fewest = self.search.fewest(math.ceil(value / unit) - 1, limit)
        except (OutOfTimeError, RecursionError):
            limits = "recursion limit" if self.time_limit is None else f"{self.time_limit} seconds"
            self.unverified.append(
                f"{where}: no tree was found cheaper than {value}, but not all were tried ({limits})"
            )
            return
        if fewest <= limit:
            raise Flaw(f"{where}.value: a tree cheaper than {short(value)} makes {fewest * self.grain} errors")
