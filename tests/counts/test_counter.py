"""MemoryCounter: counts its groups, and splits them by outcome."""

from __future__ import annotations

from support import random_cases

from budgetree.counts import MemoryCounter, count_classes


def test_splitting_separates_the_group_by_outcome() -> None:
    instance = random_cases((60, 4, 5), weighted=False)
    counter = MemoryCounter(instance)
    parts = counter.split(counter.everything(), 2, [0, 3])
    for part in [counter.everything(), *parts]:
        assert (counter.count(part) == count_classes(instance, part)).all()
    assert [set(instance.codes[part, 2]) for part in parts] == [{0}, {3}]
