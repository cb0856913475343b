"""The rule for a level: the core's choices are those of the rule in Python."""

from __future__ import annotations

import numpy as np
import pytest

import budgetree as bt
from budgetree.learn.greedy.native import NativeRule, native_totals
from budgetree.learn.greedy.rule import LevelNodes, PythonRule, check_settings
from sharding import random_instance, sharded


@pytest.mark.parametrize("seed", range(40))
def test_the_cores_choices_are_those_in_python(seed: int) -> None:
    rng = np.random.default_rng(seed)
    instance = random_instance(seed)
    cases = sharded(instance, 1)
    impurity = (bt.Pairs(), bt.Powers(4), bt.HingedProduct(2), bt.Gini())[seed % 4]
    settings = check_settings(instance, impurity, seed % 3, rng.integers(0, 8), ["worst", "expected"][seed % 2])
    assert native_totals(cases).serves(settings.form)
    native = NativeRule(cases.schema, native_totals(cases), settings)
    python = PythonRule(cases.schema, settings)
    nodes, counts = at_random(instance, rng)
    found, is_open = native.choose(nodes, counts, None), np.flatnonzero(~python.stops(nodes))
    rest = LevelNodes(nodes.class_counts[is_open], nodes.spent[is_open], nodes.flags[is_open])
    chosen = dict(zip(is_open.tolist(), python.choose(rest, counts[is_open], None), strict=True))
    assert found == [chosen.get(node) for node in range(len(counts))]
    assert not any(choice for choice, ends in zip(found, native.stops(nodes), strict=True) if ends)


def at_random(instance: bt.Instance, rng: np.random.Generator) -> tuple[LevelNodes, np.ndarray]:
    """Nodes of some of the cases each, on paths that have paid something."""
    tables = []
    for _ in range(30):
        rows = np.flatnonzero(rng.random(instance.n_objects) < rng.random())
        units, labels = instance.weight_units[rows], instance.labels[rows]
        cells = []
        for test, n_outcomes in enumerate(instance.schema.n_outcomes):
            table = np.zeros((n_outcomes, instance.n_classes), dtype=np.int64)
            np.add.at(table, (instance.codes[rows, test], labels), units)
            cells.append(table)
        tables.append(np.concatenate(cells))
    counts = np.array(tables)
    whole = counts[:, : instance.schema.n_outcomes[0]].sum(axis=1)
    limit = int(instance.schema.costs.costliest.max()) + 1
    n_flags = 2 ** len(instance.schema.costs.fee_names)
    spent, flags = rng.integers(0, limit, len(counts)), rng.integers(0, n_flags, len(counts)).astype(np.uint64)
    return LevelNodes(whole, spent[:, None], flags), counts
