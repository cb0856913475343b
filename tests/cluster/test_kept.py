"""KeptShard: cases in files, counted window by window; they can be sent, and leave nothing behind."""

from __future__ import annotations

import errno
import pickle
import time
from pathlib import Path

import dask
import numpy as np
import pytest
from distributed import Client
from support import random_cases

from budgetree.counts import Moves, Shard, Step
from budgetree.counts.shard import count, joined, move
from budgetree.dask.kept import KeptShard
from sharding import cut

BY_SECOND = Moves(np.array([1], np.int32), np.array([[0, 1, 2, -1]], np.int32))
STEP = Step((BY_SECOND,), np.array([0, -1, 1], np.int32), 2)


def keep(shards: list[Shard]) -> KeptShard:
    return KeptShard(shards, shards[0].n_outcomes, shards[0].n_classes)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("window", [1, 700, 10**6])
def test_counts_are_those_of_one_shard_wherever_it_was_sent(
    weighted: bool, window: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("budgetree.shards.folder.SHARD_BYTES", window)
    shards = cut(random_cases((300, 5, 4), weighted), 7)
    whole = joined(shards)
    places = move(whole, None, STEP)
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        kept = keep(shards)
        for one in (kept, pickle.loads(pickle.dumps(kept))):
            assert len(one) == len(whole)
            assert (one.move(None, STEP) == places).all()
            assert (one.count(places, STEP) == count(whole, places, STEP)).all()
        assert len(list(tmp_path.iterdir())) == 2
        del kept, one
    assert not list(tmp_path.iterdir())


def test_no_cases() -> None:
    (shard,) = cut(random_cases((30, 3, 2), False), 1)
    kept = KeptShard([], shard.n_outcomes, shard.n_classes)
    assert len(kept) == len(kept.move(None, STEP)) == 0
    assert kept.count(np.empty(0, np.int32), STEP).shape == (2, shard.n_cells, shard.n_classes)


def test_files_are_in_the_workers_folder_and_go_with_the_future(client: Client) -> None:
    (folder,) = (Path(info["local_directory"]) for info in client.scheduler_info()["workers"].values())
    before = set(folder.iterdir())
    future = client.submit(keep, cut(random_cases((300, 5, 4), False), 1), pure=False)
    assert len(future.result()) == 300
    (kept,) = set(folder.iterdir()) - before
    del future
    gone_by = time.monotonic() + 30  # the scheduler tells of what nobody wants any more, and the worker deletes it
    while kept.exists() and time.monotonic() < gone_by:
        time.sleep(0.02)
    assert not kept.exists()


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("budgetree.shards.folder.np.save", fail)
    with (
        dask.config.set({"temporary-directory": str(tmp_path)}),
        pytest.raises(OSError, match="make room on the worker's disk") as caught,
    ):
        keep(cut(random_cases((30, 3, 2), False), 1))
    assert caught.value.errno == errno.ENOSPC
    del caught
    assert not list(tmp_path.iterdir())


def test_codes_that_no_test_has_are_refused() -> None:
    wrong = Shard(np.full((3, 1), 9, np.uint8), np.zeros(3, np.int32), None, np.array([2], np.int32), 1)
    step = Step((), np.zeros(1, np.int32), 1)
    with pytest.raises((ValueError, IndexError)):
        keep([wrong]).count(np.zeros(3, np.int32), step)
