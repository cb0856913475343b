"""The instance as the checker sees it: plain sequences, and the same in whole numbers."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


def digest(value: Any) -> str:
    """SHA-256 of canonical JSON: sorted keys, no spaces, ASCII with escapes, no NaN."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True)
class Facts:
    """The instance, plainly. Cases of weight 0 are absent; a fee is paid once per path that asks one of its tests."""

    codes: Sequence[Sequence[int]]  # case × test
    labels: Sequence[int]
    weights: Sequence[Fraction]
    test_names: Sequence[str]
    class_names: Sequence[str]
    outcome_names: Sequence[Sequence[str]]
    prices: Sequence[Sequence[Fraction]]  # test × listed outcome, without fees
    fees: Sequence[tuple[Fraction, frozenset[int]]]

    def fingerprint(self) -> str:
        """The digest of an object with the eight fields by name: fractions as text, a fee as [amount, sorted tests]."""
        content = {
            "codes": [[int(code) for code in row] for row in self.codes],
            "labels": [int(label) for label in self.labels],
            "weights": [str(weight) for weight in self.weights],
            "test_names": list(self.test_names),
            "class_names": list(self.class_names),
            "outcome_names": [list(names) for names in self.outcome_names],
            "prices": [[str(price) for price in row] for row in self.prices],
            "fees": [[str(amount), sorted(int(test) for test in tests)] for amount, tests in self.fees],
        }
        return digest(content)

    def problems(self) -> list[str]:
        """What makes the facts themselves unusable."""
        tests, sizes = len(self.test_names), [len(names) for names in self.outcome_names]
        if not len(self.codes) == len(self.labels) == len(self.weights):
            return ["facts: codes, labels and weights must have one entry per case"]
        if len(sizes) != tests or [len(row) for row in self.prices] != sizes or 0 in sizes:
            return ["facts: outcome_names and prices must list the same outcomes, at least one, for every test"]
        if any(number < 0 for row in (*self.prices, self.weights, [fee for fee, _ in self.fees]) for number in row):
            return ["facts: prices, fees and weights must be at least 0"]
        if any(not 0 <= test < tests for _, shared in self.fees for test in shared):
            return [f"facts: a shared fee names a test that is not one of 0 to {tests - 1}"]
        rows = [row for row, weight in enumerate(self.weights) if weight > 0]
        bad = [
            f"facts: case {row} has a label or an outcome that is not listed"
            for row in rows
            if not 0 <= self.labels[row] < len(self.class_names)
            or len(self.codes[row]) != tests
            or any(not 0 <= code < size for code, size in zip(self.codes[row], sizes, strict=True))
        ]
        return bad if rows else ["facts: no case has a positive weight"]


class Whole:
    """The facts in whole numbers: weights in grains, and prices and fees in units, the gcds of each."""

    def __init__(self, facts: Facts):
        self.facts = facts
        self.rows = [row for row, weight in enumerate(facts.weights) if weight > 0]  # the cases that are present
        self.grain = gcd(facts.weights)
        self.weights = [int(weight / self.grain) for weight in facts.weights]
        self.least = [min(row) for row in facts.prices]  # what a test costs at least, whatever it shows
        self.unit = gcd([*(price for row in facts.prices for price in row), *(fee for fee, _ in facts.fees)])

    def counts(self, rows: Iterable[int]) -> list[int]:
        """The weight of each class among the rows, in grains."""
        totals = [0] * len(self.facts.class_names)
        for row in rows:
            totals[self.facts.labels[row]] += self.weights[row]
        return totals

    def parts(self, rows: Iterable[int], test: int) -> dict[int, list[int]]:
        """The rows by the outcome they show."""
        found: dict[int, list[int]] = {}
        for row in rows:
            found.setdefault(int(self.facts.codes[row][test]), []).append(row)
        return found


def gcd(numbers: Iterable[Fraction]) -> Fraction:
    """The largest fraction of which all are multiples; 0 if all are 0."""
    divisor = Fraction(0)
    for number in set(numbers):
        below = math.lcm(divisor.denominator, number.denominator)
        divisor = Fraction(math.gcd(int(divisor * below), int(number * below)), below)
    return divisor
