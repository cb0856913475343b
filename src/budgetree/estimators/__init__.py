"""budgetree as scikit-learn sees it: the two `classifiers`, their `base`, and what y and weights mean in `training`."""

from budgetree.estimators.classifiers import BudgetTreeClassifier as BudgetTreeClassifier
from budgetree.estimators.classifiers import OptimalBudgetTreeClassifier as OptimalBudgetTreeClassifier
