"""Cases that agree on every test: found, and merged where that is wanted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def merge_duplicates(
    codes: NDArray[np.uint8], labels: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Identical cases become one, in order of first appearance, with the most common label (ties: the first)."""
    first, group = identical_groups(codes)
    votes = np.bincount(group * n_classes + labels, minlength=len(first) * n_classes)
    winner = votes.reshape(-1, n_classes).argmax(axis=1)
    appearance = np.argsort(first)
    return codes[first[appearance]], winner[appearance].astype(np.int64)


def add_up_duplicates(
    codes: NDArray[np.uint8], labels: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.float64]]:
    """Cases that agree on every test and on the class become one that counts as much as they all do."""
    label_bytes = np.ascontiguousarray(labels, dtype=np.int64).view(np.uint8).reshape(len(labels), -1)
    first, group = identical_groups(np.hstack([codes, label_bytes]))
    appearance = np.argsort(first)
    total = np.bincount(group, weights=weights).astype(np.float64)
    return codes[first[appearance]], labels[first[appearance]], total[appearance]


def identical_groups(codes: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first row of each group of identical rows, and the group of each row."""
    rows = np.ascontiguousarray(codes).view(np.dtype((np.void, codes.shape[1]))).ravel()
    _, first, group = np.unique(rows, return_index=True, return_inverse=True)
    return first, group.ravel()
