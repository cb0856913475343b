"""Random losses and trees that have them, for tests of everything that answers."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

import budgetree as bt
from new_cases import PRICES, new_frame

REFERRING = bt.Losses({"ill": {"well": 9, "worse": 2}, "worse": 12}, answers={"refer": 0.4, "wait": [0.6, 0.1, 3]})

loss = st.one_of(st.integers(0, 12), st.fractions(0, 6, max_denominator=12), st.decimals(0, 6, places=2))


def random_losses(rng: random.Random, n_classes: int) -> bt.Losses:
    """The same from a plain generator, for tests that draw many tables."""
    rows = [[Fraction(rng.randint(0, 12), rng.choice([1, 1, 2])) for _ in range(n_classes)] for _ in range(n_classes)]
    return bt.Losses(rows, answers={"refer": rng.randint(0, 5)} if rng.random() < 0.5 else None)


@st.composite
def losses_for(draw: st.DrawFn, n_classes: int) -> bt.Losses:
    """Zeros, fractions, losses of right answers, and up to two answers that are not classes."""
    row = st.lists(loss, min_size=n_classes, max_size=n_classes)
    rows = draw(st.lists(row, min_size=n_classes, max_size=n_classes))
    return bt.Losses(rows, answers=draw(st.dictionaries(st.sampled_from(["refer", "wait"]), loss | row, max_size=2)))


def exact_losses(losses: bt.Losses | None, class_names: tuple[Any, ...]) -> list[list[Fraction]]:
    """Class × answer, by the table."""
    table = (losses or bt.Losses()).bind(class_names)
    return [[Fraction(units) / table.scale for units in row] for row in table.units.tolist()]


@cache
def losing_tree(leaves: str | None) -> bt.Tree:
    """Of rows with REFERRING: for known cases where leaves is None, else for new ones."""
    instance = bt.Instance.from_frame(new_frame(1), "class", prices=PRICES, losses=REFERRING, binning="uniform")
    if leaves is None:
        return bt.grow(instance, budget=3)
    return bt.predictive(instance, budget=3, leaves=leaves)  # type: ignore[arg-type]


def answers_by_hand(tree: bt.Tree, codes: np.ndarray[Any, Any]) -> list[int]:
    """The first answer of least expected loss, by each row's probabilities."""
    rows = exact_losses(tree.schema.losses, tree.class_names)
    found = []
    for shares in tree.walk_codes(codes).probabilities.tolist():
        expected = [0.0] * len(rows[0])
        for share, row in zip(shares, rows, strict=True):
            expected = [total + share * float(loss) for total, loss in zip(expected, row, strict=True)]
        found.append(min(range(len(expected)), key=lambda answer: round(expected[answer], 9)))
    return found


@cache
def losing_frontier(folds: int = 0) -> bt.Frontier:
    """Of the same rows, by exact search."""
    instance = bt.Instance.from_frame(new_frame(1), "class", prices=PRICES, losses=REFERRING, binning="uniform")
    return bt.frontier(instance, max_budget=3, folds=folds, objective="known")
