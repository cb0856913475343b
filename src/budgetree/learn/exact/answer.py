"""What an exact search is asked for and answers, whichever program searches."""

from __future__ import annotations

from dataclasses import dataclass

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
