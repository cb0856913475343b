"""Prices: what each test costs, per outcome if need be, fees that several tests share, and the rules of a pathway."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.data.column import Column
from budgetree.data.encoders import ColumnEncoder, NumberEncoder
from budgetree.data.number_format import POINTS
from budgetree.data.source import Reading
from budgetree.errors import NoPriceError, PricesError, Remedy
from budgetree.problem.cost_model import CostModel, Resource, mask_of
from budgetree.problem.units import common_scale, non_negative, plain_number, plain_numbers
from budgetree.services.words import listed, show_number

PRICE_RULE = "prices must be finite and at least 0"
MAX_FLAGS = 62  # what a path has paid and met is the bits of one 64-bit integer
MAX_RESOURCES = 4  # with the price
PRICE, TESTS = "price", "tests"  # resources that are always there
FIELDS = ("tests", "shared", "default", "limits", "panels", "order", "first")  # of Prices
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")  # what TOML writes without quotes

AmountName = tuple[int | None, int | None, int | None]  # a test and its outcome, or a fee, by position
OutcomePrices = Fraction | Mapping[str, Fraction]
After = Mapping[str, tuple[str, ...] | None]  # by test, the outcomes that it must have shown; None: any


@dataclass(frozen=True, slots=True)
class SharedFee:
    """A fee paid once per path, with the first of its tests."""

    fee: Fraction
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Tests that are ordered together, and what that takes of each resource; `price` is what it costs."""

    tests: tuple[str, ...]
    amounts: Mapping[str, Fraction]


@dataclass(slots=True, init=False, repr=False)
class AmountList:
    """What tests take of one resource."""

    tests: Mapping[str, OutcomePrices]
    shared: Mapping[str, SharedFee]
    default: Fraction | None

    def __init__(self, tests: Any, shared: Any, default: Any) -> None:
        if not isinstance(tests, Mapping):
            if default is not None:
                message = f"{self._kind}: one number prices every test, so default has nothing to price."
                raise PricesError(message, subject="default", found=default)
            tests, default = {}, tests
        self.tests = {str(name): _test_price(self._kind, name, price) for name, price in tests.items()}
        entries = _mapping(shared, f"{self._kind}: shared", "{name: (fee, [tests])}")
        self.shared = {str(name): _shared_fee(self._kind, name, entry) for name, entry in entries.items()}
        self.default = None if default is None else _amount(self._kind, default, "the price of every test", "default")

    @property
    def _kind(self) -> str:
        return "prices" if isinstance(self, Prices) else "limit"

    @internal
    def per_outcome(self, test_names: Sequence[str], outcomes: Sequence[Sequence[str]], panels: Collection[str]) -> Any:
        """Test × outcome; those that come in panels take nothing themselves."""
        missing = [name for name in test_names if name not in self.tests and name not in panels]
        if missing and self.default is None:
            remedy = Remedy(
                f"Give every test a price, or a default for the rest: {type(self).__name__}({{…}}, default=1).",
                "Add a line for each, or say what every test costs that is not in the list: --default-price 1."
                if isinstance(self, Prices)
                else "Add a line for each below its [limits.NAME.tests], or `default = 1` below [limits.NAME].",
            )
            raise NoPriceError(f"{self._kind}: no price for {listed(missing)}.", missing, remedy=remedy)
        return [
            [Fraction(0)] * len(names) if name in panels else self._outcome_prices(name, names)
            for name, names in zip(test_names, outcomes, strict=True)
        ]

    def _outcome_prices(self, name: str, outcomes: Sequence[str]) -> list[Fraction]:
        price = self.tests.get(name, self.default)
        if isinstance(price, Fraction):
            return [price] * len(outcomes)
        assert price is not None  # per_outcome saw to it
        _check_outcomes(self._kind, name, price, outcomes)
        missing = [outcome for outcome in outcomes if outcome not in price]
        if missing:
            gap = "rows where it is missing" if missing == ["missing"] else listed(missing)
            lines = " and ".join(f"{_toml_key(outcome)} = 1" for outcome in missing)
            entries = ", ".join(f"{outcome!r}: 1" for outcome in missing)
            remedy = Remedy(
                f"Add to its outcomes: {{{name!r}: {{…, {entries}}}}}.",
                f"Add below [tests.{_toml_key(name)}], or in the braces of {_toml_key(name)} = {{…}}: {lines}.",
            )
            message = f"{self._kind}: test {name!r} has a price per outcome, but none for {gap}."
            raise NoPriceError(message, missing, name, remedy=remedy)
        return [price[outcome] for outcome in outcomes]

    def _without(self, tests: Collection[str]) -> dict[str, Any]:
        """The same entries of the other tests."""
        others = {name: tuple(test for test in one.tests if test not in tests) for name, one in self.shared.items()}
        return {
            "tests": {test: price for test, price in self.tests.items() if test not in tests},
            "shared": {name: replace(self.shared[name], tests=left) for name, left in others.items() if left},
            "default": self.default,
        }

    def __repr__(self) -> str:
        is_flat = not self.tests and self.default is not None
        parts = [] if is_flat else [repr(plain_numbers(self.tests))]
        if self.shared:
            fees = {name: (plain_number(entry.fee), list(entry.tests)) for name, entry in self.shared.items()}
            parts.append(f"shared={fees!r}")
        if self.default is not None:
            amount = show_number(self.default)
            parts = [amount, *parts] if is_flat else [*parts, f"default={amount}"]
        if isinstance(self, Limit):
            parts = [show_number(self.max), *parts, *([f"unit={self.unit!r}"] if self.unit else [])]
        return f"{type(self).__name__}({', '.join([*parts, *self._rules()])})"

    def _rules(self) -> list[str]:
        return []


