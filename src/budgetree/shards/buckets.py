"""Buckets on disk: pieces of cases that are alike are gathered in files, and read again bucket by bucket."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from budgetree.counts import Shard
from budgetree.shards.identical import Tally, join, n_buckets, split, tally

KINDS = {"codes": np.uint8, "labels": np.int32, "units": np.int64, "n_cases": np.int64}


def grouped(shards: Sequence[Shard], folder: str | Path | None = None) -> Iterator[Tally]:
    """All cases, those alike as one, in as many buckets as memory asks for; files are in the folder while it lasts."""
    n_parts = n_buckets(sum(shard.nbytes for shard in shards))
    if n_parts == 1:
        yield join([tally(shard) for shard in shards])
        return
    n_tests = shards[0].codes.shape[1]
    with tempfile.TemporaryDirectory(prefix="budgetree-", dir=folder, ignore_cleanup_errors=True) as scratch:
        for shard in shards:
            for number, piece in enumerate(split(tally(shard), n_parts)):
                _append(Path(scratch), number, piece)
        for number in range(n_parts):
            yield join([_read(Path(scratch), number, n_tests)])


def _append(scratch: Path, number: int, piece: Tally) -> None:
    for kind in KINDS:
        with open(scratch / f"{kind}-{number}", "ab") as file:
            getattr(piece, kind).tofile(file)


def _read(scratch: Path, number: int, n_tests: int) -> Tally:
    arrays = {kind: np.fromfile(scratch / f"{kind}-{number}", dtype=dtype) for kind, dtype in KINDS.items()}
    arrays["codes"] = arrays["codes"].reshape(-1, n_tests)
    return Tally(**arrays)
