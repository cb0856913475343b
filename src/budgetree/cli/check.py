"""`budgetree check`: what would go wrong with a table, before it does."""

from __future__ import annotations

from typing import Any

import click

from budgetree.cli import options
from budgetree.cli.output import ending, print_json

COLOURS = {"error": "red", "warning": "yellow", "note": None}


@click.command(epilog=ending("budgetree check cases.csv --target diagnosis --prices prices.toml", page="guide/files"))
@options.data
@options.table
@options.as_json
def check(as_json: bool, **table: Any) -> None:
    """Say what is odd about a table and its prices: before it goes wrong, and what to do.

    Ends with 1 if the table cannot be used as it is, and with 0 where there are only warnings.
    """
    from budgetree.cli.examine import examine
    from budgetree.cli.inputs import Request
    from budgetree.data.checks import Severity
    from budgetree.services.words import visible_lines

    findings = examine(Request(**table))
    if as_json:
        print_json([{"kind": f.severity.value, "about": f.column or "", "message": f.message} for f in findings])
    else:
        for finding in findings:
            kind = finding.severity.value
            styled = click.style(f"{kind}: ", fg=COLOURS[kind], bold=kind == "error" or None)
            click.echo(styled + visible_lines(str(finding)))
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise click.exceptions.Exit(1)
