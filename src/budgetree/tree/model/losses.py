"""What answers cost, as an entry of the model file: a row per class, since classes need not be texts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from budgetree.errors import ModelFileError
from budgetree.problem import Losses, Schema
from budgetree.tree.model.encoding import exact, read_number


def losses_content(schema: Schema) -> dict[str, Any] | None:
    """The losses as JSON: the answers that are no class, and a loss per class and answer."""
    if schema.losses is None:
        return None
    table = schema.loss_table
    rows = [[exact(Fraction(units) / table.scale) for units in row] for row in table.units.tolist()]
    return {"answers": list(table.answers[table.n_classes :]), "losses": rows}


def read_losses(content: dict[str, Any] | None, n_classes: int) -> Losses | None:
    """Losses from a file's entry; their numbers and names are checked, and that there are as many as there must be."""
    if content is None:
        return None
    answers, rows = content["answers"], content["losses"]
    width = n_classes + len(answers)
    if len(set(answers)) < len(answers):
        raise ModelFileError("losses.answers has a name twice; answers must differ from each other.")
    if len(rows) != n_classes or any(len(row) != width for row in rows):
        raise ModelFileError(
            f"losses.losses must have a row for each of {n_classes} classes, with {width} numbers: "
            "one per class and then one per further answer."
        )
    numbers = [
        [read_number(loss, f"losses.losses[{true}][{answer}]") for answer, loss in enumerate(row)]
        for true, row in enumerate(rows)
    ]
    extra = {name: [row[n_classes + number] for row in numbers] for number, name in enumerate(answers)}
    return Losses([row[:n_classes] for row in numbers], answers=extra)
