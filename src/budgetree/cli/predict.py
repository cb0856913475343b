"""`budgetree predict`: what each row is, what its tests cost, and which they were."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import click

from budgetree.cli import options


@click.command()
@options.model
@options.data
@options.reading
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(dir_okay=False), help="Write CSV here instead of printing it."
)
@click.option("--target", "-t", metavar="COL", help="The column with the right answer: say what is wrong.")
@click.option("--probabilities", is_flag=True, help="Also the probability of each class, in a column for each.")
@options.as_json
def predict(
    model: str, data: str, out: str | None, target: str | None, probabilities: bool, as_json: bool, **settings: Any
) -> None:
    """Add to every row of DATA its prediction, the cost of its tests, and which tests those were.

    Columns that the model never asks for may be absent, and others do not matter. A row whose test shows what no known
    case did is answered by what is known before that test; how many there are is said at the end. Rows are read and
    written in batches: DATA may be larger than memory.

    \b
    Example:
      budgetree predict pathway.json new_cases.csv -o predicted.csv
    """
    from budgetree.cli.output import clean
    from budgetree.cli.predictions import Tally, predict_rows
    from budgetree.cli.tables import check_outputs, codes_for, columns_for, open_rows
    from budgetree.problem.tables.reading import Reading
    from budgetree.services.files import replacing
    from budgetree.services.words import counted
    from budgetree.tree import Tree

    check_outputs((out,), (model, data))
    tree = Tree.from_json(model)
    rows = open_rows(data, Reading(**settings))
    wanted = columns_for(tree.schema, tree.tests_used, rows)
    wanted = replace(wanted, lines=not as_json)
    if target is not None:
        if target not in rows.names:
            raise ValueError(f"{rows.source}: there is no column {target!r}. There are: {', '.join(rows.names)}.")
        wanted = replace(wanted, texts={*wanted.texts, target} - set(wanted.numbers))
    tally = Tally(tree)
    is_file = out is not None and not as_json
    with replacing(out) if is_file and out is not None else nullcontext(sys.stdout) as file:
        file.write("[" if as_json else _header(tree.class_names, rows.names, probabilities))
        for batch in rows.read(wanted):
            codes = codes_for(tree.schema, tree.tests_used, batch.table)
            found = predict_rows(tree, codes, with_probabilities=probabilities)
            is_first = tally.n_rows == 0
            tally.add(found, codes, None if target is None else batch.table.column(target))
            file.write(_json(found.as_records(), is_first) if as_json else _csv(batch.lines, found.as_cells()))
        file.write("\n]\n" if as_json else "")
    for line in (*tally.unknown(), *map(clean, tally.wrong())):
        click.echo(line, err=True)
    if is_file:
        total = counted(tally.n_rows, "row")
        click.echo(f"{total}; costliest {tally.costliest}, mean {tally.mean_cost:.4g}; written to {out}")


def _csv(lines: Sequence[str], cells: Iterator[str]) -> str:
    return "".join(f"{line},{added}\n" for line, added in zip(lines, cells, strict=True))


def _json(records: Iterator[dict[str, Any]], is_first: bool) -> str:
    import json

    text = ",\n".join(json.dumps(record, ensure_ascii=False, default=str) for record in records)
    return ("\n" if is_first or not text else ",\n") + text


def _header(classes: Sequence[Any], names: Sequence[str], probabilities: bool) -> str:
    from budgetree.problem.tables.batches import csv_cell

    added = ["prediction", "cost", "tests", *(f"probability of {name}" for name in classes if probabilities)]
    return ",".join(map(csv_cell, [*names, *(_unused(name, names) for name in added)])) + "\n"


def _unused(name: str, names: Sequence[str]) -> str:
    """The column's name, or another where the table has one of that name."""
    while name in names:
        name = f"budgetree {name}"
    return name
