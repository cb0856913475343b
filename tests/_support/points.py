"""Points of a frontier as a search that ended early leaves them."""

from __future__ import annotations

from dataclasses import replace

from budgetree.learn import Point
from budgetree.tree.provenance import ProofState


def open_point(point: Point, least_loss: int) -> Point:
    """The point of a search that has proven no more than this bound; the tree itself is said to lose more."""
    loss = max(point.candidate.loss, least_loss + 1)
    bounds = replace(point.bounds, state=ProofState.BOUNDED, least_loss=least_loss)
    return replace(point, candidate=replace(point.candidate, loss=loss), bounds=bounds)
