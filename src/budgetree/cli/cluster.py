"""`budgetree fit --engine dask`: a tree from a cluster."""

from __future__ import annotations

import glob
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli.inputs import Request, given_settings, located, target_among, warn_of
from budgetree.errors import SettingError, TableError, Where
from budgetree.services.words import no_such

if TYPE_CHECKING:
    from budgetree.data.number_format import NumberFormat
    from budgetree.learn import Result


def check_options(certificate: str | None, settings: dict[str, Any]) -> None:
    """An error where an option asks for what only rows in memory allow."""
    refused = {
        "--certificate": certificate is not None,
        "--groups": settings["groups"] is not None,
        "--sheet": settings["sheet"] is not None,
        "--method exact": settings["method"] == "exact",
        "--time-limit": settings["time_limit"] is not None,
    }
    asked = [option for option, is_asked in refused.items() if is_asked]
    if asked:
        raise click.UsageError(f"{asked[0]} needs the rows in memory; leave it out, or --engine dask.")


def fit_on_cluster(request: Request, asked: dict[str, Any], scheduler: str | None) -> Result:
    """The tree for a budget or an error, grown where the rows are; a cluster of our own ends with it."""
    from budgetree.dask import DaskCases  # first: its error names the extra
    from budgetree.data.checks import find_suspects
    from budgetree.data.column import Coded, Column, text_column
    from budgetree.distributed.dask_client import connect
    from budgetree.distributed.prepare import CaseRequest, parts_of_files
    from budgetree.learn._fit import fit
    from budgetree.services.progress import progress_bar

    written = _check_files(request)
    given = given_settings(request)
    wanted = CaseRequest.of(
        request.target,
        prices=given.prices,
        losses=given.losses,
        levels=request.plan(given),
        duplicates=request.duplicates,
    )
    with connect(scheduler) as client:
        click.echo(f"cluster: {client.scheduler.address}; dashboard at {client.dashboard_link}", err=True)
        n_threads = max(1, sum(client.nthreads().values()))
        parts = parts_of_files(request.data, replace(request.reading, drop=given.left_out), n_threads=n_threads)
        with located(request, request.data), progress_bar("reading", None) as report:
            cases = DaskCases.of(client, parts, wanted, report)
        rows = cases.drawn.source
        assert rows is not None
        columns = [
            column
            if written is None or column.numbers is not None
            else text_column(column.name, column.values or (), written)
            for column in rows.tests.columns
        ]
        columns.append(Column(wanted.target, "labels", values=Coded(cases.class_names, rows.labels)).with_numbers())
        table = replace(rows.tests, columns=tuple(columns))
        warn_of(find_suspects(table, wanted.target, knows_rows=False), cases)
        result = fit(cases, **asked)
        with located(request, request.data):
            return replace(result, tree=result.tree.with_labels(given.labels))


def _check_files(request: Request) -> NumberFormat | None:
    """How numbers are written, in text files; an error for what can be checked before a cluster is started."""
    from budgetree import datasets
    from budgetree.data.source import open_source

    if not glob.glob(request.data) and request.data in datasets.names():
        message = "a bundled data set fits into memory; leave --engine dask out."
        raise SettingError(message, subject="engine", found="dask", where=Where(request.data))
    source = open_source(request.data, request.reading)
    for name in (target_among(source.names, request), *request.no_tests):
        if name not in source.names:
            raise TableError(no_such("column", name, source.names), subject=name, where=Where(request.data))
    return source.written
