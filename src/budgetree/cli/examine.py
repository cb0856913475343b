"""What is odd about a table: findings, from what makes it unusable to what is good to know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np

from budgetree.cli.inputs import Request, instance_from, open_table
from budgetree.cli.losses import losses_in_words, useless_answers
from budgetree.cli.odd_numbers import about_codes
from budgetree.cli.suspects import FEW_ROWS, Known, about_classes, about_id, about_target, about_texts, place_of_word
from budgetree.data.column import Column
from budgetree.data.encoders import MAX_OUTCOMES, LevelPlan
from budgetree.data.table import Table
from budgetree.errors import BudgetreeError
from budgetree.problem import Instance
from budgetree.services.words import counted, show_number

LARGE_FOR_EXACT = 5_000_000  # cases × tests


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know about a table."""

    kind: Literal["error", "warning", "note"]
    about: str  # the column, or nothing
    message: str


def examine(request: Request) -> list[Finding]:
    """Everything found, errors first."""
    levels = LevelPlan.of(request.levels)
    table = levels.as_amounts(open_table(request.data, request.reading))
    findings: list[Finding] = []
    for column in table.columns if len(table.without_empty_rows()) else ():  # without rows there is one thing to say
        if column.name not in request.drop and column.name != request.target:
            findings.extend(_about_column(table, column, levels.count(column.name)))
        elif column.name == request.target and (message := about_target(column)) is not None:
            findings.append(Finding("warning", column.name, message))
    try:
        instance = instance_from(table, request)
    except BudgetreeError as error:
        # Of a column that cannot be used one thing is said.
        findings = [found for found in findings if found.kind == "error" or found.about != error.subject]
        if not any(finding.kind == "error" and finding.about == error.subject for finding in findings):
            error.where = None if error.where == table.origin else error.where
            findings.append(Finding("error", "", error.on_command_line()))
    except OSError as error:
        findings.append(Finding("error", "", str(error)))
    else:
        findings.extend(_about_cases(instance))
    order = ("error", "warning", "note")
    return sorted(findings, key=lambda finding: order.index(finding.kind))


def _about_column(table: Table, column: Column, levels: int) -> Iterator[Finding]:
    known = Known.of(column)
    missing = len(column) - known.n_rows
    if known.n_distinct <= 1:
        yield Finding("warning", column.name, "has the same value in every row, so it cannot tell cases apart.")
        return
    if missing > len(column) / 2:
        yield Finding("warning", column.name, f"is missing in {missing} of {len(column)} rows.")
    if (message := about_id(column)) is not None:
        yield Finding("warning", column.name, message)
    if column.numbers is not None:
        if known.n_distinct > levels:
            yield Finding(
                "note", column.name, f"has {known.n_distinct} different numbers, which are rounded to {levels} levels."
            )
        return
    yield from _about_texts(table, column, known)


def _about_texts(table: Table, column: Column, known: Known) -> Iterator[Finding]:
    if (message := about_texts(column, known, partial(place_of_word, table, column))) is not None:
        yield Finding("warning", column.name, message)
    elif (message := about_codes(column, known.counts)) is not None:
        yield Finding("note", column.name, message)
    if known.n_distinct > MAX_OUTCOMES:
        yield Finding(
            "error",
            column.name,
            f"has {known.n_distinct} different texts; a test may have at most {MAX_OUTCOMES} outcomes. Leave it out "
            f"(--drop {column.name!r}) or group its rare values.",
        )


def _about_cases(instance: Instance) -> Iterator[Finding]:
    sizes = ", ".join(
        (
            counted(instance.n_objects, "case"),
            counted(instance.n_tests, "test"),
            counted(instance.n_classes, "class", "classes"),
        )
    )
    costliest = instance.schema.table.costliest
    scale, words = instance.schema.table.scale, instance.schema.wording
    low, high = (words.amount(Fraction(int(units)) / scale) for units in (costliest.min(), costliest.max()))
    costs = f"every test costs {low}" if low == high else f"tests cost {low} to {high}"
    fees = "".join(f", and {name} {fee}" for name, fee in _fees(instance))
    yield Finding("note", "", f"{sizes}; {costs}{fees}.")
    if instance.losses is not None:
        yield from (Finding("note", "", words) for words in losses_in_words(instance.schema))
        yield from (Finding("warning", "", words) for words in useless_answers(instance.schema))
    counts = np.bincount(instance.labels, minlength=instance.n_classes)
    single = [name for name, count in zip(words.classes, counts.tolist(), strict=True) if count == 1]
    if (message := about_classes(instance)) is not None:
        yield Finding("warning", "", message)
    elif single and instance.n_objects >= FEW_ROWS:
        shown = ", ".join(repr(name) for name in single[:3]) + (
            f" and {len(single) - 3} more" if len(single) > 3 else ""
        )
        yield Finding("warning", "", f"only one case is {shown}: whatever tells it apart may be chance.")
    stuck = instance.irreducible
    if stuck.units:
        least = f"makes at least {counted(instance.schema.cases(stuck.units), 'error')}"
        if instance.losses is not None:
            least = f"loses at least {show_number(instance.schema.loss(stuck.units))}"
        yield Finding(
            "warning",
            "",
            f"{stuck.n_objects} cases agree on every test with a case of another class; any tree "
            f"{least}. More levels (--levels) or another test may tell them apart.",
        )
    if instance.codes.size > LARGE_FOR_EXACT:
        yield Finding("note", "", "the table is too large for exact search; trees are found greedily.")


def _fees(instance: Instance) -> list[tuple[str, str]]:
    table, amount = instance.schema.table, instance.schema.wording.amount
    fees = zip(table.fee_names, table.fees.tolist(), strict=True)
    return [(name, amount(Fraction(fee) / table.scale)) for name, fee in fees]
