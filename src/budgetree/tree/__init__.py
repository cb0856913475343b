"""Trees: immutable arrays of nodes, routing, costs, consultations and the model file."""

from budgetree.tree.confusion import Confusion
from budgetree.tree.consultation import Consultation
from budgetree.tree.nodes import LEAF, NO_BRANCH, Nodes, charges
from budgetree.tree.provenance import Bounds, Estimate, Origin
from budgetree.tree.tree import Tree

__all__ = ["LEAF", "NO_BRANCH", "Bounds", "Confusion", "Consultation", "Estimate", "Nodes", "Origin", "Tree", "charges"]
