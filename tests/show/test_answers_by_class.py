"""Tables of answers by class: every answer has a row, every class a column."""

from __future__ import annotations

from budgetree.show.text import MAX_PAIRS, confusion_lines, confusion_table
from budgetree.tree import Confusion

SMALL = Confusion(("well", "ill", "refer"), ("well", "ill"), ((340, 3), (7, 180), (10, 29.5)))


def test_answers_are_rows_and_classes_columns() -> None:
    assert confusion_table(SMALL).head == ("answer", "well", "ill")
    assert confusion_table(SMALL).rows[2] == ("refer", "10", "29.5")
    assert confusion_lines(SMALL) == [
        "answers by class:",
        "  answer  well   ill",
        "  well     340     3",
        "  ill        7   180",
        "  refer     10  29.5",
    ]


def test_of_many_classes_the_most_common_other_answers_are_listed() -> None:
    names = tuple(f"c{i}" for i in range(20))
    counts = tuple(tuple(i + 1 if j == (i + 1) % 20 else 50 * (i == j) for j in range(20)) for i in range(20))
    lines = confusion_lines(Confusion(names, names, counts))
    assert lines[:2] == ["the most common other answers:", "  c0 → c19: 20"]
    assert len(lines) == MAX_PAIRS + 2
    assert lines[-1] == "  and 8 more pairs with fewer cases"


def test_of_many_classes_that_are_all_right_nothing_is_listed() -> None:
    names = tuple(range(13))
    counts = tuple(tuple(int(i == j) for j in range(13)) for i in range(13))
    assert confusion_lines(Confusion(names, names, counts)) == []


def test_a_name_stays_on_its_line() -> None:
    odd = Confusion(("a\nb", "c"), ("a\nb", "c"), ((1, 0), (0, 1)))
    assert confusion_lines(odd)[1:3] == [r"  answer  a\nb  c", r"  a\nb       1  0"]
