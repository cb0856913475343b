"""Shards: known cases in a folder of partitions, mapped into memory while they are counted.

cases.json             a tree of a single leaf: tests, outcomes, classes, prices, losses, class counts
codes-00000.npy        case × test, a byte each
labels-00000.npy       the class of each case
weights-00000.npy      its weight units, where cases count differently
drawn.json             of the rows that trees for new cases are learned from: which tests have numbers
drawn-codes.npy        row × test; and their numbers, labels and weights
"""

from __future__ import annotations

import errno
import json
import shutil
import threading
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.source import Reading
from budgetree.distributed.cases import LocalCases
from budgetree.distributed.drawn import DrawnRows, NumberTest, drawn_of
from budgetree.distributed.partition import (
    SIZES,
    Partition,
    Sizes,
    bucketed,
    class_counts,
    joined,
    merged,
    partitions_of,
    shape_of,
)
from budgetree.distributed.prepare import (
    CaseRequest,
    DrawnPart,
    Parts,
    encoded,
    find_plan,
    gathered,
    parts_of_files,
    parts_of_frames,
)
from budgetree.errors import FileError, SettingError, TableFileError, Where
from budgetree.problem import Instance, Schema
from budgetree.problem.duplicates import ClassTotals
from budgetree.problem.prices import left_out_sentence
from budgetree.services.files import part_name, read_json, remove_orphans
from budgetree.tree import Tree
from budgetree.tree.builder import grown_tree
from budgetree.tree.grown import leaf_nodes
from budgetree.tree.leaves import is_whole
from budgetree.tree.provenance import Origin

AnyPath = str | PathLike[str]
CASES = "cases.json"
DRAWN = "drawn.json"


