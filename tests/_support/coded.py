"""Random tables of byte codes for the kernels that learn from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core

FIELDS = ("codes", "labels", "weights", "n_outcomes", "is_ordered", "missing", "n_classes", "groups")


@dataclass(frozen=True)
class CodedTable:
    codes: NDArray[np.uint8]  # test × row
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    n_outcomes: NDArray[np.int32]
    is_ordered: NDArray[np.bool_]
    missing: NDArray[np.int32]
    n_classes: int
    groups: NDArray[np.int32] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    def rows(self) -> Any:
        """The same in the core."""
        return core.CodedRows(**{name: getattr(self, name) for name in FIELDS})

    def known(self, test: int) -> NDArray[np.bool_]:
        codes = self.codes[test]
        return np.asarray((codes < self.n_outcomes[test]) & (codes != self.missing[test]))

    def weight(self) -> NDArray[np.float64]:
        return np.ones(self.n_rows) if self.weights is None else self.weights


def with_blanks(seed: int, n_rows: int, is_ordered: bool, *, by_class: bool, helps: bool) -> CodedTable:
    """Test 0 tells something, 1 as much or nothing and is unknown in half of the rows: those of class 1, or any."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n_rows)
    codes = np.clip(4 + rng.normal(size=(2, n_rows)) + labels * [[1], [1 if helps else 0]], 0, 8).astype(np.uint8)
    codes[1, labels == 1 if by_class else rng.random(n_rows) < 0.5] = 9
    few = np.array([9, 10], np.int32), np.full(2, is_ordered), np.array([-1, 9], np.int32)
    return CodedTable(codes, labels.astype(np.int32), None, *few, 2)


def random_table(
    seed: int, n_rows: int = 200, n_tests: int = 5, n_classes: int = 2, *, has_weights: bool = False
) -> CodedTable:
    """Classes that depend on the first two tests; ordered and nominal tests of few and many outcomes, some missing."""
    rng = np.random.default_rng(seed)
    n_outcomes = rng.choice([2, 3, 12, 255], n_tests).astype(np.int32)
    codes = (rng.random((n_tests, n_rows)) * n_outcomes[:, None]).astype(np.uint8)
    missing = np.where(rng.random(n_tests) < 0.4, rng.integers(0, n_outcomes), -1).astype(np.int32)
    unlisted = (rng.random((n_tests, n_rows)) < 0.1) & (rng.random((n_tests, 1)) < 0.3) & (n_outcomes[:, None] < 255)
    score = codes[0] / n_outcomes[0] * n_classes + 2 * codes[1 % n_tests] / n_outcomes[1 % n_tests]
    labels = np.floor(score + 0.4 * rng.normal(size=n_rows)).astype(np.int64) % n_classes
    return CodedTable(
        np.where(unlisted, 255, codes).astype(np.uint8),
        labels.astype(np.int32),
        rng.integers(1, 9, n_rows) / 4 if has_weights else None,
        n_outcomes,
        rng.random(n_tests) < 0.6,
        missing,
        n_classes,
    )
