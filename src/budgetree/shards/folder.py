"""A folder of shards: byte codes as NumPy files, which are mapped into memory, and what they mean as a model file.

cases.json             a tree of a single leaf: tests, outcomes, classes, prices, losses, class counts
codes-00000.npy        case × test, a byte each
labels-00000.npy       the class of each case
weights-00000.npy      its weight units, where cases count differently
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import Shard
from budgetree.counts.shard import joined
from budgetree.errors import TableFileError
from budgetree.learn.found import leaf_of
from budgetree.problem import Schema
from budgetree.problem.class_order import ClassTotals
from budgetree.tree import Tree

CASES = "cases.json"
SHARD_BYTES = 64 * 2**20  # of codes: large enough to be read as a stream, small enough for many to be counted at once


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """What is in a folder."""

    schema: Schema
    n_objects: int
    counts: NDArray[np.int64]  # per class, in weight units
    shards: tuple[Shard, ...]


def check_new(folder: Path) -> None:
    """An error where something would be overwritten."""
    if (folder / CASES).exists() or (folder.exists() and not folder.is_dir()):
        raise FileExistsError(
            errno.EEXIST, "there is something already; choose another folder, or delete it", str(folder)
        )


def write_shards(folder: Path, shards: Iterable[Shard]) -> int:
    """Shards in a row, small ones put together; how many cases they have."""
    folder.mkdir(parents=True, exist_ok=True)
    n_cases = number = 0
    for number, shard in enumerate(_put_together(shards)):
        np.save(folder / f"codes-{number:05}.npy", shard.codes)
        np.save(folder / f"labels-{number:05}.npy", shard.labels)
        if shard.weight_units is not None:
            np.save(folder / f"weights-{number:05}.npy", shard.weight_units)
        n_cases += len(shard)
    return n_cases


def write_cases(folder: Path, schema: Schema, n_objects: int, totals: ClassTotals) -> None:
    """What the shards mean: written last, so that a folder without it is known to be incomplete."""
    Tree(schema, leaf_of(totals.counts), n_objects).to_json(folder / CASES)


def open_folder(path: str | Path) -> Opened:
    """The shards, none of which is read yet."""
    folder = Path(path)
    if not (folder / CASES).is_file():
        raise FileNotFoundError(
            errno.ENOENT,
            f"no complete folder of shards, which has a file {CASES}; Shards.from_files makes one",
            str(folder),
        )
    leaf = Tree.from_json(folder / CASES)
    return Opened(leaf.schema, leaf.n_objects, leaf.nodes.counts[0], open_arrays(folder, leaf.schema))


def open_arrays(folder: Path, schema: Schema) -> tuple[Shard, ...]:
    """The shards of a folder, mapped into memory."""
    n_outcomes, n_classes = schema.n_outcomes.astype(np.int32), len(schema.class_names)
    shards = []
    for file in sorted(folder.glob("codes-*.npy")):
        codes, labels, weights = _mapped(file, np.uint8, 2), _mapped(_beside(file, "labels"), np.int32), None
        if _beside(file, "weights").is_file():
            weights = _mapped(_beside(file, "weights"), np.int64)
        if codes.shape != (len(labels), len(n_outcomes)) or (weights is not None and weights.shape != labels.shape):
            raise TableFileError(
                f"{file}: it has {codes.shape[0]} cases of {codes.shape[1]} tests; expected {len(labels)} of "
                f"{len(n_outcomes)}. Write the shards again."
            )
        shards.append(Shard(codes, labels, weights, n_outcomes, n_classes))
    return tuple(shards)


def delete_arrays(folder: Path) -> None:
    """The shards of a folder that were made on the way, and the folder."""
    for file in folder.glob("*-*.npy"):
        file.unlink()
    folder.rmdir()


def _beside(codes: Path, kind: str) -> Path:
    return codes.with_name(codes.name.replace("codes", kind))


def _mapped(file: Path, dtype: type[np.generic], n_dimensions: int = 1) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise TableFileError(f"{file}: this is no shard: {error}. Write the shards again.") from error
    if array.dtype != dtype or array.ndim != n_dimensions or not array.flags.c_contiguous:
        raise TableFileError(f"{file}: it holds {array.dtype}; expected {np.dtype(dtype)}. Write the shards again.")
    return array


def _put_together(shards: Iterable[Shard]) -> Iterator[Shard]:
    waiting: list[Shard] = []
    for shard in shards:
        if not len(shard):
            continue
        if waiting and sum(one.codes.nbytes for one in waiting) + shard.codes.nbytes > SHARD_BYTES:
            yield joined(waiting)
            waiting = []
        waiting.append(shard)
    if waiting:
        yield joined(waiting)
