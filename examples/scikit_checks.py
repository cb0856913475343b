"""scikit-learn's own list of checks for estimators, run on BudgetTreeClassifier.

pip install 'budgetree[sklearn]'
python examples/scikit_checks.py
"""

import os
import warnings
from collections import Counter

os.environ["SCIPY_ARRAY_API"] = "1"  # else scikit-learn skips one of the checks

from sklearn.utils.estimator_checks import check_estimator

import budgetree as bt

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # checks feed wrong input on purpose, and scikit-learn warns about some of it
    results = check_estimator(bt.BudgetTreeClassifier(objective="known"), on_fail=None, on_skip=None)

for result in results:
    reason = f": {result['exception']}" if result["exception"] else ""
    print(f"{result['status']:>8}  {result['check_name']}{reason}")
tally = Counter(result["status"] for result in results)
print(f"\n{len(results)} checks: {tally['passed']} passed, {tally['skipped']} skipped, {tally['failed']} failed")
