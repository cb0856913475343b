"""Where a tree came from, what came of the known cases, and what was found out about new ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Self

from budgetree.services.words import show_number

SIGNIFICANT = 2.0  # standard errors


class _Named(StrEnum):
    """Values as files have them, with what people read."""

    words: str

    def __new__(cls, value: str, words: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_, member.words = value, words
        return member


class Method(_Named):
    """What made a tree."""

    GREEDY = "greedy", "greedy"
    EXACT = "exact", "exact search"
    LOOKAHEAD = "lookahead", "greedy with lookahead"
    LEAF = "leaf", "single leaf"
    PREDICTIVE = "predictive", "for new cases"
    UNKNOWN = "unknown", "unknown"


class ChangeKind(_Named):
    """What was done to a tree after it was made."""

    CUT = "cut", "cut"
    TRIMMED = "trimmed", "trimmed"
    REPRICED = "repriced", "at other prices"
    WEIGHTED = "weighted", "classes weighted by their losses"
    JOINED = "joined", "small leaves joined"
    ENDED = "ended", "ended early"


@dataclass(frozen=True, slots=True)
class Function:
    """The impurity that a greedy tree was grown with."""

    name: str  # of its class; with its module where that is not one of ours
    parameters: tuple[tuple[str, Fraction], ...] = ()  # the numbers that it was made with, such as ("alpha", 2)
    words: str = ""  # as Python shows it


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was done to a tree after it was made."""

    kind: ChangeKind
    budget: Fraction | None = None  # of a cut

    def __str__(self) -> str:
        return self.kind.words + ("" if self.budget is None else f" at {show_number(self.budget)}")


@dataclass(frozen=True, slots=True)
class Origin:
    """Which method made a tree, with which settings, and what was changed since.

    >>> pairs = Function("Pairs", words="Pairs()")
    >>> str(Origin(Method.GREEDY, pairs, budget=Fraction(5)).then(Change(ChangeKind.CUT, Fraction(3))))
    'greedy Pairs(), budget=5, cut at 3'
    """

    method: Method = Method.UNKNOWN
    impurity: Function | None = None
    delta: Fraction = Fraction(0)  # the paper's δ
    budget: Fraction | None = None  # that the growth kept to; None for no limit
    rule: str = "worst"
    seed: int | None = None  # where chance had a part
    changes: tuple[Change, ...] = ()
    leaves: str | None = None  # of a predictive tree: "model" or "count"
    sure: Fraction | None = None  # of a predictive tree: the probability at which a case stops; None where none does
    min_cases: int = 1  # that every leaf was to have

    @property
    def is_whole_greedy(self) -> bool:
        """Grown by the paper's rule to the end, and not changed since."""
        stopped = self.delta != 0 or self.budget is not None or self.min_cases > 1
        return self.method == Method.GREEDY and self.rule == "worst" and not stopped and not self.changes

    def then(self, change: Change) -> Origin:
        """The same with one more change."""
        return replace(self, changes=(*self.changes, change))

    def __str__(self) -> str:
        function = "" if self.impurity is None else f" {self.impurity.words or self.impurity.name}"
        names = ("delta", "budget", "rule", "min_cases", "leaves", "sure", "seed")
        settings = ((name, getattr(self, name)) for name in names if getattr(self, name) != getattr(_UNSET, name))
        said = [f"{name}={show_number(value) if isinstance(value, Fraction) else value}" for name, value in settings]
        return ", ".join([self.method.words + function, *said, *map(str, self.changes)])


_UNSET = Origin()


@dataclass(frozen=True, slots=True)
class Known:
    """What came of the known cases, for trees whose counts do not say it; by weight, and to the last digit.

    Where models answer, where cases stop early and where one branch joins outcomes of different prices, a node's
    counts do not tell who is right and who has paid what.
    """

    errors: Fraction
    mean_cost: Fraction
    max_cost: Fraction
    loss: Fraction  # what their answers cost; without losses, the errors
    referred: Fraction  # how many of them got an answer that is not a class
    answered: tuple[tuple[int, ...], ...]  # answer × class, in weight units


@dataclass(frozen=True, slots=True)
class NewError:
    """The share of new cases that a tree is expected to get wrong, and its standard error."""

    error: float
    se: float

    def exceeds(self, known_error: float) -> bool:
        """Whether the known cases make the tree look significantly better than it is."""
        return self.error - known_error > SIGNIFICANT * self.se

    def __str__(self) -> str:
        return f"{100 * self.error:.1f} % ± {100 * self.se:.1f}"


@dataclass(frozen=True, slots=True)
class NewLoss:
    """What a new case is expected to lose on average, and its standard error."""

    loss: float
    se: float

    def exceeds(self, known_loss: float) -> bool:
        """Whether the known cases make the tree look significantly better than it is."""
        return self.loss - known_loss > SIGNIFICANT * self.se

    def __str__(self) -> str:
        return f"loss {self.loss:.3g} ± {self.se:.2g} a case"


@dataclass(frozen=True, slots=True)
class Expected:
    """What was found out about new cases when a tree was learned, by holding rows out.

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
