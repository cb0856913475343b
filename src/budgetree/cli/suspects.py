"""Columns that may not be what they are taken for: IDs for measurements, amounts for classes, numbers for texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeGuard

import numpy as np

from budgetree.cli.odd_numbers import MOSTLY, about_numbers
from budgetree.data.column import Coded, Column, first_word, text_column
from budgetree.data.encoders import MAX_OUTCOMES, Categories, ColumnEncoder
from budgetree.data.number_format import NumberFormat
from budgetree.data.profile import is_amount
from budgetree.data.table import Table
from budgetree.distributed import AnyCases, DistributedCases

FEW_ROWS = 20  # below this, all different says nothing
MANY_CLASSES = 20  # numbers that are classes are fewer
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([ T].*)?")


@dataclass(frozen=True, slots=True)
class Known:
    """The different texts of a column, and how many rows have each."""

    counts: dict[str, int]

    @classmethod
    def of(cls, column: Column) -> Known:
        try:
            coded = column.coded()
        except ValueError:  # lists and the like, which are refused later
            coded = Coded.of(list(map(str, column.to_list())))
        counts: dict[str, int] = {}
        for value, count in zip(coded.distinct, coded.counts.tolist(), strict=False):
            if count:
                counts[str(value)] = counts.get(str(value), 0) + count
        return cls(counts)

    @property
    def n_distinct(self) -> int:
        return len(self.counts)

    @property
    def n_rows(self) -> int:
        return sum(self.counts.values())

    def rows_where(self, is_wanted: Callable[[str], object]) -> int:
        """How many rows have a text of some kind."""
        return sum(count for text, count in self.counts.items() if is_wanted(text))


def find_suspects(table: Table, target: str | None, left_out: list[str]) -> Iterator[tuple[str, str]]:
    """Columns that are probably not what they will be used as, and what to do."""
    for column in table.columns:
        if column.name in left_out:
            continue
        if column.name == target:
            message = about_target(column)
        elif column.numbers is not None:
            message = about_id(column)
        else:
            message = about_texts(column, Known.of(column), partial(place_of_word, table, column))
        if message is not None:
            yield column.name, message


def suspects_elsewhere(cases: DistributedCases, target: str, written: NumberFormat | None) -> Iterator[tuple[str, str]]:
    """The same from what is known of cases elsewhere: not the place of a row, nor which numbers differ in every row."""
    classes = cases.schema.class_names
    if all(map(is_amount, classes)) and (message := about_target(Column(target, "", np.array(classes, np.float64)))):
        yield target, message
    texts = [encoder for encoder in cases.schema.encoders or () if _may_be_odd(encoder, cases.n_objects)]
    counts = dict(zip(cases.schema.test_names, cases.outcome_counts(), strict=True)) if texts else {}
    for encoder in texts:
        values = [str(value) for value in encoder.values]
        known = Known(dict(zip(values, counts[encoder.name].tolist(), strict=False)))
        name = encoder.name
        column = Column(name, "", values=values) if written is None else text_column(name, values, written)
        if (message := about_texts(column, known, lambda: None)) is not None:
            yield name, message


def _may_be_odd(encoder: ColumnEncoder, n_rows: int) -> TypeGuard[Categories]:
    """Whether a column has texts with digits, as dates and numbers have, or hardly any text twice."""
    if not isinstance(encoder, Categories) or all(map(is_amount, encoder.values)):
        return False
    has_digits = any(letter.isdigit() for value in encoder.values for letter in str(value))
    return has_digits or len(encoder.values) > MOSTLY * n_rows


def place_of_word(table: Table, column: Column) -> str | None:
    """Where the first text is that is no number."""
    row = first_word(column)
    return None if row is None else table.place(row)


def about_classes(instance: AnyCases) -> str | None:
    """What to say of a table with a single class, or in which every class has one case."""
    if instance.n_classes == 1:
        return f"every case is {instance.schema.wording.classes[0]!r}; there is nothing to find out."
    if not is_troubleshooting(instance):
        return None
    return (
        "every class has one case, as in a troubleshooting table: a tree can tell these cases apart "
        "(--objective known), but nothing is known of other cases of a class."
    )


def is_troubleshooting(instance: AnyCases) -> bool:
    """Whether every class has one case."""
    return instance.has_one_row_per_class and instance.n_classes > 1


def about_id(column: Column) -> str | None:
    """What to say of a column of whole numbers that all differ."""
    numbers = column.numbers
    if numbers is None or len(numbers) < FEW_ROWS or np.isnan(numbers).any() or (numbers != np.rint(numbers)).any():
        return None
    gaps = np.diff(np.sort(numbers))
    if (gaps == 0).any():
        return None
    if (gaps == 1).all():
        return f"seems to number the rows; leave it out: --drop {column.name!r}."
    return (
        f"is a whole number that differs in every row, as an ID does; if it names the case, leave it out: "
        f"--drop {column.name!r}."
    )


def about_target(column: Column) -> str | None:
    """What to say of a target that looks like an amount."""
    if column.numbers is None:
        return None
    n_classes = len(np.unique(column.numbers[~np.isnan(column.numbers)]))
    if n_classes <= MANY_CLASSES:
        return None
    return (
        f"is the target and has {n_classes} different numbers, each of which is a class of its own; if it is an "
        "amount, write a few groups instead, such as 'below 50' and '50 or more'."
    )


def about_texts(column: Column, known: Known, place_of_word: Callable[[], str | None]) -> str | None:
    """What to say of texts that are dates or numbers, or name the case."""
    most = MOSTLY * known.n_rows
    if known.n_distinct > 1 and known.rows_where(DATE.fullmatch) > most:
        return (
            "holds dates, of which each is an outcome of its own; turn it into a number (days, an age) or leave it "
            f"out: --drop {column.name!r}."
        )
    if (message := about_numbers(column, known.counts, place_of_word)) is not None:
        return message
    if known.n_rows < FEW_ROWS or not most < known.n_distinct <= MAX_OUTCOMES:
        return None
    return (
        f"is different in nearly every row ({known.n_distinct} of {known.n_rows}): a test that identifies the case "
        f"looks perfect and is useless for new ones. Leave it out: --drop {column.name!r}."
    )