class Shards(LocalCases):
    """Known cases in a folder, for tables that are larger than memory.

    A folder is made once, by `from_files`, `from_frames` or `from_instance`, and takes a byte per case and test. `grow`
    and the greedy frontier give the same trees as from an Instance of the same rows, to the bit.

    Parameters
    ----------
    folder : str or path
        A folder that one of these has made.

    Examples
    --------
    >>> import budgetree as bt
    >>> pima, frame = bt.datasets.load("pima"), bt.datasets.frame("pima")
    >>> shards = bt.Shards.from_instance(pima, "cases")
    >>> bt.grow(shards, budget=2).to_dict() == bt.grow(pima, budget=2).to_dict()
    True
    >>> frame.to_csv("pima.csv", index=False)
    >>> bt.Shards.from_files("pima.csv", "diabetes", "from files").n_objects
    768
    >>> bt.Shards.from_frames([frame[:300], frame[300:]], "diabetes", "from frames").n_objects
    768
    """

    def __init__(self, folder: AnyPath) -> None:
        path = Path(folder)
        if not (path / CASES).is_file():
            reason = f"this is not a folder of shards, which has a file {CASES}; Shards.from_files makes one"
            raise FileNotFoundError(errno.ENOENT, reason, str(path))
        leaf = Tree.from_json(path / CASES)
        schema, expected = leaf.schema, leaf.nodes.counts[0].tolist()
        super().__init__(schema, _partitions(path, schema), leaf.n_objects, drawn=partial(read_drawn, path, schema))
        if (found := self.class_order.counts.tolist()) != expected:
            message = f"the cases are not those that {CASES} describes; a file is missing, or was changed."
            raise _broken(path, message, found, expected)

    @classmethod
    def from_files(
        cls,
        data: str,
        target: str,
        folder: AnyPath,
        *,
        drop: Collection[str] = (),
        reading: Reading | None = None,
        **settings: Any,
    ) -> Shards:
        """Read CSV or Parquet files of any size into a new folder.

        Parameters
        ----------
        data : str
            The files, by a pattern such as `data/*.parquet`.
        target : str
            The column with the classes.
        folder : str or path
            Where the cases are kept; it must not hold anything yet.
        drop : collection of str, default ()
            Columns to leave out.
        reading : Reading, optional
            What the files do not say themselves.
        **settings : optional
            prices, losses, levels, binning, duplicates as in `Instance.from_frame`; weights: the column that says how
            much each row counts.
        """
        how, request = reading or Reading(), CaseRequest.of(target, **settings)
        prices, needing = request.prices.leaving_out([*how.drop, *drop])
        if needing:
            warnings.warn(left_out_sentence(needing), stacklevel=2)
        parts = parts_of_files(str(data), replace(how, drop=(*how.drop, *drop, *needing)))
        return cls._made(parts, replace(request, prices=prices), folder)

    @classmethod
    def from_frames(cls, frames: Any, target: str, folder: AnyPath, **settings: Any) -> Shards:
        """The known cases of data frames, one after the other, in a new folder.

        Parameters
        ----------
        frames : list or callable
            The data frames, or a function that gives them one after the other.
        target : str
            The column with the classes.
        folder : str or path
            Where the cases are kept; it must not hold anything yet.
        **settings : optional
            As in `from_files`.
        """
        request = CaseRequest.of(target, **settings)
        return cls._made(parts_of_frames(frames, request.target), request, folder)

    @classmethod
    def from_instance(cls, instance: Instance, folder: AnyPath, *, max_rows: int = 1_000_000) -> Shards:
        """The cases of an instance, in a new folder.

        Parameters
        ----------
        instance : Instance
            The known cases.
        folder : str or path
            Where the cases are kept; it must not hold anything yet.
        max_rows : int, default 1000000
            At most so many cases are in a shard.

        Raises
        ------
        ValueError
            Where `max_rows` is not a whole number of at least 1.
        OSError
            Where the folder is not empty, or the disk is full; nothing is left then.
        """
        if not is_whole(max_rows) or max_rows < 1:
            raise SettingError.refusing("max_rows", max_rows, "a whole number of at least 1")
        with new_folder(Path(folder)) as path:
            write_partitions(path, partitions_of(instance, max_rows))
            write_drawn(path, *drawn_of(instance))
            write_cases(path, instance.schema, instance.n_objects, instance.class_order)
        return cls(folder)

    @classmethod
    def _made(cls, parts: Parts, request: CaseRequest, folder: AnyPath) -> Shards:
        with new_folder(Path(folder)) as path:
            plan, sizes = find_plan(parts, request), request.sizes
            schema, n_objects = plan.schema, plan.n_rows
            drawn: list[DrawnPart] = []
            rows = encoded(parts.tables(plan.as_text), plan, drawn=drawn)
            if request.duplicates == "keep":
                write_partitions(path, rows, sizes)
            else:
                every = path / "rows"  # each row is written first: its duplicates may be in any part
                write_partitions(every, rows, sizes)
                written = _partitions(every, schema)
                buckets = bucketed(written, sizes.bucket_bytes, path)
                different = (merged(bucket, *shape_of(schema)) for bucket in buckets)
                n_objects = write_partitions(path, different, sizes)
                del written  # files that are mapped cannot be deleted everywhere
                shutil.rmtree(every)
            write_drawn(path, gathered(drawn, plan), plan.numbers)
            counts = class_counts(_partitions(path, schema), len(schema.class_names))
            write_cases(path, schema, n_objects, ClassTotals(counts, schema.loss_table, n_objects))
        return cls(folder)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Where to write what becomes the folder in one step, at the end; nothing is left of what fails."""
    folder = folder.resolve()  # what a link leads to
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        reason = "there is something already; choose another folder, or delete it"
        raise FileExistsError(errno.EEXIST, reason, str(folder))
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


def write_partitions(folder: Path, partitions: Iterable[Partition], sizes: Sizes = SIZES) -> int:
    """Partitions in a row, small ones put together; how many cases they have."""
    folder.mkdir(parents=True, exist_ok=True)
    n_cases = 0
    for number, one in enumerate(_put_together(partitions, sizes.file_bytes)):
        _ = one.in_core  # which checks outcomes and classes
        _save(folder / f"codes-{number:05}.npy", one.codes)
        _save(folder / f"labels-{number:05}.npy", one.labels)
        if one.weight_units is not None:
            _save(folder / f"weights-{number:05}.npy", one.weight_units)
        n_cases += len(one)
    return n_cases


def write_cases(folder: Path, schema: Schema, n_objects: int, totals: ClassTotals) -> None:
    """What the partitions mean, and what they add up to."""
    grown_tree(schema, leaf_nodes(schema, totals.counts), n_objects, Origin()).to_json(folder / CASES)


def write_drawn(folder: Path, rows: DrawnRows, tests: Sequence[NumberTest]) -> None:
    for field in fields(rows):
        _save(folder / f"drawn-{field.name}.npy", getattr(rows, field.name))
    (folder / DRAWN).write_text(json.dumps([asdict(test) for test in tests]), encoding="utf-8")


def read_drawn(folder: Path, schema: Schema) -> Instance:
    kinds: dict[str, tuple[type[np.generic], int]] = {
        "codes": (np.uint8, 2),
        "numbers": (np.float64, 2),
        "labels": (np.int32, 1),
        "weights": (np.float64, 1),
    }
    arrays = {name: _mapped(folder / f"drawn-{name}.npy", *kind) for name, kind in kinds.items()}
    try:
        listed = read_json(folder / DRAWN, FileError)
        tests = [
            NumberTest(str(one["name"]), tuple(map(float, one["censored"])), bool(one["is_exact"])) for one in listed
        ]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _broken(folder / DRAWN, "this is not a list of tests that have numbers.", None, DRAWN) from error
    rows, n_rows = DrawnRows(**arrays), len(arrays["labels"])
    found = (rows.codes.shape, rows.numbers.shape, rows.weights.shape)
    expected = ((n_rows, len(schema.test_names)), (n_rows, len(tests)), (n_rows,))
    names = [test.name for test in tests]
    if found != expected or not set(names) <= set(schema.test_names) or len(set(names)) < len(names):
        raise _broken(folder / DRAWN, f"the rows have {found}; expected {expected}.", found, expected)
    try:
        _ = Partition(rows.codes, rows.labels, None, *shape_of(schema)).in_core  # which checks outcomes and classes
    except ValueError as error:
        raise _broken(folder / "drawn-codes.npy", f"{error}.", None, "outcomes and classes") from error
    return rows.instance(schema, tests)


def read_partitions(
    folder: Path, n_outcomes: NDArray[np.int32], n_classes: int, *, are_checked: bool = False
) -> Iterator[Partition]:
    """One after the other; each is in memory as long as it is referred to."""
    for file in sorted(folder.glob("codes-*.npy")):
        of_labels, of_weights = (file.with_name(file.name.replace("codes", kind)) for kind in ("labels", "weights"))
        codes, labels = _mapped(file, np.uint8, 2), _mapped(of_labels, np.int32)
        weights = _mapped(of_weights, np.int64) if of_weights.is_file() else None
        found, expected = codes.shape, (len(labels), len(n_outcomes))
        if found != expected or (weights is not None and weights.shape != labels.shape):
            message = f"it has {found[0]} cases of {found[1]} tests; expected {expected[0]} of {expected[1]}."
            raise _broken(file, message, found, expected)
        yield Partition(codes, labels, weights, n_outcomes, n_classes, are_checked)


def _partitions(folder: Path, schema: Schema) -> tuple[Partition, ...]:
    return tuple(read_partitions(folder, *shape_of(schema)))


# NumPy has Python parse a file's header, which fails now and then where two threads of 3.11 do so (gh-106905).
_one_header = threading.Lock()


def _mapped(file: Path, dtype: type[np.generic], n_dimensions: int = 1) -> NDArray[Any]:
    try:
        with _one_header:
            array: NDArray[Any] = np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
    except FileNotFoundError as error:
        raise _broken(file, "the file is missing.", None, file.name) from error
    except OSError:
        raise
    except Exception as error:  # NumPy has Python parse the header, which may be anything
        raise _broken(file, "this is not an array of NumPy, or not all of it.", None, np.dtype(dtype)) from error
    if array.dtype != dtype or array.ndim != n_dimensions or not array.flags.c_contiguous:
        raise _broken(file, f"it holds {array.dtype}; expected {np.dtype(dtype)}.", array.dtype, np.dtype(dtype))
    return array


def _broken(file: Path, message: str, found: object, expected: object) -> TableFileError:
    return TableFileError(f"{message} Write the shards again.", found=found, expected=expected, where=Where(str(file)))


def _save(file: Path, array: NDArray[Any]) -> None:
    try:
        np.save(file, array)
    except OSError as error:
        if error.errno is not None:
            raise
        reason = f"{array.nbytes:,} bytes could not be written; free some of the disk"  # the system's is lost in NumPy
        raise OSError(errno.ENOSPC, reason, str(file)) from error


def _put_together(partitions: Iterable[Partition], file_bytes: int) -> Iterator[Partition]:
    waiting: list[Partition] = []
    for partition in filter(len, partitions):
        if waiting and sum(one.codes.nbytes for one in waiting) + partition.codes.nbytes > file_bytes:
            yield joined(waiting)
            waiting = []
        waiting.append(partition)
    if waiting:
        yield joined(waiting)
