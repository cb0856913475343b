"""Where a tree came from, what it is for, what was proven of it, and what was found out about new cases."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Any, Literal, Self, get_args

from budgetree.problem.cost_model import RuleKind
from budgetree.services.words import show_number

SIGNIFICANT = 2.0  # standard errors

LeafKind = Literal["tree", "points", "model"]  # the simplest first
KINDS: tuple[LeafKind, ...] = get_args(LeafKind)


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
    REPLACED = "replaced", "a part replaced"
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
class LeafChoice:
    """The kind of leaf that a pathway for new cases has, and how it compares with the others.

    Scores are Brier scores on cases held out, with everything bought, to so many digits that no processor's arithmetic
    shows.
    """

    kind: LeafKind
    scores: tuple[tuple[LeafKind, float], ...]  # of every kind that was tried
    best: LeafKind  # of the lowest score
    excess: float  # by how much the score of the kind taken is above that
    standard_error: float  # of the excess

    @property
    def is_good_enough(self) -> bool:
        """Whether the kind taken is within one standard error of the best; where it was named, it may not be."""
        return self.excess <= self.standard_error


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
    choice: LeafChoice | None = None  # of a predictive tree: its kind of leaf
    confidence: Fraction | None = None  # of a predictive tree: the probability at which a case stops, if it was given
    min_cases: int = 1  # that every leaf was to have
    table: str | None = field(default=None, compare=False)  # the fingerprint of the cases that it was learned from

    @property
    def leaves(self) -> LeafKind | None:
        """The kind of leaf of a predictive tree."""
        return None if self.choice is None else self.choice.kind

    @property
    def is_whole_greedy(self) -> bool:
        """Grown by the paper's rule to the end, and not changed since."""
        stopped = self.delta != 0 or self.budget is not None or self.min_cases > 1
        return self.method == Method.GREEDY and self.rule == "worst" and not stopped and not self.changes

    @property
    def last_budget(self) -> Fraction | None:
        """What the tree was grown or cut for; None where there was no budget, or it has other prices since."""
        budget = self.budget
        for change in self.changes:
            budget = None if change.kind is ChangeKind.REPRICED else change.budget or budget
        return budget

    def then(self, change: Change) -> Origin:
        """The same with one more change."""
        return replace(self, changes=(*self.changes, change))

    @property
    def function(self) -> str:
        """The impurity as Python shows it; "" where there is none."""
        return "" if self.impurity is None else self.impurity.words or self.impurity.name

    @property
    def settings(self) -> list[str]:
        """The others, where they are not the default: "budget=5"."""
        names = ("delta", "budget", "rule", "min_cases", "leaves", "confidence", "seed")
        given = ((name, getattr(self, name)) for name in names if getattr(self, name) != getattr(_UNSET, name))
        return [f"{name}={show_number(value) if isinstance(value, Fraction) else value}" for name, value in given]

    def __str__(self) -> str:
        made = f"{self.method.words} {self.function}".rstrip()
        return ", ".join([made, *self.settings, *map(str, self.changes)])


_UNSET = Origin()


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
class Stability:
    """What comes back when a tree is learned again from some of the cases."""

    n_refits: int
    learned_from: float  # the share of the rows that each of them saw
    first_test: str | None  # that the tree buys; None where it buys none
    same_first: float  # the share of refits that begin with it, too
    tests: tuple[tuple[str, float], ...]  # per test of the tree or of a refit, the share of refits that buy it
    same_answers: float  # to rows that the refit has not seen, the share that is the tree's own answer


@dataclass(frozen=True, slots=True)
class Estimate:
    """What was found out about new cases when a tree was learned, by holding rows out.

    >>> str(Estimate(NewError(0.47, 0.04), True, "cross-validated, 5 of 5 folds"))
    'new cases: 47.0 % ± 4.0 wrong, cross-validated, 5 of 5 folds; overfitted'
    """

    new_error: NewError
    overfitted: bool  # the known cases make the tree look significantly better than it is
    how: str  # the number came about, for people
    new_loss: NewLoss | None = None  # where losses were given
    stability: Stability | None = None  # of a tree for new cases, where there was time
    mean_cost: float | None = None  # of the rows held out
    recalls: tuple[float | None, ...] = ()  # per class, the share of these rows that is found; None without rows

    @property
    def mean(self) -> float:
        """What a new case loses on average; without losses, the share that is wrong."""
        return self.new_error.error if self.new_loss is None else self.new_loss.loss

    @property
    def se(self) -> float:
        """The standard error of the mean."""
        return self.new_error.se if self.new_loss is None else self.new_loss.se

    def __str__(self) -> str:
        loss = "" if self.new_loss is None else f"{self.new_loss}, "
        sentence = f"new cases: {loss}{self.new_error} wrong, {self.how}"
        return f"{sentence}; overfitted" if self.overfitted else sentence


class Objective(StrEnum):
    """Which cases a tree is for: those in the table, or those that are not in it."""

    KNOWN = "known"
    NEW = "new"


class Reason(Enum):
    """Why a tree has its objective."""

    ASKED = "asked"
    FACTS = "facts"  # most classes have fewer than three rows
    ROWS = "rows"  # most classes have three rows or more
    SETTING = "setting"  # one that is only about known cases


@dataclass(frozen=True, slots=True)
class ObjectiveChoice:
    """Which cases a tree is for, and why."""

    objective: Objective
    reason: Reason
    n_rows: int
    n_classes: int
    n_small: int = 0  # classes with fewer than three rows
    setting: str = ""  # that is about known cases


class ProofState(StrEnum):
    """What is known of trees that are better than one."""

    OPTIMAL = "optimal"  # no other is better
    BOUNDED = "bounded"  # a search says how much better one could be
    NOT_SEARCHED = "not searched"  # only what no tree avoids is known


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower bounds on what any tree for the same cases and prices loses and costs, in whole units."""

    state: ProofState  # of what was asked for: the least loss within a budget, or the least cost for a max_error
    least_loss: int  # no tree loses less …
    within: int | None = None  # … within this budget; None: whatever it costs
    # No tree costs less that has at most max_error, or that loses as little as this one where max_error is None.
    least_cost: int = 0
    max_error: Fraction | None = None
    min_cases: int = 1  # all of it is about trees whose leaves have so many known cases
    # What the bounds may not count on: they hold with these rules, too, which only remove trees or make them cost more.
    ignores: frozenset[RuleKind] = frozenset()

    @classmethod
    def of(
        cls, loss: int, max_cost: int, *, searched: bool = True, ignores: Set[RuleKind] = frozenset(), **fields: Any
    ) -> Bounds:
        """What is known of other trees than one with this loss and this max_cost; of the best one, rules and all."""
        known = cls(ProofState.OPTIMAL, **fields)
        if loss <= known.least_loss if known.max_error is None else max_cost <= known.least_cost:
            return known
        state = ProofState.BOUNDED if searched else ProofState.NOT_SEARCHED
        return replace(known, state=state, ignores=frozenset(ignores))
