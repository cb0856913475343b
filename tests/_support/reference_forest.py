"""The core's forests in NumPy: out-of-bag probabilities tree by tree, and their loss over pairs of trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .coded import CodedTable

STRIDE, GROUP_STRIDE, WORD = 0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 2**64
LEAST_GAIN, PRIOR_ROWS, MAX_TRIES = 1e-6, 20.0, 6

Rows = NDArray[np.intp]
Floats = NDArray[np.float64]


def mix(x: int) -> int:
    x %= WORD
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def draw(number: int, n: int) -> int:
    return ((number >> 32) * n) >> 32


def in_words(share: float) -> int:
    """In 2^32nds."""
    return int(min(share * 2**32, 2**32 - 1))


class Split(NamedTuple):
    gain: float
    test: int
    cut: int


NONE = Split(0.0, -1, 0)


@dataclass(frozen=True)
class ReferenceForest:
    table: CodedTable
    n_trees: int = 24
    n_parts: int = 2
    min_leaf: float = 5.0
    max_depth: int = 20
    smooth: float = 1.0
    salt: int = 0

    def losses(self, tests: Sequence[int]) -> Floats:
        """Per row, over pairs of the trees that have not seen it."""
        off = self.votes(tests) - np.eye(self.table.n_classes)[self.table.labels]
        n = len(off)
        return np.asarray((off.sum(axis=0) ** 2 - (off**2).sum(axis=0)).sum(axis=1) / (n * (n - 1)))

    def votes(self, tests: Sequence[int]) -> Floats:
        """Group × row × class: by the group's tree that has not seen the row."""
        n_rows, n_groups = self.table.n_rows, self.n_trees // self.n_parts
        prior = self._class_weights(np.arange(n_rows)) / self.table.weight().sum()
        votes = np.tile(prior, (n_groups, n_rows, 1))
        for tree in range(self.n_trees if tests else 0):
            group, part = divmod(tree, self.n_parts)
            together = range(n_rows) if self.table.groups is None else self.table.groups.tolist()
            hashes = [mix(row * STRIDE + group * GROUP_STRIDE + self.salt) for row in together]
            is_out = np.array([draw(number, self.n_parts) == part for number in hashes])
            seed = mix((tree + 1) * STRIDE + self.salt)
            self._grow(tests, np.flatnonzero(~is_out), np.flatnonzero(is_out), 0, seed, prior, votes[group])
        return votes

    def _class_weights(self, rows: Rows) -> Floats:
        table = self.table
        return np.bincount(table.labels[rows], table.weight()[rows], table.n_classes).astype(float)

    def _grow(
        self, tests: Sequence[int], rows: Rows, out: Rows, depth: int, seed: int, parent: Floats, votes: Floats
    ) -> None:
        weights = self._class_weights(rows)
        shares = (weights + self.smooth * parent) / (weights.sum() + self.smooth)
        may_split = (weights > 0).sum() > 1 and weights.sum() >= 2 * self.min_leaf and depth < self.max_depth
        split, seed_of_try, ranges = NONE, seed, dict[int, tuple[int, int]]()
        for _ in range(MAX_TRIES if may_split else 0):
            if split.test < 0:
                split, seed_of_try = self._choose(tests, rows, seed_of_try, ranges), mix(seed_of_try + 3)
        if split.test < 0:
            votes[out] = shares
            return
        left = self._with_unknown(self._is_left(split.test, split.cut), split.test, rows, out, seed)
        for side, goes in ((1, left), (2, ~left)):
            self._grow(tests, rows[goes[rows]], out[goes[out]], depth + 1, mix(seed + side), shares, votes)

    def _is_left(self, test: int, cut: int) -> NDArray[np.bool_]:
        codes = self.table.codes[test]
        return np.asarray(codes <= cut if self.table.is_ordered[test] else codes == cut)

    def _with_unknown(self, left: NDArray[np.bool_], test: int, rows: Rows, out: Rows, seed: int) -> NDArray[np.bool_]:
        """Where unknown results go: in bag as the known ones of their class, left out by chance."""
        left, known, labels = left.copy(), self.table.known(test), self.table.labels
        of_all = left[rows][known[rows]].mean()
        for label in np.unique(labels[rows]):
            of_class = rows[labels[rows] == label]
            told, untold = of_class[known[of_class]], of_class[~known[of_class]]
            step = in_words((left[told].sum() + PRIOR_ROWS * of_all) / (len(told) + PRIOR_ROWS))
            sums = (seed >> 32) + step * np.arange(len(untold) + 1, dtype=object)
            left[untold] = np.diff(sums // 2**32) > 0
        step = in_words(left[rows].mean())
        for row in out[~known[out]]:
            left[row] = mix(seed + int(row) * STRIDE) >> 32 < step
        return left

    def _choose(self, tests: Sequence[int], rows: Rows, seed: int, ranges: dict[int, tuple[int, int]]) -> Split:
        """Ranges of ordered tests shrink to the cuts that may leave enough rows on either side."""
        weights = self._class_weights(rows)
        best = NONE._replace(gain=LEAST_GAIN * (weights**2).sum() / weights.sum())
        for test in tests:
            known = rows[self.table.known(test)[rows]]
            codes = np.unique(self.table.codes[test, known]).astype(int)
            if len(codes) < 2:
                continue
            low, high = ranges.setdefault(test, (int(codes[0]), int(codes[-1])))
            drawn = [low + draw(mix(seed + (test + 1) * STRIDE), high - low)] if low < high else []
            for cut in drawn if self.table.is_ordered[test] else codes:
                left = self._is_left(test, cut)[known]
                sides = [self._class_weights(side) for side in (known[left], known[~left], known)]
                n_left, n_right, n = (side.sum() for side in sides)
                of_left, of_right, of_all = ((side**2).sum() for side in sides)
                if min(n_left, n_right) < self.min_leaf:
                    ranges[test] = (cut + 1, high) if n_left < self.min_leaf else (low, cut)
                    continue
                gain = of_left / n_left + of_right / n_right - of_all / n
                if gain > best.gain:
                    best = Split(gain, test, int(cut))
        return best
