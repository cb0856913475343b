"""`budgetree show`: a model's tree in the terminal, or in another language."""

from __future__ import annotations

import click

from budgetree.cli import options
from budgetree.cli.endings import ending

FORMS = ("text", "rules", "python", "javascript", "sql", "pmml", "dot", "svg")
MAX_NESTED = 200  # tests on a path, in JSON


@click.command(
    epilog=ending(
        "budgetree show pathway.json",
        "budgetree show pathway.json --as javascript",
        page="guide/bedside",
    )
)
@options.model
@click.option(
    "--as", "form", type=click.Choice(FORMS), default="text", show_default=True, help="How to write the tree."
)
@click.option("--confusion", is_flag=True, help="Also say which answers the known cases of each class get (text only).")
@click.option("--max-depth", metavar="N", type=click.IntRange(min=0), help="Fold what is deeper (text only).")
@click.option(
    "--backslash-escapes/--no-backslash-escapes",
    default=None,
    help="How the database reads a backslash, where a name has one (sql only): MySQL, BigQuery and Snowflake as an "
    "escape, standard SQL as what it is.",
)
@options.labels
@options.as_json
def show(
    model: str,
    form: str,
    confusion: bool,
    max_depth: int | None,
    backslash_escapes: bool | None,
    labels: str | None,
    as_json: bool,
) -> None:
    """Print a tree: which test first, which next, what it costs; or as rules, a program, a picture."""
    from budgetree.cli.output import for_reader, statement_line
    from budgetree.cli.tables import open_model
    from budgetree.services.words import visible

    tree = open_model(model, labels)
    if as_json:
        from budgetree.cli.output import print_json, tree_facts

        if tree.depth > MAX_NESTED:
            raise ValueError(
                f"{model}: this tree has {tree.depth:,} tests on a path; nested JSON of more than {MAX_NESTED} levels "
                'is refused by most programs. The model file itself is JSON without nesting: read its "nodes".'
            )

        print_json(tree_facts(tree) | {"tree": tree.to_dict()})
    elif form == "text":
        expected = "" if tree.expected is None else f"\n{visible(str(tree.expected))}"
        click.echo(f"{tree.to_text(max_depth=max_depth, confusion=confusion)}\n{statement_line(tree)}{expected}")
    else:
        text = tree.to_sql(backslash_escapes=backslash_escapes) if form == "sql" else getattr(tree, f"to_{form}")()
        click.echo(for_reader(text), nl=form == "rules")
