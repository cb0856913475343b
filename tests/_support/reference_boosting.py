"""The core's boosting in NumPy: bins, trees of the best leaf first, and rounds judged by the rows left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .coded import CodedTable

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
MAX_BINS, LEAST_GAIN, LEAST_CURVATURE = 64, 1e-3, 1e-6


class Cut(NamedTuple):
    gain: float = LEAST_GAIN
    test: int = -1  # index within the set
    code: int = 0
    default_left: bool = False
    asks_unknown: bool = False


@dataclass
class Node:
    rows: Mask
    values: Floats
    shift: Floats  # what of the values the rows' sums do not say
    cut: Cut
    left: int = -1
    right: int = -1


def softmax(scores: Floats) -> Floats:
    wide = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    raised = np.exp(wide - wide.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class ReferenceBoosting:
    table: CodedTable
    tests: Sequence[int]
    n_leaves: int = 12
    rate: float = 0.15
    ridge: float = 1.0
    min_leaf: int = 10

    def run(self, start: Floats, parts: NDArray[np.int32], n_rounds: int) -> tuple[list[float], list[list[list[Node]]]]:
        """The loss of the rows left out after each round, and per part the trees."""
        weights, is_out = self.table.weight(), parts[:, None] == np.arange(parts.max() + 1)
        scores = [start.copy() for _ in is_out.T]
        trees: list[list[list[Node]]] = [[] for _ in is_out.T]
        losses = []
        for round_ in range(n_rounds + 1):
            if round_ > 0:
                for of_part, out, model in zip(scores, is_out.T, trees, strict=True):
                    model.append(self.grow(of_part, ~out))
                    for node in model[-1]:
                        of_part[node.rows & (node.left < 0)] += node.values
            p = np.stack([softmax(of_part)[np.arange(len(parts)), self.table.labels] for of_part in scores], axis=1)
            losses.append(float(-(np.log(p) * is_out * weights[:, None]).sum() / weights[parts >= 0].sum()))
        return losses, trees

    def grow(self, scores: Floats, learns: Mask) -> list[Node]:
        """One tree for all columns, of the rows that it learns from."""
        p, weights = softmax(scores), self.table.weight()[:, None]
        answers, columns = np.eye(self.table.n_classes)[self.table.labels], slice(-scores.shape[1], None)
        bits = int(np.frexp(weights.sum())[1])  # rounded, so that sums are exact and equal cuts have equal gains
        shift = min(62 - int(np.frexp(self.table.n_rows)[1]), 51) - bits + 1
        gradients = np.ldexp(np.rint(np.ldexp(weights * (answers - p), 51 - bits)), bits - 51)
        curvatures = np.ldexp(np.rint(np.ldexp(weights * (p * (1 - p) + LEAST_CURVATURE), shift)), -shift)
        sums = np.stack([gradients[:, columns], curvatures[:, columns]]) * learns[:, None]
        nodes = [self._node(sums, np.ones_like(learns), learns, np.zeros(scores.shape[1]))]
        for _ in range(self.n_leaves - 1):
            best = max(nodes, key=lambda node: node.cut.gain if node.left < 0 and node.cut.test >= 0 else 0)
            if best.left >= 0 or best.cut.test < 0:
                break
            known = self.table.known(self.tests[best.cut.test])
            if (best.rows & learns & ~known).any():  # they stop here, with what the whole node adds
                best.left, best.right = len(nodes), len(nodes) + 1
                stopped = replace(best, rows=best.rows & ~known, cut=Cut(), left=-1, right=-1)
                others = self._node(sums, best.rows & known, learns, best.shift)
                shift = best.shift + best.values - others.values
                nodes += [stopped, replace(others, values=best.values, shift=shift, cut=best.cut)]
                best.cut = Cut(best.cut.gain, best.cut.test, -1, True, True)
                best = nodes[-1]
            goes_left = self._is_left(*best.cut[1:])
            best.left, best.right = len(nodes), len(nodes) + 1
            nodes += [self._node(sums, best.rows & side, learns, best.shift) for side in (goes_left, ~goes_left)]
        return nodes

    def _is_left(self, index: int, code: int, default_left: bool, asks_unknown: bool = False) -> Mask:
        test = self.tests[index]
        assert not asks_unknown
        codes = self.table.codes[test]
        return np.where(
            self.table.known(test), codes <= code if self.table.is_ordered[test] else codes == code, default_left
        )

    def _cuts(self, test: int) -> list[int]:
        """Of an ordered test with many codes, the last codes of bins of about equally many rows."""
        n = int(self.table.n_outcomes[test])
        if not self.table.is_ordered[test] or n <= MAX_BINS:
            return list(range(n))
        counts = np.bincount(self.table.codes[test][self.table.known(test)], minlength=256)[:n]
        bins = np.minimum((np.cumsum(counts) - counts) * MAX_BINS // counts.sum(), MAX_BINS - 1)
        return [int(code) for code in np.flatnonzero(np.diff(bins))]

    def _node(self, sums: Floats, rows: Mask, learns: Mask, shift: Floats) -> Node:
        gradient, curvature = sums[:, rows].sum(axis=1)
        best = Cut()
        for index, test in enumerate(self.tests):
            known = rows & learns & self.table.known(test)
            for code in self._cuts(test):
                n_left = (known & self._is_left(index, code, False)).sum()
                n_right = known.sum() - n_left
                if min(n_left, n_right) < self.min_leaf:
                    continue
                left = self._is_left(index, code, False)
                gain = self._worth(sums, known & left) + self._worth(sums, known & ~left) - self._worth(sums, known)
                if gain > best.gain + 1e-9:  # a cut through an empty code is the one before
                    best = Cut(gain, index, code, bool(n_left >= n_right))
        return Node(rows, self.rate * gradient / (curvature + self.ridge) + shift, shift, best)

    def _worth(self, sums: Floats, rows: Mask) -> float:
        gradient, curvature = sums[:, rows].sum(axis=1)
        return float((gradient**2 / (curvature + self.ridge)).sum())
