"""Which grower serves: the core wherever it can, else the plain twin; the nodes are the same."""

from __future__ import annotations

from budgetree.counts import MemoryCounter
from budgetree.learn.greedy.native import grow_native, is_native
from budgetree.learn.greedy.plain import grow_plain
from budgetree.learn.greedy.settings import Settings
from budgetree.problem import Instance
from budgetree.tree import Nodes


def grow_nodes(instance: Instance, settings: Settings, threads: int = 1) -> Nodes:
    """The nodes of one tree."""
    if is_native(instance, settings.form, settings.min_cases):
        return grow_native(instance, settings, threads)
    return grow_plain(MemoryCounter(instance), instance.schema, settings)
