"""Are pathways for new cases the same, whatever must not matter?

Random tables, every kind of leaf. In one process: rows and columns in another order, one thread and two. Then all of
them again in a process without the processor's vectors, and in one beside eight busy loops. A model file may differ in
the order of the columns that it was given, and in nothing else.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt

KINDS = ("auto", "tree", "points", "model")
N_BUSY = 8
BATCH = 4  # tables that one process learns from


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


def digests(numbers: list[int]) -> dict[str, str]:
    found = {}
    for number in numbers:
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


def _elsewhere(numbers: list[int], **environment: str) -> dict[str, str]:
    command = [sys.executable, "-m", "tests.campaign.pathways", *map(str, numbers)]
    ended = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(ended.stdout)
    return found


def _spin() -> None:
    while True:
        pass


@contextmanager
def _busy() -> Iterator[None]:
    """Beside loops that do nothing else."""
    loops = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(N_BUSY)]
    for loop in loops:
        loop.start()
    try:
        yield
    finally:
        for loop in loops:
            loop.terminate()


def run(seed: int, end: float) -> bool:
    """Whether nothing differs until then."""
    found, n_pathways = list[str](), 0
    for begin in count(seed % 10**6, BATCH):
        numbers = list(range(begin, begin + BATCH))
        found += [f"{text} (rows, columns, threads)" for number in numbers for text in differences(number)]
        here, plain = digests(numbers), _elsewhere(numbers, BUDGETREE_BASELINE="1")
        with _busy():
            loaded = _elsewhere(numbers)
        for how, other in (("without vectors", plain), ("beside busy loops", loaded)):
            found += [f"table {key} ({how})" for key in here if here[key] != other[key]]
        n_pathways += len(here)
        if time.monotonic() > end:
            break
    print(f"{n_pathways:,} pathways; {len(found)} differ {found[:5]}", flush=True)
    return not found


if __name__ == "__main__":
    print(json.dumps(digests(list(map(int, sys.argv[1:])))))
