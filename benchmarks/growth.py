"""Growing one tree, side by side with scikit-learn and LightGBM in one run; prints ratios, because machines differ.

    python benchmarks/growth.py            the nine small sets and 100k × 50
    python benchmarks/growth.py --large    also 1M × 50 (scikit-learn takes about half a minute for each tree)
    python benchmarks/growth.py --equal    1M × 50 binary columns: trees of one depth, preparation and error counted
    python benchmarks/growth.py --deep     400,000 × 50 to about 1,400 and 20,000 leaves, and how fast codes are read

Everything runs on one thread. Without --equal the trees have as many leaves but not the same shape, our time holds the
packing of the rows, and LightGBM's is its training alone, without building its Dataset: these follow one version to the
next, and say little about peers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable

os.environ["OMP_NUM_THREADS"] = "1"

import lightgbm
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import budgetree as bt

N_LEVELS = 10
N_TESTS = 50


def best_time(job: Callable[[], object], repeats: int, seconds: Callable[[], float] = time.perf_counter) -> float:
    """The fastest of some runs: on a shared machine the others measure the neighbours."""
    times = []
    for _ in range(repeats):
        start = seconds()
        job()
        times.append(seconds() - start)
    return min(times)


def coded_classification(n_objects: int, n_classes: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """make_classification, each column cut into ten equally full levels."""
    values, labels = make_classification(
        n_objects, N_TESTS, n_informative=20, n_redundant=10, n_classes=n_classes, random_state=0
    )
    ranks = np.argsort(np.argsort(values, axis=0), axis=0)
    return (ranks * N_LEVELS // n_objects).astype(np.uint8), labels


def compare_large(n_objects: int, n_classes: int) -> None:
    codes, labels = coded_classification(n_objects, n_classes)
    tree = bt.grow(bt.Instance(codes, labels), budget=2)
    fresh = iter([bt.Instance(codes, labels) for _ in range(4)])  # packing the rows, which is done once, counts too
    ours = best_time(lambda: bt.grow(next(fresh), budget=2, threads=1), 4)

    sklearn_tree = DecisionTreeClassifier(max_leaf_nodes=tree.n_leaves, random_state=0)
    sklearn = best_time(lambda: sklearn_tree.fit(codes, labels), 1)

    parameters = {
        "objective": "multiclass" if n_classes > 2 else "binary",
        "num_leaves": tree.n_leaves,
        "num_threads": 1,
        "max_bin": N_LEVELS,
        "min_data_in_leaf": 1,
        "verbosity": -1,
    } | ({"num_class": n_classes} if n_classes > 2 else {})
    data = lightgbm.Dataset(codes, labels, params=parameters).construct()
    # With k > 2 classes one round is k trees, one per class; LightGBM has no single multi-class tree.
    booster = lightgbm.train(parameters, data, num_boost_round=1)
    theirs = best_time(lambda: lightgbm.train(parameters, data, num_boost_round=1), 3)
    trees = booster.num_trees()
    leaves = booster.dump_model()["tree_info"][0]["num_leaves"]

    for theirs_leaves in (sklearn_tree.get_n_leaves(), leaves):
        assert abs(theirs_leaves / tree.n_leaves - 1) <= 0.3, "the trees differ too much in size to be compared"
    print(
        f"{n_objects:>9,} × {N_TESTS}, k = {n_classes:>2}   budgetree {ours * 1e3:8.1f} ms ({tree.n_leaves} leaves)   "
        f"scikit-learn {sklearn:6.2f} s ({sklearn_tree.get_n_leaves()} leaves): {sklearn / ours:6.0f}×   "
        f"LightGBM {theirs * 1e3:7.0f} ms ({trees} × {leaves} leaves): {theirs / ours:5.1f}×, "
        f"per tree {theirs / trees / ours:4.1f}×"
    )


def compare_equal(depth: int = 6, n_objects: int = 1_000_000, n_new: int = 200_000) -> None:
    """One Gini tree of the same depth each, from the same array to a fitted model; error on rows held out."""
    rng = np.random.default_rng(0)
    rows = (rng.random((n_objects + n_new, N_TESTS)) < rng.uniform(0.2, 0.8, N_TESTS)).astype(np.uint8)
    labels = (rows[:, :12] @ rng.normal(size=12) + rng.normal(size=len(rows)) > 0).astype(np.int64)
    known, answers, new = rows[:n_objects], labels[:n_objects], rows[n_objects:]
    settings = {"objective": "binary", "num_leaves": 2**depth, "max_depth": depth, "num_threads": 1, "verbosity": -1}
    settings["learning_rate"] = 1  # a single tree is the model

    def ours() -> Callable[[], NDArray[np.int64]]:
        tree = bt.grow(bt.Instance(known, answers), bt.Gini(), rule="expected", budget=depth, threads=1)
        return lambda: tree.predict_codes(new)

    def sklearn() -> Callable[[], NDArray[np.int64]]:
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(known, answers)
        return lambda: tree.predict(new)

    def boosted() -> Callable[[], NDArray[np.int64]]:
        booster = lightgbm.train(settings, lightgbm.Dataset(known, answers), num_boost_round=1)
        return lambda: (booster.predict(new) > 0.5).astype(np.int64)

    learners = {"budgetree": ours, "scikit-learn": sklearn, "LightGBM": boosted}
    times: dict[str, list[float]] = {name: [] for name in learners}
    errors = {}
    for _ in range(3):  # in turns
        for name, learn in learners.items():
            start = time.process_time()
            predict = learn()
            times[name].append(time.process_time() - start)
            errors[name] = float((predict() != labels[n_objects:]).mean())
    least = times["budgetree"]
    for name, seconds in times.items():
        worst = min(them / us for them, us in zip(seconds, least, strict=True))  # the run least favourable to us
        print(f"{name:>12}  depth {depth}  {min(seconds):7.3f} s  {worst:6.1f} ×  error {errors[name]:.2%}")


def compare_deep(n_leaves: int) -> None:
    """A deep tree: δ is chosen so that it has about so many leaves; processor time, one thread, rows packed before."""
    codes, labels = coded_classification(400_000, 2)
    instance = bt.Instance(codes, labels)
    delta = delta_for(instance, n_leaves)
    tree = bt.grow(instance, delta=delta, threads=1)
    ours = best_time(lambda: bt.grow(instance, delta=delta, threads=1), 5, time.process_time)
    sklearn_tree = DecisionTreeClassifier(max_leaf_nodes=tree.n_leaves, random_state=0)
    sklearn = best_time(lambda: sklearn_tree.fit(codes, labels), 1, time.process_time)
    nodes = tree.nodes
    rows = int(nodes.counts[~nodes.is_leaf].sum())  # each inner node's rows are counted, or derived from its siblings'
    print(
        f"  400,000 × {N_TESTS}, {tree.n_leaves:>6} leaves   budgetree {ours * 1e3:8.1f} ms   "
        f"scikit-learn {sklearn:6.2f} s ({sklearn_tree.get_n_leaves()} leaves): {sklearn / ours:6.0f}×   "
        f"codes {rows * N_TESTS / ours / 1e9:5.1f} GB/s at a byte each; memory reads {read_bandwidth() / 1e9:5.1f} GB/s"
    )


def delta_for(instance: bt.Instance, n_leaves: int) -> float:
    """The δ whose tree has about so many leaves."""
    low, high = 0.0, float(instance.n_objects) ** 2
    for _ in range(60):
        delta = (low * high) ** 0.5 if low else high / 16
        leaves = bt.grow(instance, delta=delta).n_leaves
        if abs(leaves / n_leaves - 1) < 0.1:
            break
        low, high = (delta, high) if leaves > n_leaves else (low, delta)
    return delta


def read_bandwidth() -> float:
    """Bytes per second that one thread adds up."""
    numbers = np.ones(50_000_000)
    return numbers.nbytes / best_time(numbers.sum, 5, time.process_time)


def compare_small() -> None:
    for name in bt.datasets.names()[:9]:
        instance = bt.datasets.load(name)
        ours = best_time(lambda: bt.grow(instance, threads=1), 200)  # noqa: B023
        sklearn = best_time(lambda: DecisionTreeClassifier().fit(instance.codes, instance.labels), 20)  # noqa: B023
        print(
            f"{name:>14}   budgetree {ours * 1e6:7.0f} µs   "
            f"scikit-learn {sklearn * 1e6:7.0f} µs: {sklearn / ours:5.1f}×"
        )


MEMORY_SCRIPT = """
import pathlib, re, sys
import numpy as np
import budgetree as bt

