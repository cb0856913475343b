"""Trees: immutable arrays of nodes, routing, costs, consultations, text and the model file."""

from budgetree.tree.consultation import Consultation
from budgetree.tree.model_shape import ModelFileError
from budgetree.tree.nodes import LEAF, NO_BRANCH, Nodes, charges
from budgetree.tree.tree import Tree

__all__ = ["LEAF", "NO_BRANCH", "Consultation", "ModelFileError", "Nodes", "Tree", "charges"]
