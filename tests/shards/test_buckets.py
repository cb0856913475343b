"""Buckets on disk: all cases come out once, and nothing stays behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import random_cases

from budgetree.shards.buckets import grouped
from budgetree.shards.identical import join, tally
from sharding import cut


def test_buckets_on_disk_hold_what_one_bucket_in_memory_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = cut(random_cases((500, 4, 3), weighted=True), 6)
    (whole,) = grouped(shards)
    monkeypatch.setattr("budgetree.shards.identical.BUCKET_BYTES", 1000)
    buckets = list(grouped(shards, tmp_path))
    assert len(buckets) > 3
    joined = join(buckets)
    assert sorted(map(bytes, joined.codes)) == sorted(map(bytes, whole.codes))
    assert int(joined.units.sum()) == int(whole.units.sum()) == int(join([tally(s) for s in shards]).units.sum())
    assert len({bytes(row) for bucket in buckets for row in set(map(bytes, bucket.codes))}) == sum(
        len(set(map(bytes, bucket.codes))) for bucket in buckets
    )
    assert list(tmp_path.iterdir()) == []
