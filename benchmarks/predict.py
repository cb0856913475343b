"""Predicting a million rows: budgetree against scikit-learn's tree with as many leaves, side by side.

    pip install '.[bench]'
    python benchmarks/predict.py

Both get the rows as they like them best: byte codes for budgetree, float32 for scikit-learn. Processor time, so that
budgetree's threads count.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import time
from collections.abc import Callable

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import budgetree as bt

ROWS, KNOWN, REPEATS = 1_000_000, 20_000, 7
SHAPES = [(50, 10, 2), (50, 10, 3), (20, 3, 6), (100, 2, 10)]  # tests, outcomes of each, budget


def best_seconds(*works: Callable[[], object]) -> list[float]:
    """The best of several runs of each, taken in turns so that a noisy moment hits them all."""
    best = [np.inf] * len(works)
    for _ in range(REPEATS):
        for index, work in enumerate(works):
            start = time.process_time()
            work()
            best[index] = min(best[index], time.process_time() - start)
    return best


def main() -> None:
    rng = np.random.default_rng(0)
    print(f"{ROWS:,} rows; scikit-learn's seconds over budgetree's, the same number of leaves")
    print(
        f"{'tests':>6} {'outcomes':>9} {'leaves':>14} {'depth':>8} {'budgetree':>10} {'scikit-learn':>13} {'ratio':>6}"
    )
    for n_tests, n_outcomes, budget in SHAPES:
        codes = rng.integers(0, n_outcomes, (ROWS, n_tests), dtype=np.uint8)
        score = codes[:, :6].sum(axis=1) + rng.integers(0, n_outcomes, ROWS)
        labels = (score > np.median(score)).astype(int)
        tree = bt.grow(bt.Instance(codes[:KNOWN], labels[:KNOWN]), budget=budget)
        peer = DecisionTreeClassifier(max_leaf_nodes=tree.n_leaves).fit(codes[:KNOWN], labels[:KNOWN])
        floats = codes.astype(np.float32)
        ours, theirs = best_seconds(lambda: tree.predict_codes(codes), lambda: peer.predict(floats))  # noqa: B023
        leaves, depth = f"{tree.n_leaves} / {peer.get_n_leaves()}", f"{tree.depth} / {peer.get_depth()}"
        print(
            f"{n_tests:>6} {n_outcomes:>9} {leaves:>14} {depth:>8} {ours * 1e3:>7.0f} ms {theirs * 1e3:>10.0f} ms "
            f"{theirs / ours:>5.1f}×"
        )


if __name__ == "__main__":
    main()
