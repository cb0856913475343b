"""CostModel and PathState: what a path has spent, and what it may buy next. No other module knows a rule.

A path buys tests one after another. A *resource* is anything limited: what tests cost, minutes, the number of tests.
A rule is data, in whole units, so that sums are exact:

    amounts   resource × test × result   what a test takes by itself; a result that is not listed takes as much as the
                                         costliest
    fees      resource × flag            taken once per path, with the first test that pays the flag
    pays      test                       the flags of its fees. A panel is a fee whose tests take nothing themselves,
                                         and come together
    needs     test                       the flags that must be set before: "after X", "after X was positive"
    sets      test × result              the flags that are set once the test is known to show this

Every flag is good to have, so a state that has spent no more and has all flags of another may do all that it may. The
rest of the program asks two things: may this be bought here (`refusal`), and what is the state afterwards
(`after_buying`, `after_seeing`). The core also asks whether a state is at least as good as another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import SettingError
from budgetree.problem.units import MAX_EXPONENT, is_unlimited, non_negative, plain_number
from budgetree.services.words import listed

FINEST_GRID = 2**40  # of shares, where limits have no common multiple below it
TOLERANCE = Fraction(1, 10**12)  # relative, where an amount was computed in floats


def mask_of(results: Iterable[Any]) -> int:
    """The positions of what is true, as a mask."""
    return sum(1 << position for position, is_possible in enumerate(results) if is_possible)


class RuleKind(StrEnum):
    """Whatever makes a path cost more than the least of its tests, or removes it; bounds may leave some out."""

    OUTCOMES = "prices by outcome"
    FEES = "shared fees"
    PANELS = "panels"
    LIMITS = "limits"
    ORDER = "order"  # and what every path begins with


OF_PATHS = frozenset((RuleKind.PANELS, RuleKind.LIMITS, RuleKind.ORDER))  # the others are prices of tests
OF_LONG_SEARCHES = frozenset((RuleKind.LIMITS,))  # that the bound counts on which a long search raises


class Reason(Enum):
    """Why a test may not be bought."""

    BOUGHT = "{test} was bought before on this path; it is free to branch on"
    ORDER = "{test} may only follow {after}"
    LIMIT = "{test} can raise {what} to {amount}; the {of} is {limit}"


class NotAllowedError(SettingError):
    """A purchase breaks a rule; `reason` says which."""

    def __init__(self, reason: Reason, subject: str, **fields: object) -> None:
        message = f"{reason.value.format(test=repr(subject), **fields)}."
        expected = fields.get("limit", fields.get("after"))
        super().__init__(message, subject=subject, found=fields.get("amount"), expected=expected)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Resource:
    """What paths use up, and the most that one may; amount = units / scale."""

    name: str
    scale: Fraction
    unit: str = ""
    limit: int = LARGEST_EXACT

    def amount(self, units: int) -> int | float:
        """Units in the user's own currency."""
        return plain_number(Fraction(int(units)) / self.scale)

    def units(self, limit: Any, what: str) -> int:
        """The most units that a path may take; None means no limit."""
        if is_unlimited(limit):
            return LARGEST_EXACT
        # A path adds up amounts, so what it spends, and a budget with it, may be above the largest of them.
        rule = f"a {what if what == 'budget' else 'limit'} must be a number of at least 0, or inf"
        scaled = non_negative(limit, what, rule, 2 * MAX_EXPONENT) * self.scale
        # A budget computed in floats (0.7 + 0.1, or a tree's own max_cost) may be slightly below the sum it means.
        return min(int(scaled + scaled * TOLERANCE), LARGEST_EXACT)


