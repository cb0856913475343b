"""Prices: what each test costs, per outcome if need be, fees that several tests share, and the rules of a pathway."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.data.column import Column
from budgetree.data.encoders import ColumnEncoder, NumberEncoder
from budgetree.data.number_format import POINTS
from budgetree.data.source import Reading
from budgetree.errors import NoPriceError, PricesError, Remedy
from budgetree.problem.cost_model import CostModel, Resource
from budgetree.problem.settings_part import SettingsPart
from budgetree.problem.units import common_scale, non_negative, plain_number, plain_numbers
from budgetree.services.words import listed, show_number, some_of

MAX_FLAGS = 62  # what a path has paid and met is the bits of one 64-bit integer
MAX_RESOURCES = 4  # with the price
PRICE, TESTS = "price", "tests"  # resources that are always there
# Of a settings file.
PRICE_VALUES, PRICE_TABLES = ("default", "first"), ("tests", "shared", "limits", "panels", "order")
PRICE_ENTRIES = "default, first, [tests], [shared.NAME], [limits.NAME], [panels.NAME] and [order]"
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")  # what TOML writes without quotes

AmountName = tuple[int | None, int | None, int | None]  # a test and its outcome, or a fee, by position
OutcomePrices = Fraction | Mapping[str, Fraction]


def _refused(
    message: str, subject: object = None, found: object = None, expected: object = None, of: str = "prices"
) -> PricesError:
    about = None if subject is None else str(subject)
    return PricesError(f"{of}: {message}.", subject=about, found=found, expected=expected)


def _amount(value: Any, what: str, subject: object, of: str = "prices") -> Fraction:
    rule = f"{'prices' if of == 'prices' else 'amounts'} must be finite and at least 0"
    return non_negative(value, f"{of}: {what}", rule, error=PricesError, subject=str(subject))


def _mapping(value: Any, what: str, expected: str, of: str = "prices") -> Mapping[Any, Any]:
    if not isinstance(value or {}, Mapping):
        raise _refused(f"{what} is {value!r:.60}; expected {expected}", what, value, expected, of)
    return value or {}


def _names(value: Any, what: str, subject: str) -> tuple[str, ...]:
    """A list of names that differ, at least one."""
    names = () if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable) else tuple(map(str, value))
    if not names or len(set(names)) < len(names):
        expected = 'a list of names that differ: ["a", "b"]'
        raise _refused(f"{what} is {value!r:.60}; expected {expected}", subject, value, expected)
    return names


@dataclass(frozen=True, slots=True)
class SharedFee:
    """A fee paid once per path, with the first of its tests."""

    fee: Fraction
    tests: tuple[str, ...]

    @classmethod
    def of(cls, name: str, entry: Any, of: str) -> SharedFee:
        """A fee, (fee, [tests]) or the table of a settings file."""
        if isinstance(entry, SharedFee):
            return entry
        try:
            fee, tests = (entry["fee"], entry["tests"]) if isinstance(entry, Mapping) and len(entry) == 2 else entry
            names = None if isinstance(tests, str) else tuple(map(str, tests))
        except (KeyError, TypeError, ValueError):
            fee, names = None, None
        if names is None:
            expected = "(fee, [test, test, …]), or `fee` and `tests`"
            raise _refused(f"shared fee {name!r} is {entry!r:.60}; expected {expected}", name, entry, expected, of)
        return cls(_amount(fee, f"shared fee {name!r}", name, of), names)


@dataclass(frozen=True, slots=True)
class Panel:
    """Tests that are ordered together, and what that takes of each resource; `price` is what it costs."""

    tests: tuple[str, ...]
    amounts: Mapping[str, Fraction]

    @classmethod
    def of(cls, name: str, entry: Any, resources: set[str]) -> Panel:
        """A panel, or its tests and what it takes of each resource."""
        if isinstance(entry, Panel):
            return entry
        keys = set(entry) - {"tests"} if isinstance(entry, Mapping) else set()
        if not isinstance(entry, Mapping) or "tests" not in entry or keys != resources:
            expected = f"`tests` and what it takes: {', '.join(sorted(resources))}"
            wrong = next(iter([*sorted(resources - keys), *sorted(map(str, keys - resources))]), None)
            raise _refused(f"panel {name!r} is {entry!r:.80}; expected {expected}", name, wrong, expected)
        tests = _names(entry["tests"], f"the list of tests of panel {name!r}", name)
        return cls(tests, {key: _amount(entry[key], f"{key!r} of panel {name!r}", name) for key in sorted(resources)})

    def __repr__(self) -> str:
        return repr({"tests": list(self.tests), **plain_numbers(self.amounts)})


class After(dict[str, tuple[str, ...] | None]):
    """What must come before a test: by test, the outcomes that it must have shown; None for any."""

    @classmethod
    def of(cls, name: str, entry: Any) -> After:
        """The same, or {"after": [tests]} or {"after": {test: [outcomes]}}."""
        if isinstance(entry, After):
            return entry
        after = entry["after"] if isinstance(entry, Mapping) and set(entry) == {"after"} else None
        if not after:
            expected = '{ after = ["xray"] } or { after = { xray = ["unclear"] } }'
            raise _refused(f"order: {name!r} is {entry!r:.60}; expected {expected}", name, entry, expected)
        if not isinstance(after, Mapping):
            return cls((test, None) for test in _names(after, f"order: {name!r}", name))
        return cls(
            (str(test), None if outcomes is None else _names(outcomes, f"order: {name!r} after {test!r}", name))
            for test, outcomes in after.items()
        )

    @property
    def written(self) -> dict[str, Any]:
        """What `of` reads."""
        outcomes = {test: None if shown is None else list(shown) for test, shown in self.items()}
        return {"after": outcomes if any(self.values()) else list(self)}

    def __repr__(self) -> str:
        return repr(self.written)


@dataclass(slots=True, init=False, repr=False)
class AmountList:
    """What tests take of one resource."""

    tests: Mapping[str, OutcomePrices]
    shared: Mapping[str, SharedFee]
    default: Fraction | None

    def __init__(self, tests: Any, shared: Any, default: Any) -> None:
        of = self._of
        if not isinstance(tests, Mapping):
            if default is not None:
                raise _refused(
                    "one number prices every test, so default has nothing to price", "default", default, of=of
                )
            tests, default = {}, tests
        self.tests = {str(name): self._test_price(name, price) for name, price in tests.items()}
        fees = _mapping(shared, "shared", "{name: (fee, [tests])}", of)
        self.shared = {str(name): SharedFee.of(str(name), entry, of) for name, entry in fees.items()}
        self.default = None if default is None else _amount(default, f"the {self._noun} of every test", "default", of)

    @property
    def _of(self) -> str:
        return "prices"

    @property
    def _noun(self) -> str:
        return "amount" if isinstance(self, Limit) else "price"

    @property
    def _table(self) -> str:
        """Where a settings file has the entries of tests."""
        return f"limits.{_toml_key(self.name)}.tests" if isinstance(self, Limit) else "tests"

    def _test_price(self, name: object, price: Any) -> OutcomePrices:
        if not isinstance(price, Mapping):
            return _amount(price, f"the {self._noun} of test {name!r}", name, self._of)
        if not price:
            message = f"test {name!r} has an empty table of outcome prices; give one price per outcome"
            raise _refused(message, name, price, of=self._of)
        what = f"the {self._noun} of test {name!r}, outcome"
        return {str(shown): _amount(own, f"{what} {shown!r},", name, self._of) for shown, own in price.items()}

    @internal
    def changed(self, **changes: Any) -> Self:
        """The same list with other entries."""
        return type(self)(**{field.name: getattr(self, field.name) for field in fields(self)} | changes)

    @internal
    def per_outcome(self, test_names: Sequence[str], outcomes: Sequence[Sequence[str]], panels: Collection[str]) -> Any:
        """Test × outcome; those that come in panels take nothing themselves."""
        missing = [name for name in test_names if name not in self.tests and name not in panels]
        if missing and self.default is None:
            remedy = Remedy(
                f"Give every test a price, or a default for the rest: {type(self).__name__}({{…}}, default=1).",
                "Add a line for each, or say what every test costs that is not in the list: --default-price 1."
                if not isinstance(self, Limit)
                else f"Add a line for each below [{self._table}], or `default = 1` below "
                f"[{self._table.removesuffix('.tests')}].",
            )
            raise NoPriceError(
                f"{self._of}: no {self._noun} for {listed(missing)}.", found=tuple(missing), remedy=remedy
            )
        return [
            [Fraction(0)] * len(names) if name in panels else self._outcome_prices(name, names)
            for name, names in zip(test_names, outcomes, strict=True)
        ]

    def _outcome_prices(self, name: str, outcomes: Sequence[str]) -> list[Fraction]:
        price = self.tests.get(name, self.default)
        if isinstance(price, Fraction):
            return [price] * len(outcomes)
        assert price is not None  # per_outcome saw to it
        _check_outcomes(self._of, name, price, outcomes)
        missing = [outcome for outcome in outcomes if outcome not in price]
        if missing:
            gap = "rows where it is missing" if missing == ["missing"] else listed(missing)
            lines = " and ".join(f"{_toml_key(outcome)} = 1" for outcome in missing)
            entries = ", ".join(f"{outcome!r}: 1" for outcome in missing)
            remedy = Remedy(
                f"Add to its outcomes: {{{name!r}: {{…, {entries}}}}}.",
                f"Add below [{self._table}.{_toml_key(name)}], or in the braces of {_toml_key(name)} = {{…}}: {lines}.",
            )
            one = "an amount" if isinstance(self, Limit) else "a price"
            message = f"{self._of}: test {name!r} has {one} per outcome, but none for {gap}."
            raise NoPriceError(message, subject=name, found=tuple(missing), remedy=remedy)
        return [price[outcome] for outcome in outcomes]

    def _without(self, tests: Collection[str]) -> dict[str, Any]:
        """The same entries of the other tests."""
        others = {name: tuple(test for test in one.tests if test not in tests) for name, one in self.shared.items()}
        return {
            "tests": {test: price for test, price in self.tests.items() if test not in tests},
            "shared": {name: replace(self.shared[name], tests=left) for name, left in others.items() if left},
        }

    def _by_level(self, level: Callable[[str, str], str]) -> dict[str, OutcomePrices]:
        """Per test; a level costs what its costliest number does."""
        tests = dict(self.tests)
        for name, price in tests.items():
            if isinstance(price, Mapping):
                by_level = dict[str, Fraction]()
                for outcome, amount in price.items():
                    at = level(name, outcome)
                    by_level[at] = max(amount, by_level.get(at, amount))
                tests[name] = by_level
        return tests

    def __repr__(self) -> str:
        is_flat = not self.tests and self.default is not None
        parts = [] if is_flat else [repr(plain_numbers(self.tests))]
        if self.shared:
            fees = {name: (plain_number(entry.fee), list(entry.tests)) for name, entry in self.shared.items()}
            parts.append(f"shared={fees!r}")
        if self.default is not None:
            amount = show_number(self.default)
            parts = [amount, *parts] if is_flat else [*parts, f"default={amount}"]
        return f"{type(self).__name__}({', '.join(self._with_rules(parts))})"

    def _with_rules(self, parts: list[str]) -> list[str]:
        raise NotImplementedError


@dataclass(slots=True, init=False, repr=False)
class Limit(AmountList):
    """A limit on a further resource, such as minutes, and the amount of it that each test takes.

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
        The unit shown after an amount.
    name : str, optional
        What messages call it; `Prices` sets it.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Prices({"ecg": 40}, default=8, limits={"time": bt.Limit(90, {"ecg": 15}, default=10, unit="min")})
    Prices({'ecg': 40}, default=8, limits={'time': Limit(90, {'ecg': 15}, default=10, unit='min')})
    """

    max: Fraction
    unit: str
    name: str = field(compare=False)

    def __init__(
        self,
        max: Any,  # noqa: A002
        tests: Any = None,
        *,
        shared: Any = None,
        default: Any = None,
        unit: str = "",
        name: str = "",
    ) -> None:
        self.name = str(name)
        AmountList.__init__(self, {} if tests is None else tests, shared, default)
        self.max = _amount(max, "max", "max", self._of)
        self.unit = str(unit)

    @property
    def _of(self) -> str:
        return f"limit of {self.name!r}" if self.name else "limit"

    @classmethod
    @internal
    def of(cls, name: str, entry: Any) -> Limit:
        """A limit, a number, or the table of a settings file."""
        if not str(name).strip():
            raise _refused("there is a limit without a name; expected one, such as time", "limits", name)
        if name in (PRICE, "cost", "budget"):
            raise _refused(
                f"there is a limit of {name!r}; what a case pays is limited by the budget: leave it out", name
            )
        if isinstance(entry, Mapping):
            expected = "max, and optionally unit, default, tests and shared"
            if "max" not in entry or not set(entry) <= {"max", "unit", "default", "tests", "shared"}:
                message = f"the limit of {name!r} has {listed(list(entry))}; expected {expected}"
                raise _refused(message, name, entry, expected)
            entry = cls(**entry, name=name)
        limit = entry.changed(name=name) if isinstance(entry, Limit) else cls(entry, name=name)
        if name != TESTS:
            return limit
        if limit.tests or limit.shared or limit.default not in (None, 1):
            message = f"the limit of {TESTS!r} has amounts; every test counts once: write only the limit"
            raise _refused(message, name, limit)
        return cls(limit.max, 1, unit=limit.unit, name=name)

    def _with_rules(self, parts: list[str]) -> list[str]:
        return [show_number(self.max), *parts, *([f"unit={self.unit!r}"] if self.unit else [])]


@dataclass(slots=True, init=False, repr=False)
class Prices(AmountList, SettingsPart):
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

    Examples
    --------
    >>> import budgetree as bt
    >>> draw = {"blood draw": (2.10, ["glucose", "insulin"])}
    >>> bt.Prices({"glucose": 15.51, "insulin": 20.68}, shared=draw, default=1)
    Prices({'glucose': 15.51, 'insulin': 20.68}, shared={'blood draw': (2.1, ['glucose', 'insulin'])}, default=1)
    >>> bt.Prices(10, order={"mri": {"after": {"xray": ["unclear"]}}}, first=["ecg"])
    Prices(10, order={'mri': {'after': {'xray': ['unclear']}}}, first=['ecg'])
    """

    _part: ClassVar[str] = "prices"
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
        limits = _mapping(limits, "limits", "{resource: Limit(90, {test: amount})}")
        self.limits = {str(name): Limit.of(str(name), entry) for name, entry in limits.items()}
        resources = {PRICE, *self.limits} - {TESTS}
        panels = _mapping(panels, "panels", "{name: {'tests': [tests], 'price': 30}}")
        self.panels = {str(name): Panel.of(str(name), entry, resources) for name, entry in panels.items()}
        order = _mapping(order, "order", "{test: {'after': [tests]}}")
        self.order = {str(name): After.of(str(name), entry) for name, entry in order.items()}
        self.first = _names(first, "first", "first") if first else ()
        self._check_rules()

    def _check_rules(self) -> None:
        """What can be wrong before the tests are known."""
        if (n_fees := len(self.shared) + len(self.panels)) > MAX_FLAGS:
            message = f"{n_fees} shared fees and panels; at most {MAX_FLAGS} are supported"
            raise _refused(message, "shared", n_fees, MAX_FLAGS)
        if (n_limits := len(self.limits)) >= MAX_RESOURCES:
            message = f"{n_limits} limits besides the price; at most {MAX_RESOURCES - 1} are supported"
            raise _refused(message, "limits", n_limits, MAX_RESOURCES - 1)
        lists = {f"[{amounts._table}]": amounts for amounts in self._lists.values()}
        owner: dict[str, str] = {}
        for name, test in ((name, test) for name, panel in self.panels.items() for test in panel.tests):
            if test in owner:
                raise _refused(f"test {test!r} is in the panels {owner[test]!r} and {name!r}; leave one", test)
            owner[test] = name
            for entry, amounts in lists.items():
                if test in amounts.tests:
                    message = f"test {test!r} is in the panel {name!r} and has an entry of its own in {entry}"
                    raise _refused(f"{message}; a test is bought in its panel or alone: remove one", test)
                for fee in (fee for fee, one in amounts.shared.items() if test in one.tests):
                    message = f"test {test!r} is in the panel {name!r} and in the shared fee {fee!r}"
                    raise _refused(f"{message}; add the fee to the panel's amounts, or remove one", test)
        taken = {*owner, *self.tests, *(fee for amounts in lists.values() for fee in amounts.shared)}
        for name in (name for name in self.panels if name in taken):
            raise _refused(f"{name!r} is a panel and a test or a shared fee; give the panel another name", name)
        needed = self._needed
        after = {self._purchase(name): [self._purchase(one) for one in entry] for name, entry in needed.items()}
        for name in after:
            if circle := _circle(name, after):
                found = f"{' after '.join(map(repr, circle))}: a cycle, so none can come first"
                raise _refused(f"{found}; leave one out of [order]", name, circle)
        for at, name in enumerate(self.first):
            for one, outcomes in needed.get(name, {}).items():
                if outcomes or self._purchase(one) not in map(self._purchase, self.first[:at]):
                    message = f"every path begins with {name!r}, which may only follow {one!r}"
                    raise _refused(f"{message}; put that before it in `first`, or leave it out of [order]", name)

    @property
    def _lists(self) -> dict[str, AmountList]:
        """By resource, what tests take of it."""
        return {PRICE: self, **self.limits}

    @property
    def _in_panels(self) -> set[str]:
        return {test for panel in self.panels.values() for test in panel.tests}

    @property
    def _needed(self) -> Mapping[str, Mapping[str, tuple[str, ...] | None]]:
        """The order by purchase: a condition of one test of a panel is of the whole panel."""
        return {
            name: {
                one: outcomes
                for one, outcomes in after.items()
                if outcomes is not None or one == name or self._purchase(one) != self._purchase(name)
            }
            for name, after in self.order.items()
        }

    def _purchase(self, name: str) -> str:
        """The panel that gives a test, or the test itself."""
        return next((panel for panel, entry in self.panels.items() if name in entry.tests), name)

    def _bought(self, name: str) -> tuple[str, ...]:
        """The tests that are bought with this one, or that a panel has."""
        panel = self.panels.get(self._purchase(name))
        return (name,) if panel is None else panel.tests

    @internal
    def names_outcomes(self, test: str) -> bool:
        """Whether some rule depends on what this test shows: its outcomes are then those that the rule names."""
        prices = (amounts.tests.get(test) for amounts in self._lists.values())
        return any(isinstance(one, Mapping) for one in prices) or any(one.get(test) for one in self.order.values())

    @internal
    def limited(self, limits: Mapping[str, Any]) -> Prices:
        """The same rules with other limits, by resource; `tests` is always one."""
        there = tuple(dict.fromkeys([*self.limits, TESTS]))
        for name in limits:
            if name not in there:
                message = (
                    f"prices: there is a limit of {name!r}, but no test takes any of it; there are {listed(there)}."
                )
                remedy = Remedy(f"Give Prices(…, limits={{{name!r}: Limit(…)}}).", f"Add [limits.{_toml_key(name)}].")
                raise PricesError(message, subject=name, expected=there, remedy=remedy)
        given = {name: _amount(most, f"the limit of {name!r}", name, "limit") for name, most in limits.items()}
        known = {TESTS: Limit(0), **self.limits}
        return self.changed(limits={**self.limits, **{name: known[name].changed(max=given[name]) for name in given}})

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
    def from_file(cls, path: str | Path, *, reading: Reading | None = None) -> Prices:
        """Read a price list in TOML, or a table with a column `test` and a column `price`.

        Parameters
        ----------
        path : str or path
            A TOML file as in `from_toml`, which also says what is raised; or a CSV or Excel file.
        reading : Reading, optional
            The marks in the numbers of a table, where these do not show it: whether 1,136 is 1136 or 1.136.

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
        panels = [tuple(position[test] for test in panel.tests) for panel in self.panels.values()]
        lists, in_panels = self._lists, self._in_panels
        shared = list(dict.fromkeys((name, one.tests) for each in lists.values() for name, one in each.shared.items()))
        fee_names = [*(name for name, _ in shared), *self.panels]
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
        for bit, tests in enumerate([*([position[test] for test in tests] for _, tests in shared), *map(list, panels)]):
            pays[tests] |= 1 << bit
        first = [position[test] for name in self.first for test in self._bought(name)]
        # Each condition is a flag: a test was done, or has shown one of some outcomes. Of panels their fees are flags.
        sets = np.repeat(pays[:, None], own[0].shape[1] + 1, axis=1)  # the last for a result that is not listed
        flags: dict[tuple[int, tuple[int, ...] | None], int] = {
            (test, None): len(shared) + at for at, panel in enumerate(panels) for test in panel
        }
        n_flags, needed, conditions, needs = len(fee_names), self._needed, dict[int, str](), np.zeros_like(pays)
        for name in [*test_names, *self.panels]:
            bought = [position[test] for test in self._bought(name)]
            before = first[: first.index(bought[0])] if bought[0] in first else first
            wanted = [*needed.get(name, {}).items(), *((test_names[test], None) for test in before)]
            for one, outcomes in wanted:
                test = position[self._bought(one)[0] if one in self.panels else one]
                shown = None if outcomes is None else _positions("prices: order", one, outcomes, outcome_names[test])
                flag = flags.setdefault((test, shown), n_flags)
                if flag == n_flags:
                    n_flags += 1
                    if flag >= MAX_FLAGS:
                        message = f"more than {MAX_FLAGS} shared fees, panels and conditions of order; leave some out"
                        raise _refused(message, "order", expected=MAX_FLAGS)
                    sets[test, slice(None) if shown is None else list(shown)] |= 1 << flag
                conditions[flag] = repr(one) + (f" with {' or '.join(map(repr, outcomes))}" if outcomes else "")
                needs[bought] |= 1 << flag
        return CostModel(
            resources=tuple(resources),
            amounts=np.array(own),
            n_outcomes=np.array([len(names) for names in outcome_names], dtype=np.int64),
            fees=np.pad(np.array(fees, dtype=np.int64), ((0, 0), (0, n_flags - len(fee_names)))),
            pays=pays,
            fee_names=tuple(fee_names),
            test_names=tuple(test_names),
            needs=needs,
            sets=sets,
            panels=tuple(panels),
            first=tuple(dict.fromkeys(first)),
            conditions=conditions,
        )

    @internal
    def as_counted(
        self, costs: CostModel, outcome_names: Sequence[Sequence[str]]
    ) -> Iterator[tuple[AmountName, Fraction, Fraction]]:
        """Each price of the list, as it was given and as the cost model that it was bound to counts it."""
        for test, prices in enumerate(self.per_outcome(costs.test_names, outcome_names, self._in_panels)):
            for position, given in enumerate(prices):
                yield (test, position, None), given, Fraction(int(costs.amounts[0, test, position])) / costs.scale
        fees, panels = [one.fee for one in self.shared.values()], [one.amounts[PRICE] for one in self.panels.values()]
        once = [*fees, *[Fraction(0)] * (len(costs.named) - len(fees) - len(panels)), *panels]  # others are of limits
        for fee, (given, (_, units)) in enumerate(zip(once, costs.named, strict=True)):
            yield (None, None, fee), given, Fraction(units) / costs.scale

    def _check_names(self, test_names: Sequence[str]) -> None:
        """An error for a name that is not a test's; a panel's is one in the order and at the beginning alone."""
        named = [(name, "") for name in self.tests]
        named += [
            (name, f", which the limit of {of!r} names") for of, limit in self.limits.items() for name in limit.tests
        ]
        for amounts in self._lists.values():
            named += [
                (name, f", which the shared fee {of!r} is for")
                for of, fee in amounts.shared.items()
                for name in fee.tests
            ]
        named += [(name, f", which the panel {of!r} has") for of, panel in self.panels.items() for name in panel.tests]
        rules = [(one, ", which [order] names") for name, after in self.order.items() for one in (name, *after)]
        rules += [(name, ", which every path is to begin with") for name in self.first]
        known = {*test_names}
        for name, who in (*named, *(rule for rule in rules if rule[0] not in self.panels)):
            if name not in known:
                found = f"no test is named {name!r}{who}; the tests are {listed(test_names)}"
                raise _refused(f"{found}. Correct the name, or leave it out", name, expected=tuple(test_names))

    @internal
    def without(self, tests: Collection[str]) -> Prices:
        """The rules of the other tests; `needing` says which tests cannot be had without these."""
        panels = {
            name: replace(panel, tests=left)
            for name, panel in self.panels.items()
            if (left := tuple(test for test in panel.tests if test not in tests))
        }
        gone = {*tests, *(self.panels.keys() - panels)}
        limits = {name: limit.changed(**limit._without(gone)) for name, limit in self.limits.items()}
        order = {name: after for name, after in self.order.items() if name not in gone and gone.isdisjoint(after)}
        first = tuple(name for name in self.first if name not in gone)
        return self.changed(**self._without(gone), limits=limits, panels=panels, order=order, first=first)

    @internal
    def needing(self, tests: Collection[str]) -> list[str]:
        """The tests that may only follow some of these, directly or not."""
        gone, needing = set(tests), list[str]()
        while more := [name for name, after in self.order.items() if name not in gone and not gone.isdisjoint(after)]:
            members = [test for name in more for test in self._bought(name)]
            needing += members
            gone.update(members, more)
        return needing

    @internal
    def leaving_out(self, tests: Collection[str]) -> tuple[Prices, tuple[str, ...]]:
        """The rules of what is left, and the tests that are left out, too, as they may only follow some of these."""
        needing = tuple(self.needing(tests))
        return self.without([*tests, *needing]), needing

    @internal
    def for_levels(self, encoders: Iterable[ColumnEncoder]) -> Prices:
        """Rules that name numbers, by the levels that these are rounded to: each costs what its costliest number does.

        What is neither an outcome nor a number stays, and is refused as any other wrong name.
        """
        numeric = {
            one.name: one for one in encoders if isinstance(one, NumberEncoder) and self.names_outcomes(one.name)
        }
        if not numeric:
            return self

        def level(test: str, name: str) -> str:
            encoder = numeric.get(test)
            if encoder is None or name in encoder.outcome_names or not POINTS.is_number(name):
                return name
            column = Column(test, "number", numbers=np.array([POINTS.number(name)]))
            return encoder.outcome_names[int(encoder.encode(column)[0])]

        limits = {name: limit.changed(tests=limit._by_level(level)) for name, limit in self.limits.items()}
        order = {
            name: After(
                (test, shown and tuple(dict.fromkeys(level(test, one) for one in shown)))
                for test, shown in after.items()
            )
            for name, after in self.order.items()
        }
        return self.changed(tests=self._by_level(level), limits=limits, order=order)

    def __hash__(self) -> int:
        return hash((frozenset(self.tests), frozenset(self.shared), self.default, frozenset(self.limits), self.first))

    def _with_rules(self, parts: list[str]) -> list[str]:
        rules = {"limits": self.limits, "panels": self.panels, "order": self.order, "first": list(self.first)}
        return [*parts, *(f"{name}={value!r}" for name, value in rules.items() if value)]


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


def _circle(name: str, after: Mapping[str, Sequence[str]]) -> list[str]:
    """A chain of names that begins and ends with this one; [] if it is missing."""
    chains = {name: [name]}
    for one in (waiting := [name]):  # grows while it is read
        for before in after.get(one, ()):
            if before == name:
                return [*chains[one], name]
            if before not in chains:
                chains[before] = [*chains[one], before]
                waiting.append(before)
    return []


def _check_outcomes(of: str, name: str, named: Iterable[str], outcomes: Sequence[str]) -> None:
    for outcome in named:
        if outcome not in outcomes:
            message = f"test {name!r} has no outcome {outcome!r}; its outcomes are {listed(outcomes)}"
            raise _refused(message, name, outcome, tuple(outcomes), of)


def _positions(of: str, name: str, named: Sequence[str], outcomes: Sequence[str]) -> tuple[int, ...]:
    _check_outcomes(of, name, named, outcomes)
    return tuple(sorted(map(outcomes.index, named)))


def left_out_sentence(needing: Sequence[str]) -> str:
    """The warning that further tests are left out."""
    return f"also left out, since they need a test that is left out: {some_of(needing)}."


def _toml_key(name: str) -> str:
    """A name as TOML writes it."""
    return name if BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)
