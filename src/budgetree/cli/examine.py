"""What is odd about a table: findings, from what makes it unusable to what is good to know."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from budgetree.cli.inputs import Request, instance_from, open_table
from budgetree.cli.losses import losses_in_words, useless_answers
from budgetree.data.checks import FEW_ROWS, Finding, Oddity, Severity, class_findings, column_findings, target_findings
from budgetree.data.encoders import LevelPlan
from budgetree.errors import BudgetreeError
from budgetree.problem import Instance
from budgetree.services.words import counted, show_number

LARGE_FOR_EXACT = 5_000_000  # cases × tests


def examine(request: Request) -> list[Finding]:
    """Everything found, errors first."""
    levels = LevelPlan.of(request.levels)
    table = levels.as_amounts(open_table(request.data, request.reading))
    findings: list[Finding] = []
    for column in table.columns if len(table.without_empty_rows()) else ():  # without rows there is one thing to say
        if column.name == request.target:
            findings.extend(target_findings(column))
        elif column.name not in request.drop:
            findings.extend(column_findings(table, column, levels.count(column.name)))
    try:
        instance = instance_from(table, request)
    except BudgetreeError as error:
        # Of a column that cannot be used one thing is said.
        about = [finding for finding in findings if finding.column is not None and finding.column == error.subject]
        is_known = any(finding.severity is Severity.ERROR for finding in about)
        findings = [found for found in findings if found not in about or found.severity is Severity.ERROR]
        if not is_known:
            error.where = None if error.where == table.origin else error.where
            findings.append(Finding(Severity.ERROR, Oddity.REFUSED, None, error.on_command_line()))
    except OSError as error:
        findings.append(Finding(Severity.ERROR, Oddity.REFUSED, None, str(error)))
    else:
        findings.extend(_about_cases(instance))
    return sorted(findings, key=lambda finding: list(Severity).index(finding.severity))


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
    yield Finding(Severity.NOTE, Oddity.CASES, None, f"{sizes}; {costs}{fees}.")
    if instance.losses is not None:
        yield from (Finding(Severity.NOTE, Oddity.CASES, None, words) for words in losses_in_words(instance.schema))
        yield from (Finding(Severity.WARNING, Oddity.CASES, None, words) for words in useless_answers(instance.schema))
    counts = np.bincount(instance.labels, minlength=instance.n_classes)
    single = [name for name, count in zip(words.classes, counts.tolist(), strict=True) if count == 1]
    odd_classes = list(class_findings(words.classes, instance.has_one_row_per_class))
    yield from odd_classes
    if single and not odd_classes and instance.n_objects >= FEW_ROWS:
        shown = ", ".join(repr(name) for name in single[:3]) + (
            f" and {len(single) - 3} more" if len(single) > 3 else ""
        )
        yield Finding(
            Severity.WARNING, Oddity.CASES, None, f"only one case is {shown}: whatever tells it apart may be chance."
        )
    stuck = instance.irreducible
    if stuck.units:
        least = f"makes at least {counted(instance.schema.cases(stuck.units), 'error')}"
        if instance.losses is not None:
            least = f"loses at least {show_number(instance.schema.loss(stuck.units))}"
        yield Finding(
            Severity.WARNING,
            Oddity.CASES,
            None,
            f"{stuck.n_objects} cases agree on every test with a case of another class; any tree "
            f"{least}. More levels (--levels) or another test may tell them apart.",
        )
    if instance.codes.size > LARGE_FOR_EXACT:
        yield Finding(
            Severity.NOTE, Oddity.CASES, None, "the table is too large for exact search; trees are found greedily."
        )


def _fees(instance: Instance) -> list[tuple[str, str]]:
    table, amount = instance.schema.table, instance.schema.wording.amount
    fees = zip(table.fee_names, table.fees.tolist(), strict=True)
    return [(name, amount(Fraction(fee) / table.scale)) for name, fee in fees]
