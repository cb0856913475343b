"""python -m tests.campaign.pathways --tables N: are pathways for new cases the same, whatever must not matter?

Random tables, every kind of leaf. In one process: rows and columns in another order, one thread and two. Then all of
them again in a process without the processor's vectors, and in one beside eight busy loops. Exits with 1 if a model
file differs in more than the order of the columns that it was given.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt

KINDS = ("auto", "tree", "points", "model")
N_BUSY = 8


def table(number: int) -> tuple[pd.DataFrame, dict[str, Any], float]:
    """A table, what goes with it, and a budget."""
    rng = np.random.default_rng(number)
    n_rows, n_tests = int(rng.integers(40, 500)), int(rng.integers(2, 9))
    signal = rng.normal(size=n_rows)
    columns: dict[str, Any] = {}
    for test in range(n_tests):
        values = rng.normal() * signal + rng.normal(size=n_rows)
        if test % 3 == 1:
            values = np.clip(np.round(values), -2, 2)
        if rng.random() < 0.3:
            values = np.where(rng.random(n_rows) < 0.2, np.nan, values)
        columns[f"test {test}"] = values
        if test % 4 == 3:
            columns[f"test {test}"] = np.where(values > 0.5, "high", np.where(values < -0.5, "low", "normal"))
    n_classes = 2 + number % 2
    cuts = np.quantile(signal, np.arange(1, n_classes) / n_classes)
    columns["class"] = np.array(["a", "b", "c"])[np.digitize(signal + rng.normal(scale=0.5, size=n_rows), cuts)]
    prices = {name: float(rng.choice([0, 1, 2.5, 7])) for name in list(columns)[:-1]}
    losses = {"a": 4} if rng.random() < 0.3 else None
    return pd.DataFrame(columns), {"prices": prices, "losses": losses}, float(rng.uniform(0, sum(prices.values())))


def kinds(number: int) -> tuple[str, ...]:
    return KINDS if number % 2 == 0 else tuple(kind for kind in KINDS if kind != "points")  # which are for two classes


def digest(frame: pd.DataFrame, settings: dict[str, Any], budget: float, kind: Any, threads: int) -> str:
    """Of the model file."""
    cases = bt.Instance.from_frame(frame, "class", **settings)
    tree = bt.predictive(cases, budget=budget, leaves=kind, threads=threads, progress=False)
    with tempfile.TemporaryDirectory() as folder:
        tree.to_json(path := Path(folder) / "tree.json")
        entries = json.loads(path.read_text(encoding="utf-8"))
    given = entries.pop("input_columns", None) or entries["schema"].pop("input_columns", None)
    assert given is None or set(given) == set(frame.columns) - {"class"}
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def digests(n_tables: int) -> dict[str, str]:
    found = {}
    for number in range(n_tables):
        frame, settings, budget = table(number)
        found |= {f"{number} {kind}": digest(frame, settings, budget, kind, 1) for kind in kinds(number)}
    return found


def differences(number: int) -> Iterator[str]:
    """Where another order of rows and columns, or another thread, changes a model file."""
    frame, settings, budget = table(number)
    rng = np.random.default_rng(number + 1_000_000)
    shuffled = frame.sample(frac=1, random_state=number)[list(rng.permutation(frame.columns))]
    for kind in kinds(number):
        if digest(frame, settings, budget, kind, 1) != digest(shuffled, settings, budget, kind, 2):
            yield f"table {number}, {kind}"


def _elsewhere(n_tables: int, **environment: str) -> dict[str, str]:
    command = [sys.executable, "-m", "tests.campaign.pathways", "--tables", str(n_tables), "--digests"]
    ended = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(ended.stdout)
    return found


def _spin() -> None:
    while True:
        pass


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.pathways", description=__doc__)
    parser.add_argument("--tables", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--digests", action="store_true", help="only print those of the model files")
    given = parser.parse_args()
    if given.digests:
        print(json.dumps(digests(given.tables)))
        return 0
    found = [text for number in range(given.tables) for text in differences(number)]
    here = digests(given.tables)
    print(f"{len(here)} pathways: {len(found)} differ by order or threads {found[:5]}", flush=True)
    plain = _elsewhere(given.tables, BUDGETREE_BASELINE="1")
    busy = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(N_BUSY)]
    for process in busy:
        process.start()
    try:
        loaded = _elsewhere(given.tables)
    finally:
        for process in busy:
            process.terminate()
    for name, other in (("without vectors", plain), ("beside busy loops", loaded)):
        differing = [key for key in here if here[key] != other[key]]
        found += differing
        print(f"{len(differing)} differ {name} {differing[:5]}", flush=True)
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
