"""Evaluation: what a pathway does on cases that it has not seen, in the figures that papers and regulators ask for."""

from budgetree.evaluation._evaluate import evaluate
from budgetree.evaluation.result import Evaluation

__all__ = ["Evaluation", "evaluate"]