@dataclass(slots=True, init=False, repr=False)
class Limit(AmountList):
    """The most that a case may take of a further resource, such as minutes, and what each test takes of it.

    Parameters
    ----------
    max : number
        What no case exceeds.
    tests : number or dict, optional
        As in `Prices`: an amount for every test, {test: amount}, or {test: {outcome: amount}}.
    shared : dict, optional
        {name: (amount, [tests])}: taken once per path, with the first of its tests.
    default : number, optional
        Of every test that `tests` does not name.
    unit : str, optional
        What people read behind an amount.

    Raises
    ------
    PricesError
        Where an amount is negative or not a number.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Prices({"ecg": 40}, default=8, limits={"time": bt.Limit(90, {"ecg": 15}, default=10, unit="min")})
    Prices({'ecg': 40}, default=8, limits={'time': Limit(90, {'ecg': 15}, default=10, unit='min')})
    """

    max: Fraction
    unit: str

    def __init__(
        self,
        max: Any,  # noqa: A002
        tests: Any = None,
        *,
        shared: Any = None,
        default: Any = None,
        unit: str = "",
    ) -> None:
        AmountList.__init__(self, {} if tests is None else tests, shared, default)
        self.max = _amount("limit", max, "max", "max")
        self.unit = str(unit)


@dataclass(slots=True, init=False, repr=False)
class Prices(AmountList):
    """A price list, and the rules of a pathway.

    Parameters
    ----------
    tests : number or dict, default 1
        A price for every test, {test: price}, or {test: {outcome: price}}; both kinds may be mixed.
    shared : dict, optional
        {name: (fee, [tests])}: a fee paid once per path, with the first of its tests, on top of each test's own price.
    default : number, optional
        The price of every test that `tests` does not name; without it a missing price is an error.
    limits : dict, optional
        {resource: Limit}: up to three further resources, of which no case takes more. {"tests": 5} is one: no case
        needs more than five tests.
    panels : dict, optional
        {name: {"tests": [tests], "price": 30, "time": 40}}: tests that are ordered together, and what that takes of
        each resource. They have no prices of their own.
    order : dict, optional
        {test: {"after": [tests]}} or {test: {"after": {test: [outcomes]}}}: what must be done before, and have shown
        one of these outcomes.
    first : list, optional
        The tests that every pathway begins with.

    Raises
    ------
    PricesError
        Where a price is negative or not a number, or rules contradict each other.

    Examples
    --------
    >>> import budgetree as bt
    >>> draw = {"blood draw": (2.10, ["glucose", "insulin"])}
    >>> bt.Prices({"glucose": 15.51, "insulin": 20.68}, shared=draw, default=1)
    Prices({'glucose': 15.51, 'insulin': 20.68}, shared={'blood draw': (2.1, ['glucose', 'insulin'])}, default=1)
    >>> bt.Prices(10, order={"mri": {"after": {"xray": ["unclear"]}}}, first=["ecg"])
    Prices(10, order={'mri': {'after': {'xray': ['unclear']}}}, first=['ecg'])
    """

    limits: Mapping[str, Limit]
    panels: Mapping[str, Panel]
    order: Mapping[str, After]
    first: tuple[str, ...]

    def __init__(
        self,
        tests: Any = 1,
        *,
        shared: Mapping[str, SharedFee | tuple[Any, Sequence[str]]] | None = None,
        default: Any = None,
        limits: Mapping[str, Limit | Any] | None = None,
        panels: Mapping[str, Any] | None = None,
        order: Mapping[str, Any] | None = None,
        first: Sequence[str] | None = None,
    ) -> None:
        AmountList.__init__(self, tests, shared, default)
        limits = _mapping(limits, "prices: limits", "{resource: Limit(90, {test: amount})}")
        self.limits = {str(name): _limit(str(name), entry) for name, entry in limits.items()}
        panels = _mapping(panels, "prices: panels", "{name: {'tests': [tests], 'price': 30}}")
        self.panels = {str(name): _panel(str(name), entry, self.limits) for name, entry in panels.items()}
        order = _mapping(order, "prices: order", "{test: {'after': [tests]}}")
        self.order = {str(name): _after(str(name), entry) for name, entry in order.items()}
        self.first = _names(first or (), "prices: first", "first")
        self._check_rules()

    def _check_rules(self) -> None:
        """What can be wrong before the tests are known."""

        def refused(message: str, subject: str, found: object = None, expected: object = None) -> PricesError:
            return PricesError(f"prices: {message}.", subject=subject, found=found, expected=expected)

        if (n_fees := len(self.shared) + len(self.panels)) > MAX_FLAGS:
            raise refused(
                f"{n_fees} shared fees and panels; at most {MAX_FLAGS} are supported", "shared", n_fees, MAX_FLAGS
            )
        if len(self.limits) >= MAX_RESOURCES:
            message = f"{len(self.limits)} limits besides the price; at most {MAX_RESOURCES - 1} are supported"
            raise refused(message, "limits", len(self.limits), MAX_RESOURCES - 1)
        lists = {"[tests]": self, **{f"[limits.{name}.tests]": limit for name, limit in self.limits.items()}}
        owner: dict[str, str] = {}
        for name, panel in self.panels.items():
            for test in panel.tests:
                if test in owner:
                    raise refused(f"test {test!r} is in the panels {owner[test]!r} and {name!r}; leave one", test)
                owner[test] = name
                for entry, amounts in lists.items():
                    if test in amounts.tests:
                        message = f"test {test!r} is in the panel {name!r} and has an entry of its own in {entry}"
                        raise refused(f"{message}; a test is bought in its panel or alone: remove one", test)
                    for fee, one in amounts.shared.items():
                        if test in one.tests:
                            message = f"test {test!r} is in the panel {name!r} and in the shared fee {fee!r}"
                            raise refused(f"{message}; add the fee to the panel's amounts, or remove one", test)
        fees = [name for amounts in lists.values() for name in amounts.shared]
        taken = [name for name in self.panels if name in fees or name in owner or name in self.tests]
        if taken:
            raise refused(f"{taken[0]!r} is a panel and a test or a shared fee; give the panel another name", taken[0])
        after = {self._purchase(name): [self._purchase(one) for one in entry] for name, entry in self._needed.items()}
        for name in after:
            if circle := _circle(name, after):
                raise refused(f"{' after '.join(map(repr, circle))}: a circle, so none may be first", name, circle)
        for at, name in enumerate(self.first):
            for needed, outcomes in self._needed.get(name, {}).items():
                if outcomes or self._purchase(needed) not in map(self._purchase, self.first[:at]):
                    message = f"every path begins with {name!r}, which may only follow {needed!r}"
                    raise refused(f"{message}; put that before it in `first`, or leave it out of [order]", name)

    @property
    def _needed(self) -> Mapping[str, After]:
        """The order by purchase: a condition of one test of a panel is of the whole panel."""
        needed: dict[str, dict[str, tuple[str, ...] | None]] = {}
        for name, after in self.order.items():
            for one, outcomes in after.items():
                if outcomes is not None or self._purchase(one) != self._purchase(name):
                    needed.setdefault(name, {})[one] = outcomes
        return needed

    def _purchase(self, name: str) -> str:
        """The panel that gives a test, or the test itself."""
        return next((panel for panel, entry in self.panels.items() if name in entry.tests), name)

    @internal
    def names_outcomes(self, test: str) -> bool:
        """Whether some rule depends on what this test shows: its outcomes are then those that the rule names."""
        prices = (amounts.tests.get(test) for amounts in (self, *self.limits.values()))
        return any(isinstance(one, Mapping) for one in prices) or any(one.get(test) for one in self.order.values())

    @internal
    def limited(self, limits: Mapping[str, Any]) -> Prices:
        """The same rules with other limits, by resource; `tests` is always one."""
        known = {**self.limits}
        for name, most in limits.items():
            if name not in known and name != TESTS:
                there = tuple(dict.fromkeys([*self.limits, TESTS]))
                message = (
                    f"prices: there is a limit of {name!r}, but no test takes any of it; there are {listed(there)}."
                )
                remedy = Remedy(f"Give Prices(…, limits={{{name!r}: Limit(…)}}).", f"Add [limits.{_toml_key(name)}].")
                raise PricesError(message, subject=name, expected=there, remedy=remedy)
            known[name] = _limit(name, most) if name not in known else copy(known[name])
            known[name].max = _amount("limit", most, f"the limit of {name!r}", name)
        return self.changed(limits=known)

    @internal
    def changed(self, **changes: Any) -> Prices:
        """The same list with other entries."""
        given = {name: getattr(self, name) for name in FIELDS} | {"order": _as_given(self.order)}
        return Prices(**given | changes)

    @classmethod
    @internal
    def of(cls, prices: Any) -> Prices:
        """Whatever a user may give as prices: None (1 each), a number, a mapping or a Prices."""
        if isinstance(prices, Prices):
            return prices
        if prices is not None and not isinstance(prices, (Mapping, int, float, Decimal, Fraction, np.number)):
            expected = "a number, {test: price}, {test: {outcome: price}} or a Prices"
            raise PricesError(f"prices is {prices!r:.60}; expected {expected}.", found=prices, expected=expected)
        return cls(1 if prices is None else prices)

    @classmethod
    def from_toml(cls, path: str | Path) -> Prices:
        """Read a price list in TOML.

        It has `default`, a table [tests], and tables [shared.NAME] with `fee` and `tests`. It may also hold [losses]
        and [answers], which `Losses.from_toml` reads, and [labels], which `Labels.from_toml` reads; they are checked
        all the same.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Prices
            The price list.

        Raises
        ------
        BudgetreeError
            Where the file is not a price list, or something in it is wrong; the message names the place.
        OSError
            Where there is no such file.

        Examples
        --------
        >>> import budgetree as bt
        >>> from pathlib import Path
        >>> _ = Path("prices.toml").write_text('''default = 8
        ... [tests]
        ... ecg = 40''')
        >>> bt.Prices.from_toml("prices.toml")
        Prices({'ecg': 40}, default=8)
        """
        from budgetree.problem.settings_file import read_toml

        return read_toml(path).prices or cls({})

    @classmethod
    def from_file(cls, path: str | Path, *, reading: Reading | None = None) -> Prices:
        """Read a price list in TOML, or a table with a column `test` and a column `price`.

        Parameters
        ----------
        path : str or path
            A TOML file as in `from_toml`, which also says what is raised; or a CSV or Excel file.
        reading : Reading, optional
            The marks in the numbers of a table, where these do not show it: whether 1,136 is 1136 or 1.136.

        Returns
        -------
        Prices
            The price list.

        Examples
        --------
        >>> import budgetree as bt
        >>> from pathlib import Path
        >>> _ = Path("prices.csv").write_text('''test,price
        ... ecg,40
        ... troponin,12.5''')
        >>> bt.Prices.from_file("prices.csv")
        Prices({'ecg': 40, 'troponin': 12.5})
        """
        from budgetree.problem.settings_file import read_settings

        return read_settings(path, reading).prices or cls({})

    @internal
    def bind(self, test_names: Sequence[str], outcome_names: Sequence[Sequence[str]]) -> CostModel:
        """Lay the rules out for these tests and outcomes; every name must fit."""
        self._check_names(test_names)
        position = {name: at for at, name in enumerate(test_names)}
        panels = {name: tuple(position[test] for test in panel.tests) for name, panel in self.panels.items()}
        in_panels = {test for panel in self.panels.values() for test in panel.tests}
        lists = {PRICE: self, **self.limits}
        shared = list(dict.fromkeys((name, one.tests) for each in lists.values() for name, one in each.shared.items()))
        resources, own, fees = [], [], []
        for name, amounts in lists.items():
            per_test = amounts.per_outcome(test_names, outcome_names, in_panels)
            taken = {(fee, one.tests): one.fee for fee, one in amounts.shared.items()}
            once = [taken.get(fee, Fraction(0)) for fee in shared]
            once += [one.amounts.get(name, Fraction(len(one.tests))) for one in self.panels.values()]
            scale, units = _whole_units(per_test, once)
            resource = Resource(name, scale)
            if isinstance(amounts, Limit):
                resource = Resource(name, scale, amounts.unit, resource.units(amounts.max, f"limit of {name!r}"))
            resources.append(resource)
            own.append(units)
            fees.append([round(fee * scale) for fee in once])
        pays = np.zeros(len(test_names), dtype=np.int64)
        for bit, (_, tests) in enumerate(shared):
            pays[[position[test] for test in tests]] |= 1 << bit
        for bit, panel in enumerate(panels.values(), len(shared)):
            pays[list(panel)] |= 1 << bit
        fee_names = [*(name for name, _ in shared), *self.panels]
        flags = _Flags(fee_names, pays, list(panels.values()), own[0].shape[1])
        needs = np.zeros(len(test_names), dtype=np.int64)
        first = [test for name in self.first for test in panels.get(self._purchase(name), (position.get(name, 0),))]
        for name in [*test_names, *self.panels]:
            bought = list(panels.get(self._purchase(name), (position.get(name, 0),)))
            for one, outcomes in self._needed.get(name, {}).items():
                test = panels[one][0] if one in panels else position[one]
                if outcomes is not None:
                    _check_outcomes("prices: order", one, outcomes, outcome_names[test])
                needs[bought] |= flags.bit(test, one, outcomes, outcome_names[test])
            for test in first[: first.index(bought[0])] if bought[0] in first else first:
                needs[bought] |= flags.bit(test, test_names[test], None, ())
        return CostModel(
            resources=tuple(resources),
            amounts=np.array(own),
            n_outcomes=np.array([len(names) for names in outcome_names], dtype=np.int64),
            fees=np.pad(np.array(fees, dtype=np.int64), ((0, 0), (0, flags.n_flags - len(flags.names)))),
            pays=pays,
            fee_names=tuple(flags.names),
            test_names=tuple(test_names),
            needs=needs,
            sets=flags.sets,
            panels=tuple(panels.values()),
            first=tuple(dict.fromkeys(first)),
            conditions=flags.words,
        )

    @internal
    def unreachable(self, costs: CostModel, outcome_names: Sequence[Sequence[str]]) -> Iterator[str]:
        """Which tests no path can buy, and why: by the path to each that buys only what must come before it."""
        if costs.is_plain:
            return
        for target, name in enumerate(costs.test_names):
            if target != costs.given_by(target)[0]:
                continue
            left, wanted = self._before(name)
            state = costs.begun
            while target not in state.tests:
                for one in state.tests:
                    if (outcomes := wanted.get(costs.test_names[one])) is not None:
                        state = costs.after_seeing(state, one, mask_of(each in outcomes for each in outcome_names[one]))
                left = [one for one in left if costs.test_names.index(one) not in state.tests]
                refusals = {one: costs.refusal(state, costs.test_names.index(one)) for one in left}
                step = next((one for one, refusal in refusals.items() if refusal is None), None)
                if step is None:
                    yield f"prices: no path can buy {name!r}: {refusals[name]}"
                    break
                state = costs.after_ordering(state, costs.test_names.index(step))

    def _before(self, name: str) -> tuple[list[str], dict[str, set[str]]]:
        """A test with all that must come before it, and the outcomes that these must show."""
        left, wanted = [name], dict[str, set[str]]()
        for one in left:  # grows while it is read
            panel = self._purchase(one)
            for member in {one, panel, *(self.panels[panel].tests if panel in self.panels else ())}:
                for needed, outcomes in self._needed.get(member, {}).items():
                    test = self.panels[needed].tests[0] if needed in self.panels else needed
                    left += [] if test in left else [test]
                    if outcomes is not None:
                        wanted[test] = wanted.get(test, set(outcomes)) & set(outcomes)
        return left, wanted

    @internal
    def as_counted(
        self, costs: CostModel, outcome_names: Sequence[Sequence[str]]
    ) -> Iterator[tuple[AmountName, Fraction, Fraction]]:
        """Each price of the list, as it was given and as the cost model that it was bound to counts it."""
        in_panels = {test for panel in self.panels.values() for test in panel.tests}
        for test, prices in enumerate(self.per_outcome(costs.test_names, outcome_names, in_panels)):
            for position, given in enumerate(prices):
                yield (test, position, None), given, Fraction(int(costs.amounts[0, test, position])) / costs.scale
        fees, panels = [one.fee for one in self.shared.values()], [one.amounts[PRICE] for one in self.panels.values()]
        once = [*fees, *[Fraction(0)] * (len(costs.named) - len(fees) - len(panels)), *panels]  # others are of limits
        for fee, (given, (_, units)) in enumerate(zip(once, costs.named, strict=True)):
            yield (None, None, fee), given, Fraction(units) / costs.scale

    def _check_names(self, test_names: Sequence[str]) -> None:
        known, named = {*test_names, *self.panels}, dict.fromkeys(self.tests, "")
        for resource, limit in self.limits.items():
            named |= {name: f", which the limit of {resource!r} names" for name in limit.tests if name not in named}
        for amounts in (self, *self.limits.values()):
            for fee, entry in amounts.shared.items():
                named |= {name: f", which the shared fee {fee!r} is for" for name in entry.tests if name not in named}
        for panel, whole in self.panels.items():
            named |= dict.fromkeys(whole.tests, f", which the panel {panel!r} has")
        for name, after in self.order.items():
            named |= {one: ", which [order] names" for one in (name, *after) if one not in named}
        named |= {name: ", which every path is to begin with" for name in self.first if name not in named}
        for name, who in named.items():
            if name not in known or (name in self.panels and not who):
                found = f"no test is named {name!r}{who}; the tests are {listed(test_names)}"
                message = f"prices: {found}. Correct the name, or leave it out."
                raise PricesError(message, subject=name, expected=tuple(test_names))

    @internal
    def without(self, tests: Collection[str]) -> Prices:
        """The rules of the other tests; `needing` says which tests cannot be had without these."""
        panels = {
            name: replace(panel, tests=left)
            for name, panel in self.panels.items()
            if (left := tuple(test for test in panel.tests if test not in tests))
        }
        gone = {*tests, *(self.panels.keys() - panels)}
        limits = dict[str, Limit]()
        for name, limit in self.limits.items():
            limits[name] = limit if name == TESTS else Limit(limit.max, unit=limit.unit, **limit._without(gone))
        order = {name: after for name, after in self.order.items() if name not in gone and gone.isdisjoint(after)}
        first = tuple(name for name in self.first if name not in gone)
        return self.changed(**self._without(gone), limits=limits, panels=panels, order=_as_given(order), first=first)

    @internal
    def needing(self, tests: Collection[str]) -> list[str]:
        """The tests that may only follow some of these, directly or not."""
        gone, needing = set(tests), list[str]()
        while more := [name for name, after in self.order.items() if name not in gone and not gone.isdisjoint(after)]:
            members = [
                test for name in more for test in self.panels.get(self._purchase(name), Panel((name,), {})).tests
            ]
            needing += members
            gone.update(members, more)
        return needing

    def __hash__(self) -> int:
        return hash((frozenset(self.tests), frozenset(self.shared), self.default, frozenset(self.limits), self.first))

    def _rules(self) -> list[str]:
        panels = {
            name: {"tests": list(panel.tests), **plain_numbers(panel.amounts)} for name, panel in self.panels.items()
        }
        order = _as_given(self.order)
        parts = {"limits": self.limits, "panels": panels, "order": order, "first": list(self.first)}
        return [f"{name}={value!r}" for name, value in parts.items() if value]


