"""Cases that agree on every test: found, distinguished from copies, and merged on request; and class totals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.losses import LossTable

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no information is lost; its bits look random
MANY_VALUES = 20  # a test of more different results tells most cases from each other
BEYOND_CHANCE = 10  # times as many equal rows as chance explains are copies
MAX_REPEATS = 10  # rows on average that a row of a whole weight becomes; beyond that a weight stays a weight
MAX_REPEATED = 250_000  # rows, if there are not as many anyway


@dataclass(frozen=True, slots=True, eq=False)
class ClassTotals:
    """How much there is of each class, wherever the cases are."""

    counts: NDArray[np.int64]  # per class, in weight units
    table: LossTable
    n_cases: int  # that count: weight above 0

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def leaf_loss(self) -> int:
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


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Rows that are in a table several times, such as a patient's."""

    group: NDArray[np.int64]  # per row a number, which rows that agree on every test share

    @property
    def n_copies(self) -> int:
        """The rows that repeat another one."""
        return len(self.group) - len(np.unique(self.group))


Words = Callable[[int], NDArray[np.uint64]]  # of a test, one per row; made when they are looked at


def find_copies(words: Words, n_tests: int, *, by_chance: bool = True) -> Copies | None:
    """The rows that agree on every test; None where chance explains all of them.

        pairs of rows that agree on       all tests: 557     all but age: 25,645, and 2.1 % of all pairs agree on age
        expected by chance                537

    Different patients agree by chance, too: on a few tests of few results nearly always, on many results hardly ever.
    How often is estimated by rows that agree on all tests but one of many values. Without such a test, none is a copy.

    by_chance  False: rows that agree are copies, whatever explains them
    """
    marks = _mark(words(0), 0)
    for test in range(1, n_tests):
        marks += _mark(words(test), test)
    _, group, sizes = np.unique(marks, return_inverse=True, return_counts=True)
    n_pairs = _pairs(sizes)
    if n_pairs and by_chance and n_pairs <= BEYOND_CHANCE * _expected_pairs(words, n_tests, marks, n_pairs):
        return None
    return Copies(group.astype(np.int64)) if n_pairs else None


def _expected_pairs(words: Words, n_tests: int, marks: NDArray[np.uint64], n_pairs: float) -> float:
    """How many pairs of rows agree on all tests by chance; of estimates by several tests the largest."""
    expected = [0.0]
    for test in range(n_tests):
        word = words(test)
        sizes = np.unique(word, return_counts=True)[1]
        if len(sizes) > MANY_VALUES:
            share = float((sizes / len(word)) @ (sizes / len(word)))
            n_close = _pairs(np.unique(marks - _mark(word, test), return_counts=True)[1]) - n_pairs
            expected.append(n_close * share / (1 - share))
    return max(expected) if len(expected) > 1 else np.inf


def _mark(word: NDArray[np.uint64], test: int) -> NDArray[np.uint64]:
    """A number for each result of a test; those of all tests add up to one for the row."""
    return mix([word, np.full(len(word), test, dtype=np.uint64)])


def _pairs(sizes: NDArray[np.int64]) -> float:
    return float((sizes.astype(np.float64) * (sizes - 1)).sum() / 2)


def repeats(weights: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """The positions of the rows, each as often as its weight says; None where that is not a whole number, or too many.

    >>> repeats(np.array([1.0, 3.0, 0.0])).tolist()
    [0, 1, 1, 1]
    """
    times = np.rint(weights)
    if (times != weights).any() or times.sum() > min(MAX_REPEATS * len(times), max(MAX_REPEATED, len(times))):
        return None
    return np.repeat(np.arange(len(times)), times.astype(np.int64))


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


def dealing_order(ranks: NDArray[np.int64], repeat: int = 0) -> NDArray[np.int64]:
    """The rows in an order to deal folds along: by a hash of each one's rank and of how many equal ones came before.

    Every repeat has another order.

    Equal rows must be scattered. Dealt one after the other they would be as frequent in each fold as in the others, so
    that chance majorities among the rows learned from return in those held out: of pure noise in 3 binary tests and 100
    rows the estimated error would be 40 %. By a hash of the row they would all be in one fold, and it would be 100 %.
    """
    order = np.argsort(ranks, kind="stable")
    ordered = ranks[order]
    copy = np.empty(len(ranks), dtype=np.uint64)
    copy[order] = np.arange(len(ranks)) - np.searchsorted(ordered, ordered)
    words = [ranks.astype(np.uint64), copy, copy]
    words += [np.full(len(ranks), repeat, dtype=np.uint64)] * (repeat > 0)
    return np.lexsort((ranks, mix(words)))


def _differ(words: Iterable[NDArray[Any]], rows: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    differ = np.zeros(len(rows), dtype=bool)
    for word in words if len(rows) else ():
        differ |= word[rows] != word[others]
    return differ


def merge_duplicates(
    codes: NDArray[np.uint8], labels: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Identical cases become one: the first of each, in order, and their most common label (ties: the first)."""
    first, group = identical_groups(codes)
    votes = np.bincount(group * n_classes + labels, minlength=len(first) * n_classes)
    winner = votes.reshape(-1, n_classes).argmax(axis=1)
    appearance = np.argsort(first)
    return first[appearance], winner[appearance].astype(np.int64)


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
    ranks = canonical_order(code_words(codes))
    return np.unique(ranks, return_index=True)[1], ranks


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
