"""`budgetree predict`: what each row is, what its tests cost, and which they were."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli import options
from budgetree.cli.output import ending, for_reader, json_text

if TYPE_CHECKING:
    from budgetree.problem import Schema


@click.command(epilog=ending("budgetree predict pathway.json new_cases.csv -o predicted.csv", page="guide/bedside"))
@options.model
@options.data
@options.reading
@click.option(
    "-o", "--out", metavar="FILE", type=options.FILE, help="Write CSV here instead of printing it (-: print it)."
)
@click.option("--target", "-t", metavar="COL", help="The column with the right answer: say what is wrong.")
@click.option("--probabilities", is_flag=True, help="Also the probability of each class, in a column for each.")
@click.option(
    "--spreadsheet-safe",
    is_flag=True,
    help="Put ' before texts that a spreadsheet would run as a formula (they begin with =, +, - or @).",
)
@options.as_json
def predict(
    model: str, data: str, out: str | None, target: str | None, probabilities: bool, as_json: bool, **settings: Any
) -> None:
    """Add to every row of DATA its prediction, the cost of its tests, and which tests those were.

    Columns that the model never asks for may be absent, and others do not matter. A row whose test shows what no known
    case did is answered by what is known before that test; how many there are is said at the end. Rows are read and
    written in batches: DATA may be larger than memory.

    Cells are written as they are, so that programs read what was there. For a table from people you do not know that
    will be opened in a spreadsheet, --spreadsheet-safe keeps it from running what they wrote.
    """
    from dataclasses import replace

    from budgetree.cli.inputs import check_outputs, open_data
    from budgetree.cli.predictions import Tally, columns_for, predict_rows, safe_line
    from budgetree.data.source import Reading
    from budgetree.errors import TableError, Where
    from budgetree.evaluation.cases import codes_for
    from budgetree.services.files import replacing
    from budgetree.services.words import counted, no_such, visible
    from budgetree.tree import Tree

    out = None if out == "-" else out  # as Unix tools say it
    check_outputs((out,), (model, data))
    line = safe_line if settings.pop("spreadsheet_safe") else str
    tree = Tree.from_json(model)
    rows = open_data(data, Reading(**settings))
    wanted = replace(columns_for(tree.schema, tree.tests_used, rows), lines=not as_json)
    if target is not None:
        if target not in rows.names:
            raise TableError(no_such("column", target, rows.names), subject=target, where=Where(rows.name))
        wanted = replace(wanted, texts={*wanted.texts, target} - set(wanted.numbers))
    tally = Tally(tree)
    is_file = out is not None and not as_json
    with replacing(out) if is_file and out is not None else nullcontext(sys.stdout) as file:
        shown = (lambda text: text) if is_file else for_reader
        file.write("[" if as_json else shown(line(_header(tree.schema, rows.names, probabilities)) + "\n"))
        for batch in rows.batches(wanted):
            codes = codes_for(tree.schema, tree.tests_used, batch.table)
            found = predict_rows(tree, codes, with_probabilities=probabilities)
            is_first = tally.n_rows == 0
            tally.add(found, None if target is None else batch.table.column(target), batch.table, codes)
            if as_json:
                text = ",\n".join(map(json_text, found.as_records()))
                file.write(("\n" if is_first or not text else ",\n") + text)
            else:
                lines = zip(batch.lines, found.as_cells(), strict=True)
                file.write(shown("".join(f"{line(f'{known},{added}')}\n" for known, added in lines)))
        file.write("\n]\n" if as_json else "")
    for sentence in tally.lines():
        click.echo(visible(sentence), err=True)
    if is_file:
        amount, total = tree.schema.wording.amount, counted(tally.n_rows, "row")
        costs = f"costliest {amount(tally.costliest)}, mean {amount(float(f'{tally.mean_cost:.4g}'))}"
        click.echo(visible(f"{total}; {costs}; written to {out}"))


def _header(schema: Schema, names: Sequence[str], probabilities: bool) -> str:
    from budgetree.cli.predictions import cost_columns
    from budgetree.data.table import csv_cell

    shares = [f"probability of {name}" for name in schema.class_names if probabilities]
    added = ["prediction", *cost_columns(schema), "tests", *shares]
    return ",".join(map(csv_cell, [*names, *(_unused(name, names) for name in added)]))


def _unused(name: str, names: Sequence[str]) -> str:
    """The column's name, or another where the table has one of that name."""
    while name in names:
        name = f"budgetree {name}"
    return name
