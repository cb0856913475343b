"""PersistedPartition: cases in files, counted window by window; they can be sent, and leave nothing behind."""

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

from budgetree.distributed.dask_cases import PersistedPartition
from budgetree.distributed.partition import SIZES, Moves, Partition, Sizes, Step, count, joined, move
from sharding import cut

BY_SECOND = Moves(np.array([1], np.int32), np.array([[0, 1, 2, -1]], np.int32))
STEP = Step((BY_SECOND,), np.array([0, -1, 1], np.int32), 2)


def persist(partitions: list[Partition], sizes: Sizes = SIZES) -> PersistedPartition:
    return PersistedPartition(partitions, partitions[0].n_outcomes, partitions[0].n_classes, sizes)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("window", [1, 700, 10**6])
def test_counts_are_those_of_one_partition_wherever_it_was_sent(weighted: bool, window: int, tmp_path: Path) -> None:
    partitions = cut(random_cases((300, 5, 4), weighted), 7)
    whole = joined(partitions)
    positions = move(whole, None, STEP)
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        kept = persist(partitions, Sizes(file_bytes=window))
        for one in (kept, pickle.loads(pickle.dumps(kept))):
            assert len(one) == len(whole)
            assert (move(one, None, STEP) == positions).all()
            assert (count(one, positions, STEP) == count(whole, positions, STEP)).all()
        assert len(list(tmp_path.iterdir())) == 2
        del kept, one
    assert not list(tmp_path.iterdir())


def test_no_cases() -> None:
    (partition,) = cut(random_cases((30, 3, 2), False), 1)
    kept = PersistedPartition([], partition.n_outcomes, partition.n_classes)
    assert len(kept) == len(move(kept, None, STEP)) == 0
    assert count(kept, np.empty(0, np.int32), STEP).shape == (2, partition.n_outcomes.sum(), partition.n_classes)


def test_files_are_in_the_workers_folder_and_go_with_the_future(client: Client) -> None:
    (folder,) = (Path(info["local_directory"]) for info in client.scheduler_info()["workers"].values())
    before = set(folder.iterdir())
    future = client.submit(persist, cut(random_cases((300, 5, 4), False), 1), pure=False)
    assert len(future.result()) == 300
    (kept,) = set(folder.iterdir()) - before
    del future
    gone_by = time.monotonic() + 30  # the scheduler tells what is no longer wanted, and the worker deletes it
    while kept.exists() and time.monotonic() < gone_by:
        time.sleep(0.02)
    assert not kept.exists()


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("budgetree.distributed.store.np.save", fail)
    with (
        dask.config.set({"temporary-directory": str(tmp_path)}),
        pytest.raises(OSError, match="free some of the worker's disk") as caught,
    ):
        persist(cut(random_cases((30, 3, 2), False), 1))
    assert caught.value.errno == errno.ENOSPC
    del caught
    assert not list(tmp_path.iterdir())


def test_codes_that_no_test_has_are_refused() -> None:
    wrong = Partition(np.full((3, 1), 9, np.uint8), np.zeros(3, np.int32), None, np.array([2], np.int32), 1)
    step = Step((), np.zeros(1, np.int32), 1)
    with pytest.raises((ValueError, IndexError)):
        count(persist([wrong]), np.zeros(3, np.int32), step)
