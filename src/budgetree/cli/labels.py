"""What things are called, from --labels or from a price list that has such a section."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from budgetree.cli.tables import Request
    from budgetree.problem import Labels
    from budgetree.tree import Tree


def given_labels(request: Request) -> Labels | None:
    """Those of --labels; else those of the price list, if it has any; else None."""
    from budgetree.problem.label_file import find_labels, read_labels
    from budgetree.problem.price_file import is_table

    if request.labels is not None:
        return read_labels(request.labels)
    return None if request.prices is None or is_table(request.prices) else find_labels(request.prices)


def labelled(tree: Tree, request: Request) -> Tree:
    """The tree in the words of a command that made it; labels that do not fit are the fault of their file."""
    labels = given_labels(request)
    return tree if labels is None else _with_labels(tree, labels, request.labels or request.prices)


def open_model(model: str, labels: str | None) -> Tree:
    """The tree of a model file; labels that are given now take the place of its own."""
    from budgetree.problem.label_file import read_labels
    from budgetree.tree import Tree

    tree = Tree.from_json(model)
    return tree if labels is None else _with_labels(tree, read_labels(labels), labels)


def _with_labels(tree: Tree, labels: Labels, path: str | None) -> Tree:
    try:
        return tree.with_labels(labels)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
