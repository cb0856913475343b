"""Learning: greedy growth by the paper's rule, trade-off curves, and the frontier over a portfolio of impurities."""

from budgetree.learn._frontier import frontier
from budgetree.learn._grow import grow
from budgetree.learn._optimal import Solution, optimal
from budgetree.learn._predictive import predictive
from budgetree.learn.curves import Curve, CurvePoint, tradeoff
from budgetree.learn.points import Frontier, Point

__all__ = [
    "Curve",
    "CurvePoint",
    "Frontier",
    "Point",
    "Solution",
    "frontier",
    "grow",
    "optimal",
    "predictive",
    "tradeoff",
]
