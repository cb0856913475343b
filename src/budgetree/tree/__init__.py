"""Trees: nodes that buy, branch and answer, one walk, costs, consultations and the model file."""

from budgetree.tree.builder import TreeBuilder
from budgetree.tree.confusion import Confusion
from budgetree.tree.consultation import Consultation
from budgetree.tree.grown import LEAF, NO_BRANCH
from budgetree.tree.leaves import Ensemble, Fixed, Majority, Model, Points, Totals
from budgetree.tree.nodes import Branch, Buy, Nodes, Split
from budgetree.tree.provenance import Bounds, Origin
from budgetree.tree.tree import Tree
from budgetree.tree.walk import Walk

__all__ = [
    "LEAF", "NO_BRANCH", "Bounds", "Branch", "Buy", "Confusion", "Consultation", "Ensemble", "Fixed",
    "Majority", "Model", "Nodes", "Origin", "Points", "Split", "Totals", "Tree", "TreeBuilder", "Walk",
]  # fmt: skip