@dataclass(frozen=True, slots=True)
class PathState:
    """All that the past of a path means for its future."""

    spent: tuple[int, ...]  # per resource, at the costliest results that are still possible
    flags: int  # mask of the fees paid and the conditions met
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
    """The rules of one schema's tests and outcomes, laid out once; the first resource is what tests cost."""

    resources: tuple[Resource, ...]
    amounts: NDArray[np.int64]  # resource × test × outcome, without fees; filled up with the costliest
    n_outcomes: NDArray[np.int64]  # per test
    fees: NDArray[np.int64]  # resource × flag; those with a name come first, and the others are conditions
    pays: NDArray[np.int64]  # per test, a bit for each fee
    fee_names: tuple[str, ...]
    test_names: tuple[str, ...]
    needs: NDArray[np.int64]  # per test, a bit for each flag that must be set before
    sets: NDArray[np.int64]  # test × outcome, and last for a result that is not listed; with what it pays
    panels: tuple[tuple[int, ...], ...] = ()  # tests that are bought together
    first: tuple[int, ...] = ()  # what every path begins with, in order
    conditions: Mapping[int, str] = field(default_factory=dict)  # by flag that is needed: what sets it, in words

    def __post_init__(self) -> None:
        for array in (self.amounts, self.n_outcomes, self.fees, self.pays, self.needs, self.sets):
            array.flags.writeable = False

    @property
    def scale(self) -> Fraction:
        """Price = units / scale."""
        return self.resources[0].scale

    @property
    def limits(self) -> tuple[int, ...]:
        """Per resource, the most that a path may take; first the budget."""
        return tuple(resource.limit for resource in self.resources)

    @property
    def limit(self) -> int:
        """The budget."""
        return self.resources[0].limit

    @cached_property
    def most(self) -> NDArray[np.int64]:
        """Resource × test, at its costliest outcome."""
        return np.asarray(self.amounts.max(axis=2))

    @property
    def costliest(self) -> NDArray[np.int64]:
        """Per test, the price of its costliest outcome."""
        return np.asarray(self.most[0])

    @cached_property
    def cheapest(self) -> NDArray[np.int64]:
        """Per test, the price of its cheapest; what fills up a row is the costliest, so it does not disturb."""
        return np.asarray(self.amounts[0].min(axis=1))

    @property
    def at_cheapest(self) -> CostModel:
        """The same rules, each test at its cheapest price, whatever it shows."""
        amounts = self.amounts.copy()
        amounts[0] = self.cheapest[:, None]
        return replace(self, amounts=amounts)

    @cached_property
    def rules(self) -> frozenset[RuleKind]:
        """The kinds of rules that there are."""
        there = {
            RuleKind.OUTCOMES: (self.amounts[0] != self.most[0][:, None]).any(),
            RuleKind.FEES: self.fees[0, : len(self.fee_names) - len(self.panels)].any(),
            RuleKind.PANELS: self.panels,
            RuleKind.LIMITS: len(self.resources) > 1,
            RuleKind.ORDER: self.first or self.needs.any(),
        }
        return frozenset(kind for kind, is_there in there.items() if is_there)

    @cached_property
    def is_plain(self) -> bool:
        """Whether there is nothing but prices and fees: no further resource, no panel, no order."""
        return not self.rules & OF_PATHS

    @cached_property
    def one_price(self) -> int | None:
        """What every test takes, whatever its outcome and what was bought before; None where rules differ by test."""
        price = int(self.amounts.flat[0])
        return price if self.is_plain and (self.amounts == price).all() and not self.fees.any() else None

    @cached_property
    def depends_on_outcome(self) -> bool:
        """Whether what some test takes depends on its outcome."""
        return bool((self.amounts != self.most[..., None]).any())

    def price(self, amounts: Sequence[int]) -> int:
        """One number to compare tests by: the price; with several resources the largest share of a limit.

        Shares are in whole steps of a grid on which all limits lie, or of a fine one if it is missing. A limit that
        no path reaches does not count as one: the share is of what all tests take together.
        """
        if len(self.resources) == 1:
            return int(amounts[0])
        grid, wholes = self._grid
        return max((2 * int(taken) * grid + whole) // (2 * whole) for taken, whole in zip(amounts, wholes, strict=True))

    @cached_property
    def _grid(self) -> tuple[int, list[int]]:
        of_all = (self.most.sum(axis=1) + self.fees.sum(axis=1)).tolist()
        wholes = [max(1, min(limit, most)) for limit, most in zip(self.limits, of_all, strict=True)]
        return min(math.lcm(*wholes), FINEST_GRID), wholes

    @property
    def highest_price(self) -> int:
        """No test that is affordable has a higher one in any state."""
        return FINEST_GRID if len(self.resources) > 1 else int(self.costliest.max() + self.fees[0].sum())

    @property
    def price_of_all(self) -> int:
        """What all tests take together at most: no path spends more."""
        return int(self.costliest.sum() + self.fees[0].sum())

    @cached_property
    def unit(self) -> int:
        """Every path spends a multiple of this: the greatest common divisor of all prices."""
        return int(np.gcd.reduce(np.append(self.amounts[0], self.fees[0])))

    @property
    def payers(self) -> list[frozenset[int]]:
        """Per fee, the tests that need it."""
        return [frozenset((self.pays >> fee & 1).nonzero()[0].tolist()) for fee in range(len(self.fee_names))]

    @property
    def lowered(self) -> dict[str, NDArray[Any]]:
        """What the core makes its CostModel of."""
        masks = {name: getattr(self, name).astype(np.uint64) for name in ("pays", "needs", "sets")}
        limits = np.array(self.limits, dtype=np.int64)
        return {"amounts": np.ascontiguousarray(self.amounts), "flag_amounts": self.fees, "limits": limits, **masks}

    @property
    def start(self) -> PathState:
        """Before anything is bought."""
        return PathState((0,) * len(self.resources), 0, ())

    @cached_property
    def begun(self) -> PathState:
        """Once all is bought that every path begins with."""
        state = self.start
        for test in self.first:
            state = self.after_ordering(state, test)
        return state

    @property
    def has_duties(self) -> bool:
        """Whether paths must buy some test once they have bought another, or before they end."""
        return bool(self.panels or self.first)

    def missing(self, state: PathState) -> int | None:
        """The test that a path must buy next: the rest of a panel, or of what every path begins with."""
        if not self.has_duties:
            return None
        begun = [panel for panel in self.panels if any(test in state.tests for test in panel)]
        due = (test for tests in (*begun, self.first) for test in tests if test not in state.tests)
        return next(due, None)

    def duty(self, test: int) -> str:
        """Why a test is missing."""
        if test in self.first:
            return "every path begins with it"
        return "it is bought together with what was bought before it"

    @property
    def least_budget(self) -> int:
        """What every path spends at worst, whatever it goes on with."""
        return self.begun.spent[0]

    def within(self, budget: Any) -> CostModel:
        """The same rules, and no path spends more than this."""
        return self.within_units(self.budget_units(budget))

    def within_units(self, budget: int) -> CostModel:
        """The same in whole units."""
        return replace(self, resources=(replace(self.resources[0], limit=budget), *self.resources[1:]))

    def reordered(self, tests: NDArray[Any]) -> CostModel:
        """The same rules for the tests in another order: these, by position."""
        position = {int(test): at for at, test in enumerate(tests)}
        return replace(
            self,
            amounts=self.amounts[:, tests],
            n_outcomes=self.n_outcomes[tests],
            pays=self.pays[tests],
            needs=self.needs[tests],
            sets=self.sets[tests],
            test_names=tuple(self.test_names[test] for test in tests),
            panels=tuple(tuple(position[test] for test in panel) for panel in self.panels),
            first=tuple(position[test] for test in self.first),
        )

    @property
    def panel_names(self) -> tuple[str, ...]:
        """What the panels are called: they are the last of the fees."""
        return self.fee_names[len(self.fee_names) - len(self.panels) :]

    def panel_of(self, test: int) -> str | None:
        """The panel that a test is bought in."""
        return next((name for name, of in zip(self.panel_names, self.panels, strict=True) if test in of), None)

    def given_by(self, test: int) -> tuple[int, ...]:
        """The tests that are bought with this one: its panel, or itself."""
        return next((panel for panel in self.panels if test in panel), (test,))

    @cached_property
    def purchases(self) -> tuple[int, ...]:
        """The tests that are bought by themselves, and of each panel its first."""
        return tuple(test for test in range(len(self.test_names)) if self.given_by(test)[0] == test)

    def called(self, test: int, names: Sequence[str]) -> str:
        """A test by its display name, and the panel that it is ordered in."""
        panel = self.panel_of(test)
        return f"{names[test]} ({panel})" if panel else names[test]

    def ordered(self, tests: Iterable[int], names: Sequence[str]) -> list[str]:
        """What is bought to have these tests, in order: tests by their display names, and panels with theirs."""
        found = list[str]()
        for test in tests:
            if (together := self.given_by(test))[0] == test:
                members = ", ".join(names[each] for each in together)
                found.append(f"{panel} ({members})" if (panel := self.panel_of(test)) else members)
        return found

    def surcharge(self, flags: int | NDArray[np.int64]) -> NDArray[np.int64]:
        """Per test, the price of what falls due on a path with these flags; for one path, or node × test for many."""
        return np.asarray(self._due(self.pays & ~np.asarray(flags, dtype=np.int64)[..., None])[0])

    def charges(
        self, flags: NDArray[np.int64], tests: NDArray[np.integer[Any]], resource: int = 0
    ) -> NDArray[np.int64]:
        """Per path, each with its own test: what this takes by outcome, and in the last column where it is unlisted."""
        due = self._due(self.pays[tests] & ~flags)[resource]
        return np.asarray(np.column_stack([self.amounts[resource, tests], self.most[resource, tests]]) + due[:, None])

    def _due(self, unpaid: NDArray[np.int64] | np.int64) -> NDArray[np.int64]:
        """By resource, the fees whose bits are set, added up; it is done nowhere else."""
        due = np.zeros((len(self.resources), *np.shape(unpaid)), dtype=np.int64)
        for flag, amounts in enumerate(self.fees.T[: len(self.fee_names)]):
            due += np.multiply.outer(amounts, unpaid >> flag & 1)
        return due

    def prices(self, state: PathState) -> NDArray[np.int64]:
        """Per test, the most that it can cost in this state; nothing where it was bought before."""
        return np.asarray(self._takes(state)[0])

    def weighed_prices(self, state: PathState) -> NDArray[np.float64]:
        """The same, to compare tests by: with several resources, the largest share of a limit."""
        takes = self._takes(state)
        if len(takes) == 1:
            return np.asarray(takes[0], dtype=np.float64)
        return np.asarray((takes / np.array(self._grid[1], dtype=np.float64)[:, None]).max(axis=0))

    def _takes(self, state: PathState) -> NDArray[np.int64]:
        """Resource × test: the most that it can take in this state."""
        takes = self.most + self._due(self.pays & ~state.flags)
        takes[:, list(state.tests)] = 0
        return np.asarray(takes)

    def charge(self, state: PathState, test: int) -> NDArray[np.int64]:
        """Resource × outcome, and last for a result that is not listed: what the test takes here, with its fees."""
        own, due = self.amounts[:, test, : self.n_outcomes[test]], self._due(self.pays[test] & ~state.flags)
        return np.asarray(np.column_stack([own, own.max(axis=1)]) + due[:, None])

    def refusal(self, state: PathState, test: int) -> NotAllowedError | None:
        """The rule that forbids the test in this state, whatever it would show; None where it is allowed."""
        name = self.test_names[test]
        if test in state.tests:
            return NotAllowedError(Reason.BOUGHT, name)
        if missing := int(self.needs[test]) & ~state.flags:
            after = " and ".join(words for flag, words in self.conditions.items() if missing >> flag & 1)
            return NotAllowedError(Reason.ORDER, name, after=after)
        totals = np.array(state.spent) + self.charge(state, test).max(axis=1)
        for resource, spent in zip(self.resources, totals.tolist(), strict=True):
            if spent > resource.limit:
                what = "what a case pays" if resource is self.resources[0] else f"{resource.name!r} of a case"
                amounts = {"amount": resource.amount(spent), "limit": resource.amount(resource.limit)}
                return NotAllowedError(Reason.LIMIT, name, what=what, of=self._limit_name(resource), **amounts)
        return None

    def _limit_name(self, resource: Resource) -> str:
        return "budget" if resource.name == self.resources[0].name else f"limit of {resource.name!r}"

    def allowed(self, state: PathState) -> NDArray[np.int64]:
        """The tests that may be bought next; of a panel its first."""
        fits = (np.array(state.spent)[:, None] + self._takes(state) <= np.array(self.limits)[:, None]).all(axis=0)
        fits &= self.unlocked(state)
        fits[list(state.tests)] = False
        fits[[test for panel in self.panels for test in panel[1:]]] = False
        return np.flatnonzero(fits)

    def unlocked(self, state: PathState) -> NDArray[np.bool_]:
        """Per test, whether all was done and seen that must come before it."""
        return np.asarray(self.needs & ~state.flags == 0)

    def after_buying(self, state: PathState, test: int) -> PathState:
        """The state once a test is paid and nothing is known yet of its result."""
        everything = (1 << int(self.n_outcomes[test]) + 1) - 1
        spent = tuple((np.array(state.spent) + self.charge(state, test).max(axis=1)).tolist())
        flags = state.flags | int(self.pays[test]) | self._set_by(test, everything)
        return PathState(spent, flags, (*state.results, (test, everything)))

    def after_ordering(self, state: PathState, test: int) -> PathState:
        """The same with all that is bought together."""
        for each in self.given_by(test):
            state = state if each in state.tests else self.after_buying(state, each)
        return state

    def after_seeing(self, state: PathState, test: int, results: int) -> PathState:
        """The state once a bought test is known to show one of these results, a mask."""
        before = dict(state.results)
        now = before[test] & results
        spent = np.array(state.spent) - self._most(test, before[test]) + self._most(test, now)
        return PathState(
            tuple(spent.tolist()), state.flags | self._set_by(test, now), tuple((before | {test: now}).items())
        )

    def after_result(self, state: PathState, test: int, result: int | None, is_paid: bool = True) -> PathState:
        """The state of one case once a test has shown this, or was done without a result; it keeps no results."""
        charge, shown = self.charge(state, test), int(self.sets[test, -1])
        if result is not None and result < self.n_outcomes[test]:
            shown = int(self.sets[test, result])
        if not is_paid:  # what is known beforehand takes nothing, and leaves the fees to others
            return PathState(state.spent, state.flags | shown >> len(self.fee_names) << len(self.fee_names), ())
        taken = charge[:, -1 if result is None else min(result, charge.shape[1] - 1)]
        return PathState(tuple((np.array(state.spent) + taken).tolist()), state.flags | shown, ())

    def bundle(self, state: PathState, test: int) -> tuple[int, ...]:
        """What to buy here, in order, to have a test: what must come before it, and all of its panel.

        Empty where a rule forbids it, whatever is bought before: a limit, or an outcome that was not seen.
        """
        wanted, found = [test], list[int]()
        while wanted:
            if wanted[-1] in state.tests:
                wanted.pop()
            elif missing := int(self.needs[wanted[-1]]) & ~state.flags:
                setter = next((one for flag, one in self._setters.items() if missing >> flag & 1), None)
                if setter is None or setter in wanted:
                    return ()
                wanted.append(setter)
            elif self.refusal(state, wanted[-1]) is not None:
                return ()
            else:
                found += [each for each in self.given_by(wanted[-1]) if each not in state.tests]
                state = self.after_ordering(state, wanted.pop())
        return tuple(found)

    def unreachable(self) -> Iterator[str]:
        """Which tests no path can buy, and why: by the path to each that buys only what must come before it."""
        for target in () if self.is_plain else self.purchases:
            left, wanted, state = [target], dict[int, int](), self.begun
            for one in left:  # grows while it is read
                for flag in (flag for flag in self.conditions if int(self.needs[one]) >> flag & 1):
                    test = int(np.flatnonzero((self.sets >> flag & 1).any(axis=1))[0])
                    shown = np.append(self.sets[test, : self.n_outcomes[test]], self.sets[test, -1])
                    wanted[test] = wanted.get(test, -1) & mask_of((shown >> flag & 1).tolist())
                    left += [] if test in left else [test]
            while target not in state.tests:
                for one in set(wanted).intersection(state.tests):
                    state = self.after_seeing(state, one, wanted[one])
                refusals = {one: self.refusal(state, one) for one in left if one not in state.tests}
                step = next((one for one, refusal in refusals.items() if refusal is None), None)
                if step is None:
                    yield f"prices: no path can buy {self.test_names[target]!r}: {refusals[target]}"
                    break
                state = self.after_ordering(state, step)

    @cached_property
    def _setters(self) -> dict[int, int]:
        """By condition, the test that sets it whatever it shows."""
        found = {flag: np.flatnonzero(self.always >> flag & 1) for flag in self.conditions}
        return {flag: int(tests[0]) for flag, tests in found.items() if len(tests)}

    @cached_property
    def _sets_what_it_pays(self) -> bool:
        return bool((self.sets == self.pays[:, None]).all())

    @cached_property
    def always(self) -> NDArray[np.int64]:
        """Per test, the flags that it sets whatever it shows."""
        return np.asarray(np.bitwise_and.reduce(self.sets, axis=1))

    def _set_by(self, test: int, results: int) -> int:
        """The flags that every one of these results sets."""
        if self._sets_what_it_pays:  # as mostly
            return 0
        width = int(self.n_outcomes[test])
        sets = [int(self.sets[test, r if r < width else -1]) for r in range(width + 1) if results >> r & 1]
        return int(np.bitwise_and.reduce(np.array(sets, dtype=np.int64))) if sets else 0

    def _most(self, test: int, results: int) -> NDArray[np.int64]:
        """Per resource, what the test takes by itself at the costliest of these; nothing where none is possible."""
        own = self.amounts[:, test, : self.n_outcomes[test]]
        own = np.column_stack([own, own.max(axis=1)])
        possible = [result for result in range(own.shape[1]) if results >> result & 1]
        return np.asarray(own[:, possible].max(axis=1, initial=0))

    def fees_of(self, test: int, flags: int = 0) -> list[int]:
        """The fees that fall due with a test on a path which has paid these; a panel is one."""
        return [fee for fee in range(len(self.fee_names)) if int(self.pays[test]) & ~flags & 1 << fee]

    def shared_by(self, test: int, flags: int) -> list[int]:
        """Those of them that are shared, and take something."""
        n_shared = len(self.fee_names) - len(self.panels)
        return [fee for fee in self.fees_of(test, flags) if fee < n_shared and self.fees[:, fee].any()]

    def settings_of(self, test: int) -> list[list[tuple[int, list[int] | None]]]:
        """Per flag that a test needs, what sets it: a test, and which of its results; None for any."""
        found = []
        for flag in (flag for flag in range(self.fees.shape[1]) if int(self.needs[test]) >> flag & 1):
            by = enumerate((self.sets >> flag & 1).astype(bool))
            shown = ((test, of[-1], of[: self.n_outcomes[test]].nonzero()[0].tolist()) for test, of in by)
            found.append([(setter, None if always else results) for setter, always, results in shown if results])
        return found

    def described(self, show: Callable[[Fraction], str]) -> str:
        """What tests cost, and the fees: "tests cost 1 to 8, and blood draw 2.1"; `show` writes an amount."""
        units = np.append([self.costliest.min(), self.costliest.max()], self.fees[0, : len(self.fee_names)])
        least, most, *fees = (show(Fraction(number) / self.scale) for number in units.tolist())
        costs = f"every test costs {least}" if least == most else f"tests cost {least} to {most}"
        costs += "".join(f", and {name} {fee}" for name, fee in zip(self.fee_names, fees, strict=True))
        return costs + "".join(
            f"; at most {resource.amount(resource.limit)} {resource.unit or resource.name} per case"
            for resource in self.resources[1:]
        )

    @property
    def named(self) -> list[tuple[str, int]]:
        """The name of each fee, and what it takes."""
        return list(zip(self.fee_names, self.fees[0, : len(self.fee_names)].tolist(), strict=True))

    def put_off(self, test: int, above: Sequence[int]) -> dict[int, list[int]]:
        """By fee of a test that tests above it pay, those tests; where none of them was done, it falls due here."""
        payers = {fee: [each for each in above if int(self.always[each]) >> fee & 1] for fee in self.fees_of(test)}
        return {fee: tests for fee, tests in payers.items() if tests}

    def amount(self, units: int) -> int | float:
        """Price units in the user's own currency."""
        return self.resources[0].amount(units)

    def amounts_of(self, units: Iterable[int]) -> dict[str, int | float]:
        """Units of every resource, by its name."""
        return {of.name: of.amount(number) for of, number in zip(self.resources, units, strict=True)}

    @property
    def cost_names(self) -> tuple[str, ...]:
        """What columns and outputs with the amounts of each resource are called."""
        return ("cost", *(resource.name for resource in self.resources[1:]))

    def budget_units(self, budget: Any, what: str = "budget") -> int:
        """The most units that a path may spend, None for no limit; the beginning of all paths must fit every limit."""
        units = self.resources[0].units(budget, what)
        for resource, limit, least in zip(self.resources, (units, *self.limits[1:]), self.begun.spent, strict=True):
            if least > limit:
                names, of = listed([self.test_names[test] for test in self.first]), self._limit_name(resource)
                found, needed = resource.amount(limit), resource.amount(least)
                message = f"the {of} is {found}; every path begins with {names}, which takes up to {needed}. Raise it."
                raise SettingError(message, subject=of, found=found, expected=needed)
        return units
