"""A plain exhaustive search for the least loss within a budget; the checker's own, not the one that learns."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from budgetree.proof.check.facts import MANY, Facts, Whole, gcd
from budgetree.proof.check.reading import OutOfTimeError

ENDLESS = 1 << 62  # above every cost and every count
Amounts = tuple[int, ...]  # of the price, and of every limit, in whole steps
Condition = tuple[int, frozenset[int] | None]  # a test was done, or has shown one of these outcomes
Part = tuple[int, Amounts, int]  # a set of cases, what is left to its path, and the flags of that
Move = tuple[Amounts, int, int]  # what it takes at most, the number of the purchase, and the flags with its fees


@dataclass(frozen=True)
class Purchase:
    """A test, or the tests of a panel."""

    most: Amounts  # what it takes at its costliest result
    parts: list[Part]  # the cases that show the same, how much less that takes, and the flags of conditions it meets
    fees: int  # flags of what it pays
    needs: int  # flags of the conditions that must be met before

    @property
    def is_given(self) -> bool:
        """Whether it takes nothing on any path: then it is done for everyone, first."""
        return not (any(self.most) or self.fees or self.needs)


class Search:
    """Least loss within a budget, by trying every purchase; sets of cases are the bits of integers.

    Budgets are in units, each test stands at its least price, and fees are paid once per path; losses are in measures.
    What a path has done is the bits of its flags: a fee was paid, a condition was met. A path with more flags may do
    all that one with fewer may, and pays no more.
    """

    def __init__(self, whole: Whole):
        facts, self.deadline = whole.facts, whole.deadline
        rows = [bytes(facts.codes[row]) for row in whole.rows]
        labels, weights = ([int(values[row]) for row in whole.rows] for values in (facts.labels, whole.weights))
        size = len(rows)
        self.everyone = (1 << size) - 1
        self._read_rules(whole, b"".join(rows))
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
        self.tables: dict[int, tuple[list[Move], int]] = {}
        self.memo: dict[Part, tuple[int, bool]] = {}

    def _read_rules(self, whole: Whole, table: bytes) -> None:
        """The purchases, their fees and the conditions of order; panels first, then the tests that are bought alone."""
        facts = whole.facts
        flat = [[least] * len(prices) for least, prices in zip(whole.least, facts.prices, strict=True)]
        lists = [(flat, facts.shared), *((limit.amounts, limit.shared) for limit in facts.limits)]
        steps = [whole.unit or Fraction(1)]
        steps += [gcd([*chain(*of), *(fee for fee, _ in shared)]) or Fraction(1) for of, shared in lists[1:]]
        amounts = [[[int(one / step) for one in row] for row in of] for (of, _), step in zip(lists, steps, strict=True)]
        self.limits = tuple(int(limit.most / step) for limit, step in zip(facts.limits, steps[1:], strict=True))
        nothing, fees = (0,) * len(steps), list[tuple[Amounts, frozenset[int]]]()
        for at, ((_, shared), step) in enumerate(zip(lists, steps, strict=True)):
            fees += [((*nothing[:at], int(fee / step), *nothing[at + 1 :]), tests) for fee, tests in shared if fee]
        self.fees = [taken for taken, _ in fees]

        n_tests, flags = len(facts.test_names), dict[Condition, int]()
        groups = [*map(sorted, facts.panels), *([test] for test in range(n_tests) if facts.together(test) == {test})]
        needed = [_needed(facts, group) for group in groups]
        for condition in chain(*needed):
            flags.setdefault(condition, 1 << len(fees) + len(flags))
        self.conditions, self.purchases = sum(flags.values()), list[Purchase]()
        for group, before in zip(groups, needed, strict=True):
            self.deadline.check()
            most = tuple(sum(max(of[test]) for test in group) for of in amounts)
            results: list[tuple[int, dict[int, int]]] = [(self.everyone, {})]
            for test in group:
                column = table[test::n_tests]
                shown = [(code, _bits(column, code)) for code in dict.fromkeys(column)]
                results = [(p & mask, {**of, test: code}) for p, of in results for code, mask in shown if p & mask]
            parts = []
            for mask, of in results:
                less = (
                    top - sum(by[test][code] for test, code in of.items())
                    for top, by in zip(most, amounts, strict=True)
                )
                met = (
                    bit for (test, among), bit in flags.items() if test in of and (among is None or of[test] in among)
                )
                parts.append((mask, tuple(less), sum(met)))
            pays = sum(1 << bit for bit, (_, tests) in enumerate(fees) if not tests.isdisjoint(group))
            self.purchases.append(Purchase(most, parts, pays, sum(flags[each] for each in set(before))))

        first = [self.purchases[at] for at, group in enumerate(groups) if not set(facts.first).isdisjoint(group)]
        paid = [taken for bit, taken in enumerate(self.fees) if any(purchase.fees >> bit & 1 for purchase in first)]
        self.beginning = tuple(map(sum, zip(nothing, *(purchase.most for purchase in first), *paid, strict=True)))

    def _moves(self, flags: int) -> tuple[list[Move], int]:
        """What the order allows to buy, cheapest first; and the least price."""
        if flags not in self.tables:
            moves: list[Move] = []
            for number, purchase in enumerate(self.purchases):
                if not purchase.needs & ~flags:
                    due = [taken for bit, taken in enumerate(self.fees) if purchase.fees & ~flags & 1 << bit]
                    cost = tuple(map(sum, zip(purchase.most, *due, strict=True)))
                    moves.append((cost, number, flags | purchase.fees))
            moves.sort()
            prices = (cost[0] for cost, number, _ in moves if not self.purchases[number].is_given)
            self.tables[flags] = moves, next(prices, ENDLESS)
        return self.tables[flags]

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
        """At most `limit` if and only if some tree within the budget and all limits loses at most `limit`.

        Where these hold all that every path begins with, a tree that ends within it may as well go on, and loses no
        more.
        """
        left = (budget, *self.limits)
        if not _fits(self.beginning, left):
            return ENDLESS
        parts = [(self.everyone, left, 0)]
        for purchase in self.purchases:
            self.deadline.check()
            if purchase.is_given:
                parts = [
                    (part & mask, left, flags | met)
                    for part, left, flags in parts
                    for mask, _, met in purchase.parts
                    if part & mask
                ]
        return self._sum(parts, limit)

    def _sum(self, parts: list[Part], limit: int) -> int:
        """Like `_least_of`, for several sets."""
        total, waiting = 0, []
        for part in parts:
            if part[1][0] < self._moves(part[2])[1]:  # nothing more can be asked: count
                total += self._lost(part[0])
                if total > limit:
                    return total
            else:
                bound = self.memo.get(part, (0, False))[0] or self._floor(part[0])
                total += bound
                waiting.append((part, bound))
        for part, bound in sorted(waiting, key=lambda entry: -entry[0][0].bit_count()):
            if total > limit:
                break
            total += self._least_of(part, limit - total + bound) - bound
        return total

    def _least_of(self, part: Part, limit: int) -> int:
        """The least loss of a tree for these cases if that is at most `limit`, else a lower bound above `limit`."""
        known, exact = self.memo.get(part, (0, False))
        if exact or known > limit:
            return known
        cases, left, flags = part
        floor = self._floor(cases)
        if floor > limit:
            return floor
        best, beyond = self._lost(cases), ENDLESS
        for cost, number, after in self._moves(flags)[0]:
            target = min(limit, best - 1)  # only a tree this good changes anything
            if cost[0] > left[0] or target < floor:
                break
            if time.monotonic() > self.deadline.end:
                raise OutOfTimeError
            if not _fits(cost, left):
                continue
            rest = tuple(map(int.__sub__, left, cost))
            parts = [
                (some, tuple(map(int.__add__, rest, less)), after | met)
                for mask, less, met in self.purchases[number].parts
                if (some := cases & mask)
            ]
            if len(parts) < 2 and not parts[0][2] & ~flags & self.conditions:
                continue  # it tells no cases apart, and unlocks nothing
            found = self._sum(parts, target)
            if found <= target:
                best = found
            beyond = min(beyond, found)
            if not any(cost):  # a free test never hurts, so no other need be tried first
                break
        if best <= limit:
            self.memo[part] = best, True
            return best
        self.memo[part] = min(best, beyond), False
        return self.memo[part][0]


def _fits(cost: Amounts, left: Amounts) -> bool:
    return all(map(int.__le__, cost, left))


def _needed(facts: Facts, group: Sequence[int]) -> list[Condition]:
    """What must be met before these tests are bought."""
    order: list[Condition] = [(test, among) for of, test, among in facts.order if of in group and test not in group]
    begun = next((at for at, test in enumerate(facts.first) if test in group), len(facts.first))
    return [*order, *((test, None) for test in facts.first[:begun] if test not in group)]


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
