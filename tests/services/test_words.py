"""Numbers in messages, and the words that depend on them."""

from __future__ import annotations

from fractions import Fraction

from budgetree.services.words import counted, listed, show_number


def test_one_and_many_have_their_own_words() -> None:
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    assert [counted(n, "class", "classes") for n in (1, 3)] == ["1 class", "3 classes"]
    assert [counted(n, "error") for n in (0.5, Fraction(1), Fraction(3, 2))] == ["0.5 errors", "1 error", "1.5 errors"]


def test_numbers_are_shown_short() -> None:
    shown = [show_number(number) for number in (2, 17.61, Fraction(1, 3), 193457.1999999999, 1e30)]
    assert shown == ["2", "17.61", "0.3333", "193457.2", "1e+30"]


def test_a_long_list_is_cut() -> None:
    assert listed(["a", 1]) == "'a', '1'"
    assert listed(range(10), max_shown=2) == "'0', '1' and 8 more"
