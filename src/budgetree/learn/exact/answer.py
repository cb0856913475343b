"""What an exact search is asked for and answers, whichever program searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from budgetree.services.clock import Clock
from budgetree.tree import Nodes

ANY_TEST = -1  # no particular test: as a question any will do, as an answer the tree is a leaf
ALL_TESTS = 2**15  # a breadth that leaves nothing out
NEVER = 2**62  # a budget that nobody has


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search says of a budget."""

    value: int  # the fewest errors if below the cutoff, else a lower bound of at least the cutoff
    changes: int  # the least larger budget at which that may no longer hold
    need: int  # the least budget that the tree found is known to fit
    test: int  # its first test, in the layout's order, or ANY_TEST where it is a leaf


@dataclass(frozen=True, slots=True)
class LongAnswer:
    """What a search that may take long has found when it ends, by itself or not."""

    answer: Answer | None  # None if the clock was over first
    lower_bound: int  # no tree within the budget has fewer errors
    nodes: Nodes | None  # the best tree that it found below the cutoff


@dataclass(frozen=True, slots=True)
class Pass:
    """How many tests a search tries at each set; less than all proves nothing and finds good trees early."""

    breadth: int = ALL_TESTS
    is_wide_first: bool = False  # all at the first set: each test is judged by what the pass makes of its parts
    max_pair_work: int = NEVER  # nanoseconds that counting all pairs of a set may take, in a pass that proves nothing

    @property
    def proves(self) -> bool:
        return self.breadth >= ALL_TESTS


EVERYTHING = Pass()


@dataclass(frozen=True, slots=True)
class TreeWanted:
    """Which tree is to be read off a search."""

    budget: int
    by: Pass = EVERYTHING  # that found it
    first_test: int = ANY_TEST  # where it is known, in the layout's order
    is_canonical: bool = False  # the one tree that the budget defines, whatever was searched before


class Search(Protocol):
    """Exact search on one layout: NativeSearch, or PlainSearch where there is no native core."""

    def search(self, budget: int, cutoff: int, clock: Clock, *, by: Pass = EVERYTHING) -> Answer | None:
        """The whole set's answer, or None when the clock is over; what a narrow pass says proves nothing."""

    def search_long(self, budget: int, cutoff: int, clock: Clock) -> LongAnswer:
        """The same with all threads, and with a bound that rises while it lasts."""

    def tree(self, wanted: TreeWanted, clock: Clock) -> Nodes | None:
        """The tree behind an answer, or the canonical one; None when the clock is over."""
