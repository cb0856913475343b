"""The paper reproduced from the bundled data: figures and tables, what is proven beside them, and its claims tested."""

from budgetree.reproduce.claims import Verdict
from budgetree.reproduce.run import Reproduction, reproduce

__all__ = ["Reproduction", "Verdict", "reproduce"]
