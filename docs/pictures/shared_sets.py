"""How often exact search would meet the same set of the house votes without a cache."""

from itertools import combinations, product
from math import factorial

import matplotlib.pyplot as plt
import numpy as np

import budgetree as bt

DEEPEST = 4
votes = bt.datasets.load("house_votes")
shows = [[votes.codes[:, test] == code for code in np.unique(votes.codes[:, test])] for test in range(votes.n_tests)]


def sets_after(n_tests: int) -> tuple[int, int]:
    """(orders of so many tests with an outcome each that some case shows, different sets of cases at their end)."""
    met, different = 0, set()
    for tests in combinations(range(votes.n_tests), n_tests):
        for outcomes in product(*(shows[test] for test in tests)):
            cases = np.logical_and.reduce(outcomes)
            if cases.any():
                met += factorial(n_tests)
                different.add(cases.tobytes())
    return met, len(different)


depths = np.arange(1, DEEPEST + 1)
met, different = np.array([sets_after(depth) for depth in depths]).T
figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for shift, counts, label, colour in (
    (-0.2, met, "paths that lead to a set", "#BBBBBB"),
    (0.2, different, "different sets", "#0072B2"),
):
    bars = axes.bar(depths + shift, counts, 0.38, color=colour, label=label)
    axes.bar_label(bars, [f"{count:,}" for count in counts], fontsize=8, padding=2)
axes.set_yscale("log")
axes.set_ylim(10, 3e7)
axes.set_xticks(depths)
axes.set_xlabel("tests done")
axes.set_title("house votes: 342 cases, 16 tests of three outcomes", fontsize=10, loc="left")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, loc="upper left")
