"""A plain exhaustive search for the fewest errors within a budget; the checker's own, not the one that learns."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

ENDLESS = 1 << 62  # above every cost and every count


class OutOfTimeError(Exception):
    """The search did not finish before its deadline."""


class Search:
    """Fewest errors within a budget, by trying every test; sets of cases are the bits of integers.

    All numbers are whole: `weights` per case, `prices` per test whatever its outcome, `fees` with the tests that
    share them, paid once per path. `deadline` is a reading of time.monotonic().
    """

    def __init__(
        self,
        codes: Sequence[Sequence[int]],
        labels: Sequence[int],
        weights: Sequence[int],
        prices: Sequence[int],
        fees: Sequence[tuple[int, frozenset[int]]],
        deadline: float,
    ):
        self.everyone = (1 << len(codes)) - 1
        self.prices, self.deadline = prices, deadline
        self.fees = [(fee, tests) for fee, tests in fees if fee]
        shown: list[dict[int, int]] = [{} for _ in prices]  # per test: the cases of each outcome
        alike: dict[tuple[int, ...], list[int]] = {}
        kinds: dict[int, dict[int, int]] = {}
        for bit, row in enumerate(codes):
            for outcomes, code in zip(shown, row, strict=True):
                outcomes[code] = outcomes.get(code, 0) | 1 << bit
            alike.setdefault(tuple(row), []).append(bit)
            kinds.setdefault(labels[bit], {})[bit] = weights[bit]
        self.splits = [list(outcomes.values()) for outcomes in shown]
        self.classes = [_planes(kind) for kind in kinds.values()]
        self.plain = [planes[0][1] for planes in self.classes if planes[0][0] == len(planes) == 1]
        # Cases that no test separates: their errors stay, whatever the tree, and count with the first of them.
        self.stuck = _planes({bits[0]: self._wrong(sum(1 << bit for bit in bits)) for bits in alike.values()})
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

    def _wrong(self, cases: int) -> int:
        if len(self.plain) == len(self.classes):  # all weights are 1
            counts = [(cases & mask).bit_count() for mask in self.plain]
        else:
            counts = [sum(v * (cases & mask).bit_count() for v, mask in planes) for planes in self.classes]
        return sum(counts) - max(counts)

    def fewest(self, budget: int, limit: int) -> int:
        """At most `limit` if and only if some tree within the budget makes at most `limit` errors."""
        parts = [self.everyone]
        for test in filter(self._given, range(len(self.splits))):  # free: asked of everyone, first
            parts = [part & mask for part in parts for mask in self.splits[test] if part & mask]
        return self._sum(parts, budget, 0, limit)

    def _sum(self, parts: list[int], budget: int, paid: int, limit: int) -> int:
        """Like `_fewest`, for several sets that each have the budget."""
        total = 0
        if budget < self._moves(paid)[1]:  # nothing more can be asked: count
            for part in parts:
                total += self._wrong(part)
                if total > limit:
                    break
            return total
        bounds = [self.memo.get((part, budget, paid), (0, False))[0] or self._floor(part) for part in parts]
        total = sum(bounds)
        for part, bound in sorted(zip(parts, bounds, strict=True), key=lambda pair: -pair[0].bit_count()):
            if total > limit:
                break
            total += self._fewest(part, budget, paid, limit - total + bound) - bound
        return total

    def _fewest(self, cases: int, budget: int, paid: int, limit: int) -> int:
        """The fewest errors of a tree for `cases` if that is at most `limit`, else a lower bound above `limit`."""
        key = cases, budget, paid
        known, exact = self.memo.get(key, (0, False))
        if exact or known > limit:
            return known
        if time.monotonic() > self.deadline:
            raise OutOfTimeError
        floor = self._floor(cases)
        if floor > limit:
            return floor
        best, beyond = self._wrong(cases), ENDLESS
        for cost, test, after in self._moves(paid)[0]:
            target = min(limit, best - 1)  # only a tree this good changes anything
            if cost > budget or target < floor:
                break
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


def _planes(weights: Mapping[int, int]) -> list[tuple[int, int]]:
    """Weights by binary digit: the weight of a set is the sum of value · (bits it shares with the mask)."""
    digits = range(max(weights.values()).bit_length())
    planes = ((1 << d, sum(1 << bit for bit, weight in weights.items() if weight >> d & 1)) for d in digits)
    return [(value, mask) for value, mask in planes if mask]