class _Flags:
    """The flags of a cost model: fees, then the conditions that some test needs."""

    def __init__(self, names: list[str], pays: NDArray[np.int64], panels: list[tuple[int, ...]], width: int) -> None:
        self.names, self.n_flags = names, len(names)
        self.sets = np.repeat(pays[:, None], width + 1, axis=1)  # the last for a result that is not listed
        self.words: dict[int, str] = {}
        n_shared = len(names) - len(panels)
        self._bits: dict[tuple[int, tuple[int, ...] | None], int] = {
            (test, None): n_shared + at for at, panel in enumerate(panels) for test in panel
        }

    def bit(self, test: int, name: str, outcomes: Sequence[str] | None, among: Sequence[str]) -> int:
        """The flag that is set once a test was done, or has shown one of these outcomes."""
        shown = None if outcomes is None else tuple(sorted(among.index(outcome) for outcome in outcomes))
        flag = self._bits.setdefault((test, shown), self.n_flags)
        if flag == self.n_flags:
            self.n_flags += 1
            if flag >= MAX_FLAGS:
                message = f"prices: more than {MAX_FLAGS} shared fees, panels and conditions of order; leave some out."
                raise PricesError(message, subject="order", expected=MAX_FLAGS)
            self.sets[test, slice(None) if shown is None else list(shown)] |= 1 << flag
        self.words[flag] = repr(name) if outcomes is None else f"{name!r} with {' or '.join(map(repr, outcomes))}"
        return 1 << flag


