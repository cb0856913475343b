"""Prices: what each test costs, per outcome if need be, and fees that several tests share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from budgetree.errors import NoPriceError
from budgetree.problem.price_table import PriceTable
from budgetree.problem.units import common_scale, non_negative, plain_number
from budgetree.services.words import listed, show_number

PRICE_RULE = "prices must be finite and at least 0"
MAX_FEES = 62  # the fees paid on a path are the bits of one 64-bit integer

OutcomePrices = Fraction | Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class SharedFee:
    """A fee paid once per path, with the first of its tests."""

    fee: Fraction
    tests: tuple[str, ...]


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
    ValueError
        Where a price is negative or no number, or there are more than 62 shared fees.

    Examples
    --------
    >>> import budgetree as bt
    >>> draw = {"blood draw": (2.10, ["glucose", "insulin"])}
    >>> bt.Prices({"glucose": 15.51, "insulin": 20.68}, shared=draw, default=1)
    Prices({'glucose': 15.51, 'insulin': 20.68}, shared={'blood draw': (2.1, ['glucose', 'insulin'])}, default=1)
    """

    __slots__ = ("default", "shared", "tests")

    tests: Mapping[str, OutcomePrices]
    shared: Mapping[str, SharedFee]
    default: Fraction | None

    def __init__(
        self,
        tests: Any = 1,
        *,
        shared: Mapping[str, tuple[Any, Sequence[str]]] | None = None,
        default: Any = None,
    ) -> None:
        if not isinstance(tests, Mapping):
            if default is not None:
                raise ValueError("prices: one number prices every test, so default has nothing to price.")
            tests, default = {}, tests
        self.tests = {str(name): _test_price(name, price) for name, price in tests.items()}
        if not isinstance(shared or {}, Mapping):
            raise ValueError(f"prices: shared is {shared!r}; expected {{name: (fee, [tests])}}.")
        self.shared = {str(name): _shared_fee(name, entry) for name, entry in (shared or {}).items()}
        self.default = None if default is None else non_negative(default, "prices: the price of every test", PRICE_RULE)
        if len(self.shared) > MAX_FEES:
            raise ValueError(f"prices: {len(self.shared)} shared fees; at most {MAX_FEES} are supported.")

    @classmethod
    def of(cls, prices: Any) -> Prices:
        """Whatever a user may give as prices: None (1 each), a number, a mapping or a Prices.

        :meta private:
        """
        if isinstance(prices, Prices):
            return prices
        if prices is not None and not isinstance(prices, (Mapping, int, float, Decimal, Fraction, np.number)):
            raise ValueError(
                f"prices is {prices!r:.60}; "
                "expected a number, {test: price}, {test: {outcome: price}} or a Prices."
            )
        return cls(1 if prices is None else prices)

    @classmethod
    def from_toml(cls, path: str | Path) -> Prices:
        """Read a price list in TOML.

        It has `default`, a table [tests], and tables [shared.NAME] with `fee` and `tests`. It may also hold [losses]
        and [answers], which `Losses.from_toml` reads.

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
        ValueError
            Where the file is no price list; the message names the place.
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
        from budgetree.problem.price_file import read_price_file

        content = read_price_file(path)
        try:
            return cls(content.tests, shared=content.shared, default=content.default)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    @classmethod
    def from_file(cls, path: str | Path) -> Prices:
        """Read a price list in TOML, or a table with a column `test` and a column `price`.

        Parameters
        ----------
        path : str or path
            A TOML file as in `from_toml`, or a CSV or Excel file.

        Returns
        -------
        Prices
            The price list.

        Raises
        ------
        ValueError
            Where the file is no price list; the message names the place.
        OSError
            Where there is no such file.

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
        from budgetree.problem.price_file import is_table, read_price_table

        if not is_table(path):
            return cls.from_toml(path)
        content = read_price_table(path)
        try:
            return cls(content.tests)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def bind(self, test_names: Sequence[str], outcome_names: Sequence[Sequence[str]]) -> PriceTable:
        """Lay the prices out for these tests and outcomes; every name must fit.

        :meta private:
        """
        self._check_names(test_names)
        per_test = [
            self._outcome_prices(name, outcomes) for name, outcomes in zip(test_names, outcome_names, strict=True)
        ]
        fees = [entry.fee for entry in self.shared.values()]
        # By identity: mostly thousands of outcomes have one and the same price, and fractions are slow to compare.
        amounts = {id(price): price for prices in per_test for price in prices}
        costliest = [max({id(price): price for price in prices}.values()) for prices in per_test]
        # A scale for the sum of them all: then no path sum is ever rounded.
        scale = common_scale([*costliest, *fees, *set(amounts.values())])
        units = {identity: round(price * scale) for identity, price in amounts.items()}
        width = max(len(prices) for prices in per_test)
        own = np.zeros((len(per_test), width), dtype=np.int64)
        for row, prices in zip(own, per_test, strict=True):
            row[: len(prices)] = [units[id(price)] for price in prices]
            row[len(prices) :] = row[: len(prices)].max()
        mask = np.zeros(len(per_test), dtype=np.int64)
        position = {name: index for index, name in enumerate(test_names)}
        for bit, entry in enumerate(self.shared.values()):
            for name in entry.tests:
                mask[position[name]] |= 1 << bit
        for array in (own, mask):
            array.flags.writeable = False
        return PriceTable(
            own=own,
            costliest=own.max(axis=1),
            fees=np.array([round(fee * scale) for fee in fees], dtype=np.int64),
            fee_mask=mask,
            fee_names=tuple(self.shared),
            scale=scale,
        )

    def _check_names(self, test_names: Sequence[str]) -> None:
        known = set(test_names)
        for name in self.tests:
            if name not in known:
                raise ValueError(f"prices: no test is named {name!r}; the tests are {listed(test_names)}.")
        for fee, entry in self.shared.items():
            for name in entry.tests:
                if name not in known:
                    raise ValueError(
                        f"prices: shared fee {fee!r} names the test {name!r}, which does not exist; "
                        f"the tests are {listed(test_names)}."
                    )
        missing = [name for name in test_names if name not in self.tests]
        if missing and self.default is None:
            raise NoPriceError(
                f"prices: no price for {listed(missing)}; give every test a price, or a default for the rest: "
                "Prices({…}, default=1).",
                missing,
            )

    def _outcome_prices(self, name: str, outcomes: Sequence[str]) -> list[Fraction]:
        price = self.tests.get(name, self.default)
        if isinstance(price, Fraction):
            return [price] * len(outcomes)
        assert price is not None  # _check_names saw to it
        unknown = [outcome for outcome in price if outcome not in outcomes]
        if unknown:
            raise ValueError(
                f"prices: test {name!r} has no outcome {unknown[0]!r}; its outcomes are {listed(outcomes)}."
            )
        missing = [outcome for outcome in outcomes if outcome not in price]
        if missing:
            plural = "s" if len(missing) > 1 else ""
            raise NoPriceError(
                f"prices: test {name!r} has no price for its outcome{plural} {listed(missing)}; add "
                f"{'them' if plural else 'it'}: {{{name!r}: {{…, {missing[0]!r}: 1}}}}.",
                missing,
                name,
            )
        return [price[outcome] for outcome in outcomes]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prices):
            return NotImplemented
        return (self.tests, self.shared, self.default) == (other.tests, other.shared, other.default)

    def __hash__(self) -> int:
        return hash((frozenset(self.tests), frozenset(self.shared), self.default))

    def __repr__(self) -> str:
        tests = {
            name: plain_number(price)
            if isinstance(price, Fraction)
            else {outcome: plain_number(amount) for outcome, amount in price.items()}
            for name, price in self.tests.items()
        }
        if not tests and self.default is not None:
            parts, default = [show_number(self.default)], None
        else:
            parts, default = [repr(tests)], self.default
        if self.shared:
            fees = {name: (plain_number(entry.fee), list(entry.tests)) for name, entry in self.shared.items()}
            parts.append(f"shared={fees!r}")
        if default is not None:
            parts.append(f"default={show_number(default)}")
        return f"Prices({', '.join(parts)})"


def _test_price(name: object, price: Any) -> OutcomePrices:
    if not isinstance(price, Mapping):
        return non_negative(price, f"prices: the price of test {name!r}", PRICE_RULE)
    if not price:
        raise ValueError(f"prices: test {name!r} has an empty table of outcome prices; give one price per outcome.")
    return {
        str(outcome): non_negative(amount, f"prices: the price of test {name!r}, outcome {outcome!r},", PRICE_RULE)
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
        raise ValueError(f"prices: shared fee {name!r} is {entry!r}; expected (fee, [test, test, …]).")
    return SharedFee(non_negative(fee, f"prices: shared fee {name!r}", PRICE_RULE), names)
