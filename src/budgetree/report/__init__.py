"""What people see: pictures, and a page that needs nothing but a browser."""

from budgetree.report.page import render_page
from budgetree.report.plot_frontier import plot_frontier
from budgetree.report.plot_tree import plot_tree
from budgetree.report.summary import summarise_frontier, summarise_tree

__all__ = ["plot_frontier", "plot_tree", "render_page", "summarise_frontier", "summarise_tree"]
