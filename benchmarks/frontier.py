"""The greedy frontier against growing every tree of its portfolio separately, in one run; prints both and the ratio.

    python benchmarks/frontier.py

The frontier's time holds everything: finding the α's, growing, cutting every tree at every budget, and the points.
The other time is that of the growths alone, one bt.grow for each impurity and parameter that the portfolio holds.
"""

from __future__ import annotations

import time

import budgetree as bt
from budgetree.impurity import Impurity
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES, HINGED, Portfolio

REPEATS = 5


def portfolio_of(instance: bt.Instance) -> list[Impurity]:
    """Every impurity and parameter whose tree the default frontier looks at."""
    portfolio = Portfolio(instance)
    unlimited = instance.schema.costs.budget_units(None)
    found: list[Impurity] = [each for each in DEFAULT_IMPURITIES if each not in HINGED]
    for family in HINGED:
        for batch in portfolio.hinged(family, unlimited):
            found += batch.impurities()
    return found


def main() -> None:
    shared_total = separate_total = 0.0
    print(f"{'data':>14} {'trees':>6} {'frontier':>10} {'separately':>11}  ratio")
    for name in bt.datasets.names()[:9]:
        instance = bt.datasets.load(name)
        impurities = portfolio_of(instance)
        shared, separate = float("inf"), float("inf")
        for _ in range(REPEATS):  # alternating, so that a noisy neighbour meets both
            start = time.perf_counter()
            bt.frontier(instance, method="greedy", progress=False, folds=0)
            shared = min(shared, time.perf_counter() - start)
            start = time.perf_counter()
            for impurity in impurities:
                bt.grow(instance, impurity)
            separate = min(separate, time.perf_counter() - start)
        shared_total += shared
        separate_total += separate
        print(f"{name:>14} {len(impurities):>6} {_times(shared, separate)}")
    print(f"{'all nine':>14} {'':>6} {_times(shared_total, separate_total)}")


def _times(shared: float, separate: float) -> str:
    return f"{shared * 1e3:>7.1f} ms {separate * 1e3:>8.1f} ms  {separate / shared:.1f}×"


if __name__ == "__main__":
    main()
