"""Duplicates, found bucket by bucket as in memory; buckets on disk leave nothing behind."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support import random_cases

import budgetree as bt
from budgetree.distributed.partition import Sizes, bucketed, join, merged, n_buckets, split, tally
from budgetree.problem.duplicates import merge_duplicates
from budgetree.services.clock import Clock, OutOfTimeError
from sharding import cut, sharded


@pytest.mark.parametrize("n_parts", [1, 3, 40])
def test_pieces_join_to_what_memory_merges(n_parts: int) -> None:
    instance = random_cases((400, 3, 3), weighted=False)
    pieces = [split(tally(part), n_parts) for part in cut(instance, 5)]
    shape = (instance.schema.n_outcomes.astype(np.int32), instance.n_classes)
    parts = [merged(join(bucket), *shape) for bucket in zip(*pieces, strict=True)]
    found = {(*row, label) for part in parts for row, label in zip(part.codes.tolist(), part.labels, strict=True)}
    kept, labels = merge_duplicates(instance.codes, instance.labels, instance.n_classes)
    assert found == {(*row, label) for row, label in zip(instance.codes[kept].tolist(), labels, strict=True)}
    assert sum(map(len, parts)) == len(kept)


def test_weights_of_cases_alike_add_up() -> None:
    instance = random_cases((400, 3, 3), weighted=True)
    whole = join([tally(part) for part in cut(instance, 5)])
    expected: Counter[tuple[int, ...]] = Counter()
    for row, label, units in zip(instance.codes.tolist(), instance.labels, instance.weight_units, strict=True):
        expected[(*row, int(label))] += int(units)
    rows = zip(whole.codes.tolist(), whole.labels.tolist(), whole.units.tolist(), strict=True)
    assert {(*row, label): units for row, label, units in rows} == {key: n for key, n in expected.items() if n}


def test_what_no_tree_avoids_is_the_same_in_buckets() -> None:
    small = Sizes(bucket_bytes=500)
    for weighted in (False, True):
        instance = random_cases((400, 3, 3), weighted)
        found = sharded(instance, 7, sizes=small).irreducible
        assert (found.units, found.n_objects) == (instance.irreducible.units, instance.irreducible.n_objects)
    losing = bt.datasets.load("mammographic").with_losses({0: 1, 1: 7})
    assert sharded(losing, 3, sizes=small).irreducible.units == losing.irreducible.units


def test_cases_that_are_too_many_to_compare_in_time_are_not_compared() -> None:
    instance = random_cases((400, 3, 3), weighted=False)
    cases = sharded(instance, 7)
    with pytest.raises(OutOfTimeError):
        cases.irreducible_in(Clock(0))
    frontier = bt.frontier(cases, time_limit=0, objective="known")
    assert {point.lower_bound for point in frontier} == {0}
    assert cases.irreducible_in(Clock(None)).units == instance.irreducible.units > 0
    assert cases.irreducible_in(Clock(0)).units == instance.irreducible.units, "which is known now"


def test_buckets_are_as_many_as_memory_asks_for() -> None:
    size = Sizes().bucket_bytes
    assert (n_buckets(0, size), n_buckets(1, size), n_buckets(10 * 2**30, size)) == (1, 1, 160)


def test_buckets_on_disk_hold_what_one_bucket_in_memory_does(tmp_path: Path) -> None:
    partitions = cut(random_cases((500, 4, 3), weighted=True), 6)
    (whole,) = bucketed(partitions, 10**9)
    buckets = list(bucketed(partitions, 1000, tmp_path))
    assert len(buckets) > 3
    joined = join(buckets)
    assert sorted(map(bytes, joined.codes)) == sorted(map(bytes, whole.codes))
    assert int(joined.units.sum()) == int(whole.units.sum()) == int(join([tally(p) for p in partitions]).units.sum())
    assert len({bytes(row) for bucket in buckets for row in set(map(bytes, bucket.codes))}) == sum(
        len(set(map(bytes, bucket.codes))) for bucket in buckets
    )
    assert list(tmp_path.iterdir()) == []
