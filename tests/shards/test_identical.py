"""Cases that are alike, found bucket by bucket as in memory."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from support import random_cases

import budgetree as bt
from budgetree.problem.duplicates import merge_duplicates
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.shards.identical import join, merged_shard, n_buckets, split, tally
from sharding import cut, sharded


@pytest.mark.parametrize("n_parts", [1, 3, 40])
def test_pieces_join_to_what_memory_merges(n_parts: int) -> None:
    instance = random_cases((400, 3, 3), weighted=False)
    pieces = [split(tally(shard), n_parts) for shard in cut(instance, 5)]
    shape = (instance.schema.n_outcomes.astype(np.int32), instance.n_classes)
    merged = [merged_shard(join(bucket), "merge", *shape) for bucket in zip(*pieces, strict=True)]
    found = {(*row, label) for shard in merged for row, label in zip(shard.codes.tolist(), shard.labels, strict=True)}
    codes, labels = merge_duplicates(instance.codes, instance.labels, instance.n_classes)
    assert found == {(*row, label) for row, label in zip(codes.tolist(), labels, strict=True)}
    assert sum(map(len, merged)) == len(codes)


def test_weights_of_cases_alike_add_up() -> None:
    instance = random_cases((400, 3, 3), weighted=True)
    whole = join([tally(shard) for shard in cut(instance, 5)])
    shard = merged_shard(whole, "add up", instance.schema.n_outcomes.astype(np.int32), instance.n_classes)
    expected: Counter[tuple[int, ...]] = Counter()
    for row, label, units in zip(instance.codes.tolist(), instance.labels, instance.weight_units, strict=True):
        expected[(*row, int(label))] += int(units)
    assert shard.weight_units is not None
    rows = zip(shard.codes.tolist(), shard.labels.tolist(), shard.weight_units.tolist(), strict=True)
    assert {(*row, label): units for row, label, units in rows} == {key: n for key, n in expected.items() if n}


def test_what_no_tree_avoids_is_the_same_in_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetree.shards.identical.BUCKET_BYTES", 500)
    for weighted in (False, True):
        instance = random_cases((400, 3, 3), weighted)
        found = sharded(instance, 7).irreducible
        assert (found.units, found.n_objects) == (instance.irreducible.units, instance.irreducible.n_objects)
    losing = bt.datasets.load("mammographic").with_losses({0: 1, 1: 7})
    assert sharded(losing, 3).irreducible.units == losing.irreducible.units


def test_cases_that_are_too_many_to_compare_in_time_are_not_compared() -> None:
    instance = random_cases((400, 3, 3), weighted=False)
    cases = sharded(instance, 7)
    with pytest.raises(OutOfTimeError):
        cases.irreducible_in(Clock(0))
    frontier = bt.frontier(cases, time_limit=0)
    assert {point.lower_bound for point in frontier} == {0}
    assert cases.irreducible_in(Clock(None)).units == instance.irreducible.units > 0
    assert cases.irreducible_in(Clock(0)).units == instance.irreducible.units, "which is known now"


def test_buckets_are_as_many_as_memory_asks_for() -> None:
    assert (n_buckets(0), n_buckets(1), n_buckets(10 * 2**30)) == (1, 1, 160)
