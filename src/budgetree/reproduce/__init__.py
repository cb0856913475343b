"""The paper again, from the bundled data: its figures and tables, what is proven beside them, and its claims tried."""

from budgetree.reproduce.claims import Verdict
from budgetree.reproduce.run import Reproduction, reproduce

__all__ = ["Reproduction", "Verdict", "reproduce"]
