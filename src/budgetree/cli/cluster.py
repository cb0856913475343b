"""`budgetree fit --engine dask`: the tree from a cluster."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli.inputs import FitRequest, Request, check_names, given_settings, located, warn_of
from budgetree.errors import SettingError, Where

if TYPE_CHECKING:
    from budgetree.dask import DaskCases
    from budgetree.data.number_format import NumberFormat
    from budgetree.distributed.prepare import CaseRequest, Parts
    from budgetree.problem.settings_file import Settings
    from budgetree.tree import Tree


def check_options(context: click.Context, certificate: str | None, settings: dict[str, Any]) -> None:
    """An error where an option asks for what only rows in memory allow; the objective is the known cases."""
    given = context.get_parameter_source
    refused = {
        "--certificate": certificate is not None,
        "--groups": settings["groups"] is not None,
        "--sheet": settings["sheet"] is not None,
        "--method exact": settings["method"] == "exact",
        "--time-limit": settings["time_limit"] is not None,
        "--objective new": settings["objective"] == "new"
        and given("objective") is click.core.ParameterSource.COMMANDLINE,
    }
    asked = [option for option, is_asked in refused.items() if is_asked]
    if asked:
        raise click.UsageError(f"{asked[0]} needs the rows in memory; leave it out, or --engine dask.")
    settings["objective"] = "known"


def fit_on_cluster(request: Request, asked: FitRequest, scheduler: str | None) -> Tree:
    """The tree for a budget or an error, grown where the rows are; a cluster of our own ends with it."""
    import budgetree.dask  # noqa: F401 (its error names the extra where it is not installed)
    from budgetree.cli.suspects import suspects_elsewhere
    from budgetree.distributed.dask_client import connect
    from budgetree.distributed.prepare import parts_of_files

    written = _check_files(request)
    given = given_settings(request)
    wanted = _wanted(request, given)
    with connect(scheduler) as client:
        click.echo(f"cluster: {client.scheduler.address}; dashboard at {client.dashboard_link}", err=True)
        n_threads = max(1, sum(client.nthreads().values()))
        parts = parts_of_files(request.data, request.reading, request.drop, n_threads=n_threads)
        cases = _cases(client, request, parts, wanted)
        warn_of(suspects_elsewhere(cases, wanted.target, written), cases)
        tree = _tree(cases, asked)
        with located(request, request.data):
            return tree.with_labels(given.labels)


def _wanted(request: Request, given: Settings) -> CaseRequest:
    from budgetree.distributed.prepare import CaseRequest

    assert request.target is not None
    return CaseRequest.of(
        request.target,
        prices=given.prices,
        losses=given.losses,
        levels=request.levels,
        duplicates=request.duplicates,  # type: ignore[arg-type]
    )


def _cases(client: Any, request: Request, parts: Parts, wanted: CaseRequest) -> DaskCases:
    from budgetree.dask import DaskCases
    from budgetree.services.progress import progress_bar

    with located(request, request.data), progress_bar("reading", None) as report:
        return DaskCases.of(client, parts, wanted, report)


def _tree(cases: DaskCases, asked: FitRequest) -> Tree:
    from budgetree.impurity import Pairs
    from budgetree.learn import frontier, grow
    from budgetree.learn.proofs import tree_for_budget, tree_for_error

    is_portfolio = asked.method == "greedy"
    if asked.max_error is None and not is_portfolio:
        return grow(cases, budget=asked.budget, min_cases=asked.min_cases)
    impurities = None if is_portfolio else [Pairs()]
    found = frontier(cases, impurities=impurities, max_budget=asked.budget, min_cases=asked.min_cases)
    return tree_for_budget(found, asked.budget) if asked.max_error is None else tree_for_error(found, asked.max_error)


def _check_files(request: Request) -> NumberFormat | None:
    """What can be said before a cluster is started; and how numbers are written, in files of text."""
    from budgetree import datasets
    from budgetree.data.batches import open_batches

    if not glob.glob(request.data) and request.data in datasets.names():
        raise SettingError(
            "a bundled data set fits into memory; leave --engine dask out.",
            subject="engine",
            found="dask",
            where=Where(request.data),
        )
    batches = open_batches(request.data, request.reading)
    check_names(batches.names, request)
    return batches.written
