"""How tests say what is refused: by the class and the fields of an error, not by its wording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from budgetree.errors import BudgetreeError


@contextmanager
def refused(kind: type[BudgetreeError], **fields: Any) -> Iterator[pytest.ExceptionInfo[BudgetreeError]]:
    """The block raises exactly this class, and these fields of the error have these values.

    A field of `where` is written with its own name: source, line, entry.
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert type(error) is kind, f"{type(error).__name__}: {error}"
    found = {name: getattr(error if hasattr(error, name) else error.where, name, None) for name in fields}
    assert found == fields, str(error)
