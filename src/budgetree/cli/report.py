"""`budgetree report`: a model as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from budgetree.cli import options
from budgetree.cli.endings import ending


@click.command(
    epilog=ending(
        'budgetree report pathway.json -o pathway.html --title "Chest pain"',
        page="guide/bedside",
    )
)
@options.model
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(dir_okay=False), required=True, help="The HTML file to write."
)
@click.option(
    "--certificate",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Show this certificate (see fit --certificate).",
)
@click.option("--title", metavar="TEXT", help="What to call it; by default the model's name.")
@click.option(
    "--language",
    metavar="CODE",
    help="The page's language, en or de; by default the reader's own.",
)
@options.labels
def report(
    model: str, out: str, certificate: str | None, title: str | None, language: str | None, labels: str | None
) -> None:
    """Write one HTML file, which needs no network: the tree, its prices, its proof, and a page to consult."""
    from budgetree.cli.tables import check_outputs, open_model
    from budgetree.proof import Certificate
    from budgetree.report import render_page, summarise_tree
    from budgetree.services.files import write_text
    from budgetree.services.words import visible

    check_outputs((out,), (model, certificate, labels))
    tree = open_model(model, labels)
    proof = None if certificate is None else Certificate.from_json(certificate)
    if proof is not None and (why := proof.contradiction(tree)) is not None:
        raise ValueError(f"{certificate}: this is no certificate of {model}: {why}. Make one with fit --certificate.")
    content = summarise_tree(tree, title=Path(model).stem if title is None else title, certificate=proof)
    write_text(out, render_page(content, language=language))
    click.echo(visible(f"{out}: open it in a browser; it works without a network."))
