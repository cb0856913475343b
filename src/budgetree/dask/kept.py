"""KeptShard: a partition's cases in files of its worker, written once and mapped into memory while they are counted.

Codes never change. Were they values in memory, Dask would write what does not fit to disk, and write it again whenever
it had been read; files are written once, and stay in memory as long as the system has room for them.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any
from weakref import finalize

import dask
import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from budgetree.counts import Shard, Step
from budgetree.counts.shard import Counts, add, check_codes, count, move
from budgetree.shards.folder import read_shards, write_shards

SHOWN_OF_SIZE = 8  # what Dask is told is a part of the size: see __sizeof__


class KeptShard:
    """Coded cases in a folder of their own, which ends with this object, or with the worker's folder."""

    def __init__(self, shards: Iterable[Shard], n_outcomes: NDArray[np.int32], n_classes: int) -> None:
        self.n_outcomes, self.n_classes = n_outcomes, n_classes
        self._folder = Path(tempfile.mkdtemp(prefix="budgetree-", dir=_workers_folder()))
        finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        try:
            self._n_cases = write_shards(self._folder, _checked(shards))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise OSError(
                errno.ENOSPC,
                "the codes of a partition could not be written; make room on the worker's disk, or give workers "
                "another folder (`dask worker --local-directory`, or temporary-directory in Dask's settings)",
                str(self._folder),
            ) from error
        self.nbytes = sum(file.stat().st_size for file in self._folder.iterdir())

    def __len__(self) -> int:
        return self._n_cases

    def __sizeof__(self) -> int:
        """What Dask weighs. Moving the cases costs their size, so tasks should go to them; but they take none of the
        worker's memory, and must not make it write other things to disk."""
        return self.nbytes // SHOWN_OF_SIZE

    def __reduce__(self) -> tuple[Callable[..., KeptShard], tuple[Any, ...]]:
        """On another worker the cases are written again; files are seen by their own machine alone."""
        return KeptShard, (list(self.shards()), self.n_outcomes, self.n_classes)

    def shards(self) -> Iterator[Shard]:
        """All cases, some of them at a time, so that a large partition is never in memory as a whole."""
        if not self._n_cases:
            empty = np.empty((0, len(self.n_outcomes)), dtype=np.uint8)
            yield Shard(empty, np.empty(0, dtype=np.int32), None, self.n_outcomes, self.n_classes)
        yield from read_shards(self._folder, self.n_outcomes, self.n_classes, are_checked=True)

    def move(self, places: NDArray[np.int32] | None, step: Step) -> NDArray[np.int32]:
        """The new place of each case."""
        return np.concatenate([move(shard, at, step) for shard, at in self._with(places)])

    def count(self, places: NDArray[np.int32], step: Step) -> Counts:
        """What is at the slots."""
        tables = (count(shard, at, step) for shard, at in self._with(places))
        return reduce(lambda total, table: narrowed([total, table]), tables)  # large ones are not held side by side

    def _with(self, places: NDArray[np.int32] | None) -> Iterator[tuple[Shard, Any]]:
        first = 0
        for shard in self.shards():
            yield shard, None if places is None else places[first : first + len(shard)]
            first += len(shard)


def narrowed(tables: list[Counts]) -> Counts:
    """The sum, in half the bytes as long as they hold it."""
    total = add(tables)
    is_small = all(table.dtype == np.uint32 for table in tables) and int(total.max(initial=0)) < 2**32
    return total.astype(np.uint32) if is_small else total


def _checked(shards: Iterable[Shard]) -> Iterator[Shard]:
    for shard in shards:
        check_codes(shard)
        yield shard


def _workers_folder() -> str | None:
    """Where the worker keeps what it writes, which Dask deletes also after a worker that was killed."""
    try:
        return str(get_worker().local_directory)
    except ValueError:  # this thread is not a worker's
        folder: str | None = dask.config.get("temporary-directory", None)
        return folder
