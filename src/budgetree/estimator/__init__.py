"""budgetree as scikit-learn sees it: the `classifier`, its `settings`, and what y and weights mean in `training`."""

try:
    from budgetree.estimator.classifier import BudgetTreeClassifier as BudgetTreeClassifier
except ImportError as error:
    if not (error.name or "").startswith("sklearn"):
        raise
    raise ImportError(
        "BudgetTreeClassifier needs scikit-learn 1.6.1 or later: pip install 'budgetree[sklearn]'."
    ) from error
