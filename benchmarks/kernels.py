"""The forests and the boosting of the core on one thread: forests by themselves, boosting side by side with LightGBM.

    python benchmarks/kernels.py

Processor time, the fastest of some runs. LightGBM's is its training and its judging of the rows left out, without
building its Datasets; ours holds the binning too. Both do the same number of rounds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"

import lightgbm
import numpy as np
from numpy.typing import NDArray

from budgetree._native import core

N_LEVELS = 254
BOOSTED = [  # rows, tests, classes, parts left out, leaves, rounds
    (2_000, 5, 2, 5, 12, 100),
    (2_000, 5, 5, 5, 12, 50),
    (30_000, 8, 2, 1, 12, 100),
    (30_000, 8, 10, 1, 12, 20),
    (100_000, 12, 2, 1, 31, 100),
]


def best_time(job: Callable[[], object], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return min(times)


def table(n_rows: int, n_tests: int, n_classes: int) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Classes by linear scores and an interaction."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n_tests, n_rows))
    scores = rng.normal(size=(n_classes, n_tests)) @ x
    scores += 1.5 * np.sin(2 * x[0] * x[-1]) * rng.normal(size=(n_classes, 1)) + 2 * rng.gumbel(size=scores.shape)
    ranks = np.argsort(np.argsort(x, axis=1), axis=1)
    return (ranks * N_LEVELS // n_rows).astype(np.uint8), scores.argmax(axis=0).astype(np.int32)


def rows_of(codes: NDArray[np.uint8], labels: NDArray[np.int32], n_classes: int) -> Any:
    n_tests = len(codes)
    n_outcomes, missing = np.full(n_tests, N_LEVELS, np.int32), np.full(n_tests, -1, np.int32)
    return core.CodedRows(codes, labels, None, n_outcomes, np.ones(n_tests, bool), missing, n_classes)


def time_forests() -> None:
    for n_classes in (2, 10):
        codes, labels = table(10_000, 20, n_classes)
        rows = rows_of(codes, labels, n_classes)
        for size in (1, 2, 5, 8, 20):
            chosen = core.ForestSettings(min_leaf=max(5, 15 // size))
            sets, clock = [list(range(size))] * 8, core.Clock()
            seconds = best_time(lambda: core.forest_losses(rows, sets, chosen, 10_000, 1, clock)) / 8  # noqa: B023
            work = clock.work / 8 / 3
            print(f"forest, 10,000 rows, {n_classes:2} classes, {size:2} tests: {seconds * 1e3:5.1f} ms", end="")
            print(f" (counted {work / 1e6:.1f})")


def light(codes: Any, labels: Any, start: Any, parts: Any, n_leaves: int, n_rounds: int) -> Callable[[], float]:
    n_classes, pairs = int(labels.max()) + 1, []
    parameters = {
        "objective": "binary" if n_classes == 2 else "multiclass",
        "num_class": 1 if n_classes == 2 else n_classes,
        "num_leaves": n_leaves,
        "learning_rate": 0.15,
        "lambda_l2": 1.0,
        "min_data_in_leaf": 10,
        "min_sum_hessian_in_leaf": 0.0,
        "max_bin": 64,
        "num_threads": 1,
        "verbose": -1,
        "boost_from_average": False,
        "feature_pre_filter": False,
    }
    for part in range(parts.max() + 1):
        learns, out = parts != part, parts == part
        data = lightgbm.Dataset(codes.T[learns], labels[learns], init_score=start[learns].ravel("F"), params=parameters)
        scores = start[out].ravel("F")
        valid = lightgbm.Dataset(codes.T[out], labels[out], init_score=scores, reference=data, params=parameters)
        pairs.append((data.construct(), valid.construct(), out.sum()))

    def train() -> float:
        total = np.zeros(n_rounds)
        for data, valid, n_out in pairs:
            losses: dict[str, dict[str, list[float]]] = {}
            record = lightgbm.record_evaluation(losses)
            lightgbm.train(parameters, data, n_rounds, valid_sets=[valid], callbacks=[record])
            total += np.array(next(iter(losses["valid_0"].values()))) * n_out
        return float(total.min() / (parts >= 0).sum())

    return train


def compare_boosting() -> None:
    for n_rows, n_tests, n_classes, n_parts, n_leaves, n_rounds in BOOSTED:
        codes, labels = table(n_rows, n_tests, n_classes)
        row = np.arange(n_rows)
        parts = (row % n_parts if n_parts > 1 else np.where(row % 5 == 0, 0, -1)).astype(np.int32)
        shares = np.log(np.bincount(labels) / n_rows)
        start = np.tile(shares[1:] - shares[0] if n_classes == 2 else shares, (n_rows, 1))
        chosen = core.BoostingSettings(n_leaves=n_leaves, max_rounds=n_rounds, patience=n_rounds)
        rows, tests, clock = rows_of(codes, labels, n_classes), list(range(n_tests)), core.Clock()
        train = light(codes, labels, start, parts, n_leaves, n_rounds)
        ours = best_time(lambda: core.boost(rows, tests, start, parts, chosen, 1, clock))  # noqa: B023
        theirs, loss = best_time(train), core.boost(rows, tests, start, parts, chosen, 1, core.Clock()).losses.min()
        print(f"boosting, {n_rows:7,} × {n_tests}, {n_classes} classes, {n_parts} part(s), {n_leaves} leaves: ", end="")
        print(f"ours {ours:.3f} s (counted {clock.work / 3e9:.3f}), LightGBM {theirs:.3f} s, ", end="")
        print(f"ratio {theirs / ours:.2f}; log loss {loss:.4f}, {train():.4f}")


if __name__ == "__main__":
    time_forests()
    compare_boosting()
