"""The paper's claims, each tried on the data: what it says, what came out, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from budgetree.reproduce.panels import Panel
from budgetree.reproduce.sets import SetSize
from budgetree.reproduce.toy import ToyColumn

ClaimVerdict = Literal["holds", "holds in part", "does not hold", "not settled"]
# Of a claim that is tried on proven frontiers, where the time was too short for any.
NOTHING_PROVEN: tuple[str, ClaimVerdict] = (
    "No set's frontier was proven in this time, so there is nothing to compare with.",
    "not settled",
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of the paper."""

    where: str
    says: str  # in our words
    result: str
    verdict: ClaimVerdict


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the claims are tried on."""

    toy: list[ToyColumn]
    sets: list[SetSize]
    synthetic: Panel
    panels: list[Panel]

    @property
    def proven(self) -> list[Panel]:
        """The panels whose whole frontier is proven."""
        return [panel for panel in self.panels if panel.exact.complete]


def verdict(holds: bool, in_part: bool = False) -> ClaimVerdict:
    """The word for it."""
    return "holds" if holds else "holds in part" if in_part else "does not hold"
