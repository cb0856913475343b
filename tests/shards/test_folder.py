"""A folder of shards: what was written is read back, and what is broken is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import random_cases

import budgetree as bt
from budgetree.errors import TableFileError
from budgetree.shards.folder import open_folder, write_cases, write_shards
from sharding import cut


def written(folder: Path, *, weighted: bool) -> bt.Instance:
    instance = random_cases((200, 4, 3), weighted)
    write_shards(folder, cut(instance, 3))
    write_cases(folder, instance.schema, instance.n_objects, instance.class_order)
    return instance


@pytest.mark.parametrize("weighted", [False, True])
def test_what_was_written_is_read_back(tmp_path: Path, weighted: bool) -> None:
    instance = written(tmp_path, weighted=weighted)
    opened = open_folder(tmp_path)
    assert opened.n_objects == 200
    assert opened.counts.tolist() == instance.class_order.counts.tolist()
    assert sum(map(len, opened.shards)) == len(instance.class_order.order)
    assert isinstance(opened.shards[0].codes, np.memmap)


def test_small_shards_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetree.shards.folder.SHARD_BYTES", 500)
    assert write_shards(tmp_path, cut(random_cases((200, 4, 3), weighted=False), 50)) == 200
    sizes = [len(np.load(file)) for file in sorted(tmp_path.glob("codes-*.npy"))]
    assert sum(sizes) == 200
    assert 1 < len(sizes) < 5


def test_a_folder_that_is_none_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no complete folder of shards.*Shards.from_files makes one"):
        bt.Shards(tmp_path)


def test_broken_files_are_refused(tmp_path: Path) -> None:
    written(tmp_path, weighted=False)
    labels = next(tmp_path.glob("labels-*.npy"))
    whole = labels.read_bytes()
    np.save(labels, np.zeros(7, np.int32))
    with pytest.raises(TableFileError, match=r"expected 7 of 4. Write the shards again"):
        bt.Shards(tmp_path)
    np.save(labels, np.zeros(200))
    with pytest.raises(TableFileError, match="holds float64; expected int32"):
        bt.Shards(tmp_path)
    labels.write_bytes(b"nothing")
    with pytest.raises(TableFileError, match="this is no shard"):
        bt.Shards(tmp_path)
    labels.write_bytes(whole)
    codes = next(tmp_path.glob("codes-*.npy"))
    np.save(codes, np.full((200, 4), 77, np.uint8))  # which no test has
    with pytest.raises(ValueError, match="expected outcomes from 0"):
        bt.grow(bt.Shards(tmp_path))
