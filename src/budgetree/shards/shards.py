"""Shards: known cases as byte codes on disk, mapped into memory while they are counted."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import LevelCounter, LocalLevels, Shard, ShardedCases
from budgetree.counts.shard import class_counts
from budgetree.data.source import Reading
from budgetree.problem import Instance, Prices, Schema
from budgetree.problem.duplicates import ClassTotals, Unavoidable
from budgetree.services.clock import Clock
from budgetree.shards.buckets import grouped
from budgetree.shards.folder import new_folder, open_arrays, open_folder, write_cases, write_shards
from budgetree.shards.identical import all_unavoidable, merged_shard, unavoidable
from budgetree.shards.parts import FileParts, FrameParts, Parts, coded, find_plan
from budgetree.shards.plan import CaseRequest

AnyPath = str | PathLike[str]


class Shards(ShardedCases):
    """Known cases in a folder, for tables that are larger than memory.

    A folder is made once, by `from_files`, `from_frames` or `from_instance`, and takes a byte per case and test. `grow`
    and the greedy frontier give the same trees as from an Instance of the same rows, to the bit.

    Parameters
    ----------
    folder : str or path
        A folder that one of these has made.

    Raises
    ------
    OSError
        Where the folder holds no cases.
    ValueError
        Where a file of it is missing or broken.

    Examples
    --------
    >>> import budgetree as bt
    >>> pima = bt.datasets.load("pima")
    >>> shards = bt.Shards.from_instance(pima, "cases")
    >>> bt.grow(shards, budget=2).to_dict() == bt.grow(pima, budget=2).to_dict()
    True
    """

    def __init__(self, folder: AnyPath) -> None:
        opened = open_folder(Path(folder))
        self._folder: Path | None = Path(folder)
        self._set(opened.schema, opened.shards, opened.n_objects, opened.counts)

    def _set(self, schema: Schema, shards: Sequence[Shard], n_objects: int, counts: NDArray[np.int64]) -> None:
        totals = ClassTotals(counts, schema.loss_table, sum(map(len, shards)))
        super().__init__(schema, n_objects, totals, counts_once=all(shard.weight_units is None for shard in shards))
        self._shards = shards

    @classmethod
    def of(cls, schema: Schema, shards: Sequence[Shard], n_objects: int) -> Shards:
        """Shards that are in memory already.

        :meta private:
        """
        made = cls.__new__(cls)
        made._folder = None
        made._set(schema, shards, n_objects, class_counts(shards, len(schema.class_names)))
        return made

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
            prices, losses, levels and duplicates as in `Instance.from_frame`; weights: the column that says how much
            each row counts.

        Returns
        -------
        Shards
            The known cases.

        Raises
        ------
        ValueError
            Where the files cannot be read as tables of known cases.
        OSError
            Where the folder is not empty, or the disk is full; nothing is left then.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.datasets.frame("pima").to_csv("pima.csv", index=False)
        >>> bt.Shards.from_files("pima.csv", "diabetes", "cases").n_objects
        753
        """
        request = CaseRequest.of(target, **settings)
        return cls._made(FileParts(str(data), reading or Reading(), tuple(drop)), request, folder)

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

        Returns
        -------
        Shards
            The known cases.

        Raises
        ------
        ValueError
            Where a frame lacks a column.
        OSError
            Where the folder is not empty, or the disk is full; nothing is left then.

        Examples
        --------
        >>> import budgetree as bt
        >>> pima = bt.datasets.frame("pima")
        >>> bt.Shards.from_frames([pima[:300], pima[300:]], "diabetes", "cases").n_objects
        753
        """
        request = CaseRequest.of(target, **settings)
        return cls._made(FrameParts.of(frames, request.target), request, folder)

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

        Returns
        -------
        Shards
            The known cases.

        Raises
        ------
        ValueError
            Where `max_rows` is no whole number of at least 1.
        OSError
            Where the folder is not empty, or the disk is full; nothing is left then.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.Shards.from_instance(bt.datasets.load("figure1"), "cases", max_rows=20).n_objects
        60
        """
        with new_folder(Path(folder)) as path:
            write_shards(path, parts_of(instance, max_rows))
            write_cases(path, instance.schema, instance.n_objects, instance.class_order)
        return cls(folder)

    @classmethod
    def _made(cls, parts: Parts, request: CaseRequest, folder: AnyPath) -> Shards:
        with new_folder(Path(folder)) as path:
            plan, as_text = find_plan(parts, request)
            schema = plan.schema
            if request.duplicates == "keep":
                write_shards(path, coded(parts, plan, as_text))
                n_objects = plan.n_rows
            else:
                rows = path / "rows"  # each row is written first: those alike may be in any part
                write_shards(rows, coded(parts, plan, as_text))
                kept = open_arrays(rows, schema)
                shape = (schema.n_outcomes.astype(np.int32), len(schema.class_names))
                n_objects = write_shards(
                    path, (merged_shard(bucket, request.duplicates, *shape) for bucket in grouped(kept, path))
                )
                del kept  # files that are mapped cannot be deleted everywhere
                shutil.rmtree(rows)
            counts = class_counts(open_arrays(path, schema), len(schema.class_names))
            write_cases(path, schema, n_objects, ClassTotals(counts, schema.loss_table, n_objects))
        return cls(folder)

    def priced(self, prices: Any) -> Shards:
        """The same cases with other prices.

        Parameters
        ----------
        prices : number, dict or Prices, optional
            What tests cost; None for 1 each.

        Returns
        -------
        Shards
            With these prices.

        Raises
        ------
        ValueError
            Where the prices do not fit the tests.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.Shards.from_instance(bt.datasets.load("figure1"), "cases").priced(3).prices
        Prices(3)
        """
        other = copy(self)
        other.schema = replace(self.schema, prices=Prices.of(prices))
        _ = other.schema.table
        return other

    def levels(self, threads: int) -> LevelCounter:
        """What counts a tree's nodes, level by level.

        :meta private:
        """
        return LocalLevels(self._shards, threads)

    def _find_unavoidable(self, clock: Clock | None = None) -> Unavoidable:
        losses = self.schema.loss_table
        return all_unavoidable(unavoidable(bucket, losses) for bucket in grouped(self._shards, clock=clock))


def parts_of(instance: Instance, max_rows: int) -> Iterator[Shard]:
    """The cases of an instance that count, in their order."""
    if isinstance(max_rows, bool) or not isinstance(max_rows, int) or max_rows < 1:
        raise ValueError(f"max_rows is {max_rows!r}; expected a whole number of at least 1.")
    kept = np.flatnonzero(instance.weight_units)
    counts_once = bool((instance.weight_units[kept] == 1).all())
    shape = (instance.schema.n_outcomes.astype(np.int32), instance.n_classes)
    for first in range(0, len(kept), max_rows):
        rows = kept[first : first + max_rows]
        units = None if counts_once else instance.weight_units[rows]
        yield Shard(instance.codes[rows], instance.labels[rows].astype(np.int32), units, *shape)
