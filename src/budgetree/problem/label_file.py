"""Labels in TOML: a table [labels], in a file of its own or in a price list.

[labels]
unit = "€"                               # or "${}", where the number goes
[labels.tests]
chol = "Cholesterol"                     # what a test is called
[labels.tests.sex]
name = "Sex"
help = "As in the passport."
outcomes = { 0 = "female", 1 = "male" }
[labels.classes]
0 = "healthy"                            # or a table [labels.classes.1] with `name` and `help`
"""

from __future__ import annotations

from pathlib import Path

from budgetree.problem.toml_file import read_toml
from budgetree.problem.user_labels import Labels


def read_labels(path: str | Path) -> Labels:
    """The labels of a file that was named for them; a file without any is refused."""
    found = find_labels(path)
    if found is None:
        raise ValueError(
            f'{path}: there is no table [labels]; expected one, as in: [labels.classes] and below it: 1 = "ill"'
        )
    return found


def find_labels(path: str | Path) -> Labels | None:
    """The labels of a file that may have some, as a price list may; None where it has none."""
    content = read_toml(path, "labels file")
    if "labels" not in content:
        return None
    try:
        return Labels.of(content["labels"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
