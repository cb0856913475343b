"""Origin: where a tree came from, as a record that programs can read; the words for people are made from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from budgetree.services.words import show_number

Method = Literal["greedy", "exact", "lookahead", "leaf", "predictive", "unknown"]
ChangeKind = Literal["cut", "trimmed", "repriced", "weighted", "joined", "ended"]

METHOD_WORDS: dict[Method, str] = {
    "greedy": "greedy",
    "exact": "exact search",
    "lookahead": "greedy with lookahead",
    "leaf": "single leaf",
    "predictive": "for new cases",
    "unknown": "unknown",
}
CHANGE_WORDS: dict[ChangeKind, str] = {
    "cut": "cut",
    "trimmed": "trimmed",
    "repriced": "at other prices",
    "weighted": "classes weighted by their losses",
    "joined": "small leaves joined",
    "ended": "ended early",
}


@dataclass(frozen=True, slots=True)
class Function:
    """The impurity that a greedy tree was grown with."""

    name: str  # of its class; with its module where that is not one of ours
    parameters: tuple[tuple[str, Fraction], ...] = ()  # the numbers that it was made with, such as ("alpha", 2)
    words: str = ""  # as Python shows it


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a tree after it was made."""

    kind: ChangeKind
    budget: Fraction | None = None  # of a cut

    def __str__(self) -> str:
        return CHANGE_WORDS[self.kind] + ("" if self.budget is None else f" at {show_number(self.budget)}")


@dataclass(frozen=True, slots=True)
class Origin:
    """Which method made a tree, with which settings, and what was changed since.

    >>> pairs = Function("Pairs", words="Pairs()")
    >>> str(Origin("greedy", pairs, budget=Fraction(5)).then(Change("cut", Fraction(3))))
    'greedy Pairs(), budget=5, cut at 3'
    """

    method: Method = "unknown"
    impurity: Function | None = None
    delta: Fraction = Fraction(0)  # the paper's δ
    budget: Fraction | None = None  # that the growth kept to; None for no limit
    rule: str = "worst"
    seed: int | None = None  # where chance had a part
    changes: tuple[Change, ...] = ()
    note: str = ""  # what an older model file says in prose
    leaves: str | None = None  # of a predictive tree: "model" or "count"
    sure: Fraction | None = None  # of a predictive tree: where a case stops; None where nobody does
    min_cases: int = 1  # that every leaf was to have

    @property
    def is_whole_greedy(self) -> bool:
        """Grown by the paper's rule to the end, and not changed since."""
        stopped = self.delta != 0 or self.budget is not None or self.min_cases > 1
        return self.method == "greedy" and self.rule == "worst" and not stopped and not self.changes

    def then(self, change: Change) -> Origin:
        """The same with one more change."""
        return replace(self, changes=(*self.changes, change))

    def __str__(self) -> str:
        head = self.note if self.method == "unknown" and self.note else METHOD_WORDS[self.method]
        parts = [head if self.impurity is None else f"{head} {self.impurity.words or self.impurity.name}"]
        if self.delta:
            parts.append(f"delta={show_number(self.delta)}")
        if self.budget is not None:
            parts.append(f"budget={show_number(self.budget)}")
        if self.rule != "worst":
            parts.append(f"rule={self.rule}")
        if self.min_cases > 1:
            parts.append(f"min_cases={self.min_cases}")
        if self.leaves is not None:
            parts.append(f"leaves={self.leaves}")
        if self.sure is not None:
            parts.append(f"sure={show_number(self.sure)}")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return ", ".join([*parts, *map(str, self.changes)])
