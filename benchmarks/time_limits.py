"""Time limits: how far beyond its limit each call goes that takes one, on tables of several shapes.

    python benchmarks/time_limits.py [--seconds 1] [--small]

Prints, per table and call, the limit, the wall time and what it is beyond the limit. The goal is at most 0.3 seconds or
a tenth beyond, whatever the table.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import budgetree as bt

SHAPES = [(100_000, 50, 2), (4_000, 4_000, 2), (200_000, 30, 2), (2_000, 12, 500)]  # cases, tests, classes
SMALL = [(2_000, 20, 2), (500, 500, 2), (300, 8, 60)]
ALLOWED_SECONDS, ALLOWED_SHARE = 0.3, 0.1


def table(n_cases: int, n_tests: int, n_classes: int) -> bt.Instance:
    """Classes that follow a few tests, but for half of the cases."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (n_cases, n_tests)).astype(np.uint8)
    rule = codes[:, :6] @ (3 ** np.arange(6)) % n_classes
    labels = np.where(rng.random(n_cases) < 0.5, rng.integers(0, n_classes, n_cases), rule)
    return bt.Instance(codes, labels, class_names=list(range(n_classes)))


def calls(instance: bt.Instance, seconds: float) -> dict[str, Callable[[], Any]]:
    tree = bt.grow(instance)
    certificates: list[bt.Certificate] = []
    return {
        "grow": lambda: bt.grow(instance),  # takes no limit: for comparison
        "certify": lambda: certificates.append(bt.certify(instance, tree, time_limit=seconds, progress=False)),
        "check": lambda: certificates[0].check(time_limit=seconds),
        "optimal": lambda: bt.optimal(instance, budget=5, time_limit=seconds, progress=False),
        "frontier": lambda: bt.frontier(instance, time_limit=seconds, progress=False),
        "predictive": lambda: bt.predictive(instance, budget=5, time_limit=seconds, progress=False),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="the limit of every call")
    parser.add_argument("--small", action="store_true", help="small tables, to see that it runs")
    parser.add_argument("--calls", nargs="*", help="only these calls")
    options = parser.parse_args()
    print(f"{'cases × tests, classes':>26}  {'call':<12}{'limit':>8}{'took':>9}{'beyond':>9}")
    for shape in SMALL if options.small else SHAPES:
        instance = table(*shape)
        for name, call in calls(instance, options.seconds).items():
            if options.calls and name not in options.calls and not (name == "certify" and "check" in options.calls):
                continue
            began = time.perf_counter()
            try:
                call()
                problem = ""
            except TypeError as error:
                problem = f"  {error}"
            took = time.perf_counter() - began
            beyond = max(took - options.seconds, 0.0) if name != "grow" else 0.0
            kept = beyond <= max(ALLOWED_SECONDS, ALLOWED_SHARE * options.seconds)
            words = f"{shape[0]:,} × {shape[1]:,}, {shape[2]}"
            limit = "–" if name == "grow" else f"{options.seconds:g} s"
            late = "" if kept else "  late"
            print(f"{words:>26}  {name:<12}{limit:>8}{took:>7.2f} s{beyond:>7.2f} s{late}{problem}", flush=True)


if __name__ == "__main__":
    main()
