"""`budgetree fit`: the best tree for a budget, or the cheapest for an error, into a model file."""

from __future__ import annotations

from typing import Any

import click

from budgetree.cli import options


@click.command()
@options.data
@options.table
@click.option("--budget", metavar="B", type=options.AMOUNT, help="No case may cost more than this.")
@click.option(
    "--max-error",
    metavar="E",
    type=click.FloatRange(0, 1),
    help="At most this share of the known cases may be wrong (0.05: 5 %).",
)
@options.search
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
def fit(
    budget: float | None,
    max_error: float | None,
    method: str,
    time_limit: float | None,
    out: str,
    certificate: str | None,
    as_json: bool,
    **table: Any,
) -> None:
    """Find the tree with the fewest errors within a budget, or the cheapest with few enough errors.

    \b
    Examples:
      budgetree fit cases.csv --target diagnosis --budget 300 --prices prices.toml -o pathway.json
      budgetree fit cases.csv --target diagnosis --max-error 0.02 -o pathway.json
    """
    if (budget is None) == (max_error is None):
        raise click.UsageError("give either --budget B or --max-error E.")
    from budgetree.cli.output import print_json, statement_line, tree_facts
    from budgetree.cli.tables import Request, check_outputs, load_instance
    from budgetree.learn import frontier as find_frontier
    from budgetree.learn.proofs import tree_for_budget, tree_for_error
    from budgetree.problem import Prices
    from budgetree.proof import certify

    request = Request(**table)
    check_outputs((out, certificate), (request.data, request.prices))  # before the work, not after it
    instance = load_instance(request)
    found = find_frontier(instance, method=method, max_budget=budget, time_limit=time_limit)  # type: ignore[arg-type]
    tree = tree_for_budget(found, budget) if max_error is None else tree_for_error(found, max_error)
    proof = None if certificate is None else certify(instance, tree)
    tree.to_json(out)
    if proof is not None and certificate is not None:
        proof.to_json(certificate)
    if as_json:
        print_json(tree_facts(tree) | {"model": out, "certificate": certificate})
        return
    click.echo(tree.summary())
    if request.prices is None and instance.prices == Prices(1):
        click.echo("no price list: every test costs 1.")
    click.echo(statement_line(tree))
    if not found.complete and not tree.statement.is_proven:
        click.echo("--time-limit gives the search longer.")
    if proof is not None:
        click.echo(f"{proof.reason} (certificate in {certificate})")
    click.echo(f"model in {out}; next: budgetree show {out}, budgetree ask {out}")
