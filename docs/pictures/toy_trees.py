"""Two trees for the toy with ten errors each: the one that Pairs grows, and the cheapest that there is."""

import matplotlib.pyplot as plt
from toy_marks import toy

import budgetree as bt

figure, grid = plt.subplots(2, 1, figsize=(7.5, 4.4), layout="constrained", height_ratios=(1, 1))
bt.plot_tree(bt.grow(toy, bt.Pairs()), ax=grid[0])
bt.plot_tree(bt.optimal(toy, budget=1).tree, ax=grid[1])
