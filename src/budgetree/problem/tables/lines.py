"""Lines: where each row of a table begins in its file, found when a message has to say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The places of some rows of a file."""

    rows: NDArray[np.int64]  # in the file, from 0
    places: Callable[[], Iterator[str]]  # of all rows of the file, in their order: "line 7"

    def where(self, row: int) -> str:
        """What to call a row of the table."""
        wanted = int(self.rows[row])
        for number, place in enumerate(self.places()):
            if number == wanted:
                return place
        return f"row {wanted + 1}"

    def take(self, positions: NDArray[np.int64]) -> Lines:
        """Only these rows."""
        return replace(self, rows=self.rows[positions])
