"""What commands print and write: the end of every help, JSON, facts about trees, streams, a folder of results."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from budgetree.services.words import show_number, visible, visible_lines

if TYPE_CHECKING:
    from budgetree.learn import Frontier
    from budgetree.tree import Tree

# Where pages are, by their name below docs/: in the sources, until they are published. Then it is an address, such as
# "https://site/{}.html" (CONTRIBUTING.md, "Words and documentation").
PAGE = "docs/{}.md"
STREAMS = ("stdin", "stdout", "stderr")
REPORT, TABLE = "report.html", "frontier.csv"
MODEL = r"model-\d{2,}-budget-[\d.e+-]+\.json"


def ending(*examples: str, page: str) -> str:
    """The last lines of a command's help, as click takes them.

    >>> print(ending("budgetree ask pathway.json", page="guide/bedside").replace(chr(8), ""))
    <BLANKLINE>
    Example:
      budgetree ask pathway.json
    <BLANKLINE>
    <BLANKLINE>
    Read more: docs/guide/bedside.md
    """
    title = "Example" if len(examples) == 1 else "Examples"
    lines = ["\b", f"{title}:", *(f"  {example}" for example in examples), "", "\b", f"Read more: {PAGE.format(page)}"]
    return "\n".join(lines)


def warn(message: object) -> None:
    """A warning on stderr."""
    click.echo(click.style("warning: ", fg="yellow") + visible(str(message)), err=True)


def say(message: object) -> None:
    """A line on stdout, in which names are visible."""
    click.echo(visible_lines(str(message)))


def print_json(content: Any) -> None:
    """One JSON document on stdout."""
    click.echo(json_text(content, indent=1))


def json_text(content: Any, indent: int | None = None) -> str:
    """JSON with readable names, in which control characters are escaped."""
    import json  # not for --help

    text = json.dumps(content, ensure_ascii=False, indent=indent, default=str)
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1] for letter in text)


def sentence_of(error: OSError) -> str:
    """What is wrong with a file, by its name."""
    what = "this is a folder; expected a file" if error.errno == errno.EISDIR else error.strerror or str(error)
    return f"{error.filename}: {what}." if error.filename else what


def for_reader(text: str) -> str:
    """Text for programs, as it is; control characters are escaped on a terminal."""
    return visible_lines(text) if sys.stdout.isatty() else text


def statement_line(tree: Tree) -> str:
    """What was proven about a tree."""
    statement = tree.statement
    head = click.style("proven:", fg="green") if statement.is_proven else "not proven:"
    return f"{head} {visible(' '.join(statement.sentences))}"


def estimate_lines(tree: Tree) -> list[str]:
    """What is known of a tree on new cases besides its error."""
    from budgetree.messages import estimate_sentences

    return list(map(visible, estimate_sentences(tree.estimate, tree.schema, tree.outline.target)))


def file_size(path: str) -> str:
    """A file's size with its unit.

    >>> file_size(__file__).split()[1]
    'kB'
    """
    size = os.path.getsize(path)
    return f"{-(-size // 1000):,} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"


def tree_facts(tree: Tree) -> dict[str, Any]:
    """A tree in a few numbers."""
    from budgetree.problem.units import plain_number
    from budgetree.show.text import size_and_cost

    bounds, amount = tree.bounds, tree.schema.costs.amount
    return size_and_cost(tree) | {
        "costs": {name: cost._asdict() for name, cost in tree.costs.items()},
        "proven": tree.statement.is_proven,
        "statement": str(tree.statement),
        "lower_bound": None if bounds is None else plain_number(tree.schema.loss(bounds.least_loss)),
        "lower_bound_at": None if bounds is None or bounds.within is None else amount(bounds.within),
        "cost_lower_bound": None if bounds is None else amount(bounds.least_cost),
        "proof_state": None if bounds is None else bounds.state.value,
    }


class Closed(io.TextIOBase):
    """Standard output that the shell has closed (>&-): printing fails with a message."""

    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, "standard output is closed; there is nowhere to print", "stdout")


def prepare_streams() -> None:
    """Replace closed streams, so that no file gets their number, and print what the terminal can show."""
    for number, name in enumerate(STREAMS):
        if getattr(sys, name) is None:
            _occupy(number)
            nowhere = open(os.devnull, "w" if number else "r", encoding="utf-8")  # noqa: SIM115 (as long as the process)
            setattr(sys, name, Closed() if name == "stdout" else nowhere)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ● shows ? rather than an error


def give_up(stream: TextIO) -> None:
    """Discard what is left in a stream without a reader; else Python reports an error when it exits."""
    try:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        stream.flush()
    except (OSError, ValueError):  # closed, or not a file
        pass


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        opened = os.open(os.devnull, os.O_RDWR)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)


def check_folder(out: str, force: bool) -> None:
    """An error if the folder cannot be made, or holds anything and may not be written to."""
    if os.path.isdir(out) and os.listdir(out) and not force:
        raise click.UsageError(
            f"{out} exists and is not empty; --force replaces the files that budgetree wrote there, and no others."
        )
    parent = os.path.dirname(os.path.realpath(out))
    if not os.path.isdir(parent):
        raise click.UsageError(f"{parent} does not exist; --out creates only the last folder.")


def write_folder(frontier: Frontier, out: str, title: str, force: bool) -> list[str]:
    """Write all files beside the folder, then move them into it; other files stay. The paths of the files."""

    from budgetree.report import render_page, summarise_frontier
    from budgetree.services.files import part_name, remove_orphans, write_text
    from budgetree.show.tables import TextTable, csv_text

    check_folder(out, force)  # it may have been filled meanwhile
    folder = Path(out)
    beside = folder.resolve().parent
    remove_orphans(beside)
    new = beside / part_name()
    try:
        new.mkdir(mode=0o700)
        write_text(new / REPORT, render_page(summarise_frontier(frontier, title=Path(title).stem)))
        rows = tuple(tuple(getattr(point, name) for name in frontier.columns) for point in frontier)
        write_text(new / TABLE, csv_text(TextTable(tuple(frontier.columns), rows)))
        for number, point in enumerate(frontier):
            point.tree.to_json(new / f"model-{number:02d}-budget-{show_number(point.budget)}.json")
        names = [REPORT, TABLE, *sorted(file.name for file in new.glob("model-*"))]
        folder.mkdir(exist_ok=True)
        for name in names:
            os.replace(new / name, folder / name)
        for old in folder.iterdir():  # models of an earlier frontier would be taken for this one's
            if re.fullmatch(MODEL, old.name) and old.name not in names:
                old.unlink()
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return [str(folder / name) for name in names]
