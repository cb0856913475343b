"""`budgetree frontier`: what every budget buys."""

from __future__ import annotations

from typing import Any

import click

from budgetree.cli import options
from budgetree.cli.options import option
from budgetree.cli.output import check_folder, print_json, say, write_folder

PICTURES = (".svg", ".png", ".pdf")


@options.command(
    "budgetree frontier pima",
    "budgetree frontier pima --budgets 2,5,22",
    "budgetree frontier cases.csv -t diagnosis --prices prices.toml -o results",
    page="guide/budgets",
)
@options.data
@options.table
@option(
    "--budgets",
    metavar="B,B,…",
    callback=options.read_budgets,
    help="Try only these budgets, such as 20,110,200; one line for each.",
)
@option("--max-budget", metavar="B", type=options.AMOUNT, help="The largest budget to try.")
@option(
    "--points",
    metavar="N",
    type=click.IntRange(min=1),
    heading="Search",
    help="For new cases: how many budgets to try.  [default: 12]",
)
@options.search
@options.folder
@option(
    "--plot",
    metavar="FILE",
    type=options.FILE,
    heading="Output",
    help="Draw it, as .svg, .png or .pdf (needs matplotlib).",
)
def frontier(
    data: str,
    max_budget: float | None,
    budgets: list[float] | None,
    points: int | None,
    out: str | None,
    plot: str | None,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Show what each budget buys: errors on new and known cases.

    With --objective known: for every budget the fewest errors, and the proof that there are no fewer.
    """
    from budgetree.cli.inputs import Request, check_outputs, load, warn_of_doubts
    from budgetree.learn import frontier as find_frontier
    from budgetree.services.files import write_bytes
    from budgetree.show.frontier_view import CLI_REMEDY, draw_in_letters, render_text

    if settings["objective"] == "new" and settings["min_cases"] > 1:
        raise click.UsageError("--min-cases is about known cases; it needs --objective known.")
    if budgets is not None and (max_budget is not None or points is not None):
        other = "--points" if max_budget is None else "--max-budget"
        raise click.UsageError(f"--budgets lists every budget to try; give either --budgets or {other}.")
    request = Request.take(data, settings)
    if plot is not None:
        from budgetree.show.plots import need_matplotlib, picture_of

        options.check_suffix(plot, "--plot", PICTURES)
        need_matplotlib()  # before the work, not after it
        check_outputs((plot,), request.files)
    if out is not None:
        check_folder(out, force)
    instance, asked = load(request, settings)
    found = find_frontier(instance, max_budget=max_budget, budgets=budgets, points=points, **asked)
    files = [] if out is None else write_folder(found, out, data, force)
    if plot is not None:
        write_bytes(plot, picture_of(found, plot.rpartition(".")[2].lower()))
        files.append(plot)
    if as_json:
        entries = [{name: getattr(point, name) for name in found.columns} for point in found]
        chosen, enough = found.recommended, found.enough
        facts = {
            "objective": found.request.objective,
            "method": found.method,
            "complete": found.complete,
            "validation": None if found.validation is None else str(found.validation),
            "recommended": None if chosen is None else chosen.budget,
            "enough": None if enough is None else enough.budget,
        }
        print_json(facts | {"points": entries, "files": files})
        return
    warn_of_doubts(request, found.request)
    say(render_text(found, CLI_REMEDY))
    click.echo(f"\n{draw_in_letters(found)}")
    if out is not None:
        say(f"\nWrote {len(files)} files to {out}; open {files[0]} in a browser.")
