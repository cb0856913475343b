"""What the package promises: its names."""

from __future__ import annotations

import budgetree as bt

PROMISED = {
    "Instance", "Prices", "Tree", "grow", "check_admissible", "datasets", "Impurity",
    "Pairs", "Powers", "Polynomial", "HingedPairs", "HingedProduct", "Gini", "Entropy",
    "Counterexample", "ModelFileError", "__version__", "Frontier", "frontier", "tradeoff",
    "optimal", "fit", "Result", "certify", "Certificate", "CertificateError", "Consultation", "BudgetTreeClassifier",
    "OptimalBudgetTreeClassifier",
    "TreeBuilder", "Split", "Majority", "Fixed", "Points", "Model", "Totals", "Ensemble", "Walk",
    "plot_frontier", "plot_tree", "ObjectPairs", "predictive", "ratios", "Losses", "Reading", "Shards",
    "Labels", "Limit", "Evaluation", "evaluate",
}  # fmt: skip


def test_the_public_names() -> None:
    assert set(bt.__all__) == PROMISED
    assert all(hasattr(bt, name) for name in bt.__all__)
