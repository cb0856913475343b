"""`budgetree predict`: what each row is, what its tests cost, and which they were."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import click

from budgetree.cli import options


@click.command()
@options.model
@options.data
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(dir_okay=False), help="Write CSV here instead of printing it."
)
@click.option(
    "--missing", metavar="TEXT", multiple=True, help="A cell that stands for a missing value. May be repeated."
)
@options.as_json
def predict(model: str, data: str, out: str | None, missing: Sequence[str], as_json: bool) -> None:
    """Add to every row of DATA its prediction, the cost of its tests, and which tests those were.

    Columns that the model never asks for may be absent, and others do not matter.

    \b
    Example:
      budgetree predict pathway.json new_cases.csv -o predicted.csv
    """
    from budgetree.cli.tables import codes_for, open_table
    from budgetree.problem.files import write_text
    from budgetree.problem.units import plain_number
    from budgetree.tree import Tree

    tree = Tree.from_json(model)
    table = open_table(data, missing)
    codes = codes_for(tree.schema, tree.tests_used, table)
    costs = [plain_number(cost) for cost in tree.exact_cost(codes)]
    found = list(zip(tree.predict(codes).tolist(), costs, tree.tests_done(codes), strict=True))
    if as_json:
        from budgetree.cli.output import print_json

        print_json([{"prediction": label, "cost": cost, "tests": list(tests)} for label, cost, tests in found])
        return
    text = _csv(table.names, table.rows(), found)
    if out is None:
        click.echo(text, nl=False)
        return
    write_text(out, text)
    mean = sum(costs) / len(costs) if costs else 0
    click.echo(f"{len(costs)} rows; dearest {max(costs, default=0)}, mean {mean:.4g}; written to {out}")


def _csv(names: list[str], rows: list[list[str]], found: list[tuple[Any, Any, tuple[str, ...]]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, *(_unused(name, names) for name in ("prediction", "cost", "tests"))])
    for cells, (label, cost, tests) in zip(rows, found, strict=True):
        writer.writerow([*cells, label, cost, "; ".join(tests)])
    return text.getvalue()


def _unused(name: str, names: list[str]) -> str:
    """The column's name, or another where the table has one of that name."""
    while name in names:
        name = f"budgetree {name}"
    return name
