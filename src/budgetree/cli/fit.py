"""`budgetree fit`: the best tree for a budget, or the cheapest for an error, into a model file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from os.path import getsize
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli import options
from budgetree.cli.output import ending, file_size, print_json, stability_lines, statement_line, tree_facts
from budgetree.services.words import visible

if TYPE_CHECKING:
    from budgetree.cli.inputs import Request
    from budgetree.cli.preference import Preference
    from budgetree.learn import FitRequest, Result
    from budgetree.problem import Instance
    from budgetree.proof import Certificate
    from budgetree.tree import Tree

LARGE_FILE = 100_000  # bytes


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
@options.budget
@click.option(
    "--max-error",
    metavar="E",
    type=click.FloatRange(0, 1),
    help="Find the cheapest tree with at most this share wrong (0.05: 5 %): of the known cases, or cross-validated.",
)
@click.option("--first", metavar="TEST", multiple=True, help="Every path begins with this test. May be repeated.")
@click.option("--without", metavar="TEST", multiple=True, help="Do without this test. May be repeated.")
@options.engine
@options.search
@options.new_cases
@click.option("-o", "--out", metavar="FILE", type=options.FILE, required=True, help="The model file to write.")
@click.option(
    "--certificate", metavar="FILE", type=options.FILE, help="Also prove how good the tree is, into this file."
)
@options.as_json
def fit(
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

    --certificate and --min-cases are about the known cases: they go with --objective known.
    --max-error 0 also says what no tree without errors can cost less than, proven.
    With --losses the least loss is sought instead of the fewest errors.
    --first and --without also say what they cost: how much better a tree is that need not heed them.
    """
    if (budget is None) == (max_error is None):
        raise click.UsageError("give either --budget B or --max-error E.")
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler is the address of a Dask cluster; it needs --engine dask.")
    if engine == "dask":
        from budgetree.cli.cluster import check_options

        check_options(certificate, settings)
    if settings["objective"] == "new" and (certificate is not None or settings["min_cases"] > 1):
        raise click.UsageError("--certificate and --min-cases are about known cases; they need --objective known.")
    if certificate is not None:
        settings["objective"] = "known"
    from dataclasses import replace

    from budgetree.cli.inputs import Request, check_outputs, doubts, load_in_time
    from budgetree.learn._fit import answer, make_request

    proof = preference = None
    asked = {name: settings.pop(name) for name in options.SEARCH_NAMES} | {"budget": budget, "max_error": max_error}
    request = Request(**settings)
    check_outputs((out, certificate), request.files)  # before the work, not after it
    if engine == "dask":
        from budgetree.cli.cluster import fit_on_cluster

        result = fit_on_cluster(request, asked, scheduler)
        facts: dict[str, Any] = {"engine": engine}
    else:
        instance, groups, asked = load_in_time(request, asked)
        wanted = make_request(instance, groups=groups, **asked)
        report = _bound_reporter(instance, wanted)
        report(None)
        result = answer(instance, _with_time_for_proof(wanted, certificate), None)
        preference = _preference(request, asked, result)
        report(result.tree)
        proof = _prove(instance, result.tree, wanted, certificate)
        if proof is not None:
            result = replace(result, tree=_raised(result.tree, proof))
        facts = _new_error_facts(result) | {"certificate": certificate}
        facts |= {} if preference is None else {"preference": preference.facts}
    tree = result.tree
    tree.to_json(out)
    if proof is not None and certificate is not None:
        proof.to_json(certificate)
    if as_json:
        print_json(
            tree_facts(tree) | facts | {"objective": result.objective, "model": out, "model_bytes": getsize(out)}
        )
        return
    for line in doubts(request, result.request):
        click.echo(line, err=True)
    for line in _result_lines(result, request):
        click.echo(line)
    if preference is not None:
        click.echo(visible(preference.sentence))
    if proof is not None and certificate is not None:
        click.echo(visible(f"{proof.reason} (certificate in {certificate})"))
    click.echo(visible(f"model in {out} ({file_size(out)}); next: budgetree show {out}, budgetree ask {out}"))
    choice = tree.origin.choice
    if getsize(out) > LARGE_FILE and choice is not None and choice.kind == "model":
        smaller = "points" if len(tree.class_names) == 2 else "tree"
        click.echo(f"SQL and other exports of it are larger still; --leaves {smaller} makes a file of a few kB.")


