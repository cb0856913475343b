"""Buckets on disk: pieces of cases that are alike are gathered in files, and read again bucket by bucket."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from budgetree.counts import Shard
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.shards.identical import Tally, join, n_buckets, split, tally

KINDS = {"codes": np.uint8, "labels": np.int32, "units": np.int64, "n_cases": np.int64}


def grouped(shards: Sequence[Shard], folder: str | Path | None = None, clock: Clock | None = None) -> Iterator[Tally]:
    """All cases, those alike as one, in as many buckets as memory asks for; files are in the folder while it lasts.

    OutOfTimeError as soon as it is likely that the clock is over before the last bucket.
    """
    n_parts = n_buckets(sum(shard.nbytes for shard in shards))
    if n_parts == 1:
        yield join(list(_tallies(shards, clock)))
        return
    n_tests = shards[0].codes.shape[1]
    with tempfile.TemporaryDirectory(prefix="budgetree-", dir=folder, ignore_cleanup_errors=True) as scratch:
        for whole in _tallies(shards, clock):
            for number, piece in enumerate(split(whole, n_parts)):
                _append(Path(scratch), number, piece)
        for number in range(n_parts):
            yield join([_read(Path(scratch), number, n_tests)])


def _tallies(shards: Sequence[Shard], clock: Clock | None) -> Iterator[Tally]:
    began = time.monotonic()
    for n_done, shard in enumerate(shards, 1):
        yield tally(shard)
        left = None if clock is None else clock.seconds_left
        n_to_do = 2 * len(shards) - n_done  # the buckets take as long again
        if left is not None and n_to_do * (time.monotonic() - began) / n_done > left:
            raise OutOfTimeError


def _append(scratch: Path, number: int, piece: Tally) -> None:
    for kind in KINDS:
        with open(scratch / f"{kind}-{number}", "ab") as file:
            getattr(piece, kind).tofile(file)


def _read(scratch: Path, number: int, n_tests: int) -> Tally:
    arrays = {kind: np.fromfile(scratch / f"{kind}-{number}", dtype=dtype) for kind, dtype in KINDS.items()}
    arrays["codes"] = arrays["codes"].reshape(-1, n_tests)
    return Tally(**arrays)
