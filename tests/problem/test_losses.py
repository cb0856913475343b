"""Losses: what a user may give and what is refused; LossTable: least loss and best answer, against fractions."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import LossesError
from budgetree.problem import LossTable

CLASSES = ("benign", "cancer")


def exact(losses: bt.Losses, class_names: Any = CLASSES) -> list[list[Fraction]]:
    table = losses.bind(class_names)
    return [[Fraction(units) / table.scale for units in row] for row in table.units.tolist()]


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        (bt.Losses(), [[0, 1], [1, 0]]),
        (bt.Losses({"cancer": {"benign": 50}, "benign": {"cancer": 1}}), [[0, 1], [50, 0]]),
        (bt.Losses({"cancer": {"benign": 50, "cancer": 2}}), [[0, 1], [50, 2]]),
        (bt.Losses({"cancer": 50}), [[0, 1], [50, 0]]),
        (bt.Losses([[0, 1], [50, 0]]), [[0, 1], [50, 0]]),
        (bt.Losses(np.array([[0, 0.5], [50, 0.25]])), [[0, Fraction(1, 2)], [50, Fraction(1, 4)]]),
        (bt.Losses({"cancer": Decimal("0.1"), "benign": Fraction(1, 3)}), [[0, Fraction(1, 3)], [Fraction(1, 10), 0]]),
        (bt.Losses(answers={"refer": 0.3}), [[0, 1, Fraction(3, 10)], [1, 0, Fraction(3, 10)]]),
        (bt.Losses(answers={"refer": {"cancer": 1, "benign": 5}}), [[0, 1, 5], [1, 0, 1]]),
        (bt.Losses(answers={"refer": np.array([5, 1])}), [[0, 1, 5], [1, 0, 1]]),
        (bt.Losses(answers={"refer": [5, 1], "wait": 2}), [[0, 1, 5, 2], [1, 0, 1, 2]]),
    ],
)
def test_what_is_named_and_what_is_not(losses: bt.Losses, expected: list[list[Any]]) -> None:
    assert exact(losses) == expected
    assert losses.bind(CLASSES).answers == (*CLASSES, *losses.answers)
    assert pickle.loads(pickle.dumps(losses)) == losses


def test_one_number_for_a_class_is_whatever_is_answered_instead() -> None:
    assert exact(bt.Losses({"b": 7}), ("a", "b", "c")) == [[0, 1, 1], [7, 0, 7], [1, 1, 0]]


def test_a_class_may_be_named_by_its_text_as_a_file_must() -> None:
    assert exact(bt.Losses({"1": {"0": 50}}), (0, 1)) == exact(bt.Losses({1: {0: 50}}), (0, 1)) == [[0, 1], [50, 0]]
    assert exact(bt.Losses({"1": 3}), (1, "1")) == [[0, 1], [3, 0]]
    with refused(LossesError, subject="1", found=None):
        bt.Losses({1: 3, "1": 4}).bind((0, 1))


@pytest.mark.parametrize(
    ("losses", "answers", "fields"),
    [
        ({"cancer": {"benign": float("inf")}}, {}, {"subject": "cancer", "found": float("inf")}),
        ({"cancer": "much"}, {}, {"subject": "cancer", "found": "much"}),
        ({"cancer": True}, {}, {"subject": "cancer", "found": True}),
        ({"cancer": 1e31}, {}, {"subject": "cancer", "found": 1e31}),
        ({"canser": 50}, {}, {"subject": "canser", "expected": CLASSES}),
        ({"cancer": {"bening": 50}}, {}, {"subject": "bening", "expected": CLASSES}),
        ({"cancer": {"refer": 1}}, {"refer": 4}, {"subject": "cancer", "found": "refer"}),
        ({}, {"refer": {"cancer": 1}}, {"subject": "refer", "found": ("benign",)}),
        ({}, {"refer": {"cancer": 1, "ill": 2}}, {"subject": "ill", "expected": CLASSES}),
        ({}, {"refer": [1, 2, 3]}, {"subject": "refer", "found": 3, "expected": 2}),
        ({}, {"refer": -4}, {"subject": "refer", "found": -4}),
        ({}, {"cancer": 4}, {"subject": "cancer"}),
        ({}, {3: 4}, {"subject": "answers", "found": 3}),
        ({}, 4, {"subject": "answers", "found": 4}),
        (5, {}, {"found": 5}),
        ("cancer", {}, {"found": "cancer"}),
        ([[0, 1]], {}, {"found": (2,)}),
        ([[0, 1], [-50, 0]], {}, {"found": -50}),
        (np.zeros((3, 3)), {}, {"found": 3, "expected": 2}),
        ({"cancer": Fraction(1, 3**40)}, {}, {"found": 3**40}),
    ],
)
def test_what_is_not_a_loss_is_refused_by_name(losses: Any, answers: Any, fields: dict[str, Any]) -> None:
    with refused(LossesError, **fields):
        bt.Losses(losses, answers=answers).bind(CLASSES)


def test_a_negative_loss_says_what_losses_must_be() -> None:
    message = "losses: the loss of missing class 'cancer' is -1; losses must be finite numbers of at least 0."
    with pytest.raises(LossesError, match=f"^{message}$"):
        bt.Losses({"cancer": -1})
    with pytest.raises(LossesError, match="class 'cancer' is nan"):
        bt.Losses({"cancer": float("nan")})


def test_a_data_frame_is_asked_for_its_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[0, 1], [50, 0]], index=CLASSES, columns=CLASSES)
    with pytest.raises(LossesError, match=r"frame.to_dict\('index'\)"):
        bt.Losses(frame)
    assert exact(bt.Losses(frame.to_dict("index"))) == [[0, 1], [50, 0]]


def test_a_class_that_only_its_text_tells_is_refused_where_two_have_it() -> None:
    with refused(LossesError, subject="1", expected=(1, True)):
        bt.Losses({Decimal(1): 2}).bind((1, True))


@given(st.integers(0, 5000), st.integers(1, 5000))
def test_a_quotient_of_whole_numbers_is_exact(above: int, below: int) -> None:
    assert exact(bt.Losses({"cancer": above / below}))[1][0] == Fraction(above, below)


amounts = st.one_of(st.integers(0, 60), st.decimals(0, 9, places=2), st.fractions(0, 9, max_denominator=12))


@given(st.data())
def test_equal_losses_hash_and_show_alike_and_are_never_changed(data: st.DataObject) -> None:
    def draw() -> bt.Losses:
        losses = data.draw(st.dictionaries(st.sampled_from(CLASSES), amounts))
        return bt.Losses(losses, answers=data.draw(st.dictionaries(st.sampled_from(["refer", "wait"]), amounts)))

    one, other = draw(), draw()
    again = bt.Losses(one.losses, answers=one.answers)
    assert (again, hash(again), repr(again)) == (one, hash(one), repr(one))
    assert bt.Losses.of(one) is one
    if one == other:
        assert hash(one) == hash(other)
        assert one.bind(CLASSES) == other.bind(CLASSES)
    with pytest.raises(AttributeError):
        one.losses = {}  # type: ignore[misc]


def test_the_order_of_answers_matters_and_none_stays_none() -> None:
    assert bt.Losses(answers={"a": 1, "b": 1}) != bt.Losses(answers={"b": 1, "a": 1})
    assert bt.Losses.of(None) is None
    assert bt.Losses.of({"cancer": 50}) == bt.Losses({"cancer": 50}) != 50
    assert bt.Losses().bind(CLASSES) == LossTable.plain(CLASSES)


def test_it_shows_what_makes_it_again() -> None:
    losses = bt.Losses([[0, 1.5], [50, 0]], answers={"refer": {"benign": 4, "cancer": 1}})
    assert eval(repr(losses), {"Losses": bt.Losses}) == losses
    assert repr(bt.Losses()) == "Losses()"


fractions = st.one_of(st.integers(0, 9).map(Fraction), st.fractions(0, 9, max_denominator=12))


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[Fraction]], LossTable]:
    n_classes, n_more = draw(st.integers(1, 4)), draw(st.integers(0, 2))
    row = st.lists(fractions, min_size=n_classes + n_more, max_size=n_classes + n_more)
    losses = draw(st.lists(row, min_size=n_classes, max_size=n_classes))
    return losses, LossTable.of(range(n_classes + n_more), losses)


def reference(losses: list[list[Fraction]], counts: list[int]) -> tuple[int, Fraction]:
    """The first answer of least loss, and that loss."""
    best, least = -1, Fraction(10**9)
    for answer in range(len(losses[0])):
        loss = sum((count * row[answer] for count, row in zip(counts, losses, strict=True)), Fraction(0))
        if loss < least:
            best, least = answer, loss
    return best, least


@given(tables(), st.data())
def test_the_best_answer_and_its_loss_are_those_of_the_reference(
    made: tuple[list[list[Fraction]], LossTable], data: st.DataObject
) -> None:
    losses, table = made
    counts = data.draw(
        st.lists(st.lists(st.integers(0, 20), min_size=len(losses), max_size=len(losses)), min_size=1, max_size=4)
    )
    best, least = table.best(np.array(counts)), table.least(np.array(counts))
    for position, row in enumerate(counts):
        assert (best[position], Fraction(int(least[position])) / table.scale) == reference(losses, row)
    assert table.of_counts(np.array(counts)).shape == (len(counts), len(table.answers))
    assert table.best(np.array(counts[0])) == best[0]  # one row alone


@given(tables())
def test_the_units_are_exact_and_as_large_as_can_be(made: tuple[list[list[Fraction]], LossTable]) -> None:
    losses, table = made
    assert [[Fraction(units) / table.scale for units in row] for row in table.units.tolist()] == losses
    assert math.gcd(*table.units.ravel().tolist()) in (0, 1)
    assert table.largest == max(map(max, table.units.tolist()))
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