def _whole_units(per_test: list[list[Fraction]], once: list[Fraction]) -> tuple[Fraction, NDArray[np.int64]]:
    """A scale for the sum of all amounts, so that no path sum is ever rounded; and test × outcome in these units."""
    # By identity: mostly thousands of outcomes have one and the same price, and fractions are slow to compare.
    amounts = {id(price): price for prices in per_test for price in prices}
    costliest = [max({id(price): price for price in prices}.values()) for prices in per_test]
    scale = common_scale([*costliest, *once, *set(amounts.values())])
    units = {identity: round(price * scale) for identity, price in amounts.items()}
    own = np.zeros((len(per_test), max(map(len, per_test))), dtype=np.int64)
    for row, prices in zip(own, per_test, strict=True):
        row[: len(prices)] = [units[id(price)] for price in prices]
        row[len(prices) :] = row[: len(prices)].max()
    return scale, own


def _mapping(value: Any, what: str, expected: str) -> Mapping[Any, Any]:
    if not isinstance(value or {}, Mapping):
        message, subject = f"{what} is {value!r:.60}; expected {expected}.", what.split()[-1]
        raise PricesError(message, subject=subject, found=value, expected=expected)
    return value or {}


def _names(value: Any, what: str, subject: str) -> tuple[str, ...]:
    """A list of names that differ."""
    names = () if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable) else tuple(map(str, value))
    if (value and not names) or len(set(names)) < len(names):
        message = f'{what} is {value!r:.60}; expected a list of names that differ: ["a", "b"].'
        raise PricesError(message, subject=subject, found=value)
    return names


