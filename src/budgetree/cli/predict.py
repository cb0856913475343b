"""`budgetree predict`: what each row is, what its tests cost, and which they were."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli import options

if TYPE_CHECKING:
    from budgetree.problem.tables.table import Table
    from budgetree.tree import Tree

MAX_SHOWN = 12  # classes, in the list of what was missed


@click.command()
@options.model
@options.data
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(dir_okay=False), help="Write CSV here instead of printing it."
)
@click.option(
    "--missing", metavar="TEXT", multiple=True, help="A cell that stands for a missing value. May be repeated."
)
@click.option("--target", "-t", metavar="COL", help="The column with the right answer: say how many are wrong.")
@options.as_json
def predict(model: str, data: str, out: str | None, missing: Sequence[str], target: str | None, as_json: bool) -> None:
    """Add to every row of DATA its prediction, the cost of its tests, and which tests those were.

    Columns that the model never asks for may be absent, and others do not matter. A row whose test shows what no known
    case did is answered by what is known before that test; how many there are is said at the end.

    \b
    Example:
      budgetree predict pathway.json new_cases.csv -o predicted.csv
    """
    from budgetree.cli.tables import check_outputs, codes_for, open_table
    from budgetree.problem.tables.reading import Reading
    from budgetree.services.files import write_text
    from budgetree.services.words import counted
    from budgetree.tree import Tree

    check_outputs((out,), (model, data))
    tree = Tree.from_json(model)
    table = open_table(data, Reading(missing))
    codes = codes_for(tree.schema, tree.tests_used, table)
    costs = tree.plain_cost(codes)
    found = list(zip(tree.predict(codes).tolist(), costs, tree.tests_done(codes), strict=True))
    for line in (*_unknown(tree, codes), *_wrong(table, target, [label for label, _, _ in found])):
        click.echo(line, err=True)
    if as_json:
        from budgetree.cli.output import print_json

        print_json([{"prediction": label, "cost": cost, "tests": list(tests)} for label, cost, tests in found])
        return
    text = _csv(table.names, table.text_rows(), found)
    if out is None:
        click.echo(text, nl=False)
        return
    write_text(out, text)
    mean = sum(costs) / len(costs) if costs else 0
    click.echo(f"{counted(len(costs), 'row')}; costliest {max(costs, default=0)}, mean {mean:.4g}; written to {out}")


def _unknown(tree: Tree, codes: Any) -> Iterator[str]:
    """Per test, how many rows had a value there that no known case had."""
    from budgetree.services.words import counted

    goes_on = tree.nodes.otherwise is not None
    for test, count in Counter(test for test in tree.first_unknown(codes).tolist() if test >= 0).items():
        rows = counted(count, "row has", "rows have")
        then = f"{'was' if count == 1 else 'were'} answered by the other tests" if goes_on else "stopped there"
        yield f"{rows} a value of {tree.test_names[test]!r} that no known case had, and {then}."


def _wrong(table: Table, target: str | None, predicted: list[Any]) -> Iterator[str]:
    """How many predictions differ from the column that says what is right."""
    if target is None:
        return
    from budgetree.services.words import counted

    if target not in table.names:
        raise ValueError(f"{table.source}: there is no column {target!r}. There are: {', '.join(table.names)}.")
    answers = table.column(target).to_list()
    pairs = [(str(answer), str(label)) for answer, label in zip(answers, predicted, strict=True)]
    wrong = Counter(answer for answer, label in pairs if answer != label)
    share = sum(wrong.values()) / len(pairs) if pairs else 0
    yield f"{sum(wrong.values())} of {counted(len(pairs), 'prediction is', 'predictions are')} wrong ({share:.1%})."
    total = Counter(answer for answer, _ in pairs)
    for answer, count in wrong.most_common(MAX_SHOWN):
        yield f"  {answer}: {count} of {total[answer]} missed"


def _csv(names: list[str], rows: list[list[str]], found: list[tuple[Any, Any, tuple[str, ...]]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, *(_unused(name, names) for name in ("prediction", "cost", "tests"))])
    for cells, (label, cost, tests) in zip(rows, found, strict=True):
        writer.writerow([*cells, label, cost, "; ".join(tests)])
    return text.getvalue()


def _unused(name: str, names: list[str]) -> str:
    """The column's name, or another where the table has one of that name."""
    while name in names:
        name = f"budgetree {name}"
    return name
