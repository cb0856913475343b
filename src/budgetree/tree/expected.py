"""Expected: what was found out about new cases when a tree was learned, by holding rows out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expected:
    """The share of new cases that a tree is expected to get wrong."""

    error: float
    se: float  # its standard error
    overfitted: bool  # the known cases make the tree look significantly better than it is

    def __str__(self) -> str:
        words = f"new cases: {100 * self.error:.1f} % ± {100 * self.se:.1f} wrong, cross-validated"
        return f"{words}; overfitted" if self.overfitted else words