def kilobytes(what):
    return int(re.search(what + r":\\s*(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])

rng = np.random.default_rng(0)
codes = rng.integers(0, 10, (int(sys.argv[1]), int(sys.argv[2])), dtype=np.uint8)
instance = bt.Instance(codes, (codes[:, 0] + codes[:, 1] > 9).astype(np.int64))
bt.grow(bt.Instance(codes[:1000], instance.labels[:1000]), budget=2)  # what is loaded once does not count
pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
before = kilobytes("VmRSS")
bt.grow(instance, budget=2)
print((kilobytes("VmHWM") - before) * 1024 / codes.nbytes)
"""


def measure_memory(n_objects: int) -> None:
    """How much a growth adds to a process's memory at its peak, as a multiple of the codes; Linux only."""
    command = [sys.executable, "-c", MEMORY_SCRIPT, str(n_objects), str(N_TESTS)]
    more = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(f"{n_objects:>9,} × {N_TESTS}   a growth takes {more:.2f} × the codes' memory beside them")


def first_call() -> None:
    """What a fresh process waits for: budgetree and the data, then its first tree."""
    script = """
import time
start = time.perf_counter()
import budgetree as bt
instance = bt.datasets.load("dna")
loaded = time.perf_counter()
bt.grow(instance)
print(loaded - start, time.perf_counter() - loaded)
"""
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    loading, first = map(float, output.split())
    print(f"            dna   fresh process: import and data {loading:.2f} s, first tree {first:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also 1M × 50")
    parser.add_argument("--deep", action="store_true", help="deep trees on 400,000 rows alone")
    parser.add_argument("--equal", action="store_true", help="equal work on 1M × 50 binary columns alone")
    wanted = parser.parse_args()
    if wanted.equal:
        compare_equal()
        return
    if wanted.deep:
        for n_leaves in (1_400, 20_000):
            compare_deep(n_leaves)
        return
    large = wanted.large
    compare_small()
    first_call()
    for n_objects in (100_000, 1_000_000) if large else (100_000,):
        for n_classes in (2, 10):
            compare_large(n_objects, n_classes)
    measure_memory(1_000_000)


if __name__ == "__main__":
    main()
