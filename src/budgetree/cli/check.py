"""`budgetree check`: what would go wrong with a table, before it does."""

from __future__ import annotations

from typing import Any

import click

from budgetree.cli import options

COLOURS = {"error": "red", "warning": "yellow", "note": None}


@click.command()
@options.data
@options.table
@options.as_json
def check(as_json: bool, **table: Any) -> None:
    """Say what is odd about a table and its prices: before it goes wrong, and what to do.

    Ends with 1 if the table cannot be used as it is, and with 0 where there are only warnings.
    """
    from budgetree.cli.examine import examine
    from budgetree.cli.output import clean
    from budgetree.cli.tables import Request

    findings = examine(Request(**table))
    if as_json:
        from budgetree.cli.output import print_json

        print_json([{"kind": each.kind, "about": each.about, "message": each.message} for each in findings])
    else:
        for each in findings:
            kind = click.style(f"{each.kind}: ", fg=COLOURS[each.kind], bold=each.kind == "error")
            click.echo(kind + clean(f"{each.about + ': ' if each.about else ''}{each.message}"))
    if any(each.kind == "error" for each in findings):
        raise click.exceptions.Exit(1)
