"""Trees: immutable arrays of nodes, routing, costs, consultations and the model file."""

from budgetree.tree.confusion import Confusion
from budgetree.tree.consultation import Consultation
from budgetree.tree.nodes import LEAF, NO_BRANCH, Nodes, charges
from budgetree.tree.proven import Proven
from budgetree.tree.provenance import Origin
from budgetree.tree.tree import Tree

__all__ = ["LEAF", "NO_BRANCH", "Confusion", "Consultation", "Nodes", "Origin", "Proven", "Tree", "charges"]
