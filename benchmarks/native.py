"""Growth by this checkout beside another one's, each in processes of its own; prints ratios of processor time.

    python benchmarks/native.py --beside /path/to/other/python             large tables, small sets, frontiers
    python benchmarks/native.py --beside /path/to/other/python --only 400k

A table's time is that of a fresh instance: whatever is done once per instance (packing, sorting) is in it, unless the
line says "again". Both run on one thread and alternate, so that a noisy neighbour meets both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 3
LARGE = {  # the seed's tables, and what is asked of them
    "400k": (400_000, {"delta": 41_800}),
    "1M": (1_000_000, {"budget": 2}),
}

# What each side runs; it prints {name: seconds}. The first instance warms up whatever has to be.
LARGE_SCRIPT = """
import inspect, json, sys, time
import numpy as np
import budgetree as bt
codes, labels = np.load(sys.argv[1] + ".codes.npy"), np.load(sys.argv[1] + ".labels.npy")
settings = json.loads(sys.argv[2])
if "threads" in inspect.signature(bt.grow).parameters:
    settings["threads"] = 1
first, again, leaves = [], [], 0
for _ in range(4):
    instance = bt.Instance(codes, labels)
    instance.n_classes, instance.has_unit_weights
    for times in (first, again):
        start = time.process_time()
        tree = bt.grow(instance, **settings)
        times.append(time.process_time() - start)
    leaves = tree.n_leaves
    del instance, tree
print(json.dumps({"fresh instance": min(first[1:]), "again": min(again), "leaves": leaves}))
"""

SMALL_SCRIPT = """
import json, time
import budgetree as bt
if hasattr(bt, "warm_up"):

bt.frontier(bt.datasets.load("figure1"), method="greedy")
found = {}
for name in bt.datasets.names()[:9]:
    instance = bt.datasets.load(name)
    for what, job, repeats in (
        ("grow", lambda: bt.grow(instance), 100),
        ("frontier", lambda: bt.frontier(instance, method="greedy", progress=False), 5),
    ):
        times = []
        for _ in range(repeats):
            start = time.process_time()
            job()
            times.append(time.process_time() - start)
        found[f"{what} {name}"] = min(times)
print(json.dumps(found))
"""

FIRST_SCRIPT = """
import json, sys, time
import numpy as np
import budgetree as bt
instance = bt.Instance(np.load(sys.argv[1] + ".codes.npy"), np.load(sys.argv[1] + ".labels.npy"))
start = time.perf_counter()
bt.grow(instance, **json.loads(sys.argv[2]))
print(json.dumps({"first growth of a process, by the wall clock": time.perf_counter() - start}))
"""


def run(python: str, script: str, *arguments: str) -> dict[str, float]:
    """What the script prints, run away from any checkout."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if python == sys.executable:
        environment["PYTHONPATH"] = str(Path(__file__).parents[1] / "src")
    command = [python, "-c", script, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment, cwd=tempfile.gettempdir()
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compare(beside: str, script: str, *arguments: str) -> None:
    """The best of some rounds on each side, and the ratios."""
    best: list[dict[str, float]] = [{}, {}]
    for _ in range(ROUNDS):
        for side, python in zip(best, (sys.executable, beside), strict=True):
            for name, value in run(python, script, *arguments).items():
                side[name] = min(value, side.get(name, value))
    for name, ours in best[0].items():
        theirs = best[1][name]
        if name == "leaves":
            assert ours == theirs, "the trees differ"
            print(f"{'leaves':>46} {ours:>9}")
        else:
            print(f"{name:>46} {ours * 1e3:>7.2f} ms, other {theirs * 1e3:>8.2f} ms: {theirs / ours:>5.2f}×")
    for what in ("grow", "frontier"):
        ours, theirs = (sum(v for n, v in side.items() if n.startswith(f"{what} ")) for side in best)
        if ours:
            print(f"{f'all {what}s':>46} {ours * 1e3:>7.2f} ms, other {theirs * 1e3:>8.2f} ms: {theirs / ours:>5.2f}×")


def make_table(n_cases: int, path: Path) -> None:
    """As growth.py makes it; there the reasons."""
    from growth import coded_classification

    import numpy as np  # isort: skip

    codes, labels = coded_classification(n_cases, 2)
    np.save(f"{path}.codes.npy", codes)
    np.save(f"{path}.labels.npy", labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", required=True, help="the other checkout's interpreter")
    parser.add_argument("--only", choices=[*LARGE, "small"], help="one part of it")
    parser.add_argument("--tables", type=Path, help="a folder that keeps the large tables for the next run")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.tables or Path(scratch)
        for name, (n_cases, settings) in LARGE.items():
            if asked.only not in (None, name):
                continue
            table = folder / f"table_{n_cases}"
            if not Path(f"{table}.codes.npy").exists():
                make_table(n_cases, table)
            print(f"{n_cases:,} × 50, {', '.join(f'{key} {value:,}' for key, value in settings.items())}")
            compare(asked.beside, LARGE_SCRIPT, str(table), json.dumps(settings))
            compare(asked.beside, FIRST_SCRIPT, str(table), json.dumps(settings))
    if asked.only in (None, "small"):
        print("the nine sets")
        compare(asked.beside, SMALL_SCRIPT)


if __name__ == "__main__":
    main()
