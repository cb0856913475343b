"""The problem: cases, tests, classes, prices and losses, read from any table into outcome codes."""

from budgetree.data.encoders import UNSEEN
from budgetree.data.source import Reading
from budgetree.problem.cost_model import CostModel, PathState
from budgetree.problem.duplicates import ClassOrder
from budgetree.problem.instance import Instance
from budgetree.problem.labels import Labels, Wording
from budgetree.problem.losses import Losses, LossTable
from budgetree.problem.prices import Limit, Prices, SharedFee
from budgetree.problem.schema import Schema, check_codes

__all__ = [
    "UNSEEN",
    "ClassOrder",
    "CostModel",
    "Instance",
    "Labels",
    "Limit",
    "LossTable",
    "Losses",
    "PathState",
    "Prices",
    "Reading",
    "Schema",
    "SharedFee",
    "Wording",
    "check_codes",
]
