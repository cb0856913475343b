"""Colours: as many as there are classes."""

from __future__ import annotations

from budgetree.show.drawing import GREYS, answer_colours, class_colours, tint


def test_colours_differ_for_as_many_classes_as_there_are() -> None:
    for n_classes in (1, 2, 7, 8, 19, 60):
        assert len(set(class_colours(n_classes))) == n_classes


def test_a_tint_is_the_colour_mixed_with_white() -> None:
    assert tint("#000000", 0.2) == "#CCCCCC"
    assert tint("#0072B2", 1) == "#0072B2"


def test_answers_that_are_no_class_are_grey() -> None:
    assert answer_colours(2, 2) == class_colours(2)
    assert answer_colours(2, 6) == (*class_colours(2), *GREYS, GREYS[0])
