"""`budgetree datasets`: what comes with budgetree."""

from __future__ import annotations

import click

from budgetree.cli import options
from budgetree.cli.endings import ending


@click.command(epilog=ending("budgetree datasets", page="paper"))
@options.as_json
def datasets(as_json: bool) -> None:
    """List the data sets that come with budgetree, prepared as in the paper."""
    from budgetree import datasets as bundled

    found = []
    for name in bundled.names():
        instance = bundled.load(name)
        sizes = {"cases": instance.n_objects, "tests": instance.n_tests, "classes": instance.n_classes}
        found.append({"name": name} | sizes)
    if as_json:
        from budgetree.cli.output import print_json

        print_json(found)
        return
    click.echo(f"{'name':<14} {'cases':>8} {'tests':>6} {'classes':>8}")
    for entry in found:
        click.echo(f"{entry['name']:<14} {entry['cases']:>8} {entry['tests']:>6} {entry['classes']:>8}")
    click.echo("\nUse a name in place of a file: budgetree frontier pima")
