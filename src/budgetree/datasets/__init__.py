"""The paper's data: its nine sets, its synthetic example and the toy of its Figure 1."""

from budgetree.datasets.bundled import frame, frame_columns, load, names

__all__ = ["frame", "frame_columns", "load", "names"]
