"""The cover bound: the tests on a case's path must tell it from all cases of other classes, but for m of them.

For a tree with at most m errors and a case s that it gets right, the tests on the path of s separate it from all
but m of the weight of other classes. A linear program bounds the price of such tests from below, and so does every
solution of its dual: that is what a certificate holds. At most m of the weight is got wrong: of cases that weigh more
than m together, at least one is got right, and its bound holds.

Of a large table only the cases that are hardest to tell apart are in the program: that only lowers the bound. With
losses the cases are counted by error weights (error_weights.py).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Instance
from budgetree.proof.entries import Bound, present_rows, price_unit, rounded_up
from budgetree.services.clock import Clock

MAX_CASES = 60  # in a witness
LARGEST_DENOMINATOR = 10**6
LEAST_SECONDS = 0.01  # for a program
MAX_SCREENED = 4000  # cases whose simple dual is computed
MAX_OTHERS, MAX_CELLS = 4000, 1_000_000  # cases, and cases × tests, of other classes in one program; beyond that …
FEW_OTHERS, FEW_CELLS = 1000, 250_000  # … so many of them are taken
NEARLY = 1 - 1e-9  # a load that is nearer to the price in floats is computed exactly


@dataclass(frozen=True, slots=True)
class _Dual:
    """A solution of one case's dual program, exact, in price units."""

    row: int
    value: Fraction
    shares: dict[int, Fraction]  # per row of another class


