"""`budgetree fit`: the best tree for a budget, or the cheapest for an error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os.path import getsize
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli import options
from budgetree.cli.options import option
from budgetree.cli.output import estimate_lines, file_size, print_json, say, statement_line, tree_facts
from budgetree.services.clock import DEFAULT_PLAN
from budgetree.services.words import visible

if TYPE_CHECKING:
    from budgetree.cli.inputs import Request
    from budgetree.learn import FitRequest, Result
    from budgetree.problem import Instance
    from budgetree.proof import Certificate
    from budgetree.tree import Tree

LARGE_FILE = 100_000  # bytes
MAX_LEAVES = 40  # of a tree that is printed whole
FOLDED = 3  # tests deep, where a larger one is folded


@options.command(
    "budgetree fit cases.csv -t ill --prices p.toml --budget 300 -o pathway.json",
    "budgetree fit cases.csv --target fault --objective known --max-error 0.02",
    page="guide/budgets",
)
@options.data
@options.table
@options.budget
@option(
    "--max-error",
    metavar="E",
    type=click.FloatRange(0, 1),
    help="Instead of --budget: the cheapest pathway with at most this share wrong, such as 0.05.",
)
@option(
    "--without",
    metavar="TEST",
    multiple=True,
    heading="Prices, losses and names",
    help="Leave out this test, and say what it is worth. May be repeated.",
)
@options.search
@options.engine
@option("-o", "--out", metavar="FILE", type=options.FILE, help="Write the pathway to this file, as JSON.")
@option(
    "--certificate",
    metavar="FILE",
    type=options.FILE,
    heading="Output",
    help="For known cases: write a proof of how good the pathway is.",
)
def fit(
    data: str,
    budget: float | None,
    max_error: float | None,
    out: str | None,
    certificate: str | None,
    engine: str,
    scheduler: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Find the best pathway for a budget or an error rate.

    The best has the lowest error on new cases or, with --objective known, the fewest errors on the known ones; with
    --losses, the least loss. --max-error finds the cheapest. --first and --without also print what they cost.
    """
    if (budget is None) == (max_error is None):
        raise click.UsageError("give either --budget B or --max-error E; --budget inf for no limit.")
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler is the address of a Dask cluster; it needs --engine dask.")
    if engine == "dask":
        from budgetree.cli.cluster import check_options

        check_options(certificate, settings)
    if settings["objective"] == "new" and (certificate is not None or settings["min_cases"] > 1):
        raise click.UsageError("--certificate and --min-cases are about known cases; they need --objective known.")
    if certificate is not None:
        settings["objective"] = "known"

    from budgetree.cli.inputs import Request, check_outputs, load, warn_of_doubts
    from budgetree.learn._fit import fit_request, make_request

    proof, preference = None, ""
    request, asked = Request.take(data, settings), settings | {"budget": budget, "max_error": max_error}
    check_outputs((out, certificate), request.files)  # before the work, not after it
    if engine == "dask":
        from budgetree.cli.cluster import fit_on_cluster

        result = fit_on_cluster(request, asked, scheduler)
        facts: dict[str, Any] = {"engine": engine}
    else:
        instance, given = load(request, asked)
        result, proof = _proven(instance, make_request(instance, **given), certificate)
        facts = _new_error_facts(result) | {"certificate": certificate}
        if request.first or request.without:
            from budgetree.cli.preference import Preference

            instance_of_all, given = load(replace(request, first=(), without=()), asked)
            free = fit_request(instance_of_all, make_request(instance_of_all, **given), None)
            compared = Preference(tuple(request.first), tuple(request.without), result, free)
            facts["preference"], preference = compared.facts, compared.sentence
    tree = result.tree
    if out is not None:
        tree.to_json(out)
    if proof is not None and certificate is not None:
        proof.to_json(certificate)
    if as_json:
        written = {"model": out, "model_bytes": None if out is None else getsize(out)}
        shown = {} if out is not None else {"tree": tree.to_dict()}
        print_json(tree_facts(tree) | facts | {"objective": result.objective} | written | shown)
        return
    warn_of_doubts(request, result.request)
    chart = tree.export("stages") if out is None and _is_charted(tree) else ""
    for line in _result_lines(result, request, is_charted=bool(chart)):
        click.echo(line)
    if preference:
        say(preference)
    if proof is not None and certificate is not None:
        say(f"{proof.reason} (certificate in {certificate})")
    for line in _tree_lines(tree, str(chart)) if out is None else _file_lines(tree, out):
        click.echo(line)


def _is_charted(tree: Tree) -> bool:
    """Whether stages show the tree better than branches: its leaves are points or models."""
    return tree.origin.choice is not None and tree.origin.choice.kind != "tree" and tree.n_leaves <= MAX_LEAVES


def _tree_lines(tree: Tree, chart: str) -> Iterator[str]:
    """The tree itself, where no file is asked for."""
    text = chart or tree.to_text(max_depth=FOLDED if tree.n_leaves > MAX_LEAVES else None).partition("\n")[2]
    yield f"\n{text}" if text else ""
    yield "\nnot saved: add -o pathway.json, then `budgetree report`, `ask` and `predict` use it."


