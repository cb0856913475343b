"""Looking one test ahead, beside greed, licketysplit and the optimum: errors on the known cases, and processor seconds.

    python benchmarks/lookahead.py            the nine sets at budgets 1 to 6, and three tables of 50,000 rows and more
    python benchmarks/lookahead.py --small    the nine sets alone

licketysplit knows binary tests of one price, where a tree within budget d is a tree of depth d; it is asked where a
table has only such tests, without a price on leaves. The optimum is left open (at least …) where exact search has not
proven it after ten seconds. All tests cost 1.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import TypeVar

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

import budgetree as bt

try:
    from licketysplit import LicketySPLITClassifier
except ImportError:
    LicketySPLITClassifier = None

BUDGETS = range(1, 7)
SECONDS = 10.0  # for the proof of an optimum
T = TypeVar("T")


def timed(job: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    return job(), time.process_time() - start


def licketysplit(instance: bt.Instance, budget: int) -> str:
    """Its errors and seconds."""
    if LicketySPLITClassifier is None or instance.codes.max() > 1:
        return ""
    codes, labels = instance.codes, instance.labels.astype(np.int32)
    if instance.n_classes > 2 and not _takes_classes():
        return ""
    solver = LicketySPLITClassifier(lambda_leaf=0.0, depth_budget=budget)
    fitted, seconds = timed(lambda: solver.fit(codes, labels))
    return f"{int((fitted.predict(codes) != labels).sum()):>7} {seconds:>8.2f}"


def _takes_classes() -> bool:
    """Whether it learns more than two classes."""
    codes, labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8), np.array([0, 1, 2, 2], dtype=np.int32)
    try:
        found = LicketySPLITClassifier(lambda_leaf=0.0, depth_budget=3).fit(codes, labels).predict(codes)
    except (TypeError, ValueError):
        return False
    return bool((found == labels).all())


def compare(name: str, instance: bt.Instance, *, proves: bool) -> None:
    greedy, greedy_seconds = timed(
        lambda: bt.frontier(instance, method="greedy", max_budget=max(BUDGETS), folds=0, progress=False)
    )
    for budget in BUDGETS:
        ahead, seconds = timed(lambda: bt.grow(instance, budget=budget, lookahead=1))  # noqa: B023
        without = greedy.best(budget=budget).errors
        assert ahead.max_cost <= budget
        row = f"{name:>22} {budget:>6} {without:>8} {ahead.errors:>9} {seconds:>8.2f}"
        if proves:
            best = bt.optimal(instance, budget=budget, time_limit=SECONDS)
            optimum = f"{best.errors}" if best.proven else f"≥ {best.lower_bound}"
            row += f" {optimum:>8}"
        else:
            row += f" {'':>8}"
        print(f"{row} {licketysplit(instance, budget)}", flush=True)
    print(f"{'':>22} all greedy points together: {greedy_seconds:.2f} s")


def large_tables() -> dict[str, bt.Instance]:
    """Rules that greed sees late: products of tests, an exclusive or, and many weak tests; each with noise."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (50_000, 54)).astype(np.uint8)
    product = (codes[:, 3] * codes[:, 11] + codes[:, 20] * (codes[:, 7] > 1) + rng.integers(0, 3, len(codes))) % 4
    bits = rng.integers(0, 2, (60_000, 40)).astype(np.uint8)
    apart = (bits[:, 5] ^ bits[:, 17]) | (bits[:, 2] & bits[:, 9])
    apart = np.where(rng.random(len(bits)) < 0.1, 1 - apart, apart)
    weak = rng.integers(0, 10, (100_000, 30)).astype(np.uint8)
    score = weak[:, :12].sum(axis=1) + rng.normal(0, 4, len(weak))
    return {
        "products, 50,000 × 54": bt.Instance(codes, product),
        "exclusive or, 60,000": bt.Instance(bits, apart.astype(np.int64)),
        "weak, 100,000 × 30": bt.Instance(weak, np.digitize(score, [48, 60])),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="the nine sets alone")
    small = parser.parse_args().small
    print(f"{'':>22} {'budget':>6} {'greedy':>8} {'lookahead':>9} {'s':>8} {'optimum':>8} {'licketysplit':>7} {'s':>3}")
    for name in bt.datasets.names()[:9]:
        compare(name, bt.datasets.load(name, prices=1), proves=True)
    for name, instance in {} if small else large_tables().items():
        compare(name, instance, proves=False)


if __name__ == "__main__":
    main()
