"""A folder of shards: byte codes as NumPy files, which are mapped into memory, and what they mean as a model file.

cases.json             a tree of a single leaf: tests, outcomes, classes, prices, losses, class counts
codes-00000.npy        case × test, a byte each
labels-00000.npy       the class of each case
weights-00000.npy      its weight units, where cases count differently
"""

from __future__ import annotations

import errno
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import Shard
from budgetree.counts.shard import class_counts, joined
from budgetree.errors import TableFileError
from budgetree.learn.found import leaf_of
from budgetree.problem import Schema
from budgetree.problem.duplicates import ClassTotals
from budgetree.services.files import part_name, remove_orphans
from budgetree.services.words import counted
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


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Where to write what becomes the folder in one step, at the end; nothing is left of what fails."""
    folder = folder.resolve()  # what a link leads to
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FileExistsError(
            errno.EEXIST, "there is something already; choose another folder, or delete it", str(folder)
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_orphans(folder.parent)
    part = folder.parent / part_name()
    part.mkdir()
    try:
        yield part
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_shards(folder: Path, shards: Iterable[Shard]) -> int:
    """Shards in a row, small ones put together; how many cases they have."""
    folder.mkdir(parents=True, exist_ok=True)
    n_cases = 0
    for number, shard in enumerate(_put_together(shards)):
        _save(folder / f"codes-{number:05}.npy", shard.codes)
        _save(folder / f"labels-{number:05}.npy", shard.labels)
        if shard.weight_units is not None:
            _save(folder / f"weights-{number:05}.npy", shard.weight_units)
        n_cases += len(shard)
    return n_cases


def write_cases(folder: Path, schema: Schema, n_objects: int, totals: ClassTotals) -> None:
    """What the shards mean, and what they add up to."""
    Tree(schema, leaf_of(totals.counts), n_objects).to_json(folder / CASES)


def open_folder(path: str | Path) -> Opened:
    """The shards, of which only the classes are read yet, to see that they are all there."""
    folder = Path(path)
    if not (folder / CASES).is_file():
        raise FileNotFoundError(
            errno.ENOENT,
            f"this is no folder of shards, which has a file {CASES}; Shards.from_files makes one",
            str(folder),
        )
    leaf = Tree.from_json(folder / CASES)
    counts, shards = leaf.nodes.counts[0], open_arrays(folder, leaf.schema)
    if class_counts(shards, len(counts)).tolist() != counts.tolist():
        raise TableFileError(
            f"{folder}: the cases in {counted(len(shards), 'shard')} are not those that {CASES} tells of; a file is "
            "missing, or was changed. Write the shards again."
        )
    return Opened(leaf.schema, leaf.n_objects, counts, shards)


def open_arrays(folder: Path, schema: Schema) -> tuple[Shard, ...]:
    """The shards of a folder, mapped into memory."""
    return tuple(read_shards(folder, schema.n_outcomes.astype(np.int32), len(schema.class_names)))


def read_shards(
    folder: Path, n_outcomes: NDArray[np.int32], n_classes: int, *, are_checked: bool = False
) -> Iterator[Shard]:
    """One after the other; each is in memory as long as somebody holds it."""
    for file in sorted(folder.glob("codes-*.npy")):
        codes, labels, weights = _mapped(file, np.uint8, 2), _mapped(_beside(file, "labels"), np.int32), None
        if _beside(file, "weights").is_file():
            weights = _mapped(_beside(file, "weights"), np.int64)
        if codes.shape != (len(labels), len(n_outcomes)) or (weights is not None and weights.shape != labels.shape):
            raise TableFileError(
                f"{file}: it has {codes.shape[0]} cases of {codes.shape[1]} tests; expected {len(labels)} of "
                f"{len(n_outcomes)}. Write the shards again."
            )
        yield Shard(codes, labels, weights, n_outcomes, n_classes, are_checked)


def _beside(codes: Path, kind: str) -> Path:
    return codes.with_name(codes.name.replace("codes", kind))


# NumPy has Python parse a file's header, which fails now and then where two threads of 3.11 do so (gh-106905).
_one_header = threading.Lock()


def _mapped(file: Path, dtype: type[np.generic], n_dimensions: int = 1) -> NDArray[Any]:
    try:
        with _one_header:
            array: NDArray[Any] = np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
    except FileNotFoundError as error:
        raise TableFileError(f"{file}: there is no such file. Write the shards again.") from error
    except (ValueError, EOFError) as error:
        raise TableFileError(f"{file}: this is no shard: {error}. Write the shards again.") from error
    if array.dtype != dtype or array.ndim != n_dimensions or not array.flags.c_contiguous:
        raise TableFileError(f"{file}: it holds {array.dtype}; expected {np.dtype(dtype)}. Write the shards again.")
    return array


def _save(file: Path, array: NDArray[Any]) -> None:
    try:
        np.save(file, array)
    except OSError as error:
        if error.errno is not None:
            raise
        raise OSError(  # NumPy counts bytes where the system's reason is lost
            errno.ENOSPC, f"a shard of {array.nbytes:,} bytes could not be written; make room on the disk", str(file)
        ) from error


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
