"""What commands print: for people, or as JSON for programs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from budgetree.services.words import visible, visible_lines

if TYPE_CHECKING:
    from budgetree.learn import Frontier, Point
    from budgetree.tree import Tree


def print_json(content: Any) -> None:
    """One JSON document on stdout."""
    click.echo(json_text(content, indent=1))


def json_text(content: Any, indent: int | None = None) -> str:
    """JSON in which names are readable, but for letters that a terminal would obey."""
    text = json.dumps(content, ensure_ascii=False, indent=indent, default=str)
    return "".join(
        letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1] for letter in text
    ) if not text.isprintable() else text  # fmt: skip


def for_reader(text: str) -> str:
    """Text for programs, as it is; on a terminal, what it would obey is escaped."""
    return visible_lines(text) if sys.stdout.isatty() else text


def statement_line(tree: Tree) -> str:
    """What was proven about a tree: the same sentences wherever it is shown."""
    statement = tree.statement
    head, words = visible(str(statement)).split(" ", 1)
    return f"{click.style(head, fg='green')} {words}" if statement.is_proven else f"{head} {words}"


def known_line(found: Frontier, point: Point) -> str:
    """What a point's tree gets wrong of the known cases: the share, or the mean loss where losses are given."""
    if not found.has_losses:
        return f"{100 * point.error_rate:.1f} % wrong"
    return f"a mean loss of {point.mean_loss:.4g}, {100 * point.error_rate:.1f} % wrong"


def tree_facts(tree: Tree) -> dict[str, Any]:
    """A tree in a few numbers."""
    from budgetree.problem.units import plain_number
    from budgetree.show.text import size_and_cost

    proven = tree.proven
    return size_and_cost(tree) | {
        "proven": tree.statement.is_proven,
        "statement": str(tree.statement),
        "lower_bound": None if proven is None else plain_number(proven.least_errors),
        "lower_bound_at": None if proven is None or proven.budget is None else plain_number(proven.budget),
        "cost_lower_bound": None if proven is None else plain_number(proven.least_cost),
    }


def new_error_facts(found: Frontier, point: Point) -> dict[str, Any]:
    """What to expect of a point's tree on new cases."""
    loss = {"new_loss": point.new_loss, "new_loss_se": point.new_loss_se} if found.has_losses else {}
    return loss | {
        "error_rate": point.error_rate,
        "new_error": point.new_error,
        "new_error_se": point.new_error_se,
        "overfitted": point.overfitted,
        "validation": None if found.validation is None else str(found.validation),
    }
