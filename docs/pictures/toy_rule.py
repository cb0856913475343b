"""The greedy rule's choice in the toy: what each test removes in its worst outcome, by two impurities."""

import matplotlib.pyplot as plt
import numpy as np
from toy_marks import toy

import budgetree as bt

# The paper counts each pair of classes once.
FUNCTIONS = {"Pairs": bt.Pairs(), "hinged, α = 8": bt.HingedProduct(8)}
figure, grid = plt.subplots(1, 2, figsize=(8, 1.9), layout="constrained")
for axes, (name, impurity) in zip(grid, FUNCTIONS.items(), strict=True):
    times = 2 if isinstance(impurity, bt.HingedProduct) else 1
    whole = int(impurity(np.bincount(toy.labels))) // times
    counts = [[np.bincount(toy.labels[column == outcome], minlength=2) for outcome in (0, 1)] for column in toy.codes.T]
    removed = [whole - max(int(impurity(part)) // times for part in parts) for parts in counts]
    taken = int(np.argmax(removed))
    bars = axes.barh(toy.test_names, removed, color=["#0072B2" if test == taken else "#BBBBBB" for test in (0, 1)])
    axes.bar_label(bars, [f"{amount} of {whole}" for amount in removed], padding=3, fontsize=9)
    axes.set_xlim(0, 1.35 * max(removed))
    axes.set_xticks([])
    axes.invert_yaxis()
    axes.set_title(f"{name} takes {toy.test_names[taken]}", fontsize=10, loc="left")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