def _limit(name: str, entry: Any) -> Limit:
    """A number, a Limit, or the table of a settings file."""
    if name in (PRICE, "cost", "budget"):
        message = f"prices: there is a limit of {name!r}; what a case pays is limited by the budget."
        raise PricesError(message, subject=name)
    if isinstance(entry, Mapping):
        expected = "max, and optionally unit, default, tests and shared"
        if "max" not in entry or not set(entry) <= {"max", "unit", "default", "tests", "shared"}:
            message = f"prices: the limit of {name!r} has {listed(list(entry))}; expected {expected}."
            raise PricesError(message, subject=name, found=entry, expected=expected)
        entry = Limit(**entry)
    limit = entry if isinstance(entry, Limit) else Limit(entry)
    if name == TESTS and (limit.tests or limit.shared or limit.default not in (None, 1)):
        message = f"prices: the limit of {TESTS!r} has amounts; every test counts once: write only the limit."
        raise PricesError(message, subject=name, found=limit)
    return Limit(limit.max, 1, unit=limit.unit) if name == TESTS else limit


def _panel(name: str, entry: Any, limits: Mapping[str, Limit]) -> Panel:
    """A panel, or its tests and what it takes of each resource."""
    if isinstance(entry, Panel):
        return entry
    wanted = {PRICE, *limits} - {TESTS}
    keys = set(entry) - {"tests"} if isinstance(entry, Mapping) else set()
    if not isinstance(entry, Mapping) or "tests" not in entry or keys != wanted:
        expected = f"`tests` and what it takes: {', '.join(sorted(wanted))}"
        wrong = next(iter([*sorted(wanted - keys), *sorted(map(str, keys - wanted))]), None)
        message = f"prices: panel {name!r} is {entry!r:.80}; expected {expected}."
        raise PricesError(message, subject=name, found=wrong, expected=expected)
    tests = _names(entry["tests"], f"prices: the tests of panel {name!r}", name)
    if not tests:
        raise PricesError(f"prices: panel {name!r} has no tests; list at least one.", subject=name, found=entry)
    amounts = {key: _amount("prices", entry[key], f"{key!r} of panel {name!r}", name) for key in sorted(wanted)}
    return Panel(tests, amounts)


