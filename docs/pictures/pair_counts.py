"""Two tests of the house votes: class counts by their outcomes, from which every tree of the two can be read."""

import matplotlib.pyplot as plt
import numpy as np

import budgetree as bt

votes = bt.datasets.load("house_votes")
tree = bt.optimal(votes, budget=2).tree
first = int(tree.nodes.test[0])
second = next(int(test) for test in tree.nodes.test if test >= 0 and test != first)
shape = [len(votes.outcome_names[test]) for test in (first, second)]
table = np.zeros((*shape, votes.n_classes), dtype=int)
np.add.at(table, (votes.codes[:, first], votes.codes[:, second], votes.labels), 1)

figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
share = table[..., 0] / np.maximum(table.sum(axis=-1), 1)
axes.imshow(share, cmap="coolwarm", vmin=-0.4, vmax=1.4, aspect="auto")
for i, j in np.ndindex(*shape):
    axes.text(j, i, " · ".join(map(str, table[i, j])), ha="center", va="center", fontsize=9)
for test, set_ticks in ((first, axes.set_yticks), (second, axes.set_xticks)):
    set_ticks(range(len(votes.outcome_names[test])), votes.outcome_names[test])
axes.set(xlabel=votes.test_names[second], ylabel=votes.test_names[first])
axes.set_title(f"cases of {votes.class_names[0]} · {votes.class_names[1]}", fontsize=10)
