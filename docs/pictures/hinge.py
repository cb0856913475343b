"""Pairs and its hinge, for two classes: the larger has 30 cases, the smaller up to 20."""

import matplotlib.pyplot as plt
import numpy as np

import budgetree as bt

ALPHA = 8
smaller = np.arange(21)
counts = np.stack([np.full(21, 30), smaller], axis=1)
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
for impurity, name in ((bt.Pairs(), "Pairs()"), (bt.HingedProduct(ALPHA), "HingedProduct(8)")):
    values = np.array([float(impurity(row)) for row in counts])
    axes.plot(smaller, values / values.max(), marker="o", markersize=3, label=name)
axes.axvline(ALPHA, color="grey", linewidth=0.8, linestyle=":")
axes.set(xlabel="cases of the smaller class, beside 30 of the larger", ylabel="impurity, as a share of its largest")
axes.set_xticks(range(0, 21, 4))
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
