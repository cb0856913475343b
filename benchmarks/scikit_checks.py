"""scikit-learn's own list of checks for estimators, run on BudgetTreeClassifier.

pip install 'budgetree[sklearn]'
python benchmarks/scikit_checks.py
"""

import os
import warnings
from collections import Counter

os.environ["SCIPY_ARRAY_API"] = "1"  # else scikit-learn skips one of the checks

from sklearn.utils.estimator_checks import check_estimator

import budgetree as bt

# The learner for new cases judges its branches on folds of the rows: a row of weight 2 is in one of them, two rows may
# be in two. Whoever has cross-validation inside shares this.
EXPECTED = {"check_sample_weight_equivalence_on_dense_data": "rows are dealt into folds, whatever they weigh"}

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # checks feed wrong input on purpose, and scikit-learn warns about some of it
    for objective in ("new", "known"):
        classifier = bt.BudgetTreeClassifier(objective=objective)
        expected = EXPECTED if objective == "new" else None
        results = check_estimator(classifier, expected_failed_checks=expected, on_fail=None, on_skip=None)
        for result in results:
            reason = f": {result['exception']}" if result["exception"] else ""
            print(f"{result['status']:>8}  {result['check_name']}{reason}")
        tally = Counter(result["status"] for result in results)
        counts = ", ".join(f"{tally[status]} {status}" for status in ("passed", "skipped", "xfail", "failed"))
        print(f"\n{objective} cases, {len(results)} checks: {counts}\n")
