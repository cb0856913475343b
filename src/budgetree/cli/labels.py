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


def open_model(model: str, labels: str | None) -> Tree:
    """The tree of a model file; labels that are given now take the place of its own."""
    from budgetree.problem.label_file import read_labels
    from budgetree.tree import Tree

    tree = Tree.from_json(model)
    if labels is None:
        return tree
    given = read_labels(labels)
    try:
        return tree.with_labels(given)
    except ValueError as error:
        raise ValueError(f"{labels}: {error}") from error
