"""The README's table: the same work by budgetree and by others, with what came out beside the time.

    pip install '.[bench]'
    python benchmarks/beside.py              about three minutes
    python benchmarks/beside.py --rounds 1   about one

Every row is one task on the same rows and columns, from an array to the answer, so that each program's own preparation
of the data counts. Processor seconds on one thread. The programs take turns, after a first turn that does not
count, and of the rounds the one least favourable to budgetree is printed.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import time
from collections.abc import Callable, Iterator

import exact
import lightgbm
import new_cases_time
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

import budgetree as bt

N_KNOWN, N_GROWN, N_SERVED = 10_000, 1_000_000, 1_000_000
N_TESTS, DEPTH = 3, 5
Learn = Callable[[], Callable[[], str]]  # the work that is timed; what it returns says, untimed, what came out
Task = tuple[str, Learn, str, Learn]  # what is asked, ours, the peer and its name


def wrong(predicted: NDArray[np.generic], answers: NDArray[np.generic]) -> str:
    return f"{100 * (predicted != answers).mean():.1f} % wrong"


def instance_of(rows: NDArray[np.float64], labels: NDArray[np.int64]) -> bt.Instance:
    return bt.Instance.from_frame(pd.DataFrame(rows).add_prefix("t").assign(label=labels), "label")


def mean_tests(tree: bt.Tree, new: NDArray[np.float64]) -> float:
    return float(tree.walk_codes(tree.encode(pd.DataFrame(new).add_prefix("t"))).spent.mean() / tree.schema.costs.scale)


def learn_new() -> Task:
    """LightGBM's tests are those with the most gain among all: it takes the same ones of every case."""
    shape = new_cases_time.Shape(N_KNOWN)
    rows, labels = new_cases_time.draw(shape, 0, is_new=False)
    new, answers = new_cases_time.draw(shape, 0, is_new=True)

    def ours() -> Callable[[], str]:
        tree = bt.predictive(instance_of(rows, labels), budget=N_TESTS, threads=1, progress=False)
        return lambda: f"{wrong(tree.predict(new), answers)}, {mean_tests(tree, new):.1f} tests"

    def boosted() -> Callable[[], str]:
        settings = {"n_estimators": 100, "n_jobs": 1, "verbose": -1, "importance_type": "gain"}
        gains = lightgbm.LGBMClassifier(**settings).fit(rows, labels).feature_importances_
        chosen = np.argsort(-gains)[:N_TESTS]
        booster = lightgbm.LGBMClassifier(**settings).fit(rows[:, chosen], labels).booster_
        return lambda: f"{wrong(booster.predict(new[:, chosen]) > 0.5, answers)}, {N_TESTS} tests"

    return f"learn from {N_KNOWN:,} × 50 numbers, at most {N_TESTS} tests per new case", ours, "LightGBM", boosted


def prove(what: str, instance: bt.Instance, depth: int) -> Task:
    codes, labels = instance.codes, instance.labels.astype(np.int64)

    def ours() -> Callable[[], str]:
        found = bt.optimal(bt.Instance(codes, labels), budget=depth, threads=1, progress=False)
        assert found.proven
        return lambda: f"{found.errors:,} errors"

    def pystreed() -> Callable[[], str]:
        solver = exact.fit_pystreed(codes.astype(np.intc), labels, depth)
        assert solver.fit_result.is_optimal()
        return lambda: f"{int((solver.predict(codes.astype(np.intc)) != labels).sum()):,} errors"

    return f"prove the fewest errors of depth {depth}, {what}", ours, "pystreed", pystreed


def grow() -> Task:
    """A rule of seven binary tests, and 43 more that tell nothing."""
    rng = np.random.default_rng(0)
    codes = (rng.random((N_GROWN, 50)) < rng.uniform(0.2, 0.8, 50)).astype(np.uint8)
    a, b, c, d, e, f, g = codes[:, rng.choice(50, 7, replace=False)].T == 1
    labels = ((a & b) | (~c & d) | (e & f & ~g)).astype(np.int64)

    def ours() -> Callable[[], str]:
        tree = bt.grow(bt.Instance(codes, labels), threads=1)
        return lambda: f"{tree.errors} errors, {tree.max_cost} tests at worst"

    def sklearn() -> Callable[[], str]:
        tree = DecisionTreeClassifier(random_state=0).fit(codes, labels)
        return lambda: f"{(tree.predict(codes) != labels).sum()} errors, {tree.get_depth()} tests at worst"

    return f"grow a tree without errors, {N_GROWN:,} × 50 binary", ours, "scikit-learn", sklearn


def serve() -> Task:
    shape = new_cases_time.Shape(N_KNOWN)
    rows, labels = new_cases_time.draw(shape, 0, is_new=False)
    new, answers = new_cases_time.draw(shape, 0, is_new=True)
    new, answers = np.tile(new, (N_SERVED // len(new), 1)), np.tile(answers, N_SERVED // len(new))
    tree = bt.predictive(instance_of(rows, labels), budget=DEPTH, leaves="tree", progress=False)
    peer = DecisionTreeClassifier(max_leaf_nodes=tree.n_leaves, random_state=0).fit(rows, labels)

    def by(predict: Callable[[NDArray[np.float64]], NDArray[np.generic]]) -> Learn:
        def work() -> Callable[[], str]:
            predicted = predict(new)
            return lambda: wrong(predicted, answers)

        return work

    return (
        f"predict {N_SERVED:,} rows of 50 numbers, a tree of {tree.n_leaves} leaves",
        by(tree.predict),
        "scikit-learn",
        by(peer.predict),
    )


def tasks() -> Iterator[Task]:
    yield learn_new()
    yield prove("dna (3,001 × 180 binary)", bt.datasets.load("dna"), 3)
    yield prove("10,000 × 40 binary, noise", exact.random_table(10_000, 40), 4)
    yield grow()
    yield serve()


def timed(learn: Learn) -> tuple[float, str]:
    start = time.process_time()
    result = learn()
    return time.process_time() - start, result()


def shown(seconds: float, result: str) -> str:
    return f"{f'{seconds:.2f}' if seconds < 10 else f'{seconds:.0f}'} s; {result}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print("| the same work | budgetree | peer | peer ÷ ours |\n| --- | --- | --- | --- |")
    for what, learn, peer, learn_peer in tasks():
        found = [(timed(learn), timed(learn_peer)) for _ in range(1 + rounds)][1:]
        ours, theirs = min(found, key=lambda pair: pair[1][0] / pair[0][0])
        ratio = f"{theirs[0] / ours[0]:.2g}"
        print(f"| {what} | {shown(*ours)} | {peer}: {shown(*theirs)} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
