"""Pictures by matplotlib, which is an extra: pip install 'budgetree[plot]'."""

from budgetree.show.plots._frontier import plot_frontier
from budgetree.show.plots._tree import plot_tree

__all__ = ["plot_frontier", "plot_tree"]
