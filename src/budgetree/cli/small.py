"""`budgetree datasets`, `reproduce` and `completion`."""

from __future__ import annotations

import click

from budgetree.cli import options
from budgetree.cli.output import print_json

HOW = {
    "bash": 'eval "$(budgetree completion bash)"  in ~/.bashrc',
    "zsh": 'eval "$(budgetree completion zsh)"  in ~/.zshrc',
    "fish": "budgetree completion fish > ~/.config/fish/completions/budgetree.fish",
}


@options.command("budgetree datasets", page="paper")
def datasets(as_json: bool) -> None:
    """List the data sets that come with budgetree."""
    from budgetree import datasets as bundled

    loaded = {name: bundled.load(name) for name in bundled.names()}
    found = [
        {"name": name, "cases": one.n_objects, "tests": one.n_tests, "classes": one.n_classes}
        for name, one in loaded.items()
    ]
    if as_json:
        print_json(found)
        return
    for row in (found[0], *(entry.values() for entry in found)):
        click.echo("{:<14} {:>8} {:>6} {:>8}".format(*row))
    click.echo("\nUse a name in place of a file: budgetree frontier pima")


@options.command("budgetree reproduce -o paper", page="paper")
@click.option("-o", "--out", metavar="DIR", type=options.FOLDER, help="The folder for figures, tables and a page.")
@options.time_limit
def reproduce(out: str | None, time_limit: float | None, as_json: bool) -> None:
    """Reproduce the paper's figures, tables and claims.

    From the bundled data. Takes about half a minute. -o needs matplotlib (pip install 'budgetree[plot]').
    """
    from budgetree.reproduce import Verdict
    from budgetree.reproduce import reproduce as run

    if out is not None:
        from budgetree.show.plots import need_matplotlib

        need_matplotlib()  # before the work, not after it
    found = run(hard_seconds=time_limit)
    files = [] if out is None else found.write(out)
    if as_json:
        claims = [
            {"where": c.where, "verdict": c.verdict.value, "says": c.says, "found": c.result} for c in found.claims
        ]
        print_json({"claims": claims, "files": [str(file) for file in files]})
        return
    for claim in found.claims:
        colour = {Verdict.HOLDS: "green", Verdict.FAILS: "red"}.get(claim.verdict, "yellow")
        click.echo(f"{click.style(claim.where, bold=True)}: {click.style(claim.verdict.value, fg=colour)}")
        click.echo(f"  says: {claim.says}\n  found: {claim.result}\n")
    if out is None:
        click.echo("--out DIR writes the figures, the tables and a page.")
    else:
        click.echo(f"Wrote {len(files)} files to {out}; open {out}/index.html in a browser.")


@options.command("budgetree completion bash", page="guide/install", before="\n".join(["\b", *HOW.values(), "", ""]))
@click.argument("shell", type=click.Choice(list(HOW)))
def completion(shell: str, as_json: bool) -> None:
    """Print the script that completes `budgetree` in your shell."""
    from click.shell_completion import get_completion_class

    from budgetree.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None  # the choices are those that click knows
    script = kind(cli, {}, "budgetree", "_BUDGETREE_COMPLETE").source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)
