"""What a path has paid: exact whole units, at the costliest answers that lead there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import PriceTable


@dataclass(frozen=True, slots=True, eq=False)
class Paid:
    """The tests paid on a path, in order, and what they have cost at most."""

    tests: tuple[int, ...] = ()
    fees: int = 0  # the shared fees paid, as bits
    # Per test paid, the answers with which a case can be here. The last entry is for answers that are not on the list.
    answers: tuple[NDArray[np.bool_], ...] = ()
    units: int = 0

    @classmethod
    def nothing(cls) -> Paid:
        return cls()

    def buy(self, test: int, n_outcomes: int, prices: PriceTable) -> Paid:
        """One test more."""
        bought = replace(
            self,
            tests=(*self.tests, test),
            fees=self.fees | int(prices.fee_mask[test]),
            answers=(*self.answers, np.ones(n_outcomes + 1, dtype=np.bool_)),
        )
        return replace(bought, units=bought._units(prices))

    def given(self, test: int, answers: NDArray[np.bool_], prices: PriceTable) -> Paid:
        """The same tests, where a branch lets only these answers of one of them go on."""
        position = self.tests.index(test)
        narrowed = list(self.answers)
        narrowed[position] = narrowed[position] & answers
        branched = replace(self, answers=tuple(narrowed))
        return replace(branched, units=branched._units(prices))

    def prices_of_more(self, prices: PriceTable) -> NDArray[np.int64]:
        """Per test, what it adds at its costliest outcome, with the fees that are still due."""
        more = prices.costliest + prices.fees_due(self.fees)
        more[list(self.tests)] = 0
        return more

    def _units(self, prices: PriceTable) -> int:
        units = int(prices.fees[prices.fees_in(self.fees)].sum())
        for test, answers in zip(self.tests, self.answers, strict=True):
            own = prices.own[test, : len(answers) - 1]
            possible = own[answers[:-1]]
            costliest = int(possible.max()) if len(possible) else 0
            # An answer that is not on the list may cost as much as any that is.
            units += max(costliest, int(prices.costliest[test])) if answers[-1] else costliest
        return units
