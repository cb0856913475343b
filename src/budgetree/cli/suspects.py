"""Numbers that may be names: an ID taken for a measurement, or an amount taken for a class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from budgetree.problem import Instance
from budgetree.problem.tables.table import Column, Table

FEW_ROWS = 20  # below this, all different says nothing
MANY_CLASSES = 20  # numbers that are classes are fewer


def find_suspects(table: Table, target: str | None, left_out: list[str]) -> Iterator[tuple[str, str]]:
    """Columns that are probably not what they will be used as, and what to do."""
    for column in table.columns:
        if column.name in left_out:
            continue
        message = about_target(column) if column.name == target else about_id(column)
        if message is not None:
            yield column.name, message


def about_classes(instance: Instance) -> str | None:
    """What to say of a table in which every class has one case."""
    if instance.n_objects != instance.n_classes or instance.n_classes == 1:
        return None
    return (
        "every class has one case, as in a troubleshooting table: a tree can tell these cases apart "
        "(--objective known), but nothing is known of other cases of a class."
    )


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
