"""CountCache: keeps what fits."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import budgetree as bt
from budgetree.learn.greedy.levels import CountCache, LevelTimes, cache_of
from sharding import sharded


def test_what_does_not_fit_is_not_kept() -> None:
    cache, table = CountCache(100), np.arange(10)
    cache.put(frozenset(), table)
    cache.put(frozenset({(0, 1)}), table)
    kept = cache.get(frozenset())
    assert kept is not None
    assert kept.tolist() == table.tolist()
    assert kept is not table
    assert cache.get(frozenset({(0, 1)})) is None


def test_a_level_is_expected_to_take_as_long_as_the_last_and_as_its_nodes_ask_for() -> None:
    times = LevelTimes()
    assert times.expected(1000) == 0
    times.add(10, 2.0)
    times.add(30, 2.0)  # the pass alone
    assert times.expected(90) == 2
    times.add(90, 5.0)  # each node takes a twentieth
    assert times.expected(290) == 15
    assert times.expected(1) == 5
    times.add(40, 1.0)
    assert times.expected(80) == 1


def test_copies_with_other_prices_share_a_cache(tmp_path: Path) -> None:
    cases = bt.Shards.from_instance(bt.datasets.load("figure1"), tmp_path / "cases")
    assert cache_of(cases, 10) is cache_of(cases.priced(3), 10)
    assert cache_of(cases, 10) is not cache_of(sharded(bt.datasets.load("figure1"), 2), 10)
