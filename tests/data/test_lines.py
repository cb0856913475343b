"""Lines: found when a message has to say where a row is."""

from __future__ import annotations

from functools import partial

import numpy as np

from budgetree.data.table import Lines

LINES = Lines(np.arange(3), partial(iter, ["line 2", "line 4", "line 7"]))


def test_rows_that_are_taken_know_their_lines() -> None:
    assert [LINES.where(row) for row in range(3)] == ["line 2", "line 4", "line 7"]
    assert [LINES.take(np.array([2, 0])).where(row) for row in range(2)] == ["line 7", "line 2"]


def test_a_row_that_is_not_found_is_called_by_its_number() -> None:
    assert Lines(np.array([8]), LINES.places).where(0) == "row 9"
