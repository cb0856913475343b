"""Drawing: which rows of a large table are sampled for new cases, by a hash of their content.

Only the hash of a row and how often it occurs decide, so that the same rows are drawn from a table in memory and from
parts of it that lie anywhere, in any order.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.duplicates import dealing_order, mix
from budgetree.problem.instance import Instance

MAX_ROWS = 250_000  # more make no better leaves, and no surer estimate
SPARE = 6  # standard deviations of how many rows are drawn: as good as never are they too few


def share_to_draw(n_rows: int) -> float:
    """The share of all rows to draw, so that MAX_ROWS are among them."""
    return min(1.0, (MAX_ROWS + SPARE * math.sqrt(MAX_ROWS)) / n_rows)


def copies_drawn(hashes: NDArray[np.uint64], counts: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """Per hash of a row, how many of the rows that have it are drawn: a share of them, up or down by chance.

    A hash alone would take all rows that are equal, or none, and one row may be half of a table.
    """
    chance = (mix([hashes, hashes]) >> np.uint64(11)) / 2.0**53
    return np.asarray(np.floor(counts * share + chance), dtype=np.int64)


def trimmed(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of rows that were drawn, by their ranks in the canonical order, the positions of MAX_ROWS, scattered."""
    return dealing_order(np.unique(ranks, return_inverse=True)[1])[:MAX_ROWS]


def drawn_rows(instance: Instance) -> NDArray[np.int64] | None:
    """The positions of the raw rows that are looked at, some perhaps several times; None for all."""
    if instance.n_rows <= MAX_ROWS:
        return None
    hashes, first, counts = np.unique(instance.row_hashes, return_index=True, return_counts=True)
    positions = np.repeat(first, copies_drawn(hashes, counts, share_to_draw(instance.n_rows)))
    return np.asarray(positions[trimmed(instance.row_ranks[positions])])
