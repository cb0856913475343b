"""BudgetTreeClassifier with scikit-learn's own tools: which budget is worth it, judged on rows it has not seen.

pip install '.[sklearn]' pandas
python examples/classifier.py
"""

import math

from sklearn.model_selection import GridSearchCV, train_test_split

import budgetree as bt

pima = bt.datasets.frame("pima")
X, y = pima.drop(columns="diabetes"), pima["diabetes"]
X_known, X_new, y_known, y_new = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)

prices = bt.Prices(
    {"glucose": 15.51, "insulin": 20.68},
    shared={"blood draw": (2.10, ["glucose", "insulin"])},
    default=1,
)
search = GridSearchCV(
    bt.BudgetTreeClassifier(prices=prices, levels=4, objective="known"),
    {"budget": [0, 1, 2, 3, 17.61, 18.61, 19.61]},
    cv=5,
).fit(X_known, y_known)

print("budget   accuracy on held-out folds")
for budget, score in zip(search.param_grid["budget"], search.cv_results_["mean_test_score"], strict=True):
    print(f"{budget:>6}   {score:.3f}")

best = search.best_estimator_
costs = best.cost(X_new)
print(f"\nchosen: a budget of {best.budget}; on {len(X_new)} new patients accuracy {best.score(X_new, y_new):.3f},")
print(f"the costliest cost {costs.max():.2f}, the mean {costs.mean():.2f}; {best.certificate_}")

print("\nOne patient, one test at a time:")
patient = {name: value for name, value in X_new.iloc[0].items() if not math.isnan(value)}
case = bt.Consultation(best.tree_)
while not case.done:
    test = case.next_test
    print(f"  {test}? costs {case.price}; at most {case.worst_case_remaining} still to pay; now {case.prediction}")
    case.answer(patient[test])
    print(f"    {patient[test]:g}")
print(f"  → {case.prediction} ({case.distribution[case.prediction]:.0%} of such known patients), spent {case.spent}")
