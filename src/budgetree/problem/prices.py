"""Prices: what each test costs, per outcome if need be, and fees that several tests share."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from budgetree._internal import internal
from budgetree.data.column import Column
from budgetree.data.encoders import ColumnEncoder, NumberEncoder
from budgetree.data.number_format import POINTS
from budgetree.data.source import Reading
from budgetree.errors import NoPriceError, PricesError, Remedy
from budgetree.problem.cost_model import CostModel
from budgetree.problem.units import common_scale, non_negative, plain_number, plain_numbers
from budgetree.services.words import listed, show_number

PRICE_RULE = "prices must be finite and at least 0"
MAX_FEES = 62  # the fees paid on a path are the bits of one 64-bit integer
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")  # what TOML writes without quotes

AmountName = tuple[int | None, int | None, int | None]  # a test and its outcome, or a fee, by position
OutcomePrices = Fraction | Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class SharedFee:
    """A fee paid once per path, with the first of its tests."""

    fee: Fraction
    tests: tuple[str, ...]


@dataclass(slots=True, init=False, repr=False)
class Prices:
    """A price list.

    Parameters
    ----------
    tests : number or dict, default 1
        A price for every test, {test: price}, or {test: {outcome: price}}; both kinds may be mixed.
    shared : dict, optional
        {name: (fee, [tests])}: a fee paid once per path, with the first of its tests, on top of each test's own price.
    default : number, optional
        The price of every test that `tests` does not name; without it a missing price is an error.

    Raises
    ------
    PricesError
        Where a price is negative or not a number, or there are more than 62 shared fees.

    Examples
    --------
    >>> import budgetree as bt
    >>> draw = {"blood draw": (2.10, ["glucose", "insulin"])}
    >>> bt.Prices({"glucose": 15.51, "insulin": 20.68}, shared=draw, default=1)
    Prices({'glucose': 15.51, 'insulin': 20.68}, shared={'blood draw': (2.1, ['glucose', 'insulin'])}, default=1)
    """

    tests: Mapping[str, OutcomePrices]
    shared: Mapping[str, SharedFee]
    default: Fraction | None

    def __init__(
        self,
        tests: Any = 1,
        *,
        shared: Mapping[str, SharedFee | tuple[Any, Sequence[str]]] | None = None,
        default: Any = None,
    ) -> None:
        if not isinstance(tests, Mapping):
            if default is not None:
                message = "prices: one number prices every test, so default has nothing to price."
                raise PricesError(message, subject="default", found=default)
            tests, default = {}, tests
        self.tests = {str(name): _test_price(name, price) for name, price in tests.items()}
        if not isinstance(shared or {}, Mapping):
            expected = "{name: (fee, [tests])}"
            message = f"prices: shared is {shared!r}; expected {expected}."
            raise PricesError(message, subject="shared", found=shared, expected=expected)
        self.shared = {str(name): _shared_fee(name, entry) for name, entry in (shared or {}).items()}
        self.default = None if default is None else _amount(default, "the price of every test", "default")
        if len(self.shared) > MAX_FEES:
            message = f"prices: {len(self.shared)} shared fees; at most {MAX_FEES} are supported."
            raise PricesError(message, subject="shared", found=len(self.shared), expected=MAX_FEES)

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
        """Lay the prices out for these tests and outcomes; every name must fit."""
        self._check_names(test_names)
        per_test = list(map(self._outcome_prices, test_names, outcome_names))
        fees = [entry.fee for entry in self.shared.values()]
        # By identity: mostly thousands of outcomes have one and the same price, and fractions are slow to compare.
        amounts = {id(price): price for prices in per_test for price in prices}
        costliest = [max({id(price): price for price in prices}.values()) for prices in per_test]
        # A scale for the sum of them all: then no path sum is ever rounded.
        scale = common_scale([*costliest, *fees, *set(amounts.values())])
        units = {identity: round(price * scale) for identity, price in amounts.items()}
        own = np.zeros((len(per_test), max(map(len, per_test))), dtype=np.int64)
        for row, prices in zip(own, per_test, strict=True):
            row[: len(prices)] = [units[id(price)] for price in prices]
            row[len(prices) :] = row[: len(prices)].max()
        mask, position = np.zeros(len(per_test), dtype=np.int64), {name: at for at, name in enumerate(test_names)}
        for bit, entry in enumerate(self.shared.values()):
            mask[[position[name] for name in entry.tests]] |= 1 << bit
        return CostModel(
            amounts=own,
            n_outcomes=np.array([len(prices) for prices in per_test], dtype=np.int64),
            fees=np.array([round(fee * scale) for fee in fees], dtype=np.int64),
            flags=mask,
            fee_names=tuple(self.shared),
            test_names=tuple(test_names),
            scale=scale,
        )

    @internal
    def as_counted(
        self, costs: CostModel, outcome_names: Sequence[Sequence[str]]
    ) -> Iterator[tuple[AmountName, Fraction, Fraction]]:
        """Each amount of the list, as it was given and as the cost model that it was bound to counts it."""
        for test, (name, outcomes) in enumerate(zip(costs.test_names, outcome_names, strict=True)):
            for position, given in enumerate(self._outcome_prices(name, outcomes)):
                yield (test, position, None), given, Fraction(int(costs.amounts[test, position])) / costs.scale
        for fee, (entry, units) in enumerate(zip(self.shared.values(), costs.fees.tolist(), strict=True)):
            yield (None, None, fee), entry.fee, Fraction(units) / costs.scale

    def _check_names(self, test_names: Sequence[str]) -> None:
        named, known = dict.fromkeys(self.tests, ""), set(test_names)
        for fee, entry in self.shared.items():
            named |= {name: f", which the shared fee {fee!r} is for" for name in entry.tests if name not in named}
        for name, who in named.items():
            if name not in known:
                found = f"no test is named {name!r}{who}; the tests are {listed(test_names)}"
                message = f"prices: {found}. Correct the name, or leave it out."
                raise PricesError(message, subject=name, expected=tuple(test_names))
        missing = [name for name in test_names if name not in self.tests]
        if missing and self.default is None:
            remedy = Remedy(
                "Give every test a price, or a default for the rest: Prices({…}, default=1).",
                "Add a line for each, or say what every test costs that is not in the list: --default-price 1.",
            )
            raise NoPriceError(f"prices: no price for {listed(missing)}.", missing, remedy=remedy)

    def _outcome_prices(self, name: str, outcomes: Sequence[str]) -> list[Fraction]:
        price = self.tests.get(name, self.default)
        if isinstance(price, Fraction):
            return [price] * len(outcomes)
        assert price is not None  # _check_names saw to it
        for outcome in price:
            if outcome not in outcomes:
                message = f"prices: test {name!r} has no outcome {outcome!r}; its outcomes are {listed(outcomes)}."
                raise PricesError(message, subject=name, found=outcome, expected=tuple(outcomes))
        missing = [outcome for outcome in outcomes if outcome not in price]
        if missing:
            gap = "rows where it is missing" if missing == ["missing"] else listed(missing)
            lines = " and ".join(f"{_toml_key(outcome)} = 1" for outcome in missing)
            entries = ", ".join(f"{outcome!r}: 1" for outcome in missing)
            remedy = Remedy(
                f"Add to its outcomes: {{{name!r}: {{…, {entries}}}}}.",
                f"Add below [tests.{_toml_key(name)}], or in the braces of {_toml_key(name)} = {{…}}: {lines}.",
            )
            message = f"prices: test {name!r} has a price per outcome, but none for {gap}."
            raise NoPriceError(message, missing, name, remedy=remedy)
        return [price[outcome] for outcome in outcomes]

    @internal
    def without(self, tests: Collection[str]) -> Prices:
        """The price list of the other tests."""
        prices = {test: price for test, price in self.tests.items() if test not in tests}
        others = {name: tuple(test for test in one.tests if test not in tests) for name, one in self.shared.items()}
        shared = {name: replace(self.shared[name], tests=left) for name, left in others.items() if left}
        return Prices(prices, shared=shared, default=self.default)

    def __hash__(self) -> int:
        return hash((frozenset(self.tests), frozenset(self.shared), self.default))

    def __repr__(self) -> str:
        is_flat = not self.tests and self.default is not None
        parts = [] if is_flat else [repr(plain_numbers(self.tests))]
        if self.shared:
            fees = {name: (plain_number(entry.fee), list(entry.tests)) for name, entry in self.shared.items()}
            parts.append(f"shared={fees!r}")
        if self.default is not None:
            amount = show_number(self.default)
            parts = [amount, *parts] if is_flat else [*parts, f"default={amount}"]
        return f"Prices({', '.join(parts)})"


def _amount(value: Any, what: str, subject: object) -> Fraction:
    return non_negative(value, f"prices: {what}", PRICE_RULE, error=PricesError, subject=str(subject))


def _test_price(name: object, price: Any) -> OutcomePrices:
    if not isinstance(price, Mapping):
        return _amount(price, f"the price of test {name!r}", name)
    if not price:
        message = f"prices: test {name!r} has an empty table of outcome prices; give one price per outcome."
        raise PricesError(message, subject=str(name), found=price)
    return {
        str(outcome): _amount(amount, f"the price of test {name!r}, outcome {outcome!r},", name)
        for outcome, amount in price.items()
    }


def _shared_fee(name: object, entry: Any) -> SharedFee:
    if isinstance(entry, SharedFee):
        return entry
    try:
        fee, tests = entry
        names = None if isinstance(tests, str) else tuple(str(test) for test in tests)
    except (TypeError, ValueError):
        fee, names = None, None
    if names is None:
        expected = "(fee, [test, test, …])"
        message = f"prices: shared fee {name!r} is {entry!r}; expected {expected}."
        raise PricesError(message, subject=str(name), found=entry, expected=expected)
    return SharedFee(_amount(fee, f"shared fee {name!r}", name), names)


def _toml_key(name: str) -> str:
    """A name as TOML writes it."""
    return name if BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def for_levels(prices: Prices, encoders: Sequence[ColumnEncoder]) -> Prices:
    """Prices that name numbers, by the levels that these are rounded to: each costs what its costliest number does.

    What is neither an outcome nor a number stays, and is refused as any other wrong name.
    """
    tests = dict(prices.tests)
    for encoder in encoders:
        price = tests.get(encoder.name)
        if not isinstance(encoder, NumberEncoder) or not isinstance(price, Mapping):
            continue
        names, by_level = encoder.outcome_names, dict[str, Fraction]()
        for name, amount in price.items():
            outcome = name
            if name not in names and POINTS.is_number(name):
                column = Column(encoder.name, "number", numbers=np.array([POINTS.number(name)]))
                outcome = names[int(encoder.encode(column)[0])]
            by_level[outcome] = max(amount, by_level.get(outcome, amount))
        tests[encoder.name] = by_level
    return prices if tests == prices.tests else Prices(tests, shared=prices.shared, default=prices.default)


def at_cheapest(costs: CostModel) -> Prices:
    """The same price list, on the same grid, with each test at its cheapest outcome's price whatever it shows."""
    names, scale = costs.test_names, costs.scale
    tests = {name: Fraction(units) / scale for name, units in zip(names, costs.cheapest.tolist(), strict=True)}
    fees = [(Fraction(units) / scale, [names[test] for test in sorted(of)]) for units, of in costs.shared]
    return Prices(tests, shared=dict(zip(costs.fee_names, fees, strict=True)))
