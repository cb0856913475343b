"""What is odd about a table: findings, from what makes it unusable to what is good to know."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from budgetree.cli.inputs import Request, instance_from, open_data
from budgetree.data.checks import FEW_ROWS, Finding, Oddity, Severity, class_findings, column_findings, target_findings
from budgetree.data.encoders import LevelPlan
from budgetree.errors import BudgetreeError
from budgetree.problem import Instance, Schema
from budgetree.services.words import counted, listed, show_number, with_more

LARGE_FOR_EXACT = 5_000_000  # cases × tests
MAX_CLASSES = 12  # beyond these, not every loss is listed


def examine(request: Request) -> list[Finding]:
    """Everything found, errors first."""
    levels = LevelPlan.of(request.levels)
    table = levels.as_amounts(open_data(request.data, request.reading).table())
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
        findings.extend(_case_findings(instance))
    return sorted(findings, key=lambda finding: list(Severity).index(finding.severity))


def _case_findings(instance: Instance) -> Iterator[Finding]:
    """What was understood, and what is odd about the cases as a whole."""
    words = instance.schema.wording
    yield _note(f"{_sizes(instance)}; {_costs(instance.schema)}.")
    if instance.losses is not None:
        yield from map(_note, _losses(instance.schema))
        yield from map(_warning, _useless_answers(instance.schema))
    odd_classes = list(class_findings(words.classes, instance.has_one_row_per_class))
    yield from odd_classes
    counts = np.bincount(instance.labels, minlength=instance.n_classes)
    single = [repr(name) for name, count in zip(words.classes, counts.tolist(), strict=True) if count == 1]
    if single and not odd_classes and instance.n_objects >= FEW_ROWS:
        shown = with_more(single[:3], len(single) - 3)
        yield _warning(f"only one case is {shown}: whatever tells it apart may be chance.")
    stuck = instance.irreducible
    if stuck.units:
        least = f"makes at least {counted(instance.schema.cases(stuck.units), 'error')}"
        if instance.losses is not None:
            least = f"loses at least {show_number(instance.schema.loss(stuck.units))}"
        yield _warning(
            f"{stuck.n_objects} cases agree on every test with a case of another class; any tree {least}. More levels "
            "(--levels) or another test may tell them apart."
        )
    if instance.codes.size > LARGE_FOR_EXACT:
        yield _note("the table is too large for exact search; trees are found greedily.")


def _note(message: str) -> Finding:
    return Finding(Severity.NOTE, Oddity.CASES, None, message)


def _warning(message: str) -> Finding:
    return Finding(Severity.WARNING, Oddity.CASES, None, message)


def _sizes(instance: Instance) -> str:
    cases, tests = counted(instance.n_objects, "case"), counted(instance.n_tests, "test")
    return f"{cases}, {tests}, {counted(instance.n_classes, 'class', 'classes')}"


def _costs(schema: Schema) -> str:
    """What tests cost, and the fees."""
    table = schema.table

    def amount(units: int) -> str:
        return schema.wording.amount(Fraction(units) / table.scale)

    low, high = amount(int(table.costliest.min())), amount(int(table.costliest.max()))
    costs = f"every test costs {low}" if low == high else f"tests cost {low} to {high}"
    fees = zip(table.fee_names, table.fees.tolist(), strict=True)
    return costs + "".join(f", and {name} {amount(fee)}" for name, fee in fees)


def _losses(schema: Schema) -> Iterator[str]:
    """What was understood, a sentence per class."""
    table, words = schema.loss_table, schema.wording
    if len(schema.class_names) > MAX_CLASSES:
        others = listed(words.answers[table.n_classes :])
        answers = f"; answers that are not classes: {others}" if others else ""
        yield f"losses of up to {show_number(table.largest / table.scale)}{answers}."
        return
    for true, units in zip(words.classes, table.units.tolist(), strict=True):
        costs = [
            f"{show_number(loss / table.scale)} by the answer {answer}"
            for answer, loss in zip(words.answers, units, strict=True)
            if answer != true or loss
        ]
        yield f"a case that is {true} loses {', '.join(costs)}."


def _useless_answers(schema: Schema) -> Iterator[str]:
    """Answers that are not classes and never lose less than another one; of equals the first is given."""
    table, words = schema.loss_table, schema.wording
    for answer in range(table.n_classes, len(table.answers)):
        for other, name in enumerate(words.answers):
            more = table.units[:, answer] - table.units[:, other]
            if other != answer and more.min() >= (0 if other < answer else 1):
                yield (
                    f"the answer {words.answers[answer]!r} never loses less than {name!r}, so no tree gives it; "
                    "give it a smaller loss, or leave it out."
                )
                break
