"""Which answers the cases of each class get, as a table for people."""

from __future__ import annotations

from budgetree.services.words import counted, show_number
from budgetree.show.tables import TextTable, text_lines
from budgetree.tree import Confusion

MAX_CLASSES = 12  # beyond these, only what is confused most is listed
MAX_PAIRS = 12


def confusion_table(confusion: Confusion) -> TextTable:
    """A row per answer and a column per class."""
    rows = tuple(
        (str(answer), *map(show_number, counts))
        for answer, counts in zip(confusion.answers, confusion.counts, strict=True)
    )
    return TextTable(("answer", *map(str, confusion.class_names)), rows)


def confusion_lines(confusion: Confusion) -> list[str]:
    """The table as text; of many classes, the pairs of class and other answer that occur most."""
    if len(confusion.class_names) <= MAX_CLASSES:
        return ["answers by class:", *(f"  {line}" for line in text_lines(confusion_table(confusion)))]
    pairs = _pairs(confusion)
    lines = [f"  {true} → {answer}: {show_number(count)}" for count, true, answer in pairs[:MAX_PAIRS]]
    left = len(pairs) - len(lines)
    lines += [f"  and {counted(left, 'more pair')} with fewer cases"] if left else []
    return ["the most common other answers:", *lines] if lines else []


def _pairs(confusion: Confusion) -> list[tuple[int | float, str, str]]:
    """(cases, class, another answer), the most cases first."""
    found = [
        (count, str(true), str(answer))
        for place, (answer, counts) in enumerate(zip(confusion.answers, confusion.counts, strict=True))
        for column, (true, count) in enumerate(zip(confusion.class_names, counts, strict=True))
        if count and place != column
    ]
    return sorted(found, key=lambda pair: -pair[0])
