"""A plain exhaustive search for the least loss within a budget; the checker's own, not the one that learns."""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction

from budgetree.proof.check.facts import MANY, Whole
from budgetree.proof.check.reading import OutOfTimeError

ENDLESS = 1 << 62  # above every cost and every count


class Search:
    """Least loss within a budget, by trying every test; sets of cases are the bits of integers.

    Budgets are in units, each test stands at its least price, and fees are paid once per path; losses are in measures.
    """

    def __init__(self, whole: Whole):
        facts, unit, self.deadline = whole.facts, whole.unit or Fraction(1), whole.deadline
        self.prices = [int(price / unit) for price in whole.least]
        self.fees = [(int(fee / unit), tests) for fee, tests in facts.shared if fee]
        rows = [bytes(facts.codes[row]) for row in whole.rows]
        labels, weights = ([int(values[row]) for row in whole.rows] for values in (facts.labels, whole.weights))
        size, table = len(rows), b"".join(rows)
        self.everyone = (1 << size) - 1
        self.splits: list[list[int]] = []  # per test: the cases of each outcome
        for test in range(len(self.prices)):
            self.deadline.check()
            column = table[test :: len(self.prices)]
            self.splits.append([_bits(column, code) for code in dict.fromkeys(column)])
        position = {label: at for at, label in enumerate(dict.fromkeys(labels))}
        kinds: list[dict[int, int]] = [{} for _ in position]
        for bit, label in enumerate(labels):
            kinds[position[label]][bit] = weights[bit]
        self.classes = [_planes(kind, size) for kind in kinds]
        self.plain = [planes[0][1] for planes in self.classes if planes[0][0] == len(planes) == 1]
        # Per answer, what each class that is present loses by it.
        losses = whole.losses or ()
        self.losses = list(zip(*(losses[label] for label in position if losses), strict=True))
        # Cases that no test separates: what they lose stays, whatever the tree, and counts with the first of them.
        alike: dict[bytes, tuple[int, list[int]]] = {}
        for bit, row in enumerate(rows):
            if bit % MANY == 0:
                self.deadline.check()
            _, counts = alike.setdefault(row, (bit, [0] * len(position)))
            counts[position[labels[bit]]] += weights[bit]
        self.stuck = _planes({bit: self._least(counts) for bit, counts in alike.values()}, size)
        self.tables: dict[int, tuple[list[tuple[int, int, int]], int]] = {}
        self.memo: dict[tuple[int, int, int], tuple[int, bool]] = {}

    def _moves(self, paid: int) -> tuple[list[tuple[int, int, int]], int]:
        """The (cost, test, fees paid after it) once the fees in `paid` are paid, cheapest first; and the least cost."""
        if paid not in self.tables:
            moves = []
            for test, price in enumerate(self.prices):
                due = [bit for bit, (_, tests) in enumerate(self.fees) if test in tests and not paid >> bit & 1]
                after = paid | sum(1 << bit for bit in due)
                moves.append((price + sum(self.fees[bit][0] for bit in due), test, after))
            moves.sort()
            self.tables[paid] = moves, next((cost for cost, test, _ in moves if not self._given(test)), ENDLESS)
        return self.tables[paid]

    def _given(self, test: int) -> bool:
        return not self.prices[test] and not any(test in tests for _, tests in self.fees)

    def _floor(self, cases: int) -> int:
        return sum(value * (cases & mask).bit_count() for value, mask in self.stuck)

    def _lost(self, cases: int) -> int:
        """What a leaf for these cases loses."""
        if len(self.plain) == len(self.classes):  # all weights are 1
            return self._least([(cases & mask).bit_count() for mask in self.plain])
        return self._least([sum(v * (cases & mask).bit_count() for v, mask in planes) for planes in self.classes])

    def _least(self, counts: list[int]) -> int:
        if not self.losses:
            return sum(counts) - max(counts)
        return min(sum(map(int.__mul__, counts, column)) for column in self.losses)

    def least(self, budget: int, limit: int) -> int:
        """At most `limit` if and only if some tree within the budget loses at most `limit`."""
        parts = [self.everyone]
        for test in filter(self._given, range(len(self.splits))):  # free: asked of everyone, first
            self.deadline.check()
            parts = [part & mask for part in parts for mask in self.splits[test] if part & mask]
        return self._sum(parts, budget, 0, limit)

    def _sum(self, parts: list[int], budget: int, paid: int, limit: int) -> int:
        """Like `_least_of`, for several sets that each have the budget."""
        total = 0
        if budget < self._moves(paid)[1]:  # nothing more can be asked: count
            for part in parts:
                total += self._lost(part)
                if total > limit:
                    break
            return total
        bounds = [self.memo.get((part, budget, paid), (0, False))[0] or self._floor(part) for part in parts]
        total = sum(bounds)
        for part, bound in sorted(zip(parts, bounds, strict=True), key=lambda pair: -pair[0].bit_count()):
            if total > limit:
                break
            total += self._least_of(part, budget, paid, limit - total + bound) - bound
        return total

    def _least_of(self, cases: int, budget: int, paid: int, limit: int) -> int:
        """The least loss of a tree for `cases` if that is at most `limit`, else a lower bound above `limit`."""
        key = cases, budget, paid
        known, exact = self.memo.get(key, (0, False))
        if exact or known > limit:
            return known
        floor = self._floor(cases)
        if floor > limit:
            return floor
        best, beyond = self._lost(cases), ENDLESS
        for cost, test, after in self._moves(paid)[0]:
            target = min(limit, best - 1)  # only a tree this good changes anything
            if cost > budget or target < floor:
                break
            if time.monotonic() > self.deadline.end:
                raise OutOfTimeError
            parts = [part for mask in self.splits[test] if (part := cases & mask)]
            if len(parts) < 2:
                continue
            found = self._sum(parts, budget - cost, after, target)
            if found <= target:
                best = found
            beyond = min(beyond, found)
            if not cost:  # a free test never hurts, so no other need be tried first
                break
        if best <= limit:
            self.memo[key] = best, True
            return best
        self.memo[key] = min(best, beyond), False
        return self.memo[key][0]


def _bits(column: bytes, code: int) -> int:
    """The cases that show this outcome."""
    marks = b"0" * code + b"1" + b"0" * (255 - code)
    return int(column[::-1].translate(marks), 2)


def _planes(weights: Mapping[int, int], size: int) -> list[tuple[int, int]]:
    """Weights by binary digit: the weight of a set is the sum of value · (bits it shares with the mask)."""
    planes = []
    for digit in range(max(weights.values()).bit_length()):
        marks = bytearray(b"0" * size)
        for bit, weight in weights.items():
            if weight >> digit & 1:
                marks[size - 1 - bit] = 49
        if mask := int(bytes(marks), 2):
            planes.append((1 << digit, mask))
    return planes
