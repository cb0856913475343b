"""Counting cases by test, outcome and class: all that learning needs to know of the data."""

from budgetree.counts.counter import Counter, MemoryCounter
from budgetree.counts.levels import LevelCounter, LocalLevels
from budgetree.counts.memory import core_cases, count_classes
from budgetree.counts.shard import Moves, Shard, Step
from budgetree.counts.sharded import AnyCases, ShardedCases

__all__ = [
    "AnyCases",
    "Counter",
    "LevelCounter",
    "LocalLevels",
    "MemoryCounter",
    "Moves",
    "Shard",
    "ShardedCases",
    "Step",
    "core_cases",
    "count_classes",
]