def _after(name: str, entry: Any) -> After:
    """What must come before a test, as a mapping from test to outcomes."""
    after = entry["after"] if isinstance(entry, Mapping) and set(entry) == {"after"} else None
    if isinstance(after, Mapping) and after:
        return {
            str(test): None if outcomes is None else _names(outcomes, f"prices: order: {name!r} after {test!r}", name)
            for test, outcomes in after.items()
        }
    if after is None or not after:
        expected = '{ after = ["xray"] } or { after = { xray = ["unclear"] } }'
        message = f"prices: order: {name!r} is {entry!r:.60}; expected {expected}."
        raise PricesError(message, subject=name, found=entry, expected=expected)
    return dict.fromkeys(_names(after, f"prices: order: {name!r}", name))


def written_after(after: After) -> list[str] | dict[str, list[str] | None]:
    """The way back."""
    if not any(after.values()):
        return list(after)
    return {test: None if outcomes is None else list(outcomes) for test, outcomes in after.items()}


def _circle(name: str, after: Mapping[str, Sequence[str]]) -> list[str]:
    """A chain of names that begins and ends with this one; [] where there is none."""
    chains = {name: [name]}
    for one in (waiting := [name]):  # grows while it is read
        for before in after.get(one, ()):
            if before == name:
                return [*chains[one], name]
            if before not in chains:
                chains[before] = [*chains[one], before]
                waiting.append(before)
    return []


