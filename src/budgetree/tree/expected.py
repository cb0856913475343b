"""Expected: what was found out about new cases when a tree was learned, by holding rows out."""

from __future__ import annotations

from dataclasses import dataclass

SIGNIFICANT = 2.0  # standard errors


@dataclass(frozen=True, slots=True)
class NewError:
    """The share of new cases that a tree is expected to get wrong, and how sure that number is."""

    error: float
    se: float  # its standard error

    def exceeds(self, known_error: float) -> bool:
        """Whether the known cases make the tree look significantly better than it is."""
        return self.error - known_error > SIGNIFICANT * self.se

    def __str__(self) -> str:
        return f"{100 * self.error:.1f} % ± {100 * self.se:.1f}"


@dataclass(frozen=True, slots=True)
class Expected:
    """What a tree knows about new cases.

    >>> str(Expected(NewError(0.47, 0.04), True, "cross-validated, 5 of 5 folds"))
    'new cases: 47.0 % ± 4.0 wrong, cross-validated, 5 of 5 folds; overfitted'
    """

    new_error: NewError
    overfitted: bool  # the known cases make the tree look significantly better than it is
    how: str  # the number came about, in words

    def __str__(self) -> str:
        words = f"new cases: {self.new_error} wrong, {self.how}"
        return f"{words}; overfitted" if self.overfitted else words
