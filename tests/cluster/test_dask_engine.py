"""DaskEngine: counts of futures, and a worker that dies in the middle of a fit changes nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from support import random_cases

import budgetree as bt
from budgetree.dask import DaskCases
from budgetree.distributed.cases import LocalEngine
from budgetree.distributed.dask_cases import DaskEngine, PersistedPartition
from budgetree.distributed.partition import Moves, Partition, Step
from budgetree.learn.greedy.levels import LevelGrower
from budgetree.learn.greedy.rule import check_settings
from budgetree.tree import Origin
from budgetree.tree.builder import grown_tree
from sharding import PARTITIONS, cut, random_instance, sharded

NINE = bt.datasets.names()[:9]


def persisted(partitions: Sequence[Partition]) -> list[PersistedPartition]:
    return [PersistedPartition([one], one.n_outcomes, one.n_classes) for one in partitions]


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_are_those_of_local_partitions(client: Client, weighted: bool) -> None:
    partitions = cut(random_cases((300, 5, 4), weighted), 20)
    local, remote = LocalEngine(partitions, 1), DaskEngine(client, client.scatter(persisted(partitions)))
    by_second = Moves(np.array([1], np.int32), np.array([[0, 1, 2, -1]], np.int32))
    at: list[Any] = [local.start(), remote.start()]
    for moves, slots in (((), [0]), ((by_second,), [0, -1, 1]), ((), [1, 0, -1])):
        step = Step(moves, np.array(slots, np.int32), max(slots) + 1)
        (here, at[0]), (there, at[1]) = local.advance(at[0], step), remote.advance(at[1], step)
        assert (here == there).all()


def grown(client: Client, instance: bt.Instance, n_parts: int, impurity: bt.Impurity, **asked: Any) -> dict[str, Any]:
    cases = sharded(instance, n_parts)
    partitions = client.scatter(persisted(cut(instance, n_parts)), hash=False)
    least = asked.pop("min_cases", 1)
    settings = check_settings(cases, impurity, asked.get("delta", 0), asked.get("budget"), asked.get("rule", "worst"))
    nodes = LevelGrower(cases, replace(settings, min_cases=least), DaskEngine(client, partitions)).grow()
    return grown_tree(cases.schema, nodes, cases.n_objects, Origin()).to_dict()


@pytest.mark.parametrize("name", NINE)
def test_the_nine_sets(client: Client, name: str) -> None:
    instance, n_parts = bt.datasets.load(name), PARTITIONS[NINE.index(name) % 4]
    for impurity, asked in ((bt.Pairs(), {"budget": 4}), (bt.HingedPairs(2), {"delta": 5, "min_cases": 3})):
        assert grown(client, instance, n_parts, impurity, **asked) == bt.grow(instance, impurity, **asked).to_dict()


@pytest.mark.parametrize("seed", range(100))
def test_random_instances(client: Client, seed: int) -> None:
    """With prices by outcome, shared fees and weights; partitions of 50 are empty or of one class."""
    instance, impurity = random_instance(seed), (bt.Pairs(), bt.Powers(3), bt.Entropy())[seed % 3]
    asked: dict[str, Any] = {"budget": [None, 6][seed % 2], "rule": ["expected", "worst"][seed // 4 % 2]}
    asked["min_cases"] = [1, 1, 1, 2, 1][seed % 5]
    expected = bt.grow(instance, impurity, **asked).to_dict()
    for n_parts in PARTITIONS if seed % 7 < 2 else PARTITIONS[:3]:  # on 50 a tree takes half a second
        assert grown(client, instance, n_parts, impurity, **asked) == expected


@pytest.mark.processes
def test_a_killed_worker_does_not_change_the_tree(table: pd.DataFrame) -> None:
    """In a real cluster of processes: what the worker held is computed again from its partitions."""
    with (
        dask.config.set({"distributed.worker.profile.enabled": False}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as ours,
        Client(ours, set_as_default=False) as client,
    ):
        cases = DaskCases(dd.from_pandas(table, npartitions=3), "y", client=client, duplicates="keep")
        settings = check_settings(cases, bt.Pairs(), 0, None, "worst")
        killer = _Killer(cases.engine(1), client)
        nodes = LevelGrower(cases, settings, killer).grow()
        assert killer.n_killed == 1
    tree = grown_tree(cases.schema, nodes, cases.n_objects, Origin())
    assert tree.to_dict() == bt.grow(bt.Instance.from_frame(table, "y", duplicates="keep")).to_dict()


class _Killer:
    """Kills a worker that holds positions, when they are wanted for the third time."""

    def __init__(self, engine: Any, client: Client) -> None:
        self._engine, self._client = engine, client
        self._n_asked = self.n_killed = 0

    def start(self) -> Any:
        return self._engine.start()

    def advance(self, positions: Any, step: Step) -> Any:
        self._n_asked += 1
        if self._n_asked == 3:
            address = min(self._client.who_has(positions).values(), key=len)[0]  # none else may have them
            os.kill(self._client.run(os.getpid, workers=[address])[address], signal.SIGKILL)
            self.n_killed += 1
        return self._engine.advance(positions, step)
