"""Two tests of the house votes: class counts by their outcomes, and the errors of the tree that does both."""

from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

import budgetree as bt

votes = bt.datasets.load("house_votes")
tests = bt.optimal(votes, budget=2).tree.nodes.test
first = int(tests[0])
((second, _),) = Counter(int(test) for test in tests[1:] if test >= 0).most_common(1)
shape = [len(votes.outcome_names[test]) for test in (first, second)]
table = np.zeros((*shape, votes.n_classes), dtype=int)
np.add.at(table, (votes.codes[:, first], votes.codes[:, second], votes.labels), 1)
errors = table.sum(axis=-1) - table.max(axis=-1)

figure, axes = plt.subplots(figsize=(6.8, 3.2), layout="constrained")
share = table[..., 0] / np.where(table.any(axis=-1), table.sum(axis=-1), np.nan)
axes.imshow(share, cmap="coolwarm", vmin=-0.4, vmax=1.4, aspect="auto")
for i, j in np.ndindex(*shape):
    axes.text(j, i, " · ".join(map(str, table[i, j])), ha="center", va="center", fontsize=10)
for i in range(shape[0]):
    axes.text(shape[1] - 0.4, i, f"{errors[i].sum()} wrong", va="center", fontsize=9)
axes.set_xticks(range(shape[1]), votes.outcome_names[second])
axes.set_yticks(range(shape[0]), votes.outcome_names[first])
axes.set_xlabel(votes.test_names[second])
axes.set_ylabel("adoption-of-the-\nbudget-resolution")
axes.set_title(f"cases: {' · '.join(votes.class_names)}; {errors.sum()} wrong in all", fontsize=10, loc="left")
axes.spines[:].set_visible(False)
