"""CostModel and PathState: what a path has spent, and what it may buy next. No other module knows a rule.

A path buys tests one after another. A rule is data, in whole units, so that sums are exact:

    amounts     test × result    what a test takes by itself; the last result stands for one that is not listed, and
                                 costs as much as the costliest
    fees        a flag           taken once per path, with the first test that needs it

The rest of the program asks three things: may this be bought here (`refusal`), what is the state afterwards
(`after_buying`, `after_seeing`), is this state at least as good as that one (`dominates`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import SettingError
from budgetree.problem.units import MAX_EXPONENT, is_unlimited, non_negative, plain_number

TOLERANCE = Fraction(1, 10**12)  # relative, where an amount was computed in floats


def mask_of(results: Iterable[Any]) -> int:
    """The positions of what is true, as a mask."""
    return sum(1 << position for position, is_possible in enumerate(results) if is_possible)


class Reason(Enum):
    """Why a test may not be bought."""

    BOUGHT = "{test} was bought before on this path; it is free to branch on"
    LIMIT = "{test} can raise what a case pays to {amount}; the budget is {limit}"


class NotAllowedError(SettingError):
    """A purchase breaks a rule; `reason` says which."""

    def __init__(self, reason: Reason, subject: str, **fields: object) -> None:
        message = f"{reason.value.format(test=repr(subject), **fields)}."
        super().__init__(message, subject=subject, found=fields.get("amount"), expected=fields.get("limit"))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class PathState:
    """All that the past of a path means for its future."""

    spent: int  # at the costliest results that are still possible
    flags: int  # mask of the fees paid
    results: tuple[tuple[int, int], ...]  # per test bought, in order: a mask of the results still possible

    @property
    def tests(self) -> tuple[int, ...]:
        """The tests that were bought, in order: they are free to branch on."""
        return tuple(test for test, _ in self.results)

    @property
    def is_possible(self) -> bool:
        """Whether some case can be in this state: branches may contradict each other."""
        return all(results for _, results in self.results)


@dataclass(frozen=True, eq=False)
class CostModel:
    """The prices of one schema's tests and outcomes, laid out once, and the most that a path may spend."""

    amounts: NDArray[np.int64]  # test × outcome, without fees; filled up with the costliest
    n_outcomes: NDArray[np.int64]  # per test
    fees: NDArray[np.int64]  # per fee
    flags: NDArray[np.int64]  # per test, a bit for each fee that it needs
    fee_names: tuple[str, ...]
    test_names: tuple[str, ...]
    scale: Fraction  # amount = units / scale
    limit: int = LARGEST_EXACT

    def __post_init__(self) -> None:
        for array in (self.amounts, self.n_outcomes, self.fees, self.flags):
            array.flags.writeable = False

    @cached_property
    def costliest(self) -> NDArray[np.int64]:
        """Per test, its costliest outcome."""
        return np.asarray(self.amounts.max(axis=1))

    @cached_property
    def cheapest(self) -> NDArray[np.int64]:
        """Per test, its cheapest outcome; what fills up a row is the costliest, so it does not disturb."""
        return np.asarray(self.amounts.min(axis=1))

    @cached_property
    def one_price(self) -> int | None:
        """What every test takes, whatever its outcome and what was bought before; None where they differ."""
        price = int(self.amounts.flat[0])
        return price if (self.amounts == price).all() and not self.fees.any() else None

    @cached_property
    def depends_on_outcome(self) -> bool:
        """Whether the price of some test depends on its outcome."""
        return bool((self.amounts != self.costliest[:, None]).any())

    @cached_property
    def depends_on_path(self) -> bool:
        """Whether the price of some test may depend on what was bought before it."""
        return bool(self.fees.any())

    @property
    def highest_price(self) -> int:
        """No test takes more in any state."""
        return int(self.costliest.max() + self.fees.sum())

    @property
    def price_of_all(self) -> int:
        """What all tests take together at most: no path spends more."""
        return int(self.costliest.sum() + self.fees.sum())

    @cached_property
    def unit(self) -> int:
        """Every path spends a multiple of this: the greatest common divisor of all amounts."""
        return int(np.gcd.reduce(np.append(self.amounts, self.fees)))

    @property
    def shared(self) -> list[tuple[int, frozenset[int]]]:
        """Per fee, what it takes and the tests that need it."""
        tests = ((self.flags >> fee & 1).nonzero()[0] for fee in range(len(self.fees)))
        return [(amount, frozenset(of.tolist())) for amount, of in zip(self.fees.tolist(), tests, strict=True)]

    @property
    def lowered(self) -> dict[str, NDArray[Any]]:
        """What the core makes its CostModel of."""
        pays = self.flags.astype(np.uint64)
        return {
            "amounts": self.amounts[None],
            "flag_amounts": self.fees[None],
            "pays": pays,
            "needs": np.zeros_like(pays),
            "sets": np.tile(pays[:, None], self.amounts.shape[1] + 1),
            "limits": np.array([self.limit], dtype=np.int64),
        }

    @property
    def start(self) -> PathState:
        """Before anything is bought."""
        return PathState(0, 0, ())

    def within(self, budget: Any) -> CostModel:
        """The same rules, and no path spends more than this."""
        return replace(self, limit=self.budget_units(budget))

    def reordered(self, tests: NDArray[Any]) -> CostModel:
        """The same rules for the tests in another order: these, by position."""
        amounts, n_outcomes, flags = self.amounts[tests], self.n_outcomes[tests], self.flags[tests]
        names = tuple(self.test_names[test] for test in tests)
        return replace(self, amounts=amounts, n_outcomes=n_outcomes, flags=flags, test_names=names)

    def surcharge(self, flags: int | NDArray[np.int64]) -> NDArray[np.int64]:
        """Per test, the fees that fall due on a path which has paid these; for one path, or node × test for many."""
        return self._sum(self.flags & ~np.asarray(flags, dtype=np.int64)[..., None])

    def charges(self, flags: NDArray[np.int64], tests: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Per path, each with its own test: what this takes by outcome, and in the last column where it is unlisted."""
        due = self._sum(self.flags[tests] & ~flags)
        return np.asarray(np.column_stack([self.amounts[tests], self.costliest[tests]]) + due[:, None])

    def _sum(self, unpaid: NDArray[np.int64]) -> NDArray[np.int64]:
        """The fees whose bits are set, added up; it is done nowhere else."""
        due = np.zeros(unpaid.shape, dtype=np.int64)
        for flag, amount in enumerate(self.fees.tolist()):
            due += (unpaid >> flag & 1) * amount
        return due

    def prices(self, state: PathState) -> NDArray[np.int64]:
        """Per test, the most that it can take in this state; nothing where it was bought before."""
        prices = self.costliest + self.surcharge(state.flags)
        prices[list(state.tests)] = 0
        return np.asarray(prices)

    def charge(self, state: PathState, test: int) -> NDArray[np.int64]:
        """Per outcome, and last for a result that is not listed: what the test takes in this state, with its fees."""
        own = self.amounts[test, : self.n_outcomes[test]]
        return np.asarray(np.append(own, own.max()) + self.surcharge(state.flags)[test])

    def refusal(self, state: PathState, test: int) -> NotAllowedError | None:
        """The rule that forbids the test in this state, whatever it would show; None where it is allowed."""
        name = self.test_names[test]
        if test in state.tests:
            return NotAllowedError(Reason.BOUGHT, name)
        spent = state.spent + int(self.charge(state, test).max())
        if spent > self.limit:
            return NotAllowedError(Reason.LIMIT, name, amount=self.amount(spent), limit=self.amount(self.limit))
        return None

    def allowed(self, state: PathState) -> NDArray[np.int64]:
        """The tests that may be bought next."""
        fits = state.spent + self.prices(state) <= self.limit
        fits[list(state.tests)] = False
        return np.flatnonzero(fits)

    def after_buying(self, state: PathState, test: int) -> PathState:
        """The state once a test is paid and nothing is known yet of its result."""
        everything = (1 << int(self.n_outcomes[test]) + 1) - 1
        spent = state.spent + int(self.charge(state, test).max())
        return PathState(spent, state.flags | int(self.flags[test]), (*state.results, (test, everything)))

    def after_seeing(self, state: PathState, test: int, results: int) -> PathState:
        """The state once a bought test is known to show one of these results, a mask."""
        before = dict(state.results)
        now = before[test] & results
        spent = state.spent - self._most(test, before[test]) + self._most(test, now)
        return PathState(spent, state.flags, tuple((before | {test: now}).items()))

    def dominates(self, better: PathState, worse: PathState) -> bool:
        """Whether `better` can pay for every tree that `worse` can, on the same cases."""
        return better.spent <= worse.spent and better.flags & worse.flags == worse.flags

    def _most(self, test: int, results: int) -> int:
        """What the test takes by itself at the costliest of these results; nothing where none is possible."""
        own = self.amounts[test, : self.n_outcomes[test]].tolist()
        own.append(max(own))
        return max((amount for result, amount in enumerate(own) if results >> result & 1), default=0)

    def fees_of(self, test: int, flags: int = 0) -> list[int]:
        """The fees that fall due with a test on a path which has paid these."""
        return [fee for fee in range(len(self.fees)) if int(self.flags[test]) & ~flags & 1 << fee]

    def described(self, show: Callable[[Fraction], str]) -> str:
        """What tests cost, and the fees: "tests cost 1 to 8, and blood draw 2.1"; `show` writes an amount."""
        units = np.append([self.costliest.min(), self.costliest.max()], self.fees)
        least, most, *fees = (show(Fraction(number) / self.scale) for number in units.tolist())
        costs = f"every test costs {least}" if least == most else f"tests cost {least} to {most}"
        return costs + "".join(f", and {name} {fee}" for name, fee in zip(self.fee_names, fees, strict=True))

    @property
    def named(self) -> list[tuple[str, int]]:
        """The name of each fee, and what it takes."""
        return list(zip(self.fee_names, self.fees.tolist(), strict=True))

    def put_off(self, test: int, above: Sequence[int]) -> dict[int, list[int]]:
        """By fee of a test that tests above it pay, those tests; where none of them was done, it falls due here."""
        payers = {fee: [each for each in above if int(self.flags[each]) >> fee & 1] for fee in self.fees_of(test)}
        return {fee: tests for fee, tests in payers.items() if tests}

    def amount(self, units: int) -> int | float:
        """Units in the user's own currency."""
        return plain_number(Fraction(int(units)) / self.scale)

    def budget_units(self, budget: Any, what: str = "budget") -> int:
        """The most units that a path may spend; None means no limit."""
        if is_unlimited(budget):
            return LARGEST_EXACT
        # A path adds up amounts, so what it spends, and a budget with it, may be above the largest of them.
        rule = "a budget must be a number of at least 0, or None"
        scaled = non_negative(budget, what, rule, 2 * MAX_EXPONENT) * self.scale
        # A budget computed in floats (0.7 + 0.1, or a tree's own max_cost) may be slightly below the sum it means.
        return min(int(scaled + scaled * TOLERANCE), LARGEST_EXACT)
