"""What people see: pictures."""

from budgetree.report.plot_frontier import plot_frontier
from budgetree.report.plot_tree import plot_tree

__all__ = ["plot_frontier", "plot_tree"]
