"""Cases that agree on every test: found, merged where that is wanted, and what they and the classes come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.losses import LossTable

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no information is lost; its bits look random


@dataclass(frozen=True, slots=True, eq=False)
class ClassTotals:
    """How much there is of each class, wherever the cases are."""

    counts: NDArray[np.int64]  # per class, in weight units
    table: LossTable
    n_cases: int  # that count: weight above 0

    @property
    def total(self) -> int:
        """The weight units of all cases."""
        return int(self.counts.sum())

    @property
    def leaf_loss(self) -> int:
        """What a single leaf loses, in loss units."""
        return int(self.table.least(self.counts))


@dataclass(frozen=True, slots=True, eq=False)
class ClassOrder(ClassTotals):
    """The cases that count, sorted by class and then by position."""

    order: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Unavoidable:
    """What no tree can separate: cases that agree on every test but not on the class."""

    units: int  # the loss that remains, in loss units
    n_objects: int  # the cases that are identical to one of another class


@dataclass(frozen=True, slots=True, eq=False)
class Irreducible(Unavoidable):
    """The same where the cases are at hand."""

    outvoted: NDArray[np.int64]  # per case in the class order, its loss units under the best answer for all like it


def canonical_order(words: Iterable[NDArray[np.uint64]], *others: NDArray[Any]) -> NDArray[np.int64]:
    """Per row its rank in the canonical order, which equal rows share.

        tests    7 1 0    3 3 1    7 1 0    3 3 1     the words of each row
        label      0        1        0        0
        rank       0        2        0        1

    Rows are ordered by a hash of their tests, then by label and weight: the order depends on which rows there are, and
    not on the order in which they come. The words may be made anew each time that they are gone through.
    """
    mixed = mix(words)
    rows = np.lexsort((*others[::-1], mixed))
    ties = np.flatnonzero(mixed[rows[1:]] == mixed[rows[:-1]])
    if _differ(words, rows[ties], rows[ties + 1]).any():  # different tests with one hash: rare beyond measure
        rows = np.lexsort((*others[::-1], *words, mixed))
    is_new = np.ones(len(rows), dtype=bool)
    is_new[ties + 1] = _differ(chain(words, others), rows[ties], rows[ties + 1])
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[rows] = np.cumsum(is_new) - 1
    return ranks


def dealing_order(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows in an order to deal folds along: by a hash of each one's rank and of how many equal ones came before.

    Equal rows must be scattered. Dealt one after the other they would be as frequent in each fold as in the others, so
    that chance majorities among the rows learned from return in those held out: of pure noise in 3 binary tests and 100
    rows the estimated error would be 40 %. By a hash of the row they would all be in one fold, and it would be 100 %.
    """
    order = np.argsort(ranks, kind="stable")
    ordered = ranks[order]
    copy = np.empty(len(ranks), dtype=np.uint64)
    copy[order] = np.arange(len(ranks)) - np.searchsorted(ordered, ordered)
    return np.lexsort((ranks, mix([ranks.astype(np.uint64), copy, copy])))


def _differ(words: Iterable[NDArray[Any]], rows: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Per pair of rows, whether they differ."""
    differ = np.zeros(len(rows), dtype=bool)
    for word in words if len(rows) else ():
        differ |= word[rows] != word[others]
    return differ


def merge_duplicates(
    codes: NDArray[np.uint8], labels: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Identical cases become one, in order of first appearance, with the most common label (ties: the first)."""
    first, group = identical_groups(codes)
    votes = np.bincount(group * n_classes + labels, minlength=len(first) * n_classes)
    winner = votes.reshape(-1, n_classes).argmax(axis=1)
    appearance = np.argsort(first)
    return codes[first[appearance]], winner[appearance].astype(np.int64)


def loss_among_identical(
    codes: NDArray[np.uint8], labels: NDArray[np.int64], weights: NDArray[np.int64], table: LossTable
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Per case the loss that every tree has on it, in units; and whether a case identical to it has another class.

    A tree cannot separate identical cases: at best it gives all of them the answer that loses least.

        tests   class  weight     answer well    answer ill               loss, where each error costs 1
        0 1 0   ill      2     ┐                                              0
        0 1 0   ill      1     ├  loses 3        loses 1  →  ill              0
        0 1 0   well     1     ┘                                              1     every tree is wrong here
        1 1 0   well     1        loses 0        loses 1  →  well             0
    """
    group = identical_groups(codes)[1]
    votes = np.zeros((int(group.max(initial=-1)) + 1, table.n_classes), dtype=np.int64)
    np.add.at(votes, (group, labels), weights)
    lost: NDArray[np.int64] = table.units[labels, table.best(votes)[group]] * weights
    is_mixed: NDArray[np.bool_] = (votes > 0).sum(axis=1) > 1
    return lost, is_mixed[group]


def identical_groups(codes: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first row of each group of identical rows, and the group of each row."""
    _, first, group = np.unique(mixed_numbers(codes), return_index=True, return_inverse=True)
    if np.array_equal(codes[first[group]], codes):
        return first, group
    # Two rows that differ have the same number: rare beyond measure, and then the bytes are compared.
    rows = np.ascontiguousarray(codes).view(np.dtype((np.void, codes.shape[1]))).ravel()
    _, first, group = np.unique(rows, return_index=True, return_inverse=True)
    return first, group.ravel()


def mixed_numbers(codes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """A number for each row, the same for identical rows: sorting numbers is far faster than sorting bytes."""
    return mix(code_words(codes))


def code_words(codes: NDArray[np.uint8]) -> list[NDArray[np.uint64]]:
    """The codes of each row in words of eight bytes."""
    n_rows, n_bytes = codes.shape
    padded = np.zeros((n_rows, -(-n_bytes // 8) * 8), dtype=np.uint8)
    padded[:, :n_bytes] = codes
    return list(padded.view("<u8").T)


def mix(words: Iterable[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """One number from the words of each row, of which there is at least one."""
    mixed: NDArray[np.uint64] | None = None
    for word in words:
        mixed = (word if mixed is None else mixed ^ word) * MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
    assert mixed is not None
    return mixed
