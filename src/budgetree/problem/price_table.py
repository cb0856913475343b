"""PriceTable: prices in whole units, as growth and search read them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.problem.units import is_unlimited, non_negative, plain_number

TOLERANCE = Fraction(1, 10**12)  # relative, where an amount was computed in floats


@dataclass(frozen=True, slots=True, eq=False)
class PriceTable:
    """Prices in whole units, laid out for the tests and outcomes of one instance."""

    own: NDArray[np.int64]  # test × outcome, without shared fees; filled up with the costliest
    costliest: NDArray[np.int64]  # per test, its costliest outcome
    fees: NDArray[np.int64]  # per shared fee
    fee_mask: NDArray[np.int64]  # per test, a bit for each fee it needs
    fee_names: tuple[str, ...]
    scale: Fraction  # amount = units / scale

    @property
    def cheapest(self) -> NDArray[np.int64]:
        """Per test, its cheapest outcome; what fills up a row is the costliest, so it does not disturb."""
        least: NDArray[np.int64] = self.own.min(axis=1)
        return least

    def amount(self, units: int) -> int | float:
        """Units in the user's own currency."""
        return plain_number(Fraction(int(units)) / self.scale)

    def budget_units(self, budget: Any, what: str = "budget") -> int:
        """The most units a path may cost; None means no limit."""
        if is_unlimited(budget):
            return LARGEST_EXACT
        scaled = non_negative(budget, what, "a budget must be a number of at least 0, or None") * self.scale
        # A budget computed in floats (0.7 + 0.1, or a tree's own max_cost) may be slightly below the sum it means.
        return min(int(scaled + scaled * TOLERANCE), LARGEST_EXACT)

    def fees_in(self, mask: int) -> list[int]:
        """The fees whose bits are set."""
        return [fee for fee in range(len(self.fees)) if mask >> fee & 1]

    @property
    def one_price(self) -> int | None:
        """What every test costs, whatever its outcome and what was done before; None where they differ."""
        price = int(self.own.flat[0])
        return price if (self.own == price).all() and not self.fees.any() else None

    @property
    def has_outcome_prices(self) -> bool:
        """True when some test's price depends on its outcome."""
        return bool((self.own != self.costliest[:, None]).any())

    def fees_due(self, paid: int) -> NDArray[np.int64]:
        """Per test, the fees still to pay on a path that has paid the fees in `paid`."""
        return fees_due(self.fee_mask & ~paid, self.fees)


def fees_due(unpaid: NDArray[np.int64], fees: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of the fees whose bits are set, for each mask: the one place where fees are added up."""
    due = np.zeros(unpaid.shape, dtype=np.int64)
    for fee, amount in enumerate(fees.tolist()):
        due += (unpaid >> fee & 1) * amount
    return due