def _check_outcomes(kind: str, name: str, named: Iterable[str], outcomes: Sequence[str]) -> None:
    for outcome in named:
        if outcome not in outcomes:
            message = f"{kind}: test {name!r} has no outcome {outcome!r}; its outcomes are {listed(outcomes)}."
            raise PricesError(message, subject=name, found=outcome, expected=tuple(outcomes))


def _amount(kind: str, value: Any, what: str, subject: object) -> Fraction:
    return non_negative(value, f"{kind}: {what}", PRICE_RULE, error=PricesError, subject=str(subject))


def _test_price(kind: str, name: object, price: Any) -> OutcomePrices:
    if not isinstance(price, Mapping):
        return _amount(kind, price, f"the price of test {name!r}", name)
    if not price:
        message = f"{kind}: test {name!r} has an empty table of outcome prices; give one price per outcome."
        raise PricesError(message, subject=str(name), found=price)
    return {
        str(outcome): _amount(kind, amount, f"the price of test {name!r}, outcome {outcome!r},", name)
        for outcome, amount in price.items()
    }


def _shared_fee(kind: str, name: object, entry: Any) -> SharedFee:
    """A fee, (fee, [tests]) or the table of a settings file."""
    if isinstance(entry, SharedFee):
        return entry
    try:
        fee, tests = (entry["fee"], entry["tests"]) if isinstance(entry, Mapping) and len(entry) == 2 else entry
        names = None if isinstance(tests, str) else tuple(str(test) for test in tests)
    except (KeyError, TypeError, ValueError):
        fee, names = None, None
    if names is None:
        expected = "(fee, [test, test, …]), or `fee` and `tests`"
        message = f"{kind}: shared fee {name!r} is {entry!r:.60}; expected {expected}."
        raise PricesError(message, subject=str(name), found=entry, expected=expected)
    return SharedFee(_amount(kind, fee, f"shared fee {name!r}", name), names)