class _Program:
    """Which tests tell a case from those of other classes."""

    def __init__(self, instance: Instance, row: int, allowed: Fraction, clock: Clock) -> None:
        rows = present_rows(instance)
        others = rows[instance.labels[rows] != instance.labels[row]]
        if len(others) > MAX_OTHERS or len(others) * instance.n_tests > MAX_CELLS:
            few = min(FEW_OTHERS, FEW_CELLS // instance.n_tests, len(others) - 1)
            n_apart = np.count_nonzero(instance.codes[others] != instance.codes[row], axis=1)
            n_apart[n_apart == 0] = instance.n_tests + 1
            others = np.sort(others[np.argpartition(n_apart, few)[:few]])
        apart = instance.codes[others] != instance.codes[row]
        separable = apart.any(axis=1)  # no test separates identical cases
        self.row, self.others, self.apart = int(row), others[separable], apart[separable]
        self.weights = instance.weight_units[self.others]
        self.prices = instance.schema.costs.cheapest
        self.allowed = allowed  # m, in weight units
        self._clock = clock
        clock.spend(clock.plan.seconds_per_separation * rows.size * instance.n_tests)

    @property
    def simple_shares(self) -> NDArray[np.float64]:
        """Each test's price, shared equally among those it tells apart."""
        per_test = self.prices / np.maximum(self.apart.sum(axis=0), 1)
        return np.asarray(np.where(self.apart, per_test, np.inf).min(axis=1, initial=np.inf))

    def simple(self) -> float:
        """The value of the dual with these shares, in floats."""
        shares = self.simple_shares
        return float(shares.sum() - (shares / self.weights).max() * float(self.allowed)) if len(shares) else 0.0

    def solve(self) -> _Dual:
        """The best dual, by HiGHS; the simple one where the work or the time does not suffice."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix, hstack, identity, vstack

        patterns, which = np.unique(self.apart, axis=0, return_inverse=True)
        which = which.ravel()
        weights = np.bincount(which, weights=self.weights)
        n = len(patterns)
        loads = csr_matrix(patterns.T.astype(float))
        costs, prices = -np.ones(n), self.prices.astype(float)
        if self.allowed > 0:
            # The last variable is λ: no share exceeds λ times its weight, and λ costs m.
            upper = hstack([loads, csr_matrix((len(prices), 1))])
            lower = hstack([identity(n), csr_matrix(-weights[:, None])])
            loads = vstack([upper, lower]).tocsr()
            costs, prices = np.append(costs, float(self.allowed)), np.append(prices, np.zeros(n))
        plan, left = self._clock.plan, self._clock.seconds_left
        per_iteration = plan.seconds_per_iteration + plan.seconds_per_separation * loads.nnz
        options: dict[str, float] = {}
        if left is not None and self._clock.counts_work:
            options["maxiter"] = 1 + int(left / per_iteration)
        elif left is not None:
            options["time_limit"] = max(left, LEAST_SECONDS)
        found = linprog(costs, A_ub=loads, b_ub=prices, method="highs", options=options)
        self._clock.spend((1 + found.nit) * per_iteration)
        if found.x is None:
            return self.exact(self.simple_shares)
        return self.exact((found.x[:n] / weights)[which] * self.weights)

    def exact(self, shares: NDArray[np.float64]) -> _Dual:
        """The shares as fractions, made so small that no test is loaded beyond its price."""
        exact = {
            index: Fraction(float(share)).limit_denominator(LARGEST_DENOMINATOR)
            for index, share in enumerate(shares)
            if share > 1.0 / LARGEST_DENOMINATOR
        }
        scale = Fraction(1)
        rounded = np.zeros(len(shares))
        rounded[list(exact)] = [float(share) for share in exact.values()]
        for test in np.flatnonzero(rounded @ self.apart > self.prices * NEARLY).tolist():
            load = sum((share for index, share in exact.items() if self.apart[index, test]), Fraction(0))
            if load > int(self.prices[test]):
                scale = min(scale, Fraction(int(self.prices[test])) / load)
        exact = {index: share * scale for index, share in exact.items()}
        steepest = max((share / int(self.weights[index]) for index, share in exact.items()), default=Fraction(0))
        value = sum(exact.values(), Fraction(0)) - steepest * self.allowed
        return _Dual(self.row, value, {int(self.others[index]): share for index, share in exact.items()})


def cover_bound(instance: Instance, errors: Fraction, enough: Fraction, clock: Clock) -> Bound | None:
    """The best found by the clock, or the first that is enough; None where a witness would name too many cases."""
    allowed = errors * instance.schema.weight_scale
    rows = _ranked(instance, allowed, clock)
    weights = instance.weight_units[rows]
    needed = int(np.searchsorted(np.cumsum(weights), int(allowed), side="right")) + 1
    if needed > min(len(rows), MAX_CASES):
        return None
    unit = price_unit(instance.schema)
    duals: list[_Dual] = []
    for row in rows[:needed]:
        if clock.is_over and duals:  # one is there in a moment, and often it is enough
            return None
        program = _Program(instance, row, allowed, clock)
        duals.append(program.exact(program.simple_shares))
    best = _assemble(instance, duals, allowed)
    for row in rows:
        if clock.is_over or rounded_up(best.value, unit) >= enough:
            break
        left = clock.seconds_left
        is_short = left is not None and not clock.counts_work and left < clock.plan.import_seconds
        if is_short and "scipy.optimize" not in sys.modules:
            break
        duals = [dual for dual in duals if dual.row != row] + [_Program(instance, row, allowed, clock).solve()]
        best = max(best, _assemble(instance, duals, allowed), key=lambda bound: bound.value)
        duals = sorted(duals, key=lambda dual: -dual.value)[:MAX_CASES]
    return best


def _ranked(instance: Instance, allowed: Fraction, clock: Clock) -> list[int]:
    """The cases, those whose simple dual is best first."""
    rows = present_rows(instance)
    step = max(1, len(rows) // MAX_SCREENED)
    left = clock.seconds_left
    screened = clock.share(None if left is None else clock.plan.screen_share * left)
    values = []
    for row in rows[::step]:
        values.append(_Program(instance, int(row), allowed, screened).simple())
        if screened.is_over:
            break
    return [int(rows[::step][i]) for i in np.argsort(-np.array(values), kind="stable")]


def _assemble(instance: Instance, duals: list[_Dual], allowed: Fraction) -> Bound:
    """The best duals that weigh more than m together; the least of their values is the bound."""
    chosen: list[_Dual] = []
    weight = 0
    for dual in sorted(duals, key=lambda dual: -dual.value):
        chosen.append(dual)
        weight += int(instance.weight_units[dual.row])
        if weight > allowed:
            break
    scale = instance.schema.costs.scale
    objects = [
        {"object": dual.row, "dual": {str(row): str(share / scale) for row, share in sorted(dual.shares.items())}}
        for dual in chosen
    ]
    return Bound("cover", chosen[-1].value / scale, {"objects": objects})
