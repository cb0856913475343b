"""The problem: cases, tests, classes, prices and losses, read from any table into outcome codes."""

from budgetree.data.encoders import UNSEEN
from budgetree.data.source import Reading
from budgetree.problem.class_order import ClassOrder
from budgetree.problem.instance import Instance
from budgetree.problem.loss_table import LossTable
from budgetree.problem.losses import Losses
from budgetree.problem.price_table import PriceTable
from budgetree.problem.prices import Prices, SharedFee
from budgetree.problem.schema import Schema, check_codes
from budgetree.problem.user_labels import Labels
from budgetree.problem.wording import Wording

__all__ = [
    "UNSEEN",
    "ClassOrder",
    "Instance",
    "Labels",
    "LossTable",
    "Losses",
    "PriceTable",
    "Prices",
    "Reading",
    "Schema",
    "SharedFee",
    "Wording",
    "check_codes",
]