def _toml_key(name: str) -> str:
    """A name as TOML writes it."""
    return name if BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def for_levels(prices: Prices, encoders: Sequence[ColumnEncoder]) -> Prices:
    """Rules that name numbers, by the levels that these are rounded to: each costs what its costliest number does.

    What is neither an outcome nor a number stays, and is refused as any other wrong name.
    """
    numeric = {one.name: one for one in encoders if isinstance(one, NumberEncoder) and prices.names_outcomes(one.name)}
    if not numeric:
        return prices

    def level(test: str, name: str) -> str:
        encoder = numeric[test]
        if name in encoder.outcome_names or not POINTS.is_number(name):
            return name
        column = Column(test, "number", numbers=np.array([POINTS.number(name)]))
        return encoder.outcome_names[int(encoder.encode(column)[0])]

    def rounded(amounts: AmountList) -> dict[str, OutcomePrices]:
        tests = dict(amounts.tests)
        for name, price in tests.items():
            if name in numeric and isinstance(price, Mapping):
                by_level = dict[str, Fraction]()
                for outcome, amount in price.items():
                    outcome = level(name, outcome)
                    by_level[outcome] = max(amount, by_level.get(outcome, amount))
                tests[name] = by_level
        return tests

    limits = dict[str, Limit]()
    for resource, limit in prices.limits.items():
        limits[resource] = copy(limit)
        limits[resource].tests = rounded(limit)
    order = {
        name: {
            test: tuple(dict.fromkeys(level(test, each) for each in outcomes))
            if outcomes and test in numeric
            else outcomes
            for test, outcomes in after.items()
        }
        for name, after in prices.order.items()
    }
    return prices.changed(tests=rounded(prices), limits=limits, order=_as_given(order))


def _as_given(order: Mapping[str, After]) -> dict[str, Any]:
    return {name: {"after": written_after(after)} for name, after in order.items()}


def at_cheapest(costs: CostModel) -> Prices:
    """The same price list, on the same grid, with each test at its cheapest outcome's price whatever it shows.

    Panels become shared fees, and all other rules are left out: what no tree can do without them, none can with them.
    """
    names, scale = costs.test_names, costs.scale
    tests = {name: Fraction(units) / scale for name, units in zip(names, costs.cheapest.tolist(), strict=True)}
    fees = zip(costs.fee_names, costs.shared, strict=True)
    shared = {
        fee: (Fraction(units) / scale, [names[test] for test in sorted(of)]) for fee, (units, of) in fees if units
    }
    return Prices(tests, shared=shared)
