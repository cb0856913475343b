"""Purchases: what paths have paid and may still pay, against every case that there can be."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict

import numpy as np
import pytest

import budgetree as bt
from budgetree.tree.nodes import Nodes, charges
from budgetree.tree.purchases import spending

UNLISTED = 3  # an outcome that no price list has: it costs what the costliest does
PRICES = {"a": {"0": 1, "1": 5, "2": 2}, "b": {"0": 4, "1": 1, "2": 1}, "c": {"0": 0, "1": 7, "2": 3}}


def random_nodes(seed: int) -> Nodes:
    """A tree for new cases that branches again and again on what it has bought."""
    rng = random.Random(seed)
    tests: list[int] = []
    parents = [-1]
    goes: list[list[int]] = []  # per node, where each outcome leads, the last an unlisted one
    for node in itertools.count():
        if node == len(parents):
            break
        if len(parents) > 25 or (node and rng.random() < 0.25):
            tests.append(-1)
            goes.append([])
            continue
        n_children = rng.choice([1, 2, 2, 3])
        children = list(range(len(parents), len(parents) + n_children))
        parents += [node] * n_children
        tests.append(rng.randrange(3))
        goes.append([*children, *rng.choices(children, k=4 - n_children)])
        rng.shuffle(goes[-1])
    test = np.array(tests, dtype=np.int32)
    inner = test >= 0
    first = np.where(inner, np.cumsum(inner) * 3 - 3, -1)
    return Nodes(
        test=test,
        parent=np.array(parents, dtype=np.int32),
        counts=np.ones((len(test), 2), dtype=np.int64),
        paid=np.zeros(len(test), dtype=np.int64),
        first_branch=first.astype(np.int64),
        branches=np.array([child for children in goes for child in children[:3]], dtype=np.int32),
        fallback=np.zeros(len(test), dtype=bool),
        otherwise=np.array([children[3] if children else -1 for children in goes], dtype=np.int32),
    )


@pytest.mark.parametrize("seed", range(60))
def test_every_case_that_there_can_be_pays_as_much(seed: int) -> None:
    nodes = random_nodes(seed)
    rows = list(itertools.product(range(3), repeat=3))
    instance = bt.Instance(rows, [k % 2 for k in range(27)], test_names=list("abc"), prices=bt.Prices(PRICES))
    found = spending(nodes, charges(nodes.test, nodes.parent, instance.schema.costs), instance.schema.n_outcomes)
    on_arrival: dict[int, set[int]] = defaultdict(set)
    to_come: dict[int, set[int]] = defaultdict(set)
    tests_done: dict[int, set[int]] = defaultdict(set)
    prices = [[*outcomes.values(), max(outcomes.values())] for outcomes in PRICES.values()]
    for case in itertools.product(range(UNLISTED + 1), repeat=3):
        node, paid, done, path = 0, 0, set[int](), list[tuple[int, int]]()
        while True:
            path.append((node, paid))
            tests_done[node].add(len(done))
            test = int(nodes.test[node])
            if test < 0:
                break
            paid += 0 if test in done else prices[test][case[test]]
            done.add(test)
            branch = nodes.branches[nodes.first_branch[node] + case[test]] if case[test] < 3 else nodes.otherwise[node]  # type: ignore[index]
            node = int(branch)
        for node, before in path:
            on_arrival[node].add(before)
            to_come[node].add(paid - before)
    for node in on_arrival:  # some nodes nobody can come to
        assert found.paid[node] == max(on_arrival[node])
        assert {int(found.n_tests[node])} == tests_done[node]
        assert found.worst_from[node] >= max(to_come[node])
    reached_by_all = [node for node in on_arrival if all(child in on_arrival for child in _below(nodes, node))]
    assert reached_by_all or len(nodes) > 1
    for node in reached_by_all:
        assert found.worst_from[node] == max(to_come[node])


def _below(nodes: Nodes, node: int) -> list[int]:
    found = [node]
    for above in found:
        found += np.flatnonzero(nodes.parent == above).tolist()
    return found
