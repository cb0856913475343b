"""`budgetree show` and `budgetree report`: a model in the terminal, in another language, or as a page."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli import options
from budgetree.cli.options import option
from budgetree.cli.output import estimate_lines, file_size, for_reader, print_json, say, statement_line, tree_facts
from budgetree.errors import CertificateError, TreeError, Where
from budgetree.services.words import counted, visible
from budgetree.show.export import FORMATS

if TYPE_CHECKING:
    from budgetree.tree import Tree

GIVEN = {"python": ("full",), "sql": ("full", "table", "columns", "backslash_escapes")}  # the options of a form
MAX_NESTED = 200  # tests on a path, in JSON
_sql = partial(option, heading="SQL")


@options.command(
    "budgetree show pathway.json", "budgetree show pathway.json --as onnx -o pathway.onnx", page="guide/bedside"
)
@options.model
@option("--as", "form", type=click.Choice(tuple(FORMATS)), default="text", help="The output format.")
@options.out
@option("--confusion", is_flag=True, help="Add the answers by class of the known cases (text only).")
@option("--max-depth", metavar="N", type=click.IntRange(min=0), help="Fold deeper branches (text only).")
@option("--full", is_flag=True, help="Also return probabilities and cost (python and sql only).")
@_sql("--table", metavar="NAME", default="cases", help="The table that a query with --full reads.")
@_sql("--column", "columns", metavar="NAME", multiple=True, help="A column to copy to the answers. May be repeated.")
@_sql(
    "--backslash-escapes/--no-backslash-escapes",
    default=None,
    help="Whether your database treats a backslash as an escape, as MySQL, BigQuery and Snowflake do.",
)
@options.labels
def show(
    model: str,
    form: str,
    confusion: bool,
    max_depth: int | None,
    out: str | None,
    labels: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Print a pathway, or export it as a program, SQL or a picture."""
    from budgetree.cli.inputs import check_outputs, open_model
    from budgetree.services.files import write_bytes

    check_outputs((out,), (model, labels))
    if form == "onnx" and out is None and sys.stdout.isatty():
        raise click.UsageError("ONNX is for programs, not for a terminal; give a file with -o FILE.")
    tree = open_model(model, labels)
    if as_json:
        if tree.depth > MAX_NESTED:
            message = f"this tree has {tree.depth:,} tests on a path; nested JSON of more than {MAX_NESTED} levels is "
            message += 'refused by most programs. The model file itself is JSON without nesting: read its "nodes".'
            raise TreeError(message, found=tree.depth, expected=MAX_NESTED, where=Where(model))
        print_json(tree_facts(tree) | {"tree": tree.to_dict()})
    else:
        given = {name: settings[name] for name in GIVEN.get(form, ())}
        shown = _for_people(tree, max_depth, confusion) if form == "text" else tree.export(form, **given)
        if out is not None:
            write_bytes(out, shown if isinstance(shown, bytes) else click.unstyle(shown).encode())
            say(f"{out}: {file_size(out)}")
        elif isinstance(shown, bytes):
            click.echo(shown, nl=False)
        else:  # the text's colours are for the terminal
            click.echo(shown if form == "text" else for_reader(shown), nl=form in ("text", "rules", "stages"))


def _for_people(tree: Tree, max_depth: int | None, confusion: bool) -> str:
    estimate = "" if tree.estimate is None else f"\n{visible(str(tree.estimate))}"
    lines = [tree.to_text(max_depth=max_depth, confusion=confusion), statement_line(tree) + estimate]
    return "\n".join([*lines, *estimate_lines(tree)])


@options.command(
    'budgetree report pathway.json -o pathway.html --title "Chest pain"',
    "budgetree report pathway.json --wall wall.pdf",
    page="guide/bedside",
)
@options.model
@option("-o", "--out", metavar="FILE", type=options.FILE, help="The HTML file to write.")
@option("--wall", metavar="FILE", type=options.FILE, help="Write sheets to print, as .svg or .pdf.")
@option("--paper", type=click.Choice(["a4", "letter"]), default="a4", help="Their paper size.")
@option("--certificate", metavar="FILE", type=options.FILE, help="Include this certificate (see fit --certificate).")
@option("--title", metavar="TEXT", help="The title. By default the name of the model file.")
@option("--language", metavar="CODE", help="The page's language, en or de. By default that of the browser.")
@options.labels
def report(
    model: str,
    out: str | None,
    wall: str | None,
    paper: str,
    certificate: str | None,
    title: str | None,
    language: str | None,
    labels: str | None,
    as_json: bool,
) -> None:
    """Write a web page of the pathway, which works offline."""

    from budgetree.cli.inputs import check_outputs, open_model
    from budgetree.proof import Certificate
    from budgetree.report import render_page, summarise_tree
    from budgetree.services.files import write_bytes, write_text

    if out is None and wall is None:
        raise click.UsageError("nothing to write; give -o FILE for the page, --wall FILE for paper, or both.")
    check_outputs((out, wall), (model, certificate, labels))
    options.check_suffix(out, "--out", options.PAGES)
    suffix = options.check_suffix(wall, "--wall", (".svg", ".pdf"))
    tree = open_model(model, labels)
    proof = None if certificate is None else Certificate.from_json(certificate)
    if proof is not None and (why := proof.contradiction(tree)) is not None:
        message = f"this is not a certificate of {model}: {why}. Make one with fit --certificate."
        raise CertificateError(message, where=Where(str(certificate)))
    name, written = Path(model).stem if title is None else title, dict[str, str]()
    if out is not None:
        content = summarise_tree(tree, title=name, certificate=proof)
        write_text(out, render_page(content, language=language))
        written[out] = "open it in a browser; it works without a network."
    if wall is not None:
        from budgetree.show.drawing import sheets
        from budgetree.show.svg import svg_of
        from budgetree.show.text import chart_notes, new_case_notes

        pages = sheets(tree, name, chart_notes(tree), new_case_notes(tree), paper=paper)
        if suffix == ".svg":
            write_text(wall, svg_of(pages))
        else:
            from budgetree.show.plots import to_pdf

            write_bytes(wall, to_pdf(pages))
        written[wall] = f"{counted(len(pages), 'page')} to print."
    if as_json:
        print_json({"files": list(written)})
        return
    for file, use in written.items():
        say(f"{file}: {use}")
