"""`budgetree check`: describe a table, and find its problems before anything is learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli import options
from budgetree.cli.output import print_json, say, sentence_of, warn
from budgetree.errors import BudgetreeError, TableFileError, Where
from budgetree.services.words import counted, listed, show_number, visible, visible_lines, with_more

if TYPE_CHECKING:
    from budgetree.cli.inputs import Request
    from budgetree.data.checks import Finding
    from budgetree.data.column import Column
    from budgetree.problem import Instance, Schema

STYLES: dict[str, dict[str, Any]] = {"error": {"fg": "red", "bold": True}, "warning": {"fg": "yellow"}, "note": {}}
LARGE_FOR_EXACT = 5_000_000  # cases × tests
MAX_CLASSES = 12  # of a probable target; beyond these, not every loss is listed either
MAX_COLUMNS, MAX_VALUES, MAX_ALIKE = 40, 5, 20  # that are listed: of columns, of values, of findings of a kind
TARGET_NAMES = ("target", "class", "label", "diagnosis", "outcome", "fault", "disease", "y", "klasse", "diagnose")


@options.command(
    "budgetree check cases.csv", "budgetree check cases.csv --target diagnosis --prices prices.toml", page="guide/files"
)
@options.data
@options.table
def check(data: str, as_json: bool, **settings: Any) -> None:
    """Describe a table, and find problems in it and in its prices.

    Without --target: the columns, and a command to try next. The exit code is 1 if the table cannot be used.
    """
    from budgetree.cli.inputs import Request, is_bundled
    from budgetree.data.checks import Severity

    request = Request.take(data, settings)
    if request.target is None and not is_bundled(data):
        _describe(request, as_json)
        return
    findings = _examine(request)
    if as_json:
        print_json([{"kind": f.severity.value, "about": f.column or "", "message": f.message} for f in findings])
    for severity, oddity in () if as_json else dict.fromkeys((f.severity, f.oddity) for f in findings):
        alike = [f for f in findings if (f.severity, f.oddity) == (severity, oddity)]
        styled = click.style(f"{severity.value}: ", **STYLES[severity.value])
        for finding in alike[:MAX_ALIKE]:
            click.echo(styled + visible_lines(str(finding)))
        if len(alike) > MAX_ALIKE:
            click.echo(f"{styled}and {len(alike) - MAX_ALIKE} more of this kind; --json lists all of them.")
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise click.exceptions.Exit(1)
    if not as_json:
        say(f"next: {options.continued('frontier')}")


def _describe(request: Request, as_json: bool) -> None:
    """What a table holds, its probable target, and a command to try."""
    from budgetree.cli.inputs import open_data
    from budgetree.data.checks import Oddity, find_suspects
    from budgetree.data.encoders import MAX_OUTCOMES

    rows = open_data(request.data, request.reading).table().without_empty_rows()
    columns = [_column_facts(column) for column in rows.columns]
    if not len(rows) or len(columns) < 2:
        found = f"{counted(len(rows), 'row')} and {counted(len(columns), 'column')}"
        expected = "a row per case, a column per test and one with the class of each case"
        raise TableFileError(f"{found}; expected {expected}.", where=Where(request.data))
    odd = list(find_suspects(rows, None, request.no_tests))
    target = _probable_target(columns, request.no_tests)
    useless = [found.column for found in odd if found.oddity in (Oddity.IDENTIFIER, Oddity.DATES)]
    useless += [one["name"] for one in columns if one["kind"] == "categories" and one["distinct"] > MAX_OUTCOMES]
    budget = min(3, len(columns) - 1)
    added = [
        "--target",
        target or "COL",
        *(part for name in useless if name != target for part in ("--drop", str(name))),
    ]
    command = options.continued("fit", *added, "--budget", str(budget))
    if as_json:
        print_json({"rows": len(rows), "columns": columns, "target": target, "next": command})
        return
    say(f"{request.data}: {counted(len(rows), 'row')}, {counted(len(columns), 'column')}")
    width = max((len(entry["name"]) for entry in columns[:MAX_COLUMNS]), default=0)
    for entry in columns[:MAX_COLUMNS]:
        blank = f"; {entry['blank']} blank" if entry["blank"] else ""
        about = "  ← probably the target" if entry["name"] == target else ""
        click.echo(visible(f"  {entry['name']:<{width}}  {entry['kind']}: {entry['values']}{blank}{about}"))
    if len(columns) > MAX_COLUMNS:
        say(f"  and {len(columns) - MAX_COLUMNS} more; --json lists all of them.")
    for finding in odd:
        warn(finding)
    if target is None:
        say(f"no column looks like the class of each case (2 to {MAX_CLASSES} values); put its name in place of COL.")
    say(f"next: {command}")
    if request.prices is None:
        say(f"  (every test costs 1 without --prices FILE, so a budget of {budget} buys {counted(budget, 'test')}.)")


def _column_facts(column: Column) -> dict[str, Any]:
    """A column's name, kind, values and number of blank cells."""
    import numpy as np

    values: list[Any]
    if column.numbers is None:
        kind, values = "categories", sorted(column.coded().present(), key=str)
        shown = with_more([f"{value!s:.20}" for value in values[:MAX_VALUES]], len(values) - MAX_VALUES)
    else:
        values = np.unique(column.numbers[~np.isnan(column.numbers)]).tolist()
        kind, some = "numbers" if values else "empty", list(map(show_number, values[:MAX_VALUES])) or ["no value"]
        shown = ", ".join(some) if len(values) <= MAX_VALUES else f"{some[0]} to {show_number(values[-1])}"
    blank = int(column.is_absent.sum())
    return {"name": column.name, "kind": kind, "values": shown, "distinct": len(values), "blank": blank}


