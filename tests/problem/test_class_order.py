"""What a single leaf loses, and what no tree can help, against plain twins in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt

cases = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 2), st.integers(0, 3)), min_size=1)
losses_of_three = st.lists(st.fractions(0, 5, max_denominator=6), min_size=9, max_size=9)


def least(rows: list[list[Fraction]], members: list[tuple[int, int]]) -> Fraction:
    """The least loss that one answer for all members (class and weight) has."""
    return min(
        sum((weight * rows[true][answer] for true, weight in members), Fraction(0)) for answer in range(len(rows[0]))
    )


@given(cases, losses_of_three, st.none() | st.fractions(0, 3, max_denominator=4))
def test_the_loss_of_a_leaf_and_of_identical_cases(
    table: list[tuple[int, int, int, int]], flat: list[Fraction], refer: Fraction | None
) -> None:
    array = np.array(table)
    if not array[:, 3].any():
        array[0, 3] = 1
    rows = [flat[0:3], flat[3:6], flat[6:9]]
    extra = {} if refer is None else {"refer": refer}
    instance = bt.Instance(
        array[:, :2], array[:, 2], weights=array[:, 3], class_names="abc", losses=bt.Losses(rows, answers=extra)
    )
    rows = [row + list(extra.values()) for row in rows]
    counted = [case for case in array.tolist() if case[3]]
    expected = least(rows, [(true, weight) for _, _, true, weight in counted])
    assert instance.schema.loss(instance.class_order.leaf_loss) == expected
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for first, second, true, weight in counted:
        groups.setdefault((first, second), []).append((true, weight))
    remains = sum((least(rows, members) for members in groups.values()), Fraction(0))
    assert instance.schema.loss(instance.irreducible.units) == remains
    mixed = [members for members in groups.values() if len({true for true, _ in members}) > 1]
    assert instance.irreducible.n_objects == sum(map(len, mixed))


def test_a_leaf_that_refers_makes_no_error() -> None:
    instance = bt.Instance(
        [[0], [0], [0]], ["ill", "well", "well"], losses=bt.Losses({"ill": 50}, answers={"refer": 0.5})
    )
    order = instance.class_order
    assert (instance.schema.loss(order.leaf_loss), order.leaf_errors) == (Fraction(3, 2), 0)
    order = instance.with_losses({"ill": 50}).class_order
    assert (order.leaf_loss, order.leaf_errors) == (2, 2)
    order = instance.with_losses(None).class_order
    assert (order.leaf_loss, order.leaf_errors, order.total) == (1, 1, 3)
