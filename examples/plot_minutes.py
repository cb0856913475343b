"""
Money and minutes
=================

A clinic screens for diabetes with at most so many dollars *and* so many minutes per patient. The prices are those of
Turney (1995): blood tests cost 15 to 21 dollars, everything else 1. The minutes are ours: the laboratory takes half an
hour, and both blood tests are drawn together and come back together.

A second limit is one more entry of the price list, a panel another, and "we always begin with the age" a third.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import budgetree as bt

warnings.filterwarnings("ignore", "prices: no path can buy")  # short limits leave tests out, which is the point here

MINUTES = {"age": 1, "pregnant": 1, "pedigree": 5, "mass": 5, "pressure": 5, "triceps": 10}
cases = bt.Instance.from_frame(bt.datasets.frame("pima"), "diabetes", levels=4)


def rules(most: float) -> bt.Prices:
    """What everything costs, and how long it takes, where no patient stays longer than this."""
    return bt.Prices(
        dict.fromkeys(MINUTES, 1),
        limits={"time": bt.Limit(most, MINUTES, unit="min")},
        panels={"blood": {"tests": ["glucose", "insulin"], "price": 15.51 + 20.68 + 2.10, "time": 30}},
        order={"blood": {"after": ["mass"]}},
        first=["age"],
    )


# %%
# One pathway
# -----------
# At most 42 dollars and 40 minutes, the blood only after the body mass, the age first. The search proves that no
# pathway under these rules makes fewer errors on the known cases.

tree = bt.fit(cases.priced(rules(40)), budget=42, objective="known", folds=0).tree
for name, cost in tree.costs.items():
    print(f"{name}: at most {cost.worst:g}, mean {cost.mean:.3g}")
print(f"{tree.errors} errors of {tree.n_objects}; {tree.statement}")

# %%
# No one stays longer
# -------------------
# Whatever a patient's tests show, known or not, no limit is exceeded.

rng = np.random.default_rng(0)
anybody = rng.integers(0, 6, (2000, cases.n_tests)).astype(np.uint8)
walk = tree.walk_codes(anybody)
print(f"2000 made-up patients: {walk.cost.max():g} dollars and {walk.further_costs['time'].max():g} minutes at most")

# %%
# What a minute is worth
# ----------------------
# Budgets across, minutes down; in each cell the fewest errors that any pathway makes.

budgets, minutes = [1, 2, 3, 4, 40, 42], [5, 10, 15, 20, 40, 60]
errors = np.array(
    [[bt.optimal(cases.priced(rules(most)), budget=budget).tree.errors for budget in budgets] for most in minutes]
)
print(errors)

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
image = axes.imshow(errors, cmap="viridis_r", aspect="auto")
axes.set_xticks(range(len(budgets)), [f"{budget} $" for budget in budgets])
axes.set_yticks(range(len(minutes)), [f"{most} min" for most in minutes])
for row, column in np.ndindex(errors.shape):
    axes.text(column, row, f"{errors[row, column]:g}", ha="center", va="center", color="white")
axes.set_title("Fewest errors within a budget and a time limit")
figure.colorbar(image, label="errors")
plt.show()
