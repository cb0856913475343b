"""`budgetree frontier`: what every budget buys."""

from __future__ import annotations

from typing import Any

import click

from budgetree.cli import options
from budgetree.cli.output import check_folder, ending, print_json, write_folder


@click.command(
    epilog=ending(
        "budgetree frontier pima",
        "budgetree frontier pima --budgets 2,5,22",
        "budgetree frontier pima --objective known",
        "budgetree frontier cases.csv --target diagnosis --prices prices.toml --out results",
        page="guide/budgets",
    )
)
@options.data
@options.table
@click.option("--max-budget", metavar="B", type=options.AMOUNT, help="Look no further than this.")
@options.budgets
@click.option(
    "--points",
    metavar="N",
    type=click.IntRange(min=1),
    help="For new cases: try so many budgets, where what they buy changes most.  [default: 12]",
)
@options.search
@options.new_cases
@click.option(
    "--out", metavar="DIR", type=click.Path(file_okay=False), help="Write report.html, frontier.csv and the models."
)
@click.option("--plot", metavar="FILE", type=options.FILE, help="Draw it, as .svg, .png or .pdf (needs matplotlib).")
@click.option("--force", is_flag=True, help="Write to DIR although it is not empty; files of others stay.")
@options.as_json
def frontier(
    max_budget: float | None,
    budgets: list[float] | None,
    points: int | None,
    out: str | None,
    plot: str | None,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Show what each budget buys: the error on new cases, and the fewest errors on known ones.

    With --objective known: for every budget the fewest errors, and the proof that there are no fewer.
    """
    from budgetree.cli.inputs import Request, check_outputs, doubts, load_in_time
    from budgetree.learn import frontier as find_frontier
    from budgetree.services.files import write_bytes
    from budgetree.services.words import visible_lines
    from budgetree.show.frontier_view import CLI_REMEDY, draw_in_letters, render_text

    search = {name: settings.pop(name) for name in options.SEARCH_NAMES}
    if search["objective"] == "new" and search["min_cases"] > 1:
        raise click.UsageError("--min-cases is about known cases; it needs --objective known.")
    if budgets is not None and max_budget is not None:
        raise click.UsageError("the largest of --budgets is the last; give either --budgets or --max-budget.")
    if budgets is not None and points is not None:
        raise click.UsageError("each of --budgets is a point; give either --budgets or --points.")
    request = Request(**settings)
    form = "" if plot is None else options.suffix_of(plot, "--plot", (".svg", ".png", ".pdf"))
    if plot is not None:
        from budgetree.show.plots import need_matplotlib

        need_matplotlib()  # before the work, not after it
        check_outputs((plot,), (request.data,))
    if out is not None:
        check_folder(out, force)  # before the work, not after it
    instance, groups, search = load_in_time(request, search)
    found = find_frontier(instance, max_budget=max_budget, budgets=budgets, points=points, groups=groups, **search)
    files = [] if out is None else write_folder(found, out, request.data, force)
    if plot is not None:
        from budgetree.show.plots import picture_of

        write_bytes(plot, picture_of(found, form[1:]))
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
    for line in doubts(request, found.request):
        click.echo(line, err=True)
    click.echo(f"{visible_lines(render_text(found, CLI_REMEDY))}\n\n{draw_in_letters(found)}")
    if out is not None:
        click.echo(visible_lines(f"\nWrote {len(files)} files to {out}; open {files[0]} in a browser."))
