"""Counting cases by test, outcome and class: all that learning needs to know of the data."""

from budgetree.counts.counter import Counter, MemoryCounter
from budgetree.counts.memory import core_cases, count_classes

__all__ = ["Counter", "MemoryCounter", "core_cases", "count_classes"]
