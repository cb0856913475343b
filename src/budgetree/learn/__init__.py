"""Learning: greedy growth by the paper's rule, trade-off curves, and the frontier over a portfolio of impurities."""

from budgetree.learn._fit import fit, frontier, grow, optimal
from budgetree.learn.curves import Curve, CurvePoint, tradeoff
from budgetree.learn.greedy.rule import ratios
from budgetree.learn.points import Frontier, Point, Result
from budgetree.learn.predictive.trees import predictive
from budgetree.learn.settings import FitRequest

__all__ = [
    "Curve", "CurvePoint", "FitRequest", "Frontier", "Point", "Result", "fit", "frontier", "grow", "optimal",
    "predictive", "ratios", "tradeoff",
]  # fmt: skip
