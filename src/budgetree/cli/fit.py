"""`budgetree fit`: the best tree for a budget, or the cheapest for an error, into a model file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli import options
from budgetree.cli.output import ending, print_json, statement_line, tree_facts
from budgetree.services.words import visible

if TYPE_CHECKING:
    from fractions import Fraction

    from budgetree.cli.inputs import FitRequest, Request
    from budgetree.learn import Frontier, Point
    from budgetree.problem import Instance
    from budgetree.proof import Certificate
    from budgetree.tree import Tree


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
@click.option("-o", "--out", metavar="FILE", type=options.FILE, required=True, help="The model file to write.")
@click.option(
    "--certificate", metavar="FILE", type=options.FILE, help="Also prove how good the tree is, into this file."
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
    typed = {name for name in settings if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    if engine == "dask":
        from budgetree.cli.cluster import check_options

        check_options(typed, certificate, settings)
    about_known = max_error is not None or certificate is not None or settings["min_cases"] > 1
    if settings["objective"] == "new" and about_known:
        if "objective" in typed:
            about = "--max-error, --certificate and --min-cases are about known cases"
            raise click.UsageError(f"{about}; they need --objective known.")
        settings["objective"] = "known"
    from dataclasses import replace

    from budgetree.cli.inputs import FitRequest, Request, check_outputs, load_grouped
    from budgetree.proof import certify

    proof = None
    search = {name: settings.pop(name) for name in options.SEARCH_NAMES}
    wanted = FitRequest(budget, max_error, is_certified=certificate is not None, **search)
    request = Request(**settings)
    check_outputs((out, certificate), request.files)  # before the work, not after it
    if engine == "dask":
        from budgetree.cli.cluster import fit_on_cluster

        tree = fit_on_cluster(request, wanted, scheduler)
        lines = iter([tree.summary()])
        facts: dict[str, Any] = {"objective": "known", "engine": engine, "model": out}
    else:
        instance, groups = load_grouped(request)
        is_asked = not typed.isdisjoint(("objective", "leaves", "sure"))
        if instance.n_classes > 1 and instance.has_one_row_per_class and not is_asked:
            wanted = replace(wanted, objective="known")  # of new cases nothing could be learned
        report = _bound_reporter(instance, wanted)
        report(None)
        found, point, tree = _find_tree(instance, groups, wanted)
        report(tree)
        proof = None if certificate is None else certify(instance, tree, time_limit=wanted.proof_seconds)
        tree = _with_bounds(instance, tree, wanted, proof)
        facts = _new_error_facts(found, point)
        facts |= {"objective": wanted.objective, "model": out, "certificate": certificate}
        lines = _result_lines(found, point, tree, request, wanted)
    tree.to_json(out)
    if proof is not None:
        proof.to_json(str(certificate))
    if as_json:
        print_json(tree_facts(tree) | facts)
        return
    for line in lines:
        click.echo(line)
    if proof is not None:
        click.echo(visible(f"{proof.reason} (certificate in {certificate})"))
    click.echo(visible(f"model in {out}; next: budgetree show {out}, budgetree ask {out}"))


def _result_lines(found: Frontier, point: Point, tree: Tree, request: Request, wanted: FitRequest) -> Iterator[str]:
    from budgetree.problem import Prices
    from budgetree.show.frontier_view import CLI_REMEDY, new_words, verdict

    yield tree.summary()
    if request.prices is None and tree.schema.prices == Prices(1):
        yield "no price list: every test costs 1."
    loss = f"a mean loss of {point.mean_loss:.4g}, " if found.has_losses else ""
    yield f"known cases: {loss}{100 * point.error_rate:.1f} % wrong; {statement_line(tree)}"
    if found.validation is not None:
        wrong = "" if point.expected is None else f"{new_words(point)}, "
        yield f"new cases: {wrong}{found.validation.how}"
    if overfitted := verdict(point, CLI_REMEDY):
        yield click.style(overfitted, fg="yellow")
    if wanted.min_cases > 1 and tree.n_leaves == 1:
        too_few = f"no test leaves {wanted.min_cases} cases to every outcome that it shows"
        yield f"{too_few}: fewer --levels or a smaller --min-cases help."
    if not found.complete and not tree.statement.is_proven:
        yield "--time-limit gives the search longer."


def _new_error_facts(found: Frontier, point: Point) -> dict[str, Any]:
    """What to expect of a point's tree on new cases."""
    loss = {"new_loss": point.new_loss, "new_loss_se": point.new_loss_se} if found.has_losses else {}
    return loss | {
        "error_rate": point.error_rate,
        "new_error": point.new_error,
        "new_error_se": point.new_error_se,
        "overfitted": point.overfitted,
        "validation": None if found.validation is None else str(found.validation),
    }


