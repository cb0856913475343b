"""Losses in TOML: a table [losses] and a table [answers], in a file of their own or in a price list.

[losses]
benign = 1                # missing this class, whatever is answered
[losses.cancer]           # by the answer given instead
benign = 50
[answers]                 # answers that are no class
refer = 4                 # or a table [answers.refer] with a loss for every class
"""

from __future__ import annotations

from pathlib import Path

from budgetree.problem.losses import Losses
from budgetree.problem.toml_file import read_toml


def read_losses(path: str | Path) -> Losses:
    """The losses of a file that was named for them; a file without any is refused."""
    found = find_losses(path)
    if found is None:
        raise ValueError(
            f"{path}: there is neither a table [losses] nor a table [answers]; expected at least one of them, as in: "
            "[losses] and below it: cancer = 50"
        )
    return found


def find_losses(path: str | Path) -> Losses | None:
    """The losses of a file that may have some, as a price list may; None where it has none."""
    content = read_toml(path, "losses file")
    if "losses" not in content and "answers" not in content:
        return None
    for table in ("losses", "answers"):
        for name, entry in content.get(table, {}).items():
            inner = entry.values() if isinstance(entry, dict) else [entry]
            if any(isinstance(loss, (dict, list)) for loss in inner):
                raise ValueError(
                    f"{path}: [{table}] has more than a number or a table of numbers at {name!r}; "
                    f"expected {name} = 4, or a table [{table}.{name}] with numbers."
                )
    try:
        return Losses(content.get("losses", {}), answers=content.get("answers", {}))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
