"""Numbers in messages, and the words that depend on them."""

from __future__ import annotations

from fractions import Fraction

from budgetree.services.words import counted, largest, listed, no_such, show_number, visible, visible_lines, with_more


def test_a_number_that_no_float_reaches_is_shown_all_the_same() -> None:
    assert show_number(10**400 + 1) == "1.0000e+400"
    assert counted(-(10**400), "case") == "-1.0000e+400 cases"


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


def test_what_is_not_there_is_said_with_what_there_is_and_what_was_meant() -> None:
    assert no_such("sheet", "old", ["new", "2023"]) == "there is no sheet 'old'. There are: new, 2023."
    assert no_such("column", "diagnosis", ["age", "Diagnosis"]).endswith("age, Diagnosis. Did you mean 'Diagnosis'?")
    assert no_such("column", "cholestrol", ["cholesterol", "age"]).endswith("Did you mean 'cholesterol'?")
    many = no_such("column", "x", [f"column {number}" for number in range(300)])
    assert many.endswith("column 29 and 270 more.")


def test_of_many_the_largest_are_listed_and_the_rest_is_counted() -> None:
    assert largest([1, 0, 3]) == ([0, 2], 0)
    assert largest([1, 2, 3, 0, 5, 4, 6]) == ([6, 4, 5, 2, 1], 1)
    assert largest([2] * 200) == ([0, 1, 2, 3, 4], 195)
    assert with_more(["a 1", "b 2"], 195) == "a 1, b 2 and 195 more"
    assert with_more(["a 1"], 0) == "a 1"


def test_what_a_terminal_would_obey_is_escaped_and_nothing_else() -> None:
    assert visible("\x1b[2J\x9b\u202e\n\ud800\U000e0041") == r"\x1b[2J\x9b\u202e\n\ud800\U000e0041"
    kept = "größe \u05e9\u05dc\u05d5\u05dd \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👩\u200d🔬 a\u00a0b"
    assert visible(kept) == kept
    assert visible_lines("a\n\tb\x1b") == "a\n\tb\\x1b"
