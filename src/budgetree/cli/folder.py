"""The folder that `budgetree frontier --out` writes: all of it, or nothing."""

from __future__ import annotations

import csv
import io
import os
import shutil
import tempfile
from pathlib import Path

import click

from budgetree.learn import Frontier
from budgetree.learn.frontier_text import COLUMNS
from budgetree.problem.files import write_text
from budgetree.problem.units import show_number
from budgetree.report import render_page, summarise_frontier


def check_folder(out: str, force: bool) -> None:
    """An error if the folder cannot be made."""
    folder = Path(out)
    if folder.exists() and any(folder.iterdir()) and not force:
        raise click.UsageError(f"{out} is there already; --force replaces it, or choose another folder with --out.")
    if not folder.resolve().parent.is_dir():
        raise click.UsageError(f"{folder.resolve().parent} does not exist; --out makes only the last folder.")


def write_folder(frontier: Frontier, out: str, title: str, force: bool) -> list[str]:
    """Write beside it first, so that Ctrl-C leaves the old folder or none; the paths of the files."""
    folder = Path(out)
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.resolve().parent))
    try:
        os.chmod(new, 0o755)
        write_text(new / "report.html", render_page(summarise_frontier(frontier, title=Path(title).stem)))
        write_text(new / "frontier.csv", frontier_csv(frontier))
        for number, point in enumerate(frontier):
            point.tree.to_json(new / f"model-{number:02d}-budget-{show_number(point.max_cost)}.json")
        names = sorted((file.name for file in new.iterdir()), key=lambda name: (not name.startswith("report"), name))
        if folder.exists():
            check_folder(out, force)  # nobody else has filled it meanwhile
            shutil.rmtree(folder)
        os.replace(new, folder)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return [str(folder / name) for name in names]


def frontier_csv(frontier: Frontier) -> str:
    """The points as a table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(point, name) for name in COLUMNS] for point in frontier)
    return text.getvalue()
