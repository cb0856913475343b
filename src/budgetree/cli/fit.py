"""`budgetree fit`: the best tree for a budget, or the cheapest for an error, into a model file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from budgetree.cli import options
from budgetree.cli.endings import ending


@click.command(
    epilog=ending(
        "budgetree fit cases.csv --target diagnosis --budget 300 --prices prices.toml -o pathway.json",
        "budgetree fit cases.csv --target fault --objective known --max-error 0.02 -o pathway.json",
        "budgetree fit 'data/*.parquet' --target fault --engine dask --budget 12 -o pathway.json",
        page="guide/methods",
    )
)
@options.data
@options.table
@click.option("--budget", metavar="B", type=options.AMOUNT, help="No case may cost more than this.")
@click.option(
    "--max-error",
    metavar="E",
    type=click.FloatRange(0, 1),
    help="At most this share of the known cases may be wrong (0.05: 5 %).",
)
@options.engine
@options.search
@options.new_cases("new")
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(dir_okay=False), required=True, help="The model file to write."
)
@click.option(
    "--certificate",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Also prove how good the tree is, into this file.",
)
@options.as_json
@click.pass_context
def fit(
    context: click.Context,
    /,
    budget: float | None,
    max_error: float | None,
    out: str,
    certificate: str | None,
    engine: str,
    scheduler: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Find the tree for a budget that errs least on new cases, or that with the fewest errors on the known ones.

    --max-error, --certificate and --min-cases are about the known cases: they go with --objective known.
    --max-error 0 also says what no tree without errors can cost less than, proven.
    With --losses the least loss is sought instead of the fewest errors.
    """
    if (budget is None) == (max_error is None):
        raise click.UsageError("give either --budget B or --max-error E.")
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler is the address of a Dask cluster; it needs --engine dask.")
    if engine == "dask":
        from budgetree.cli.cluster import check_options

        check_options(context, certificate, settings)
    is_given = context.get_parameter_source("objective") is click.core.ParameterSource.COMMANDLINE
    about_known = max_error is not None or certificate is not None or settings["min_cases"] > 1
    if settings["objective"] == "new" and about_known:
        if is_given:
            raise click.UsageError(
                "--max-error, --certificate and --min-cases are about known cases; they need --objective known."
            )
        settings["objective"] = "known"
    from budgetree.cli.cluster import fit_on_cluster
    from budgetree.cli.fitting import Wish, bound_reporter, find_tree, with_bounds
    from budgetree.cli.output import known_line, new_error_facts, print_json, statement_line, tree_facts
    from budgetree.cli.suspects import is_troubleshooting
    from budgetree.cli.tables import Request, check_outputs, load_grouped
    from budgetree.learn.new_error import CLI_REMEDY
    from budgetree.problem import Prices
    from budgetree.proof import certify
    from budgetree.services.words import visible
    from budgetree.show.frontier_view import new_words, verdict

    wish = Wish(
        budget,
        max_error,
        is_certified=certificate is not None,
        **{name: settings.pop(name) for name in options.SEARCH_NAMES},
    )
    request = Request(**settings)
    inputs = (request.data, request.prices, request.losses, request.labels)
    check_outputs((out, certificate), inputs)  # before the work, not after it
    if engine == "dask":
        tree = fit_on_cluster(request, wish, scheduler)
        tree.to_json(out)
        if as_json:
            print_json(tree_facts(tree) | {"objective": "known", "engine": engine, "model": out})
            return
        click.echo(tree.summary())
        click.echo(f"model in {out}; next: budgetree show {out}, budgetree ask {out}")
        return
    instance, groups = load_grouped(request)
    asks_for_new = any(
        context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        for name in ("objective", "leaves", "sure")
    )
    if is_troubleshooting(instance) and not asks_for_new:
        wish = replace(wish, objective="known")  # of new cases nothing could be learned
    tell = bound_reporter(instance, wish)
    tell(None)
    found, point, tree = find_tree(instance, groups, wish)
    tell(tree)
    proof = None if certificate is None else certify(instance, tree, time_limit=wish.proof_seconds)
    tree = with_bounds(instance, tree, wish, proof)
    tree.to_json(out)
    if proof is not None and certificate is not None:
        proof.to_json(certificate)
    if as_json:
        facts = {"objective": wish.objective, "model": out, "certificate": certificate}
        print_json(tree_facts(tree) | new_error_facts(found, point) | facts)
        return
    click.echo(tree.summary())
    if request.prices is None and instance.prices == Prices(1):
        click.echo("no price list: every test costs 1.")
    click.echo(f"known cases: {known_line(found, point)}; {statement_line(tree)}")
    if found.validation is not None:
        wrong = "" if point.expected is None else f"{new_words(point)}, "
        click.echo(f"new cases: {wrong}{found.validation.how}")
    if words := verdict(point, CLI_REMEDY):
        click.echo(click.style(words, fg="yellow"))
    if wish.min_cases > 1 and tree.n_leaves == 1:
        click.echo(
            f"no test leaves {wish.min_cases} cases to every outcome that it shows: fewer --levels or a smaller "
            "--min-cases help."
        )
    if not found.complete and not tree.statement.is_proven:
        click.echo("--time-limit gives the search longer.")
    if proof is not None:
        click.echo(visible(f"{proof.reason} (certificate in {certificate})"))
    click.echo(visible(f"model in {out}; next: budgetree show {out}, budgetree ask {out}"))
