"""Which grower serves: by levels where cases are in shards; else the core wherever it can, or the plain twin.

The nodes are the same, to the bit.
"""

from __future__ import annotations

from budgetree.counts import AnyCases, MemoryCounter, ShardedCases
from budgetree.learn.greedy.count_cache import CountCache
from budgetree.learn.greedy.levels import LevelGrower
from budgetree.learn.greedy.native import grow_native, is_native
from budgetree.learn.greedy.plain import grow_plain
from budgetree.learn.greedy.settings import Settings
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport, no_report
from budgetree.tree import Nodes


def grow_nodes(
    instance: AnyCases,
    settings: Settings,
    threads: int = 1,
    clock: Clock | None = None,
    report: ProgressReport = no_report,
) -> Nodes:
    """The nodes of one tree. EndedEarlyError where a clock is over in the middle; the core, which is quick, ends it."""
    if isinstance(instance, ShardedCases):
        return grow_sharded(instance, settings, threads, report=report, clock=clock)
    if is_native(instance, settings.form, settings.min_cases):
        return grow_native(instance, settings, threads)
    return grow_plain(MemoryCounter(instance), instance.schema, settings, clock)


def grow_sharded(
    cases: ShardedCases,
    settings: Settings,
    threads: int,
    cache: CountCache | None = None,
    report: ProgressReport = no_report,
    clock: Clock | None = None,
) -> Nodes:
    """The same from shards; trees that share a cache share what they count."""
    return LevelGrower(cases, settings, cases.levels(threads), cache, clock=clock).grow(report)
