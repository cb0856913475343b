"""
A troubleshooting table on a phone
==================================

A workshop has a table of 200 faults of a heat pump: what each of 48 measurements shows, and which part has to be
replaced. A measurement takes 2 to 36 minutes. Which comes first, which next, so that no fault takes longer than
necessary? And how long is necessary?

Here the *worst case* counts, and every fault must be found: a tree without errors.
"""

import json
import shutil
import subprocess

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import budgetree as bt

# sphinx_gallery_thumbnail_number = 2

# %%
# The table
# ---------
# The table is invented: ten faults for each of twenty parts. Most measurements are normal; each part has typical
# deviations, and one entry in five is specific to its fault.

QUANTITIES = {"noise": 2, "temperature": 3, "voltage": 4, "pressure": 6, "resistance": 9, "flow": 12}  # minutes
PLACES = {"inlet": 1, "outlet": 1, "board": 1, "fan": 2, "pump": 2, "valve": 2, "compressor": 3, "coil": 3}  # times
N_PARTS, N_FAULTS = 20, 200
rng = np.random.default_rng(6)
part = np.repeat(np.arange(N_PARTS), N_FAULTS // N_PARTS)


def shown(count: int) -> np.ndarray:
    """What so many measurements show."""
    return rng.choice(["low", "normal", "high"], size=count, p=[0.15, 0.7, 0.15])


minutes = {f"{what} at {where}": time * access for what, time in QUANTITIES.items() for where, access in PLACES.items()}
columns = {name: np.where(rng.random(N_FAULTS) < 0.2, shown(N_FAULTS), shown(N_PARTS)[part]) for name in minutes}
table = pd.DataFrame(columns).assign(part=[f"part {number + 1}" for number in part])
faults = bt.Instance.from_frame(table, "part", prices=minutes)
print(faults)

# %%
# The shortest worst case
# -----------------------
# The greedy tree is found at once. Exact search takes a second, and finds the shortest worst case of all trees without
# errors.

greedy = bt.grow(faults)
best = bt.frontier(faults, method="exact", folds=0).cheapest(max_error=0).tree
print(f"greedy: at most {greedy.max_cost} minutes, {greedy.mean_cost:.1f} on average")
print(f"best:   at most {best.max_cost} minutes, {best.mean_cost:.1f} on average")

# %%
# The proof
# ---------
# A certificate contains the evidence that no tree is shorter. A program that shares no code with the search checks it.

certificate = bt.certify(faults, best)
print(certificate.to_text())
print(certificate.check(faults))

# %%
# Onto a phone
# ------------
# The tree becomes a function in JavaScript that needs no library, for a page or an app. Where Node is installed it is
# tried here on every fault. (``budgetree report`` makes a whole page, which asks for one measurement at a time.)

source = best.export("javascript", name="diagnose", module=False)
print(f"a function of {len(source) / 1000:.0f} kB")
if shutil.which("node"):
    rows = table.drop(columns="part").to_json(orient="records")
    program = f"{source}\nconsole.log(JSON.stringify({rows}.map(row => diagnose(row).answer)));"
    answers = json.loads(subprocess.run(["node", "-"], input=program, capture_output=True, text=True).stdout)
    print(f"{sum(answers == table['part'])} of {N_FAULTS} faults lead to their part")

# %%
# The beginning of the tree
# -------------------------

bt.plot_tree(best, max_depth=2)
plt.show()

# %%
# Every fault's time
# ------------------
# The faults of each tree, sorted by time. The best tree takes slightly longer for quick faults, and avoids the long
# ones.

figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
for name, tree, colour in (("greedy", greedy, "#E69F00"), ("best", best, "#0072B2")):
    times = np.sort(tree.walk(table).cost)
    label = f"{name}: at most {times[-1]:g} minutes"
    axes.step(np.arange(1, N_FAULTS + 1), times, where="mid", color=colour, linewidth=2, label=label)
axes.axhline(float(certificate.lower_bound), color="#6B6B6B", linestyle="--", label="no tree's worst case is lower")
axes.set_xlim(0, N_FAULTS + 1)
axes.set_ylim(0, 1.15 * greedy.max_cost)
axes.set_xlabel("faults, quickest first")
axes.set_ylabel("minutes until the part is known")
axes.set_title(f"No tree finds every fault in less than {certificate.lower_bound:g} minutes", loc="left")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, loc="upper left")
plt.show()
