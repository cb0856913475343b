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
class NewLoss:
    """What a new case is expected to lose, on average, and how sure that number is."""

    loss: float
    se: float  # its standard error

    def exceeds(self, known_loss: float) -> bool:
        """Whether the known cases make the tree look significantly better than it is."""
        return self.loss - known_loss > SIGNIFICANT * self.se

    def __str__(self) -> str:
        return f"loss {self.loss:.3g} ± {self.se:.2g} a case"


@dataclass(frozen=True, slots=True)
class Expected:
    """What a tree knows about new cases.

    >>> str(Expected(NewError(0.47, 0.04), True, "cross-validated, 5 of 5 folds"))
    'new cases: 47.0 % ± 4.0 wrong, cross-validated, 5 of 5 folds; overfitted'
    """

    new_error: NewError
    overfitted: bool  # the known cases make the tree look significantly better than it is
    how: str  # the number came about, in words
    new_loss: NewLoss | None = None  # where losses were given

    def __str__(self) -> str:
        loss = "" if self.new_loss is None else f"{self.new_loss}, "
        words = f"new cases: {loss}{self.new_error} wrong, {self.how}"
        return f"{words}; overfitted" if self.overfitted else words
