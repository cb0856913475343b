"""The paper's data: its nine sets, its synthetic example and the toy of its Figure 1."""

from budgetree.datasets.bundled import frame, load, names, table

__all__ = ["frame", "load", "names", "table"]
