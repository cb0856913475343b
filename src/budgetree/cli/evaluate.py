"""`budgetree evaluate`: what to expect on new cases, in the measures that a paper reports."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from budgetree.cli import options
from budgetree.cli.options import option
from budgetree.cli.output import check_folder, json_text, print_json, say
from budgetree.errors import TableFileError
from budgetree.services.words import no_such

if TYPE_CHECKING:
    from budgetree.evaluation import Evaluation

FIGURES: tuple[Literal["calibration", "decision curve"], ...] = ("calibration", "decision curve")
# Options about learning, for which a finished pathway has no use.
LEARNING = (
    *("budget", "repeats", "prices", "default_price", "losses", "levels", "binning", "blanks", "drop", "duplicates"),
    *("method", "time_limit", "min_cases", "folds", "objective", "leaves", "confidence", "first", "limits"),
)

_more = partial(option, heading="Evaluation")


@options.command(
    "budgetree evaluate cases.csv -t diagnosis --budget 110 --prices prices.toml",
    "budgetree evaluate pathway.json new.csv -t diagnosis --by sex --by age:40,60",
    "budgetree evaluate pathway.json other.json new.csv -t diagnosis",
    page="guide/evaluate",
)
@click.argument("files", metavar="[MODEL [OTHER]] DATA", nargs=-1, required=True, shell_complete=options.bundled_names)
@options.table
@options.budget
@options.search
@option("--repeats", metavar="N", type=click.IntRange(min=1), default=3, heading="Search", help="Repeat the folds.")
@option("--positive", metavar="CLASS", help="The class to find. By default the one costliest to miss, or the rarer.")
@_more("--prevalence", metavar="P", type=float, help="Also PPV and NPV at this prevalence, such as 0.02.")
@option(
    "--worth", metavar="AMOUNT", type=options.AMOUNT, help="What finding a case is worth, for net benefit after cost."
)
@option("--by", metavar="COL[:CUT,…]", multiple=True, help="Subgroups, such as sex or age:40,60. May be repeated.")
@option("--report", metavar="FILE", type=options.FILE, heading="Output", help="Write an HTML page of the pathway.")
@option(
    "--predictions",
    metavar="FILE",
    type=options.FILE,
    heading="Output",
    help="Write each case's answer, probabilities, cost and tests as CSV.",
)
@options.folder
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    files: tuple[str, ...],
    budget: float | None,
    repeats: int,
    predictions: str | None,
    report: str | None,
    out: str | None,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Estimate accuracy, calibration and cost on new cases.

    With DATA alone, the whole procedure is cross-validated repeatedly. A MODEL is evaluated as it is, on cases that it
    was not learned from; two models are compared case by case. Also sensitivity, specificity and net benefit, all
    with 95 % intervals.
    """
    from budgetree.cli.inputs import Request, check_outputs, load, open_data, open_model, target_among, warn_of_doubts
    from budgetree.evaluation import evaluate as evaluate_cases
    from budgetree.learn._fit import make_request

    if len(files) > 3:
        raise click.UsageError(f"{len(files)} files are given; expected DATA, MODEL DATA or MODEL OTHER DATA.")
    if budget is None and len(files) == 1:
        raise click.UsageError("give --budget B: the most that a case may cost; --budget inf for no limit.")
    given = [name for name in LEARNING if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if len(files) > 1 and given:
        name = given[0].replace("_", "-")
        raise click.UsageError(f"--{name} is about learning, and {files[0]} is a finished model; leave it out.")
    asked = {name: settings.pop(name) for name in ("positive", "prevalence", "worth", "by")}
    request = Request.take(files[-1], settings)
    check_outputs((predictions, report), (*files, *request.files))
    options.check_suffix(report, "--report", options.PAGES)
    if out is not None:
        check_folder(out, force)
    table = open_data(request.data, request.reading).table().without_empty_rows()
    asked["by"] = _columns(asked["by"], table)
    if len(files) == 1:
        instance, search = load(request, settings)
        warn_of_doubts(request, make_request(instance, budget=budget, **search))
        found = evaluate_cases(instance, budget=budget, repeats=repeats, **asked, **search)
    else:
        first, *second = [open_model(file, request.labels) for file in files[:-1]]
        target = target_among(table.names, request)
        groups = None if request.groups is None else _column(request.groups, table).to_list()
        other, names = (second[0], (files[0], files[1])) if second else (None, ("the pathway", "the other"))
        found = evaluate_cases(first, table, target=target, other=other, groups=groups, names=names, **asked)
    written = _write(found, out, predictions, report, request.data)
    if as_json:
        print_json(found.to_dict() | {"files": written})
        return
    click.echo(found.to_text())
    if written:
        say(f"\nwrote {', '.join(written)}")


def _column(name: str, table: Any) -> Any:

    if name not in table.names:
        raise TableFileError(no_such("column", name, table.names), subject=name, where=table.origin)
    return table.column(name)


def _columns(by: tuple[str, ...], table: Any) -> dict[str, Any]:
    """The values of the columns to look at, whether or not they are tests."""
    named = {spec: spec if spec in table.names else spec.rpartition(":")[0] or spec for spec in by}
    columns = {spec: _column(name, table) for spec, name in named.items()}
    return {spec: (column.with_numbers() if ":" in spec else column).to_list() for spec, column in columns.items()}


def _write(found: Evaluation, out: str | None, predictions: str | None, report: str | None, data: str) -> list[str]:
    """The files that are asked for."""

    from budgetree.report import render_page, summarise_tree
    from budgetree.services.files import write_bytes

    files: dict[Any, bytes] = {}
    if predictions is not None:
        columns = found.predictions()
        files[predictions] = _csv(tuple(columns), zip(*columns.values(), strict=True))
    if report is not None:
        page = summarise_tree(found.tree, title=Path(data).stem) | {"evaluation": found.to_dict()}
        files[report] = render_page(page).encode()
    if out is not None:
        Path(out).mkdir(exist_ok=True)
        files |= {Path(out) / name: content for name, content in _paper(found).items()}
    for file, content in files.items():
        write_bytes(file, content)
    return [str(file) for file in files]


def _csv(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> bytes:
    from budgetree.show.tables import TextTable, csv_text

    return csv_text(TextTable(head, tuple(rows))).encode()


def _paper(found: Evaluation) -> dict[str, bytes]:
    """Tables and pictures, by the name of their file."""
    from budgetree.evaluation.result import FIGURE_COLUMNS

    files = {"evaluation.json": json_text(found.to_dict(), indent=1).encode(), "methods.txt": found.methods.encode()}
    files["figures.csv"] = _csv(FIGURE_COLUMNS, found.figures())
    one, curve = found.positive_measures, found.decision_curve
    if one is None or curve is None:
        return files
    points = [(of.predicted, of.observed.value, of.observed.low, of.observed.high, of.n) for of in one.curve]
    files["calibration.csv"] = _csv(("predicted", "observed", "low", "high", "cases"), points)
    values = zip(curve.thresholds, curve.net_benefit, curve.treat_all, strict=True)
    rows = [(at, value.value, value.low, value.high, every) for at, value, every in values]
    files["decision_curve.csv"] = _csv(("threshold", "net benefit", "low", "high", "treat all"), rows)
    for figure in FIGURES:
        painted = found.plot(figure).figure
        for form in ("svg", "png"):
            content = io.BytesIO()
            painted.savefig(content, format=form, dpi=200)
            files[f"{figure.replace(' ', '_')}.{form}"] = content.getvalue()
    return files
