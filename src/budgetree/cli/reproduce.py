"""`budgetree reproduce`: the paper again, in one command."""

from __future__ import annotations

import click

from budgetree.cli import options
from budgetree.cli.endings import ending


@click.command(epilog=ending("budgetree reproduce --out paper", page="paper"))
@click.option("--out", metavar="DIR", type=click.Path(file_okay=False), help="Write pictures, tables and a page there.")
@click.option(
    "--time-limit",
    metavar="S",
    type=options.AMOUNT,
    default=20.0,
    show_default=True,
    help="Seconds for dna's exact frontier.",
)
def reproduce(out: str | None, time_limit: float) -> None:
    """Reproduce the paper from the bundled data: figures, tables and every claim, with what exact search proves.

    Takes about half a minute. With --out the folder holds index.html, figure5.png and .svg, the curves as CSV and
    paper.md; that needs matplotlib (pip install 'budgetree[plot]').
    """
    from budgetree.reproduce import Verdict
    from budgetree.reproduce import reproduce as run

    if out is not None:
        from budgetree.show.plots import need_matplotlib

        need_matplotlib()  # before the work, not after it
    found = run(hard_seconds=time_limit)
    for claim in found.claims:
        colour = {Verdict.HOLDS: "green", Verdict.FAILS: "red"}.get(claim.verdict, "yellow")
        click.echo(f"{click.style(claim.where, bold=True)}: {click.style(claim.verdict.value, fg=colour)}")
        click.echo(f"  says: {claim.says}\n  found: {claim.result}\n")
    if out is None:
        click.echo("--out DIR writes the figures, the tables and a page.")
    else:
        files = found.write(out)
        click.echo(f"Wrote {len(files)} files to {out}; open {out}/index.html in a browser.")
