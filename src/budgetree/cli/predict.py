"""`budgetree predict`: the answer to each row, the tests that it took and their cost."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli import options
from budgetree.cli.options import option
from budgetree.cli.output import for_reader, json_text, print_json, say
from budgetree.services.words import counted, visible

if TYPE_CHECKING:
    from budgetree.problem import Schema


@options.command("budgetree predict pathway.json new_cases.csv -o predicted.csv", page="guide/bedside")
@options.model
@options.data
@option("-o", "--out", metavar="FILE", type=options.FILE, help="Write CSV to this file (-: print it).")
@option("--probabilities", is_flag=True, help="Add the probability of each class, in a column for each.")
@option(
    "--spreadsheet-safe",
    is_flag=True,
    help="Put ' before texts that a spreadsheet would run as a formula (=, +, -, @).",
)
@options.reading
def predict(model: str, data: str, out: str | None, probabilities: bool, as_json: bool, **settings: Any) -> None:
    """Predict the rows of a table: answer, cost and tests used.

    DATA may be larger than memory. Columns that the model never asks for may be missing. A row with a result that no
    known case had is answered from the tests before it. `budgetree evaluate` compares predictions with the
    right answers.
    """

    from budgetree.cli.inputs import check_outputs, open_data
    from budgetree.cli.predictions import Tally, columns_for, predict_rows, safe_line
    from budgetree.data.source import Reading
    from budgetree.evaluation.cases import codes_for
    from budgetree.services.files import replacing
    from budgetree.tree import Tree

    out = None if out == "-" else out  # as Unix tools say it
    check_outputs((out,), (model, data))
    line = safe_line if settings.pop("spreadsheet_safe") else str
    tree = Tree.from_json(model)
    rows = open_data(data, Reading(**settings))
    as_records = as_json and out is None
    wanted = replace(columns_for(tree.schema, tree.tests_used, rows), lines=not as_records)
    tally = Tally(tree)
    with nullcontext(sys.stdout) if out is None else replacing(out) as file:
        shown = for_reader if out is None else str
        file.write("[" if as_records else shown(line(_header(tree.schema, rows.names, probabilities)) + "\n"))
        for batch in rows.batches(wanted):
            codes = codes_for(tree.schema, tree.tests_used, batch.table)
            found = predict_rows(tree, codes, with_probabilities=probabilities)
            is_first = tally.n_rows == 0
            tally.add(found, batch.table, codes)
            if as_records:
                text = ",\n".join(map(json_text, found.as_records()))
                file.write(("\n" if is_first or not text else ",\n") + text)
            else:
                lines = zip(batch.lines, found.as_cells(), strict=True)
                file.write(shown("".join(f"{line(f'{known},{added}')}\n" for known, added in lines)))
        file.write("\n]\n" if as_records else "")
    for sentence in tally.lines():
        click.echo(visible(sentence), err=True)
    means = tally.mean_costs
    if out is not None and as_json:
        further = {name: {"costliest": most, "mean": means[name]} for name, most in tally.costliest.items()}
        costs = {"costliest": further["cost"]["costliest"], "mean_cost": further.pop("cost")["mean"], **further}
        print_json({"rows": tally.n_rows, **costs, "file": out})
    elif out is not None:
        amounts = tree.schema.wording.amounts
        most, mean = amounts([*tally.costliest.values()]), amounts([float(f"{of:.4g}") for of in means.values()])
        say(f"{counted(tally.n_rows, 'row')}; costliest {most}, mean {mean}; written to {out}")


def _header(schema: Schema, names: Sequence[str], probabilities: bool) -> str:
    from budgetree.data.table import csv_cell

    shares = [f"probability of {name}" for name in schema.class_names if probabilities]
    added = ["prediction", *schema.costs.cost_names, "tests", *shares]
    return ",".join(map(csv_cell, [*names, *(_unused(name, names) for name in added)]))


def _unused(name: str, names: Sequence[str]) -> str:
    """The column's name, or another if the table has one of that name."""
    while name in names:
        name = f"budgetree {name}"
    return name