def _file_lines(tree: Tree, out: str) -> Iterator[str]:

    yield visible(f"model in {out} ({file_size(out)}); next: budgetree show {out}, budgetree ask {out}")
    choice = tree.origin.choice
    if getsize(out) > LARGE_FILE and choice is not None and choice.kind == "model":
        smaller = "points" if len(tree.class_names) == 2 else "tree"
        yield f"its exports to SQL and other languages are larger still; --leaves {smaller} makes a file of a few kB."


def _result_lines(result: Result, request: Request, *, is_charted: bool) -> Iterator[str]:
    """What was found; without what a chart of stages says itself."""
    from budgetree.messages import cases_sentence, objective_sentence
    from budgetree.problem import Instance, Prices
    from budgetree.show.frontier_view import CLI_REMEDY, new_words, no_more_words, verdict

    tree, wanted = result.tree, result.request
    if wanted.choice is not None:
        yield objective_sentence(wanted.choice)
        if result.frontier is not None and isinstance(result.frontier.instance, Instance):
            yield cases_sentence(result.frontier.instance, result.objective)
    yield tree.summary()
    if request.prices is None and tree.schema.prices == Prices(1):
        yield "no price list: every test costs 1."
    point, validation = result.point, None if result.frontier is None else result.frontier.validation
    if point is not None:
        loss = f"a mean loss of {point.mean_loss:.4g}, " if tree.schema.losses is not None else ""
        yield f"known cases: {loss}{100 * point.error_rate:.1f} % wrong; {statement_line(tree)}"
        if validation is not None and not is_charted:
            wrong = "" if point.estimate is None else f"{new_words(point)}, "
            yield f"new cases: {wrong}{validation.how}"
        yield from () if is_charted else estimate_lines(tree)
        if point.for_new and result.frontier is not None and (no_more := no_more_words(result.frontier, point)):
            yield no_more
        if overfitted := verdict(point, CLI_REMEDY):
            yield click.style(overfitted, fg="yellow")
    if wanted.min_cases > 1 and tree.n_leaves == 1:
        too_few = f"no test leaves at least {wanted.min_cases} cases with each of its outcomes"
        yield f"{too_few}: fewer --levels or a smaller --min-cases help."
    if not result.complete and not tree.statement.is_proven:
        yield "a longer --time-limit lets the search go on."


def _new_error_facts(result: Result) -> dict[str, Any]:
    """What to expect of the tree on new cases."""
    from budgetree.tree.model.history import estimate_content

    point, validation = result.point, None if result.frontier is None else result.frontier.validation
    names = ["error_rate", "new_error", "new_error_se", "overfitted", "new_cost", "new_recalls"]
    names += ["new_loss", "new_loss_se"] if result.tree.schema.losses is not None else []
    estimate = estimate_content(result.estimate) or {}
    return {name: getattr(point, name) for name in names} | {
        "validation": None if validation is None else str(validation),
        "stability": estimate.get("stability"),
        "copies": 0 if result.request.rows is None else result.request.rows.n_copies,
    }


def _asks_cost(wanted: FitRequest) -> bool:
    """Whether the question is how cheap a tree without errors can be."""
    return wanted.objective == "known" and wanted.max_error == 0


def _with_time_for_proof(wanted: FitRequest, certificate: str | None) -> FitRequest:
    """The same with a part of the time limit, where a certificate takes the rest."""
    share = DEFAULT_PLAN.fit_share if certificate or _asks_cost(wanted) else 1
    return replace(wanted, time_limit=wanted.time_limit and share * wanted.time_limit)


def _proven(instance: Instance, wanted: FitRequest, certificate: str | None) -> tuple[Result, Certificate | None]:
    """The result; with a certificate if one is asked for, or if nothing else settles how cheap no errors can be."""
    from budgetree.learn._fit import fit_request
    from budgetree.problem.units import as_fraction
    from budgetree.proof import certify
    from budgetree.tree.provenance import ProofState

    result, limit = fit_request(instance, _with_time_for_proof(wanted, certificate), None), wanted.time_limit
    tree, is_about_cost = result.tree, _asks_cost(wanted) and instance.losses is None
    if certificate is None and (tree.statement.is_proven or not is_about_cost):
        return result, None
    proof = certify(instance, tree, time_limit=limit and (1 - DEFAULT_PLAN.fit_share) * limit)
    if tree.bounds is None or not is_about_cost:
        return result, proof
    # A budget in units that is at least the certificate's bound.
    raised = -(-as_fraction(proof.lower_bound) * tree.schema.costs.scale // 1)
    least = max(tree.bounds.least_cost, min(int(raised), tree.need))
    state = ProofState.OPTIMAL if least == tree.need else tree.bounds.state
    return replace(result, tree=replace(tree, bounds=replace(tree.bounds, least_cost=least, state=state))), proof
