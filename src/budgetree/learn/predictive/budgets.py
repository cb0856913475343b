"""Which budgets a frontier for new cases tries if none is named: those at which the result changes most.

loss ●──┐                 a growth to the largest budget buys one test after another; where a purchase lowers the
        ●────┐            out-of-bag loss, what is paid by then is a step. Steps are taken one after another, each
             ●──●─────    as far as can be in loss from those that were taken, the largest budget first.
       1     4  5    9    Where they are few, others follow: as far as can be in how much there is to choose from.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable

import numpy as np

from budgetree.learn.predictive.growth import Growth, Place
from budgetree.problem import CostModel

DEFAULT_POINTS = 12


def worthwhile_budgets(growth: Growth, largest: int, n_budgets: int) -> list[int]:
    """So many budgets in price units, smallest first; fewer where no more differ. The largest is always one."""
    chosen, steps = [largest], _steps(growth, largest)
    starts, losses = list(steps), list(steps.values())
    _spread(chosen, steps, lambda budget: losses[bisect_right(starts, budget) - 1], n_budgets)
    alone = sorted((growth.costs.least_budget + growth.costs.prices(growth.costs.begun)).tolist())
    together = _cheapest_together(growth.costs)

    def size(budget: int) -> float:
        """How many tests it buys alone, and how many together; one more of many matters less."""
        return math.log1p(bisect_right(alone, budget)) + math.log1p(bisect_right(together, budget))

    _spread(chosen, (budget for budget in (*alone, *together) if budget < largest), size, n_budgets)
    return sorted(chosen)


def _spread(chosen: list[int], candidates: Iterable[int], position: Callable[[int], float], n_budgets: int) -> None:
    """Adds the candidates that are farthest from what is chosen, and from no budget; of equals the cheapest."""
    budgets = sorted(set(candidates))
    positions = np.array([position(budget) for budget in budgets])
    gaps = np.min([np.abs(positions - position(budget)) for budget in (0, *chosen)], axis=0)
    while len(chosen) < n_budgets and gaps.max(initial=0.0) > 0:
        best = int(gaps.argmax())
        chosen.append(budgets[best])
        gaps = np.minimum(gaps, np.abs(positions - positions[best]))


def _steps(growth: Growth, largest: int) -> dict[int, float]:
    """By what was paid, from nothing on, the loss of a growth, where it is below that of all that costs less."""
    found = []
    for rule in growth.rules:
        place: Place | None = growth.grow(largest, rule)
        while place is not None:
            found.append(
                (place.state.spent[0], float(growth.judge.sample.weights @ growth.judge.loss(place.state.tests)))
            )
            place = place.after
    steps: dict[int, float] = {}
    for spent, loss in sorted(found):
        if loss < min(steps.values(), default=math.inf):
            steps.setdefault(spent, loss)
    return steps


def _cheapest_together(costs: CostModel) -> list[int]:
    """What one test costs at least, what two together do, and so on: the cheapest that is left comes next."""
    if not costs.fees.size:
        return [int(amount) for amount in np.cumsum(np.sort(costs.costliest))]
    state, spent = costs.begun, list[int]()
    while len(state.tests) < len(costs.test_names):
        prices = costs.prices(state)
        prices[list(state.tests)] = prices.max() + 1
        # Of equals the one whose price is mostly a fee: it makes others cheaper. Columns have no order.
        state = costs.after_buying(state, int(np.lexsort((costs.costliest, prices))[0]))
        spent.append(state.spent[0])
    return spent
