"""Losses: what a user may give, what it comes to for each class and answer, and what is refused with words."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
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
    with pytest.raises(ValueError, match="the class 1 is named twice"):
        bt.Losses({1: 3, "1": 4}).bind((0, 1))


@pytest.mark.parametrize(
    ("losses", "answers", "message"),
    [
        ({"cancer": -1}, {}, "losses: the loss of missing class 'cancer' is -1; losses must be finite numbers of at"),
        ({"cancer": {"benign": float("inf")}}, {}, "the loss of class 'cancer', answer 'benign', is inf; losses must"),
        ({"cancer": float("nan")}, {}, "class 'cancer' is nan; losses must"),
        ({"cancer": "much"}, {}, "class 'cancer' is 'much'; losses must"),
        ({"cancer": True}, {}, "class 'cancer' is True; losses must"),
        ({"cancer": 1e31}, {}, r"class 'cancer' is 1e\+31; expected 0 or a number between 1e-30 and 1e30"),
        ({"canser": 50}, {}, "losses: no class is named 'canser'; the classes are 'benign', 'cancer'"),
        ({"cancer": {"bening": 50}}, {}, "losses of class 'cancer': no class is named 'bening'; the classes are"),
        ({"cancer": {"refer": 1}}, {"refer": 4}, r"names the answer 'refer', which is no class; .* \{'refer': \{class"),
        ({}, {"refer": {"cancer": 1}}, "answer 'refer' has no loss for 'benign'; give every class one, or one number"),
        ({}, {"refer": {"cancer": 1, "ill": 2}}, "losses of answer 'refer': no class is named 'ill'"),
        ({}, {"refer": [1, 2, 3]}, "answer 'refer' has 3 losses for 2 classes; expected one for each"),
        ({}, {"refer": -4}, "losses: the loss of answer 'refer' is -4; losses must"),
        ({}, {"cancer": 4}, "the answer 'cancer' has the name of a class; expected another name"),
        ({}, {3: 4}, "an answer is named 3; expected a text"),
        ({}, 4, "answers is 4; expected {name: loss}"),
        (5, {}, r"losses is 5; expected \{class: \{answer: loss\}\}"),
        ("cancer", {}, "losses is 'cancer'; expected"),
        ([[0, 1]], {}, "the array has 1 row of 2 numbers; expected a square one"),
        ([[0, 1], [-50, 0]], {}, "the loss in row 1, column 0, is -50; losses must"),
        (np.zeros((3, 3)), {}, "the array is 3 × 3, but there are 2 classes: 'benign', 'cancer'; expected a row"),
        ({"cancer": Fraction(1, 3**40)}, {}, "units; expected less than 9e15. Round the losses to fewer digits"),
    ],
)  # fmt: skip
def test_what_is_no_loss_is_refused_by_name(losses: Any, answers: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bt.Losses(losses, answers=answers).bind(CLASSES)


def test_a_data_frame_is_asked_for_its_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[0, 1], [50, 0]], index=CLASSES, columns=CLASSES)
    with pytest.raises(ValueError, match=r"frame.to_dict\('index'\)"):
        bt.Losses(frame)
    assert exact(bt.Losses(frame.to_dict("index"))) == [[0, 1], [50, 0]]


def test_a_class_that_only_its_text_tells_is_refused_where_two_have_it() -> None:
    with pytest.raises(ValueError, match="several classes are named Decimal"):
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
