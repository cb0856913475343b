"""What wrong answers cost, as `budgetree check` reports it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetree.services.words import listed, show_number

if TYPE_CHECKING:
    from budgetree.problem import Schema

MAX_CLASSES = 12  # beyond these, not every loss is listed


def losses_in_words(schema: Schema) -> Iterator[str]:
    """What was understood, a sentence per class."""
    table, words = schema.loss_table, schema.wording
    if len(schema.class_names) > MAX_CLASSES:
        others = listed(words.answers[table.n_classes :])
        answers = f"; answers that are not classes: {others}" if others else ""
        yield f"losses of up to {show_number(table.largest / table.scale)}{answers}."
        return
    for true, units in zip(words.classes, table.units.tolist(), strict=True):
        costs = [
            f"{show_number(loss / table.scale)} by the answer {answer}"
            for answer, loss in zip(words.answers, units, strict=True)
            if answer != true or loss
        ]
        yield f"a case that is {true} loses {', '.join(costs)}."


def useless_answers(schema: Schema) -> Iterator[str]:
    """Answers that are not classes and never lose less than another one; of equals the first is given."""
    table, words = schema.loss_table, schema.wording
    for answer in range(table.n_classes, len(table.answers)):
        for other, name in enumerate(words.answers):
            more = table.units[:, answer] - table.units[:, other]
            if other != answer and more.min() >= (0 if other < answer else 1):
                yield (
                    f"the answer {words.answers[answer]!r} never loses less than {name!r}, so no tree gives it; "
                    "give it a smaller loss, or leave it out."
                )
                break