def _preference(request: Request, asked: dict[str, Any], heeded: Result) -> Preference | None:
    """What the tests to begin with and those to do without cost, where some are named."""
    from dataclasses import replace

    from budgetree.cli.inputs import load_in_time
    from budgetree.cli.preference import Preference
    from budgetree.learn._fit import answer, make_request

    if not request.first and not request.without:
        return None
    instance, groups, asked = load_in_time(replace(request, first=(), without=()), asked)
    free = answer(instance, make_request(instance, groups=groups, **asked), None)
    return Preference(tuple(request.first), tuple(request.without), heeded, free)


def _result_lines(result: Result, request: Request) -> Iterator[str]:
    from budgetree.messages import cases_sentence, objective_sentence
    from budgetree.problem import Instance, Prices
    from budgetree.show.frontier_view import CLI_REMEDY, held_out_words, new_words, no_more_words, verdict

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
        if validation is not None:
            wrong = "" if point.estimate is None else f"{new_words(point)}, "
            yield f"new cases: {wrong}{validation.how}"
            if result.frontier is not None and (held_out := held_out_words(result.frontier, point)):
                yield f"on the same rows: {held_out}"
        if point.for_new and result.frontier is not None and (no_more := no_more_words(result.frontier, point)):
            yield no_more
        yield from stability_lines(tree)
        if overfitted := verdict(point, CLI_REMEDY):
            yield click.style(overfitted, fg="yellow")
    if wanted.min_cases > 1 and tree.n_leaves == 1:
        too_few = f"no test leaves {wanted.min_cases} cases to every outcome that it shows"
        yield f"{too_few}: fewer --levels or a smaller --min-cases help."
    if not result.complete and not tree.statement.is_proven:
        yield "--time-limit gives the search longer."


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


def _wants_bound(wanted: FitRequest) -> bool:
    """Whether the question is how cheap a tree without errors can be."""
    return wanted.objective == "known" and wanted.max_error == 0


def _with_time_for_proof(wanted: FitRequest, certificate: str | None) -> FitRequest:
    """The same with a part of the time limit, where a certificate takes the rest."""
    from dataclasses import replace

    from budgetree.services.clock import DEFAULT_PLAN

    if wanted.time_limit is None or not (certificate or _wants_bound(wanted)):
        return wanted
    return replace(wanted, time_limit=DEFAULT_PLAN.fit_share * wanted.time_limit)


def _prove(instance: Instance, tree: Tree, wanted: FitRequest, certificate: str | None) -> Certificate | None:
    """A certificate where one is asked for, or where nothing else settles how cheap a tree without errors can be."""
    from budgetree.proof import certify
    from budgetree.services.clock import DEFAULT_PLAN

    is_open = _wants_bound(wanted) and instance.losses is None and not tree.statement.is_proven
    if certificate is None and not is_open:
        return None
    limit = wanted.time_limit
    return certify(instance, tree, time_limit=None if limit is None else (1 - DEFAULT_PLAN.fit_share) * limit)


def _bound_reporter(instance: Instance, wanted: FitRequest) -> Callable[[Tree | None], None]:
    """On a terminal, says what is known so far of how cheap a tree without errors can be; else does nothing."""
    from fractions import Fraction

    from budgetree.learn.exact.layout import leaf_count_bound
    from budgetree.services.progress import on_terminal

    if not _wants_bound(wanted) or instance.losses is not None or not on_terminal():
        return lambda tree: None
    start, costs = time.monotonic(), instance.schema.costs
    least = leaf_count_bound(instance, Fraction(0))

    def report(tree: Tree | None) -> None:
        bound, found = least, ""
        amount = instance.schema.wording.amount
        if tree is not None and tree.bounds is not None:
            bound = max(least, tree.bounds.least_cost)
            found = f"found one that costs {amount(tree.exact_max_cost)}; "
        known = f"{found}no tree without errors costs less than {amount(costs.amount(bound))} in the worst case."
        click.echo(visible(f"{time.monotonic() - start:4.1f} s: {known}"), err=True)

    return report


def _raised(tree: Tree, proof: Certificate) -> Tree:
    """The same tree, with the certificate's bound on the cost of trees without errors, if that was the question."""
    from dataclasses import replace

    from budgetree.problem.units import as_fraction
    from budgetree.tree.provenance import ProofState

    bounds = tree.bounds
    if bounds is None or bounds.max_error != 0 or tree.schema.losses is not None:
        return tree
    # A budget in units that is at least the bound.
    raised = -(-as_fraction(proof.lower_bound) * tree.schema.costs.scale // 1)
    least = max(bounds.least_cost, min(int(raised), tree.need))
    state = ProofState.OPTIMAL if least == tree.need else bounds.state
    return replace(tree, bounds=replace(bounds, least_cost=least, state=state))
