"""Greedy and optimal side by side: for each of the paper's nine data sets what every budget buys, and what is proven.

python benchmarks/optimal.py          # ten seconds for each set; dna takes all of them
python benchmarks/optimal.py 120      # two minutes for each
python benchmarks/optimal.py 120 dna  # of this set alone

Every test costs 1. "at least" is the proven lower bound on the errors of any tree within the budget.
"""

import sys
import time

import budgetree as bt


def main(seconds: float = 10, *names: str) -> None:
    for name in names or bt.datasets.names()[:9]:
        instance = bt.datasets.load(name, prices=1)
        greedy = bt.frontier(instance, method="greedy", folds=0)
        start = time.perf_counter()
        optimal = bt.frontier(instance, method="exact", time_limit=seconds, folds=0)
        took = time.perf_counter() - start
        proven = sum(point.proven for point in optimal)
        print(f"\n{name}: {proven} of {len(optimal)} points proven in {took:.2f} s")
        print(f"{'tests':>8} {'greedy':>8} {'optimal':>8} {'at least':>9}")
        for cost in sorted({point.max_cost for point in (*greedy, *optimal)}):
            best = optimal.best(budget=cost)
            least = "proven" if best.proven else best.lower_bound
            print(f"{cost:>8} {greedy.best(budget=cost).errors:>8} {best.errors:>8} {least:>9}")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]), *sys.argv[2:])
