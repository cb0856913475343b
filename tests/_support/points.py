"""Points of a frontier as a search that ended early leaves them."""

from __future__ import annotations

from dataclasses import replace

from budgetree.learn import Point
from budgetree.tree.provenance import ProofState


def open_point(point: Point, least_loss: int) -> Point:
    """The point of a search that has proven no more than this bound."""
    return replace(point, bounds=replace(point.bounds, state=ProofState.BOUNDED, least_loss=least_loss))
