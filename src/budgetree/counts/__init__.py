"""Counting objects by test, outcome and class: all that learning needs to know of the data.

The compiled kernels (`kernels.py`, `lanes.py`) are not imported here: numba loads only when they are used.
"""

from budgetree.counts.counter import Counter, MemoryCounter
from budgetree.counts.plain import count_classes

__all__ = ["Counter", "MemoryCounter", "count_classes"]
