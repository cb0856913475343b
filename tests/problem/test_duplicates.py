"""Identical rows, kept or merged; what a leaf loses and no tree can help, against fractions."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.problem import duplicates
from budgetree.problem.duplicates import canonical_order, dealing_order


def test_duplicates_merge_to_the_most_common_label_or_stay() -> None:
    frame = pd.DataFrame({"x": [1, 1, 1, 2, 2], "y": ["b", "a", "b", "b", "a"]})
    merged = bt.Instance.from_frame(frame, "y", duplicates="merge")
    found = dict(zip(merged.codes[:, 0].tolist(), merged.labels.tolist(), strict=True))
    assert found == {0: 1, 1: 0}  # a tie goes to the label that sorts first
    kept = bt.Instance.from_frame(frame, "y")
    assert kept.n_objects == 5
    assert bt.grow(kept).errors == 2


FRAME = pd.DataFrame({"x": [1, 1, 1, 2, 2], "y": ["well", "ill", "well", "well", "ill"]})


def test_with_losses_every_row_counts() -> None:
    losses = {"ill": 50}
    kept = bt.Instance.from_frame(FRAME, "y", losses=losses)
    assert kept.n_objects == 5
    with refused(SettingError, subject="duplicates", found="merge"):
        bt.Instance.from_frame(FRAME, "y", losses=losses, duplicates="merge")
    for instance in (kept, kept.rows(range(5))):
        assert instance.losses == bt.Losses(losses)
        assert instance.class_order.counts.tolist() == [2, 3]
        assert (instance.class_order.leaf_loss, instance.irreducible.units) == (3, 3)


def test_losses_that_come_later_bring_merged_rows_back() -> None:
    merged = bt.Instance.from_frame(FRAME, "y", duplicates="merge")
    assert merged.n_objects == 2
    later = merged.with_losses({"ill": 50})
    assert (later.n_objects, later.class_order.leaf_loss) == (5, 3)
    assert later.codes.tolist() == bt.Instance.from_frame(FRAME, "y", losses={"ill": 50}).codes.tolist()
    assert merged.with_losses(None).n_objects == 2


@given(st.integers(1, 20), st.integers(1, 40), st.integers(0, 2**32 - 1), st.booleans())
def test_groups_are_the_same_however_rows_are_compared(n_tests: int, n_cases: int, seed: int, collide: bool) -> None:
    codes = np.random.default_rng(seed).integers(0, 2, (n_cases, n_tests), dtype=np.uint8)
    with pytest.MonkeyPatch.context() as patched:
        if collide:  # rows that differ get the same number, as once in a blue moon
            patched.setattr(duplicates, "mix", lambda words: np.zeros(len(codes), dtype=np.uint64))
        first, group = duplicates.identical_groups(codes)
    texts = [row.tobytes() for row in codes]
    assert sorted(first.tolist()) == sorted({texts.index(text) for text in texts})
    assert [texts[first[place]] for place in group] == texts


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
    for losses, leaf_loss, errors in ((instance.losses, Fraction(3, 2), 0), ({"ill": 50}, 2, 2), (None, 1, 1)):
        losing = instance.with_losses(losses)
        assert losing.schema.loss(losing.class_order.leaf_loss) == leaf_loss
        assert bt.grow(losing, budget=0).errors == errors
        assert losing.class_order.total == 3


WORDS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=30)


@pytest.mark.parametrize("collides", [False, True])
@given(WORDS, st.randoms(use_true_random=False))
def test_ranks_are_shared_by_equal_rows_alone_and_do_not_depend_on_their_order(
    collides: bool, rows: list[tuple[int, int, int]], random: Random
) -> None:
    def ranks_of(rows: list[tuple[int, int, int]]) -> dict[tuple[int, int, int], int]:
        first, second, label = np.array(rows, dtype=np.uint64).T
        found = canonical_order([first, second], label).tolist()
        ranks = dict(zip(rows, found, strict=True))
        assert found == [ranks[row] for row in rows]
        assert sorted(ranks.values()) == list(range(len(ranks)))
        return ranks

    with pytest.MonkeyPatch.context() as patch:
        if collides:  # every row has the same hash
            patch.setattr(duplicates, "mix", lambda words: np.zeros(len(words[0]), dtype=np.uint64))
        assert ranks_of(rows) == ranks_of(random.sample(rows, len(rows)))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_rows_are_dealt_in_an_order_of_their_ranks(ranks: list[int], random: Random) -> None:
    shuffled = random.sample(ranks, len(ranks))
    orders = [np.array(given)[dealing_order(np.array(given))].tolist() for given in (ranks, shuffled)]
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == sorted(ranks)
