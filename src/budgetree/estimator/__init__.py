"""budgetree as scikit-learn sees it: the `classifier`, its `settings`, and what y and weights mean in `training`."""

from budgetree.estimator.classifier import BudgetTreeClassifier as BudgetTreeClassifier
