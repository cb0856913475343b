"""The paper's two trends: hinged functions win at small budgets, Powers functions at large ones. Do they?

    python benchmarks/trends.py
    python benchmarks/trends.py sonar wdbc    # of these sets alone

For each data set, at unit prices as in the paper: the fewest errors on the paper's own curves (Powers 2 to 5 stopped
early by δ, HingedPairs over α) at each worst-case cost, and who is ahead: H, P, or neither (=).
"""

import sys

import budgetree as bt

POWERS = [bt.Powers(power) for power in (2, 3, 4, 5)]


def fewest_errors(curves, budgets):
    points = [(point.max_cost, point.errors) for curve in curves for point in curve]
    return [min(errors for cost, errors in points if cost <= budget) for budget in budgets]


def main(*names: str) -> None:
    first_otherwise, last_otherwise = [], []
    for name in names or bt.datasets.names()[:9]:
        instance = bt.datasets.load(name, prices=1)
        powers = [bt.tradeoff(instance, impurity) for impurity in POWERS]
        hinged = [bt.tradeoff(instance, bt.HingedPairs)]
        longest = max(point.max_cost for curve in powers + hinged for point in curve)
        budgets = range(1, longest + 1)
        by_powers, by_hinged = fewest_errors(powers, budgets), fewest_errors(hinged, budgets)
        ahead = ["=" if p == h else "H" if h < p else "P" for p, h in zip(by_powers, by_hinged, strict=True)]
        decided = [winner for winner in ahead if winner != "="]
        if decided and decided[0] != "H":
            first_otherwise.append(name)
        if decided and decided[-1] != "P":
            last_otherwise.append(name)
        print(f"{name:>13}  budget " + " ".join(f"{budget:>4}" for budget in budgets))
        for title, row in (("Powers", by_powers), ("HingedPairs", by_hinged), ("ahead", ahead)):
            print(f"{'':>13} {title:>11}" + " ".join(f"{cell:>4}" for cell in ["", *row])[1:])
    print("\nAt the smallest budget where they differ HingedPairs is ahead on all sets but:", end=" ")
    print(", ".join(first_otherwise) or "none")
    print("At the largest budget where they differ Powers is ahead on all sets but:", end=" ")
    print(", ".join(last_otherwise) or "none")


if __name__ == "__main__":
    main(*sys.argv[1:])
