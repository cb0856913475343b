"""
Known cases or new cases?
=========================

*Proof* is about the known cases: no tree within the budget makes fewer errors on them. *Cross-validation* is about
cases that the learner has not seen. These are two questions, and the same tree may be perfect for one and useless for
the other. Here are both, on diabetes with real prices.
"""

import time

import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV, train_test_split

import budgetree as bt

pima = bt.datasets.load("pima")

# %%
# What proof means
# ----------------
# Exact search considers every tree, directly or by a bound. For each budget it gives the fewest errors on the known
# cases; *proven* means that no tree makes fewer.

start = time.perf_counter()
known = bt.frontier(pima, objective="known")
print(known)
print(
    f"{sum(point.proven for point in known)} of {len(known)} points proven, {time.perf_counter() - start:.1f} s in all"
)

# %%
# A certificate makes that verifiable: an independent program checks, in exact arithmetic, that no tree with as few
# errors as this one is cheaper.

certificate = bt.certify(pima, known.best(budget=3).tree)
print(certificate)
print(certificate.check(pima))

# %%
# What cross-validation means
# ---------------------------
# The column *new error* above is cross-validated: everything is learned again without a fifth of the patients, five
# times, and these are predicted. Where it is significantly above the error on the known cases (``!``), the tree has
# followed chance: with ten levels for each test and enough tests nearly every known patient has a leaf of their own.

perfect = known.cheapest(max_error=0)
print(f"{perfect.errors} errors on {pima.n_objects} known cases, proven;", f"{perfect.new_error:.0%} of new ones wrong")

# %%
# A learner for new cases
# -----------------------
# ``objective="new"`` answers the second question. Its trees make more errors on known cases, and fewer on new ones.
# Nothing is proven about them: no proof can tell whether new patients resemble the known ones.

new = bt.frontier(pima, objective="new")
print(new)

# %%
# The same with scikit-learn's tools
# ----------------------------------
# ``BudgetTreeClassifier`` is an estimator like any other, so that a grid search can choose the budget.

frame = bt.datasets.frame("pima")
features, labels = frame.drop(columns="diabetes"), frame["diabetes"]
parts = train_test_split(features, labels, test_size=0.3, random_state=0, stratify=labels)
known_features, new_features, known_labels, new_labels = parts

search = GridSearchCV(bt.BudgetTreeClassifier(prices=pima.prices), {"budget": [0, 2, 4, 17.61, 21.61]}, cv=5)
search.fit(known_features, known_labels)
best = search.best_estimator_
print(f"chosen: a budget of {best.budget}; on {len(new_labels)} new patients", end=" ")
print(f"accuracy {best.score(new_features, new_labels):.1%}, the costliest cost {best.cost(new_features).max():.2f}")

# %%
# Both in one picture
# -------------------
# The proven curve falls to zero. The error of the same trees on new patients does not even decrease.

figure, axes = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
right = 1.05 * max(known[-1].max_cost, new[-1].max_cost)


def steps(frontier: bt.Frontier, error: str) -> tuple[list[float], list[float]]:
    """The curve, up to the right edge."""
    heights = [getattr(point, error) for point in frontier]
    return [*(point.max_cost for point in frontier), right], [*heights, heights[-1]]


curves = (
    ("known cases: the fewest errors of any tree, proven", known, "error_rate", "#1A1A1A"),
    ("the same trees on new cases", known, "new_error", "#D55E00"),
    ('objective="new" on new cases', new, "new_error", "#0072B2"),
)
for label, frontier, error, colour in curves:
    axes.step(*steps(frontier, error), where="post", color=colour, linewidth=2, label=label)
    if error == "new_error":
        costs, errors = steps(frontier, error)
        bars = [point.new_error_se for point in frontier]
        axes.errorbar(costs[:-1], errors[:-1], bars, fmt="none", color=colour, capsize=3)
axes.set_xlim(-0.5, right)
axes.set_ylim(0, 0.55)
axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
axes.set_xlabel("budget: what no patient exceeds")
axes.set_ylabel("patients answered wrongly")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, loc="upper right")
plt.show()
