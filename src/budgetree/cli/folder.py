"""The folder that `budgetree frontier --out` writes: beside it first, and never anything that is not ours."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
from pathlib import Path

import click

from budgetree.learn import Frontier
from budgetree.report import render_page, summarise_frontier
from budgetree.services.files import part_name, remove_orphans, write_text
from budgetree.services.words import show_number

REPORT, TABLE = "report.html", "frontier.csv"
MODEL = re.compile(r"model-\d{2,}-budget-[\d.e+-]+\.json")


def check_folder(out: str, force: bool) -> None:
    """An error if the folder cannot be made, or holds anything and may not be written to."""
    folder = Path(out)
    if folder.exists() and any(folder.iterdir()) and not force:
        raise click.UsageError(
            f"{out} is there already and not empty; --force replaces the files that budgetree wrote there, no others."
        )
    if not folder.resolve().parent.is_dir():
        raise click.UsageError(f"{folder.resolve().parent} does not exist; --out makes only the last folder.")


def write_folder(frontier: Frontier, out: str, title: str, force: bool) -> list[str]:
    """Everything is written beside the folder before the first file moves into it; the paths of the files."""
    check_folder(out, force)  # nobody else has filled it meanwhile
    folder = Path(out)
    beside = folder.resolve().parent
    remove_orphans(beside)
    new = beside / part_name()
    try:
        new.mkdir(mode=0o700)
        write_text(new / REPORT, render_page(summarise_frontier(frontier, title=Path(title).stem)))
        write_text(new / TABLE, frontier_csv(frontier))
        for number, point in enumerate(frontier):
            point.tree.to_json(new / f"model-{number:02d}-budget-{show_number(point.max_cost)}.json")
        names = [REPORT, TABLE, *sorted(file.name for file in new.glob("model-*"))]
        folder.mkdir(exist_ok=True)
        for name in names:
            os.replace(new / name, folder / name)
        for old in folder.iterdir():  # models of an earlier frontier would be taken for this one's
            if MODEL.fullmatch(old.name) and old.name not in names:
                old.unlink()
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return [str(folder / name) for name in names]


def frontier_csv(frontier: Frontier) -> str:
    """The points as a table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(frontier.columns)
    writer.writerows([getattr(point, name) for name in frontier.columns] for point in frontier)
    return text.getvalue()
