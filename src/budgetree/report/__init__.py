"""A page that needs nothing but a browser: a summary as a dict, and the HTML document made of it."""

from budgetree.report.page import render_page
from budgetree.report.summary import summarise_frontier, summarise_tree

__all__ = ["render_page", "summarise_frontier", "summarise_tree"]
