"""The proven frontier of the Pima data: a step down at every budget that was worth asking."""

import budgetree as bt

pima = bt.datasets.load("pima")
bt.plot_frontier(bt.frontier(pima, method="exact", folds=0)).figure.set_size_inches(6.4, 3.4)
