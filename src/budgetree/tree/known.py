"""Known: what came of the known cases, for trees whose counts do not say it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Known:
    """By weight, and to the last digit.

    Where models answer, where cases stop early and where one branch joins outcomes of different prices, a node's
    counts do not tell who is right and who has paid what.
    """

    errors: Fraction
    mean_cost: Fraction
    max_cost: Fraction
    loss: Fraction  # what their answers cost; without losses, the errors
    referred: Fraction = Fraction(0)  # how many of them got an answer that is no class
    answered: tuple[tuple[int, ...], ...] | None = None  # answer × class, in weight units; None in older model files
