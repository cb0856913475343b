"""LevelGrower: the nodes of every grower, to the bit, however the cases are cut and in whatever batches."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from support import by_levels, grown, random_cases

import budgetree as bt
from _support.reference_growth import grow_in_numpy
from budgetree.distributed.cases import Engine
from budgetree.distributed.partition import Step
from budgetree.learn.greedy.levels import CountCache, EndedEarlyError, LevelGrower, grow_nodes
from budgetree.learn.greedy.rule import PythonRule, check_settings
from budgetree.services.clock import Clock
from budgetree.tree import Nodes
from sharding import PARTITIONS, random_instance, sharded

NINE = bt.datasets.names()[:9]
IMPURITIES = (bt.Pairs(), bt.Powers(5), bt.HingedPairs(2), bt.HingedProduct(3), bt.Entropy())


def are_same(one: Nodes, other: Nodes) -> bool:
    return one == other and all(array.dtype == other.arrays[name].dtype for name, array in one.arrays.items())


@pytest.mark.parametrize("name", NINE)
def test_the_nine_sets_from_any_number_of_shards(name: str) -> None:
    instance = bt.datasets.load(name)
    for impurity, settings in (
        (bt.Pairs(), {}),
        (bt.Powers(3), {"budget": 4, "rule": "expected"}),
        (bt.HingedPairs(2), {"delta": 5, "min_cases": 3}),
    ):
        expected = bt.grow(instance, impurity, **settings).to_dict()
        for n_parts in PARTITIONS:
            assert bt.grow(sharded(instance, n_parts), impurity, **settings).to_dict() == expected
        assert bt.grow(sharded(instance, 3, by_class=True), impurity, **settings).to_dict() == expected


@pytest.mark.parametrize("seed", range(100))
def test_random_instances_from_any_number_of_shards(seed: int) -> None:
    instance = random_instance(seed)
    settings: dict[str, Any] = {"budget": [None, 3, 6][seed % 3], "rule": ["worst", "expected"][seed % 2]}
    settings["min_cases"] = [1, 1, 1, 2][seed % 4]
    impurity = IMPURITIES[seed % len(IMPURITIES)]
    expected = bt.grow(instance, impurity, **settings)
    for n_parts in PARTITIONS:
        for by_class in (False, True):
            tree = bt.grow(sharded(instance, n_parts, by_class=by_class), impurity, **settings)
            assert tree.to_dict() == expected.to_dict()
            assert are_same(tree.nodes, expected.nodes)


def test_a_users_own_function_is_served_by_the_rule_in_python() -> None:
    class Doubled(bt.Impurity):
        admissible = exact = zero_only_if_pure = True

        def value(self, counts: Any) -> Any:
            return 2 * bt.Pairs().value(counts)

    instance = bt.datasets.load("pima")
    assert bt.grow(sharded(instance, 7), Doubled()).to_dict() == bt.grow(instance, Doubled()).to_dict()


def test_by_the_rule_in_python_the_nodes_are_the_same() -> None:
    instance = bt.datasets.load("mammographic")
    settings = check_settings(instance, bt.Pairs(), 0, None, "worst")
    expected = grow_in_numpy(instance, settings)
    cases = sharded(instance, 3)
    grown = LevelGrower(cases, settings, cases.engine(1), rule=PythonRule(cases.schema, settings)).grow()
    assert are_same(grown, expected)
    assert are_same(by_levels(instance, settings), expected), "in memory"


@pytest.mark.parametrize("seed", range(60))
def test_weighted_cases_that_leaves_need_several_of(seed: int) -> None:
    """Which the core does not count, in memory or in partitions."""
    instance = random_instance(seed)
    settings = check_settings(instance, IMPURITIES[seed % len(IMPURITIES)], 0, [None, 6][seed % 2], "worst")
    settings = replace(settings, min_cases=2 + seed % 3)
    expected = grow_in_numpy(instance, settings)
    assert are_same(grow_nodes(instance, settings), expected)
    assert are_same(grow_nodes(sharded(instance, 3), settings), expected)


@pytest.mark.parametrize("max_table_bytes", [0, 50_000, 400_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_level_that_is_too_large_is_counted_in_batches(max_table_bytes: int, weighted: bool) -> None:
    instance = random_cases((900, 6, 5), weighted)
    settings = check_settings(instance, bt.Pairs(), 0, None, "worst")
    cases = sharded(instance, 4)
    engine = _Counting(cases.engine(1))
    found = LevelGrower(cases, settings, engine, max_table_bytes=max_table_bytes).grow()
    assert are_same(found, grow_nodes(instance, settings))
    node_bytes = 8 * 6 * 5 * 4
    assert engine.max_slots <= max(2, max_table_bytes // node_bytes)


def test_a_cache_saves_passes_and_changes_nothing() -> None:
    instance = bt.datasets.load("pima")
    cases = sharded(instance, 3)
    cache = CountCache(10**8)
    for impurity in (bt.Powers(2), bt.Powers(3), bt.Powers(2)):
        settings = check_settings(instance, impurity, 0, None, "worst")
        engine = _Counting(cases.engine(1))
        assert are_same(LevelGrower(cases, settings, engine, cache).grow(), grow_nodes(instance, settings))
    assert engine.n_passes == 0  # the last tree has been counted before


def test_progress_is_told_level_by_level() -> None:
    instance = bt.datasets.load("pima")
    cases = sharded(instance, 3)
    told: list[tuple[float, str]] = []
    settings = check_settings(instance, bt.Pairs(), 0, 2, "worst")
    LevelGrower(cases, settings, cases.engine(1)).grow(lambda done, total, words: told.append((done, words)))
    assert [words.partition(":")[0] for _, words in told] == ["level 1", "level 2"]
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.parametrize("seed", range(40))
def test_a_growth_that_ends_early_is_the_beginning_of_the_whole_tree(seed: int) -> None:
    instance = random_instance(seed)
    settings = check_settings(instance, IMPURITIES[seed % len(IMPURITIES)], 0, [None, 6][seed % 2], "worst")
    whole, cases = grow_nodes(instance, settings), sharded(instance, 3)
    expected = grown(whole)
    for n_looks in range(int(whole.is_buy.sum()) - 1):  # one for each test but the root's, or more
        grower = LevelGrower(cases, settings, cases.engine(1), clock=_Looks(n_looks))
        with pytest.raises(EndedEarlyError) as ended:
            grower.grow()
        part = grown(ended.value.nodes)
        n_nodes = len(part.test)
        assert 1 < n_nodes <= len(expected.test)
        assert part.counts == expected.counts[:n_nodes]
        assert part.paid == expected.paid[:n_nodes]
        assert part.parent == expected.parent[:n_nodes]
        assert all(own in (-1, its) for own, its in zip(part.test, expected.test, strict=False))


@pytest.mark.parametrize("max_table_bytes", [0, 10**8])
def test_no_pass_is_begun_that_the_time_does_not_suffice_for(max_table_bytes: int) -> None:
    instance = random_cases((900, 6, 5), weighted=False)
    settings = check_settings(instance, bt.Pairs(), 0, None, "worst")
    cases = sharded(instance, 4)
    engine = _Counting(cases.engine(1), seconds=0.1)
    clock = Clock(0.35)
    with pytest.raises(EndedEarlyError):
        LevelGrower(cases, settings, engine, max_table_bytes=max_table_bytes, clock=clock).grow()
    assert 1 <= engine.n_passes <= 3
    assert clock.is_over, "for everybody who asks"


class _Looks(Clock):
    """Over after so many looks at it."""

    def __init__(self, n_looks: int) -> None:
        super().__init__(None)
        self._n_looks = n_looks

    @property
    def is_over(self) -> bool:
        self._n_looks -= 1
        return self._n_looks < 0


class _Counting:
    """Counts what is asked of an engine."""

    def __init__(self, engine: Engine, seconds: float = 0.0) -> None:
        self._engine = engine
        self._seconds = seconds  # that a pass takes at least
        self.n_passes = self.max_slots = 0

    def start(self) -> Any:
        return self._engine.start()

    def advance(self, positions: Any, step: Step) -> Any:
        self.n_passes += 1
        time.sleep(self._seconds)
        self.max_slots = max(self.max_slots, step.n_slots)
        return self._engine.advance(positions, step)