def _bound_reporter(instance: Instance, wanted: FitRequest) -> Callable[[Tree | None], None]:
    """On a terminal, says what is known so far of how cheap a tree without errors can be; else does nothing."""
    from budgetree.services.progress import on_terminal

    if not wanted.wants_bound or instance.losses is not None or not on_terminal():
        return lambda tree: None
    start, amount, least = time.monotonic(), instance.schema.wording.amount, _counted_bound(instance, 0)

    def report(tree: Tree | None) -> None:
        bound, found = least, ""
        if tree is not None and tree.proven is not None:
            bound = max(least, tree.proven.least_cost)
            found = f"found one that costs {amount(tree.exact_max_cost)}; "
        known = f"{found}no tree without errors costs less than {amount(bound)} in the worst case."
        click.echo(visible(f"{time.monotonic() - start:4.1f} s: {known}"), err=True)

    return report


def _find_tree(instance: Instance, groups: Any, wanted: FitRequest) -> tuple[Frontier, Point, Tree]:
    """What was found, the point of it that is wanted, and its tree with what is proven about it."""
    from budgetree.learn import frontier
    from budgetree.learn._frontier import frontier_for_new
    from budgetree.learn.proofs import tree_for_budget, tree_for_error

    shared: dict[str, Any] = {"folds": wanted.folds, "groups": groups}
    if wanted.objective == "new":
        learner = {"sure": wanted.sure, "leaves": wanted.leaves}
        found = frontier_for_new(instance, [wanted.budget], learner, time_limit=wanted.time_limit, **shared)
        return found, found[-1], found[-1].tree
    shared |= {"method": wanted.method, "min_cases": wanted.min_cases}
    found = frontier(instance, max_budget=wanted.budget, time_limit=wanted.search_seconds, **shared)
    if wanted.max_error is None:
        return found, found[-1], tree_for_budget(found, wanted.budget)
    return found, found.cheapest(max_error=wanted.max_error), tree_for_error(found, wanted.max_error)


def _counted_bound(instance: Instance, max_error: float) -> Fraction:
    """What no tree with so few errors costs less than, by the leaves that it needs: known at once."""
    from budgetree.problem.cost_model import TOLERANCE
    from budgetree.problem.units import as_fraction
    from budgetree.proof.search_bounds import leaf_count_bound

    n_cases = instance.schema.cases(int(instance.class_order.counts.sum()))
    return leaf_count_bound(instance, (as_fraction(max_error) + TOLERANCE) * n_cases)


def _with_bounds(instance: Instance, tree: Tree, wanted: FitRequest, proof: Certificate | None) -> Tree:
    """The tree with the best lower bound on the cost of trees for this max_error that is known or quickly found.

    Where no error is allowed and nothing else settles it, that is the bound of this tree's certificate.
    """
    from budgetree.problem.units import as_fraction
    from budgetree.proof import certify

    if wanted.max_error is None or instance.losses is not None:
        return tree
    tree = _raised(tree, _counted_bound(instance, wanted.max_error))
    if not wanted.wants_bound or tree.statement.is_proven:
        return tree
    proof = proof or certify(instance, tree, time_limit=wanted.proof_seconds)
    return _raised(tree, as_fraction(proof.lower_bound))


def _raised(tree: Tree, bound: Fraction) -> Tree:
    """The same tree, with a bound on the cost of others that is at least this."""
    from dataclasses import replace

    proven = tree.proven
    assert proven is not None
    return replace(tree, proven=replace(proven, least_cost=max(proven.least_cost, min(bound, tree.exact_max_cost))))
