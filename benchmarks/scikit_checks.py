"""scikit-learn's own list of checks for estimators, run on both classifiers.

python benchmarks/scikit_checks.py
"""

import os
import warnings
from collections import Counter

os.environ["SCIPY_ARRAY_API"] = "1"  # else scikit-learn skips one of the checks

from sklearn.utils.estimator_checks import check_estimator

import budgetree as bt

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # checks feed wrong input on purpose, and scikit-learn warns about some of it
    for classifier in (bt.BudgetTreeClassifier(), bt.OptimalBudgetTreeClassifier()):
        results = check_estimator(classifier, on_fail=None, on_skip=None)
        for result in results:
            reason = f": {result['exception']}" if result["exception"] else ""
            print(f"{result['status']:>8}  {result['check_name']}{reason}")
        tally = Counter(result["status"] for result in results)
        counts = ", ".join(f"{tally[status]} {status}" for status in ("passed", "skipped", "failed"))
        print(f"\n{type(classifier).__name__}, {len(results)} checks: {counts}\n")
