"""The instance as the checker sees it: plain sequences, and the same in whole numbers."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from budgetree.proof.check.reading import Deadline, index

MANY = 1000  # rows between two looks at the clock
AMOUNT_NAME = ("test", "outcome", "fee")  # the fields that name a price or a fee, by position
RULES = ("prices by outcome", "shared fees", "panels", "limits", "order")  # that bounds may leave out
Fees = Sequence[tuple[Fraction, frozenset[int]]]  # what one takes, and the tests that need it
Asked = Mapping[int, Set[int]]  # the outcomes that each test of a path may have shown
Result = TypeVar("Result")


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spaces, ASCII with escapes, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of canonical JSON."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


@dataclass(frozen=True)
class LossFacts:
    """What each answer costs for each class. The first answers are the classes."""

    answers: Sequence[str]
    matrix: Sequence[Sequence[Fraction]]  # class × answer

    def content(self) -> dict[str, Any]:
        """As a certificate and a fingerprint have them."""
        return {"answers": list(self.answers), "matrix": [mapped(row, str) for row in self.matrix]}


@dataclass(frozen=True)
class LimitFacts:
    """What no case takes more of, such as minutes, and what tests take of it, as prices and fees have it."""

    most: Fraction
    amounts: Sequence[Sequence[Fraction]]  # test × listed outcome, without fees
    shared: Fees

    def content(self) -> dict[str, Any]:
        """As a fingerprint has it."""
        return {"most": str(self.most), "amounts": _texts(self.amounts), "fees": _fee_texts(self.shared)}


@dataclass(frozen=True)
class Facts:
    """The instance, plainly. Cases of weight 0 are absent; a fee is paid once per path that asks one of its tests.

    A panel is bought as one: its tests take nothing themselves, and a fee has what it takes. `order` says of a test
    another one that must have been asked before, and the outcomes of which it must have shown one (None: any); all such
    conditions of the tests of a panel must hold before it is bought. Every path begins with the tests in `first`.
    """

    codes: Sequence[Sequence[int]]  # case × test, 0 to 255; a row may be a bytes object
    labels: Sequence[int]
    weights: Sequence[Fraction]
    test_names: Sequence[str]
    class_names: Sequence[str]
    outcome_names: Sequence[Sequence[str]]
    prices: Sequence[Sequence[Fraction]]  # test × listed outcome, without fees
    shared: Fees
    losses: LossFacts | None = None  # None: an error costs 1
    limits: Sequence[LimitFacts] = ()
    panels: Sequence[frozenset[int]] = ()
    order: Sequence[tuple[int, int, frozenset[int] | None]] = ()
    first: Sequence[int] = ()

    def fingerprint(self, deadline: Deadline | None = None) -> str:
        """The digest of an object with the fields by name: fractions as text, a fee as [amount, sorted tests].

        Losses and rules are in it only where there are any. A table of millions of cells is written piece by piece.
        """
        deadline = deadline or Deadline()
        plain: dict[str, Any] = {
            "class_names": list(self.class_names),
            "fees": _fee_texts(self.shared),
            "labels": list(map(int, self.labels)),
            "outcome_names": [list(names) for names in self.outcome_names],
            "prices": _texts(self.prices),
            "test_names": list(self.test_names),
            "weights": mapped(self.weights, str),
        }
        if self.losses is not None:
            plain["losses"] = self.losses.content()
        if self.limits or self.panels or self.order or self.first:
            plain["rules"] = {
                "limits": [limit.content() for limit in self.limits],
                "panels": [sorted(panel) for panel in self.panels],
                "order": [[*pair, None if shown is None else sorted(shown)] for *pair, shown in self.order],
                "first": list(self.first),
            }
        found = hashlib.sha256()
        for position, key in enumerate(sorted([*plain, "codes"])):
            deadline.check()
            found.update(("{" if position == 0 else ",").encode() + f'"{key}":'.encode())
            if key == "codes":
                for piece in _code_pieces(self.codes, deadline):
                    found.update(piece)
            else:
                found.update(canonical(plain[key]).encode("ascii"))
        found.update(b"}")
        return found.hexdigest()

    def ignored(self, kind: str) -> list[str]:
        """The rules that bounds of this kind leave out, each of which only removes trees or makes them cost more.

        A search counts each test at its least price, whatever it shows; the others know nothing but these prices.
        """
        has_fees = any(fee and tests not in self.panels for fee, tests in self.shared)
        by_outcome = any(len(set(row)) > 1 for row in self.prices)
        has = (by_outcome, has_fees, bool(self.panels), bool(self.limits), bool(self.order or self.first))
        return [
            rule
            for rule, is_there in zip(RULES, has, strict=True)
            if is_there and (kind != "search" or rule == RULES[0])
        ]

    def together(self, test: int) -> frozenset[int]:
        """The tests that are bought with this one: its panel, or itself."""
        return next((panel for panel in self.panels if test in panel), frozenset([test]))

    def due(self, test: int) -> set[int]:
        """What a path has bought at least, once it has bought this test."""
        return {test, *self.first}

    def broken_order(self, test: int | None, asked: Asked) -> str | None:
        """The rule of order or of a panel that a path breaks which asks this test next; None: which ends."""
        done, names = {each for one in asked for each in self.together(one)}, self.test_names
        if test is None:
            if missing := [names[one] for one in self.first if one not in done]:
                return f"the path ends before {missing[0]!r}, with which every path begins"
            if missing := [names[one] for one in sorted(done - asked.keys())]:
                return f"the path buys a panel without {missing[0]!r}, which is in it"
            return None
        if test in done:
            return None
        bought, name = self.together(test), repr(names[test])
        for one in self.first:
            if one in bought:
                break
            if one not in done:
                return f"{name} is asked before {names[one]!r}, with which every path begins"
        for later, before, outcomes in self.order:
            if later in bought and before not in bought:
                if before not in done:
                    return f"{name} is asked before {names[before]!r}"
                if outcomes is not None and not outcomes >= asked.get(before, frozenset(range(255))):
                    return f"{name} is asked where {names[before]!r} may have shown another outcome than it must"
        return None

    def named_amount(self, entry: Mapping[Any, Any], where: str) -> Fraction:
        """The price or the fee that an entry names by AMOUNT_NAME."""
        if entry["fee"] is not None:
            return self.shared[index(entry["fee"], len(self.shared), f"{where}.fee")][0]
        prices = self.prices[index(entry["test"], len(self.prices), f"{where}.test")]
        return prices[index(entry["outcome"], len(prices), f"{where}.outcome")]

    def problems(self) -> list[str]:
        """What makes the facts themselves unusable."""
        tests, sizes = len(self.test_names), [len(names) for names in self.outcome_names]
        if not len(self.codes) == len(self.labels) == len(self.weights):
            return ["facts: codes, labels and weights must have one entry per case"]
        if len(sizes) != tests or [len(row) for row in self.prices] != sizes or 0 in sizes:
            return ["facts: outcome_names and prices must list the same outcomes, at least one, for every test"]
        if any([len(row) for row in limit.amounts] != sizes for limit in self.limits):
            return ["facts: limits must list the same outcomes as outcome_names"]
        fees = [*self.shared, *(fee for limit in self.limits for fee in limit.shared)]
        amounts = [*self.prices, self.weights, [fee for fee, _ in fees], [limit.most for limit in self.limits]]
        amounts += [row for limit in self.limits for row in limit.amounts]
        if any(number.numerator < 0 for row in amounts for number in row):
            return ["facts: prices, fees, limits and weights must be at least 0"]
        named = [*(needing for _, needing in fees), *self.panels, *(pair for *pair, _ in self.order), self.first]
        if any(not 0 <= test < tests for group in named for test in group):
            return [f"facts: a shared fee, panel, order or beginning names a test that is not one of 0 to {tests - 1}"]
        if any(not 0 <= one < sizes[test] for _, test, shown in self.order for one in shown or ()):
            return ["facts: the order names an outcome that is not listed"]
        if self.losses is not None and (flaw := self._loss_problem(self.losses)) is not None:
            return [flaw]
        present = [row for row, weight in enumerate(self.weights) if weight.numerator > 0]
        if not present:
            return ["facts: no case has a positive weight"]
        odd = [row for row in present if not 0 <= self.labels[row] < len(self.class_names)]
        faults = []
        try:
            odd += self._odd_cases(sizes, present)
        except (TypeError, ValueError):
            faults = ["facts: codes must be whole numbers from 0 to 255, one for each test"]
        return [f"facts: case {row} has a label or an outcome that is not listed" for row in odd] + faults

    def _loss_problem(self, losses: LossFacts) -> str | None:
        n_classes, n_answers = len(self.class_names), len(losses.answers)
        names_fit = list(losses.answers[:n_classes]) == list(self.class_names)
        if not names_fit or len(losses.matrix) != n_classes or any(len(row) != n_answers for row in losses.matrix):
            return "facts: losses must have a row per class and a column per answer, of which the first are the classes"
        if any(loss < 0 for row in losses.matrix for loss in row):
            return "facts: losses must be at least 0"
        return None

    def _odd_cases(self, sizes: list[int], present: list[int]) -> list[int]:
        """Cases that do not fit the lists; the table is looked at as a whole first, few tables have any."""
        if any(len(row) != len(sizes) for row in self.codes):
            raise ValueError
        table = b"".join(map(bytes, self.codes))
        if not sizes or not table.translate(None, bytes(range(min(*sizes, 256)))):
            return []  # no code is beyond the shortest list
        if all(max(table[test :: len(sizes)], default=0) < size for test, size in enumerate(sizes)):
            return []
        return [row for row in present if any(code >= size for code, size in zip(self.codes[row], sizes, strict=True))]


class Whole:
    """The facts in whole numbers: weights in weight units, and prices and fees in units, the gcds of each.

    Whatever reads them goes on until the deadline.
    """

    def __init__(self, facts: Facts, deadline: Deadline | None = None):
        self.facts, self.deadline = facts, deadline or Deadline()
        self._table, self._columns = b"".join(map(bytes, facts.codes)), dict[int, bytes]()
        self.rows = [row for row, weight in enumerate(facts.weights) if weight.numerator > 0]  # the cases present
        self.weight_unit = gcd(facts.weights)
        self.weights = mapped(facts.weights, lambda weight: int(weight / self.weight_unit))
        self.least = [min(row) for row in facts.prices]  # what a test costs at least, whatever it shows
        self.unit = gcd([*(price for row in facts.prices for price in row), *(fee for fee, _ in facts.shared)])
        matrix = None if facts.losses is None else facts.losses.matrix
        loss_unit = Fraction(1) if matrix is None else gcd(loss for row in matrix for loss in row) or Fraction(1)
        self.losses = None if matrix is None else [[int(loss / loss_unit) for loss in row] for row in matrix]
        self.measure = self.weight_unit * loss_unit  # of what a leaf loses; without losses, of errors

    def column(self, test: int) -> bytes:
        """The outcome of every case."""
        if test not in self._columns:
            self._columns[test] = self._table[test :: len(self.facts.test_names)]
        return self._columns[test]

    def counts(self, rows: Iterable[int]) -> list[int]:
        """The weight of each class among the rows, in weight units."""
        totals = [0] * self.n_classes
        labels, weights = self.facts.labels, self.weights
        for row in rows:
            totals[labels[row]] += weights[row]
        return totals

    def parts(self, rows: Iterable[int], test: int) -> dict[int, list[int]]:
        """The rows by the outcome they show."""
        found: dict[int, list[int]] = {}
        column = self.column(test)
        for row in rows:
            code = column[row]
            if code in found:
                found[code].append(row)
            else:
                found[code] = [row]
        return found

    def part_counts(self, rows: Iterable[int], test: int) -> list[list[int]]:
        """The weight of each class, in weight units, for every outcome that the rows show."""
        found: dict[int, list[int]] = {}
        column, labels, weights, n_classes = self.column(test), self.facts.labels, self.weights, self.n_classes
        for row in rows:
            code = column[row]
            if code not in found:
                found[code] = [0] * n_classes
            found[code][labels[row]] += weights[row]
        return list(found.values())

    @property
    def n_classes(self) -> int:
        return len(self.facts.class_names)

    def leaf(self, counts: Sequence[int]) -> tuple[int, int]:
        """What a leaf with these class weights loses, in measures, and gets wrong, in weight units.

        It gives the answer that loses least, the first of equals; one that is not a class is never wrong.
        """
        if self.losses is None:
            wrong = sum(counts) - max(counts)
            return wrong, wrong
        lost = [sum(map(int.__mul__, counts, column)) for column in zip(*self.losses, strict=True)]
        answer = lost.index(min(lost))
        return lost[answer], sum(counts) - counts[answer] if answer < self.n_classes else 0

    def by_error_weights(self, spared: Sequence[int], loss: Fraction) -> tuple[Whole, Fraction]:
        """The same cases with weights by which every tree that loses at most so much makes at most m errors; and m.

        `spared` names a class for each answer. Let l(c) be the least loss of class c over all answers, and k(c) the
        least of loss(c, a) − l(c) over the answers a that spare another class. Every tree loses the sum U of w · l(c)
        over all cases of weight w and class c, so one with a loss of at most L has at most m = L − U beyond it. Let
        each of its leaves, where it answers a, answer spared(a) instead, and count a case w · k(c): one that is wrong
        now lost w · (loss(c, a) − l(c)) ≥ w · k(c) beyond the least before. So the errors weigh at most m.
        """
        assert self.losses is not None
        least = [min(row) for row in self.losses]
        error_weights = [
            min((lost - low for lost, kept in zip(row, spared, strict=True) if kept != true), default=0)
            for true, (row, low) in enumerate(zip(self.losses, least, strict=True))
        ]
        unavoidable = sum(map(int.__mul__, self.counts(self.rows), least)) * self.measure
        other = copy(self)
        other.losses, other.weight_unit = None, self.measure
        labels = self.facts.labels
        other.weights = [
            weight * error_weights[labels[row]] if weight else 0 for row, weight in enumerate(self.weights)
        ]
        other.rows = [row for row in self.rows if other.weights[row]]
        return other, loss - unavoidable


def _texts(amounts: Sequence[Sequence[Fraction]]) -> list[list[str]]:
    return [[str(amount) for amount in row] for row in amounts]


def _fee_texts(shared: Fees) -> list[Any]:
    return [[str(amount), sorted(int(test) for test in tests)] for amount, tests in shared]


def mapped(values: Sequence[Fraction], function: Callable[[Fraction], Result]) -> list[Result]:
    """The function of each; many cases share few weights, and fractions are slow."""
    found = {key: function(value) for key, value in dict(zip(map(id, values), values, strict=True)).items()}
    return [found[key] for key in map(id, values)]


def gcd(numbers: Iterable[Fraction]) -> Fraction:
    """The largest fraction of which all are multiples; 0 if all are 0."""
    divisor = Fraction(0)
    for top, bottom in {(number.numerator, number.denominator) for number in numbers}:
        below = math.lcm(divisor.denominator, bottom)
        divisor = Fraction(math.gcd(int(divisor * below), top * (below // bottom)), below)
    return divisor


def _code_pieces(codes: Sequence[Sequence[int]], deadline: Deadline) -> Iterator[bytes]:
    """The codes as JSON has them."""
    width = len(codes[0]) if codes else 0
    rows = list(map(bytes, codes)) if width else []
    table = b"".join(rows)
    deadline.check()
    if set(map(len, rows)) == {width} and not table.translate(None, bytes(range(10))):
        # One digit each: digits and commas take turns, in the whole table at once.
        text = bytearray(2 * len(table))
        text[0::2] = table.translate(bytes(range(48, 58)) + bytes(246))
        text[1::2] = b"," * len(table)
        cells = memoryview(text)
        yield b"[[" + b"],[".join(cells[at : at + 2 * width - 1] for at in range(0, len(text), 2 * width)) + b"]]"
        return
    yield b"["
    for start in range(0, len(codes), MANY):
        deadline.check()
        piece = canonical([list(map(int, row)) for row in codes[start : start + MANY]])[1:-1]
        yield (("," if start else "") + piece).encode("ascii")
    yield b"]"
