"""LossTable: the least loss and the best answer, against a plain twin in fractions."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetree.problem import LossTable

fractions = st.one_of(st.integers(0, 9).map(Fraction), st.fractions(0, 9, max_denominator=12))


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[Fraction]], LossTable]:
    n_classes, n_more = draw(st.integers(1, 4)), draw(st.integers(0, 2))
    row = st.lists(fractions, min_size=n_classes + n_more, max_size=n_classes + n_more)
    losses = draw(st.lists(row, min_size=n_classes, max_size=n_classes))
    return losses, LossTable.of(range(n_classes + n_more), losses)


def twin(losses: list[list[Fraction]], counts: list[int]) -> tuple[int, Fraction]:
    """The first answer of least loss, and that loss."""
    best, least = -1, Fraction(10**9)
    for answer in range(len(losses[0])):
        loss = sum((count * row[answer] for count, row in zip(counts, losses, strict=True)), Fraction(0))
        if loss < least:
            best, least = answer, loss
    return best, least


@given(tables(), st.data())
def test_the_best_answer_and_its_loss_are_the_twins(
    made: tuple[list[list[Fraction]], LossTable], data: st.DataObject
) -> None:
    losses, table = made
    counts = data.draw(
        st.lists(st.lists(st.integers(0, 20), min_size=len(losses), max_size=len(losses)), min_size=1, max_size=4)
    )
    best, least = table.best(np.array(counts)), table.least(np.array(counts))
    for position, row in enumerate(counts):
        assert (best[position], Fraction(int(least[position])) / table.scale) == twin(losses, row)
    assert table.of_counts(np.array(counts)).shape == (len(counts), len(table.answers))
    assert table.best(np.array(counts[0])) == best[0]  # one row alone


@given(tables())
def test_the_units_are_exact_and_as_large_as_can_be(made: tuple[list[list[Fraction]], LossTable]) -> None:
    losses, table = made
    assert [[Fraction(units) / table.scale for units in row] for row in table.units.tolist()] == losses
    assert math.gcd(*table.units.ravel().tolist()) in (0, 1)
    assert table.most.tolist() == [max(row) for row in table.units.tolist()]
    assert table.largest == max(table.most)
    assert pickle.loads(pickle.dumps(table)) == table
    assert hash(pickle.loads(pickle.dumps(table))) == hash(table)


@given(st.lists(st.integers(0, 20), min_size=3, max_size=3))
def test_plain_losses_are_errors(counts: list[int]) -> None:
    plain = LossTable.plain("abc")
    assert plain.is_plain
    assert plain.best(np.array(counts)) == np.argmax(counts)
    assert plain.least(np.array(counts)) == sum(counts) - max(counts)


def test_only_what_counts_errors_is_plain() -> None:
    five = LossTable.of("ab", [[Fraction(0), Fraction(5)], [Fraction(5), Fraction(0)]])
    assert five.is_plain  # in units: the fewest errors are the least loss
    assert five.scale == Fraction(1, 5)
    assert five != LossTable.plain("ab")
    assert not LossTable.of("ab", [[Fraction(0), Fraction(5)], [Fraction(1), Fraction(0)]]).is_plain
    assert not LossTable.of(
        "abc", [[Fraction(0), Fraction(1), Fraction(1)], [Fraction(1), Fraction(0), Fraction(1)]]
    ).is_plain
    assert LossTable.of("ab", [[Fraction(0)] * 2] * 2).scale == 1
    assert five != 5


def test_probabilities_have_an_expected_loss() -> None:
    table = LossTable.of(["benign", "cancer", "refer"], [[Fraction(n) for n in row] for row in ([0, 1, 4], [50, 0, 4])])
    assert table.of_counts(np.array([0.5, 0.5])).tolist() == [25, 0.5, 4]
    assert table.best(np.array([[0.99, 0.01], [0.95, 0.05], [1.0, 0.0]])).tolist() == [0, 1, 0]


@pytest.mark.parametrize("largest", [3, 2**40])
def test_losses_of_counts_are_exact_in_floats_and_beyond_them(largest: int) -> None:
    generator = np.random.default_rng(2)
    units = generator.integers(0, largest, (4, 5))
    counts = generator.integers(0, 2**20, (6, 4))  # with the larger losses the sums pass 2^53
    found = LossTable(tuple("abcde"), units, Fraction(1)).of_counts(counts)
    by_hand = [
        [sum(count * row[answer] for count, row in zip(at, units.tolist(), strict=True)) for answer in range(5)]
        for at in counts.tolist()
    ]
    assert found.tolist() == by_hand
    assert found.dtype == np.int64
