"""
Beyond one machine
==================

Greedy learning needs only class counts per node, test and outcome. So the rows may be anywhere: in files that do
not fit into memory, or on a cluster. Each part counts its own, the counts are added up, and the tree is the same to the
bit, however the rows are cut into parts.

This example is small; the same code works for a hundred million rows.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import budgetree as bt

N_PARTS, ROWS, BUDGET = 16, 2000, 6
folder = Path(tempfile.mkdtemp())

# %%
# A table in many files
# ---------------------
# Each file has readings of six sensors, in whole steps from 0 to 3, and whether the machine failed on the next day.


def readings(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, 4, size=(ROWS, 6))
    strain = levels.sum(axis=1) + rng.normal(size=ROWS)
    table = pd.DataFrame(levels, columns=[f"sensor {number}" for number in range(1, 7)])
    return table.assign(fails=np.where(strain > 9, "yes", "no"))


*tables, new = map(readings, range(N_PARTS + 1))
for day, table in enumerate(tables):
    table.to_csv(folder / f"day{day:02}.csv", index=False)

# %%
# On disk: shards
# ---------------
# A folder of shards takes a byte per row and test. ``bt.grow`` reads them part by part, and never holds all rows.

known = bt.Instance.from_frame(pd.concat(tables), "fails")
in_memory = bt.grow(known, budget=BUDGET)
print("in memory:", in_memory.summary())
shards = bt.Shards.from_files(str(folder / "day*.csv"), "fails", folder / "shards")
from_shards = bt.grow(shards, budget=BUDGET)
print("shards:   ", from_shards.summary())
print("the same tree:", from_shards.to_dict() == in_memory.to_dict())

# %%
# On a cluster: Dask
# ------------------
# ``budgetree.dask`` takes Dask data frames: the workers count, this process chooses, and no row comes here. The cluster
# below is one process on this machine; give ``Client`` the address of yours.

try:
    import dask.dataframe as dd
    from distributed import Client

    import budgetree.dask
except ImportError as missing:
    print(f"Left out here: {missing}. It needs Dask: pip install 'budgetree[dask]'")
else:
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
        frame = dd.read_csv(folder / "day*.csv")
        from_cluster = budgetree.dask.grow(frame, "fails", budget=BUDGET)
    print("cluster:  ", from_cluster.summary())
    print("the same tree:", from_cluster.to_dict() == in_memory.to_dict())

# %%
# What more rows buy
# ------------------
# A tree of six such tests may have 4096 leaves, and only many rows can fill them. With few rows the tree follows
# chance: it is right about nearly all rows that it knows, and wrong about many new ones.

counts, known_errors, new_errors = [], [], []
for n_parts in (1, 2, 4, 8, 16):
    rows = pd.concat(tables[:n_parts])
    tree = bt.grow(bt.Instance.from_frame(rows, "fails"), budget=BUDGET)
    counts.append(len(rows))
    known_errors.append(tree.errors / len(rows))
    new_errors.append(np.mean(tree.predict(new) != new["fails"]))
    print(f"{len(rows):>6} rows: {known_errors[-1]:.1%} of them wrong, {new_errors[-1]:.1%} of new ones")

figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
axes.plot(counts, new_errors, "o-", color="#0072B2", linewidth=2, label="new rows")
axes.plot(counts, known_errors, "o--", color="#6B6B6B", linewidth=2, label="known rows")
axes.set_xscale("log", base=2)
axes.set_xticks(counts, [f"{count:,}" for count in counts])
axes.set_ylim(bottom=0)
axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
axes.set_xlabel("known rows")
axes.set_ylabel("wrong")
axes.set_title(f"Trees of at most {BUDGET} tests", loc="left")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()
