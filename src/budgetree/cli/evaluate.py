"""`budgetree evaluate`: what to expect on new cases, in the figures that a paper has."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import click

from budgetree.cli import options
from budgetree.cli.output import check_folder, ending, json_text, print_json
from budgetree.services.words import visible

if TYPE_CHECKING:
    from budgetree.evaluation import Evaluation

FIGURES: tuple[Literal["calibration", "decision curve"], ...] = ("calibration", "decision curve")
PROBLEM = (
    "budget",
    "repeats",
    "prices",
    "default_price",
    "losses",
    "levels",
    "binning",
    "blanks",
    "drop",
    "duplicates",
)
LEARNING = (*PROBLEM, *options.SEARCH_NAMES)  # options that a fixed pathway has no use for


@click.command(
    epilog=ending(
        "budgetree evaluate cases.csv --target diagnosis --budget 110 --prices prices.toml",
        "budgetree evaluate pathway.json new.csv --target diagnosis --by sex --by age:40,60",
        "budgetree evaluate pathway.json other.json new.csv --target diagnosis",
        page="guide/evaluate",
    )
)
@click.argument("files", metavar="[MODEL [OTHER]] DATA", nargs=-1, required=True, shell_complete=options.bundled_names)
@options.table
@click.option("--budget", metavar="B", type=options.AMOUNT, help="No case may cost more than this.")
@options.search
@options.new_cases
@click.option("--repeats", metavar="N", type=click.IntRange(min=1), default=3, help="Hold out all parts N times.")
@click.option("--positive", metavar="CLASS", help="The class to find; by default whose miss costs most, or the rarer.")
@click.option("--prevalence", metavar="P", type=float, help="PPV and NPV where this share is positive, too: 0.02.")
@click.option("--worth", metavar="AMOUNT", type=options.AMOUNT, help="What a found case is worth: tests do harm then.")
@click.option("--by", metavar="COL[:CUT,…]", multiple=True, help="The same by sex, or by age:40,60. May be repeated.")
@click.option(
    "--predictions", metavar="FILE", type=options.FILE, help="CSV: every case's answer, chances, cost, tests."
)
@click.option("--report", metavar="FILE", type=options.FILE, help="An HTML page of the pathway, with the evaluation.")
@click.option("--out", metavar="DIR", type=click.Path(file_okay=False), help="Tables, figures and JSON, for a paper.")
@click.option("--force", is_flag=True, help="Write to DIR although it is not empty; files of others stay.")
@options.as_json
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
    """Say what to expect on new cases: sensitivity, AUC, calibration, net benefit, cost, each with its interval.

    Of a table alone, pathways are learned again and again without the cases that they are judged by. A MODEL is judged
    as it is, on a table that it was not learned from; two are compared case by case.
    """
    from budgetree.cli.inputs import Request, check_outputs, doubts, load_in_time, open_data, open_model
    from budgetree.evaluation import evaluate as evaluate_cases
    from budgetree.learn._fit import make_request

    if len(files) > 3:
        raise click.UsageError(f"{len(files)} files are given; expected DATA, MODEL DATA or MODEL OTHER DATA.")
    if budget is None and len(files) == 1:
        raise click.UsageError("give --budget B: what no case may cost; --budget inf for no limit.")
    if len(files) > 1:
        for name in LEARNING:
            if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
                option = name.replace("_", "-")
                raise click.UsageError(
                    f"--{option} is about learning, and {files[0]} is learned already; leave it out."
                )
    asked = {name: settings.pop(name) for name in ("positive", "prevalence", "worth", "by")}
    search = {name: settings.pop(name) for name in options.SEARCH_NAMES}
    request = Request(files[-1], **settings)
    check_outputs((predictions, report), (*files, *request.files))
    if out is not None:
        check_folder(out, force)
    table = open_data(request.data, request.reading).table().without_empty_rows()
    asked["by"] = _columns(asked["by"], table)
    if len(files) == 1:
        instance, groups, search = load_in_time(request, search)
        for line in doubts(request, make_request(instance, budget=budget, groups=groups, **search)):
            click.echo(line, err=True)
        found = evaluate_cases(instance, budget=budget, groups=groups, repeats=repeats, **asked, **search)
    else:
        first, *second = [open_model(file, request.labels) for file in files[:-1]]
        if request.target is None:
            raise click.UsageError("say which column has the right answer: --target COL.")
        groups = None if request.groups is None else _column(request.groups, table).to_list()
        other, names = (second[0], (files[0], files[1])) if second else (None, ("the pathway", "the other"))
        found = evaluate_cases(first, table, target=request.target, other=other, groups=groups, names=names, **asked)
    written = _write(found, out, predictions, report, request.data)
    if as_json:
        print_json(found.to_dict() | {"files": written})
        return
    click.echo(found.to_text())
    if written:
        click.echo("\n" + visible(f"wrote {', '.join(written)}"))


def _column(name: str, table: Any) -> Any:
    from budgetree.errors import TableFileError
    from budgetree.services.words import no_such

    if name not in table.names:
        raise TableFileError(no_such("column", name, table.names), subject=name, where=table.origin)
    return table.column(name)


def _columns(by: tuple[str, ...], table: Any) -> dict[str, Any]:
    """The values of the columns to look at, also of those that are no tests."""
    named = {spec: spec if spec in table.names else spec.rpartition(":")[0] or spec for spec in by}
    columns = {spec: _column(name, table) for spec, name in named.items()}
    return {spec: (column.with_numbers() if ":" in spec else column).to_list() for spec, column in columns.items()}


def _write(found: Evaluation, out: str | None, predictions: str | None, report: str | None, data: str) -> list[str]:
    """The files that are asked for."""
    from pathlib import Path

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
    files = {"evaluation.json": json_text(found.to_dict(), indent=1).encode(), "methods.txt": found.methods.encode()}
    files["figures.csv"] = _csv(found.figure_columns, found.figures())
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
