"""A folder of shards: what was written is read back, and what is broken is refused."""

from __future__ import annotations

import errno
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import random_cases

import budgetree as bt
from _support.refusals import refused
from budgetree.distributed.partition import SIZES, Sizes
from budgetree.distributed.store import new_folder, read_partitions, write_cases, write_partitions
from budgetree.errors import TableFileError
from sharding import cut


def written(folder: Path, *, weighted: bool, sizes: Sizes = SIZES) -> bt.Instance:
    instance = random_cases((200, 4, 3), weighted)
    write_partitions(folder, cut(instance, 3), sizes)
    write_cases(folder, instance.schema, instance.n_objects, instance.class_order)
    return instance


@pytest.mark.parametrize("weighted", [False, True])
def test_what_was_written_is_read_back(tmp_path: Path, weighted: bool) -> None:
    instance = written(tmp_path, weighted=weighted)
    opened = bt.Shards(tmp_path)
    assert opened.n_objects == 200
    assert opened.class_order.counts.tolist() == instance.class_order.counts.tolist()
    assert opened.class_order.n_cases == len(instance.class_order.order)
    partition, *_ = read_partitions(tmp_path, instance.schema.n_outcomes, instance.n_classes)
    assert isinstance(partition.codes.base, np.memmap)


def test_threads_read_one_header_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else Python 3.11.7 may say "SystemError: AST constructor recursion depth mismatch"."""
    written(tmp_path, weighted=True)
    load, inside, most = np.load, [0], [0]

    def watched(*arguments: Any, **settings: Any) -> Any:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.002)
        inside[0] -= 1
        return load(*arguments, **settings)

    monkeypatch.setattr(np, "load", watched)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(bt.Shards, [tmp_path] * 8))
    assert most == [1]


def test_small_partitions_are_put_together(tmp_path: Path) -> None:
    small = Sizes(file_bytes=500)
    assert write_partitions(tmp_path, cut(random_cases((200, 4, 3), weighted=False), 50), small) == 200
    sizes = [len(np.load(file)) for file in sorted(tmp_path.glob("codes-*.npy"))]
    assert sum(sizes) == 200
    assert 1 < len(sizes) < 5


def test_a_folder_without_cases_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"this is not a folder of shards.*Shards.from_files makes one"):
        bt.Shards(tmp_path)


def test_broken_files_are_refused(tmp_path: Path) -> None:
    written(tmp_path, weighted=False)
    labels, codes = tmp_path / "labels-00000.npy", tmp_path / "codes-00000.npy"
    whole = labels.read_bytes()
    np.save(labels, np.zeros(7, np.int32))
    with refused(TableFileError, found=(200, 4), expected=(7, 4), source=str(codes)):
        bt.Shards(tmp_path)
    np.save(labels, np.zeros(200))
    with refused(TableFileError, found=np.dtype("float64"), expected=np.dtype("int32"), source=str(labels)):
        bt.Shards(tmp_path)
    for broken in (b"nothing", b"", whole[:300]):
        labels.write_bytes(broken)
        with refused(TableFileError, found=None, expected=np.dtype("int32"), source=str(labels)):
            bt.Shards(tmp_path)
    labels.unlink()
    with refused(TableFileError, found=None, expected="labels-00000.npy", source=str(labels)) as caught:
        bt.Shards(tmp_path)
    assert "Write the shards again" in str(caught.value)
    labels.write_bytes(whole)
    np.save(codes, np.full((200, 4), 77, np.uint8))  # which no test has
    with pytest.raises(ValueError, match="expected outcomes from 0"):
        bt.grow(bt.Shards(tmp_path))


@pytest.mark.parametrize("kinds", [["codes"], ["codes", "labels", "weights"], ["weights"]])
def test_cases_that_are_missing_are_noticed(tmp_path: Path, kinds: list[str]) -> None:
    instance = written(tmp_path, weighted=True, sizes=Sizes(file_bytes=300))  # several
    for kind in kinds:
        (tmp_path / f"{kind}-00001.npy").unlink()
    with refused(TableFileError, expected=instance.class_order.counts.tolist(), source=str(tmp_path)):
        bt.Shards(tmp_path)


@pytest.mark.parametrize("label", [-1, 9])
def test_a_label_that_is_not_a_class_is_noticed(tmp_path: Path, label: int) -> None:
    instance = written(tmp_path, weighted=False)
    labels = np.load(tmp_path / "labels-00000.npy")
    labels[3] = label
    np.save(tmp_path / "labels-00000.npy", labels)
    with refused(TableFileError, expected=instance.class_order.counts.tolist(), source=str(tmp_path)):
        bt.Shards(tmp_path)


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    partitions = cut(random_cases((200, 4, 3), weighted=False), 3)
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty", "deep/er"):
        with new_folder(tmp_path / name) as path:
            write_partitions(path, partitions)
            assert not list((tmp_path / name).glob("*"))
        assert (tmp_path / name / "codes-00000.npy").is_file()
    with pytest.raises(IndexError), new_folder(tmp_path / "failed") as path:
        write_partitions(path, (partitions[number] for number in range(9)))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["deep", "empty", "new"]


def test_nothing_is_written_into_a_folder_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    for path in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(FileExistsError), new_folder(path):
            pytest.fail("written all the same")


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("800 requested and 0 written")  # as NumPy says it

    instance = random_cases((200, 4, 3), weighted=False)
    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OSError, match=r"800 bytes could not be written; free some of the disk") as error:
        bt.Shards.from_instance(instance, tmp_path / "shards")
    assert error.value.errno == errno.ENOSPC
    assert not list(tmp_path.iterdir())
