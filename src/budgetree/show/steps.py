"""Steps: how a frontier is drawn, whoever draws it: the least loss found per budget, and what no tree can beat.

Without losses the loss is the errors, and is called so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from budgetree.learn import Frontier
from budgetree.learn.new_search import SOURCE

Corner = tuple[float, float]  # (budget, value)
IMPOSSIBLE = "no tree can be here"


@dataclass(frozen=True, slots=True)
class Key:
    """What the upright axis and the two kinds of points are called."""

    axis: str
    proven: str
    found: str


ERRORS = Key("errors", "proven to be the fewest", "the fewest found")
LOSS = Key("loss", "proven to be the least", "the least found")
OF_NEW = "of the best found for new cases"  # whose errors on known ones need not be few


def key_of(frontier: Frontier) -> Key:
    """The words for this frontier."""
    key = LOSS if frontier.has_losses else ERRORS
    return replace(key, found=OF_NEW) if frontier.method == SOURCE else key


@dataclass(frozen=True, slots=True)
class Steps:
    """A value per budget: that of the last start at or before it. The picture ends at `right`.

    3 ●────┐            starts (0, 3) and (2, 1), right 5;
      │    │            the pen goes through (0, 3), (2, 3), (2, 1), (5, 1)
    1 │    ●───────
      └────┴──────┴
      0    2      5
    """

    starts: tuple[Corner, ...]  # cheapest first
    right: float

    @classmethod
    def falling(cls, points: Iterable[Corner], right: float) -> Steps:
        """Of any points up to the right end, those below all cheaper ones."""
        kept: list[Corner] = []
        for budget, value in sorted(points):
            if budget <= right and (not kept or value < kept[-1][1]):
                kept.append((budget, value))
        return cls(tuple(kept), right)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Where a pen that draws the line turns, from left to right."""
        found = [*self.starts[:1]]
        for (_, before), (budget, value) in pairwise(self.starts):
            found += [(budget, before), (budget, value)]
        if self.right > self.starts[-1][0]:
            found.append((self.right, self.starts[-1][1]))
        return tuple(found)

    def at(self, budget: float) -> float:
        """The value at a budget; before the first start that one's."""
        return self.starts[max(bisect_right(self.starts, budget, key=lambda start: start[0]) - 1, 0)][1]

    def divided(self, total: float) -> Steps:
        """Shares instead of numbers."""
        return Steps(tuple((budget, value / total) for budget, value in self.starts), self.right)


@dataclass(frozen=True, slots=True)
class FrontierSteps:
    """Both lines of a frontier; below the bound no tree can be."""

    loss: Steps
    bound: Steps

    def divided(self, total: float) -> FrontierSteps:
        return FrontierSteps(self.loss.divided(total), self.bound.divided(total))


def frontier_steps(frontier: Frontier, right: float | None = None) -> FrontierSteps:
    """The lines up to `right`, by default up to the last point.

    The search may have ended at the last point or at the largest budget it was asked for, so beyond that point the
    bound is what holds at any price: the loss that no test can avoid.
    """
    last = float(frontier[-1].max_cost)
    end = last if right is None else right
    loss = tuple((float(point.max_cost), float(point.loss)) for point in frontier)
    unavoidable = float(frontier.instance.schema.loss(frontier.instance.irreducible.units))
    bound = [(float(budget), float(least)) for budget, least in frontier.bounds[:-1]]
    return FrontierSteps(Steps(loss, end), Steps((*bound, (last, unavoidable)), end))