def _probable_target(columns: list[dict[str, Any]], left_out: list[str]) -> str | None:
    """The column with a telling name, else the last, if it has few values."""
    few = [one for one in columns if 2 <= one["distinct"] <= MAX_CLASSES and one["name"] not in left_out]
    named = [one for one in few if one["name"].casefold() in TARGET_NAMES]
    chosen = named or [one for one in few if one is columns[-1]]
    return str(chosen[-1]["name"]) if chosen else None


def _examine(request: Request) -> list[Finding]:
    """Everything found, errors first."""
    from budgetree.cli.inputs import instance_from, is_bundled, open_data
    from budgetree.data.checks import (
        Finding,
        Oddity,
        Severity,
        blank_findings,
        code_findings,
        column_findings,
        target_findings,
    )

    levels = replace(request.levels, binning=request.binning, categories=request.categories)
    table = levels.as_planned(open_data(request.data, request.reading).table())
    findings: list[Finding] = []
    target = request.target or (table.names[-1] if is_bundled(request.data) else None)
    rows = table.without_empty_rows()
    labels = rows.column(target) if target in rows.names else None
    for column in table.columns if len(rows) else ():  # without rows there is one thing to say
        if column.name == target:
            findings.extend(target_findings(column))
        elif column.name not in request.drop:
            findings.extend(column_findings(table, column, levels))
            findings.extend(blank_findings(rows.column(column.name), labels, request.blanks))
    findings.extend(code_findings(rows.without([*request.no_tests, *levels.columns, target or ""]).columns))
    try:
        findings.extend(_case_findings(instance_from(table, request)))
    except BudgetreeError as error:
        # A column that cannot be used is reported once.
        about = [finding for finding in findings if finding.column is not None and finding.column == error.subject]
        is_known = any(finding.severity is Severity.ERROR for finding in about)
        findings = [found for found in findings if found not in about or found.severity is Severity.ERROR]
        if not is_known:
            error.where = None if error.where == table.origin else error.where
            findings.append(Finding(Severity.ERROR, Oddity.REFUSED, None, error.on_command_line()))
    except OSError as error:
        findings.append(Finding(Severity.ERROR, Oddity.REFUSED, None, sentence_of(error)))
    return sorted(findings, key=lambda finding: list(Severity).index(finding.severity))


def _case_findings(instance: Instance) -> Iterator[Finding]:
    """What was understood, and what is odd about the cases as a whole."""
    import numpy as np

    from budgetree.data.checks import FEW_ROWS, Finding, Oddity, Severity, class_findings
    from budgetree.messages import copies_sentence

    note, warning = (partial(Finding, severity, Oddity.CASES, None) for severity in (Severity.NOTE, Severity.WARNING))
    schema, classes = instance.schema, instance.schema.wording.classes
    cases, tests = counted(instance.n_objects, "case"), counted(instance.n_tests, "test")
    n_classes, costs = counted(instance.n_classes, "class", "classes"), schema.costs.described(schema.wording.amount)
    yield note(f"{cases}, {tests}, {n_classes}; {costs}.")
    if instance.losses is not None:
        yield from map(note, _losses(schema))
        yield from map(warning, _useless_answers(schema))
    odd_classes = list(class_findings(classes, instance.has_one_row_per_class))
    yield from odd_classes
    counts = np.bincount(instance.labels, minlength=instance.n_classes)
    single = [repr(name) for name, count in zip(classes, counts.tolist(), strict=True) if count == 1]
    if single and not odd_classes and instance.n_objects >= FEW_ROWS:
        shown = with_more(single[:3], len(single) - 3)
        yield warning(f"only one case is {shown}: what distinguishes it may be chance.")
    stuck = instance.irreducible
    if stuck.units:
        least = f"makes at least {counted(schema.cases(stuck.units), 'error')}"
        if instance.losses is not None:
            least = f"loses at least {show_number(schema.loss(stuck.units))}"
        yield warning(
            f"{stuck.n_objects} cases agree on every test with a case of another class; any tree {least}. More levels "
            "(--levels) or another test may tell them apart."
        )
    copies = instance.copies()
    if copies is not None:
        yield warning(copies_sentence(copies.n_copies, instance.n_rows))
    if instance.codes.size > LARGE_FOR_EXACT:
        yield note("the table is too large for exact search; trees are found greedily.")


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
