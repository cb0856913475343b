"""What one pathway for new cases takes to learn, beside LightGBM on all tests in the same run.

    pip install '.[bench]'
    python benchmarks/new_cases_time.py                          the four tables, one seed
    python benchmarks/new_cases_time.py --rows 10000,100000 --seeds 5
    python benchmarks/new_cases_time.py --rows "26 classes"      20,000 rows of them
    python benchmarks/new_cases_time.py --errors                 five seeds, two classes: are more rows ever worse?

Ours is a frame → Instance → bt.predictive, so with its codes and its choice of leaves, at unequal prices (1 to 20) and
a budget of a quarter of their sum; LightGBM has 100 rounds, 31 leaves, all tests, and the same rows as an array. Both
have one thread, each measurement a process of its own; seconds are of the processor, the peak is of the whole process
with the rows in it. A seed is a law: clusters on the corners of a cube in twelve dimensions, mixed into eight more
tests, and noise for the rest, so that tables of one seed differ only in their number of rows. The error is that on new
rows.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 4e9
N_NEW = 50_000  # rows for the error
N_INFORMATIVE, N_REDUNDANT = 12, 8
MANY_CLASSES = "26 classes"


@dataclass(frozen=True, slots=True)
class Shape:
    """A table to be learned from, and how many times LightGBM's seconds it may take."""

    n_rows: int
    n_tests: int = 50
    n_classes: int = 2
    goal: float | None = None
    has_memory_goal: bool = False

    def __str__(self) -> str:
        classes = "" if self.n_classes == 2 else f", {self.n_classes} classes"
        return f"{self.n_rows:,} × {self.n_tests}{classes}"


SHAPES = {
    "10000": Shape(10_000, goal=4),
    "100000": Shape(100_000, goal=2.5),
    "1000000": Shape(1_000_000, goal=1, has_memory_goal=True),
    MANY_CLASSES: Shape(20_000, n_classes=26, goal=4),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One model learned in a process of its own."""

    preparing: float  # seconds of the processor
    learning: float
    peak_bytes: int
    error: float
    detail: str

    @property
    def seconds(self) -> float:
        return self.preparing + self.learning


def draw(shape: Shape, seed: int, *, is_new: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows of a seed's law: known ones, or new ones."""
    law = np.random.default_rng(seed)
    n_clusters = shape.n_classes * (4 if shape.n_classes == 2 else 1)
    corners = law.choice(2**N_INFORMATIVE, n_clusters, replace=False)
    centres = 2.0 * ((corners[:, None] >> np.arange(N_INFORMATIVE)) & 1) - 1
    mixing = law.uniform(-1, 1, (n_clusters, N_INFORMATIVE, N_INFORMATIVE))
    redundant = law.uniform(-1, 1, (N_INFORMATIVE, N_REDUNDANT))
    order = law.permutation(shape.n_tests)
    rng = np.random.default_rng([seed, int(is_new)])
    n_rows = N_NEW if is_new else shape.n_rows
    cluster = rng.integers(0, n_clusters, n_rows)
    rows = rng.standard_normal((n_rows, shape.n_tests))
    for number in range(n_clusters):
        here = cluster == number
        rows[here, :N_INFORMATIVE] = rows[here, :N_INFORMATIVE] @ mixing[number] + centres[number]
    rows[:, N_INFORMATIVE : N_INFORMATIVE + N_REDUNDANT] = rows[:, :N_INFORMATIVE] @ redundant
    labels = cluster % shape.n_classes
    flips = rng.random(n_rows) < 0.01
    labels[flips] = rng.integers(0, shape.n_classes, int(flips.sum()))
    return rows[:, order], labels


def prices_of(n_tests: int, seed: int) -> list[int]:
    return np.random.default_rng([seed, 2]).integers(1, 21, n_tests).tolist()


def learn_ours(folder: Path, seed: int) -> Measured:
    import pandas as pd

    import budgetree as bt

    rows, labels = np.load(folder / "rows.npy"), np.load(folder / "labels.npy")
    names = [f"t{test}" for test in range(rows.shape[1])]
    prices = dict(zip(names, prices_of(len(names), seed), strict=True))
    frame = pd.DataFrame(rows, columns=names)
    frame["label"] = labels
    from_frame, predictive = bt.Instance.from_frame, bt.predictive  # imports what they need, as of LightGBM
    start = time.process_time()
    instance = from_frame(frame, "label", prices=prices)
    prepared = time.process_time()
    tree = predictive(instance, budget=sum(prices.values()) // 4, threads=1, progress=False)
    learned, peak = time.process_time(), peak_bytes()
    new = pd.DataFrame(np.load(folder / "new_rows.npy"), columns=names)
    error = float((tree.predict(new) != np.load(folder / "new_labels.npy")).mean())
    assert tree.origin is not None
    assert tree.origin.choice is not None
    cost = f"mean cost {tree.mean_cost:.0f} of {tree.max_cost}"
    detail = f"{tree.origin.choice.kind}, {len(tree.tests_used)} tests, {cost}"
    return Measured(prepared - start, learned - prepared, peak, error, detail)


def learn_lightgbm(folder: Path, seed: int) -> Measured:
    import lightgbm

    rows, labels = np.load(folder / "rows.npy"), np.load(folder / "labels.npy")
    start = time.process_time()
    model = lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1, random_state=seed).fit(rows, labels)
    learned, peak = time.process_time(), peak_bytes()
    answers = model.booster_.predict(np.load(folder / "new_rows.npy"), num_threads=1)
    answers = answers.argmax(axis=1) if answers.ndim == 2 else answers > 0.5
    error = float((answers != np.load(folder / "new_labels.npy")).mean())
    return Measured(0.0, learned - start, peak, error, "")


def peak_bytes() -> int:
    """Of this process so far; getrusage's would be at least that of the one that started it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


LEARNERS = {"ours": learn_ours, "LightGBM": learn_lightgbm}


def measure(shape: Shape, seed: int, learners: Sequence[str]) -> dict[str, Measured]:
    """Each learner in a process of its own, on the same rows."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for prefix, is_new in (("", False), ("new_", True)):
            rows, labels = draw(shape, seed, is_new=is_new)
            np.save(f"{folder}/{prefix}rows.npy", rows)
            np.save(f"{folder}/{prefix}labels.npy", labels)
        del rows
        for learner in learners:
            command = [sys.executable, __file__, "--child", learner, folder, str(seed)]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            found[learner] = Measured(*json.loads(output))
    return found


def print_row(shape: Shape, seed: int, found: dict[str, Measured]) -> None:
    cells = [f"{shape!s:24}{seed:5}"]
    for measured in found.values():
        cells.append(f"{measured.seconds:9.1f} s {measured.peak_bytes / 1e9:6.2f} GB {100 * measured.error:6.2f} %")
    if "ours" in found and "LightGBM" in found:
        times = found["ours"].seconds / found["LightGBM"].seconds
        cells.append(f"{times:8.2f} ×{_verdict(times, shape.goal)}")
    if "ours" in found:
        ours = found["ours"]
        if shape.has_memory_goal:
            cells.append(f"  memory{_verdict(ours.peak_bytes / 1e9, MOST_BYTES / 1e9)} GB")
        cells.append(f"   {ours.detail}; {ours.preparing:.1f} s of it preparing")
    print("".join(cells), flush=True)


def _verdict(value: float, goal: float | None) -> str:
    return "" if goal is None else f" ({'met' if value <= goal else 'NOT met'}: ≤ {goal:g})"


def print_errors(errors: dict[tuple[str, int], list[float]]) -> None:
    """Per learner and number of rows, the mean error of the seeds; and how it differs from that of the fewest rows."""
    n_seeds = len(next(iter(errors.values()), []))
    if n_seeds < 2:
        return
    print(f"\nerror in %, mean of {n_seeds} seeds ± standard error")
    for learner in dict.fromkeys(learner for learner, _ in errors):
        of_rows = {n_rows: np.array(values) for (name, n_rows), values in errors.items() if name == learner}
        least = min(of_rows)
        for n_rows, values in sorted(of_rows.items()):
            line = f"{learner:9}{n_rows:10,} rows {100 * values.mean():6.2f} ± {_se(100 * values):.2f}"
            if n_rows != least:
                gaps = 100 * (values - of_rows[least])
                line += f"   {gaps.mean():+.2f} ± {_se(gaps):.2f} against {least:,}"
                line += f" ({'NOT met' if gaps.mean() > 2 * _se(gaps) else 'met'}: never above)" * (learner == "ours")
            print(line)


def _se(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default=",".join(SHAPES), help=f"numbers, or {MANY_CLASSES}; separated by commas")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--errors", action="store_true", help="five seeds, two classes")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        learner, folder, seed = options.child
        measured = LEARNERS[learner](Path(folder), int(seed))
        print(json.dumps([getattr(measured, name) for name in Measured.__slots__]))
        return
    names = [name.strip() for name in options.rows.split(",")]
    if options.errors:
        names = [name for name in names if name != MANY_CLASSES]
    shapes = [SHAPES.get(name) or Shape(int(name)) for name in names]
    learners = options.learners.split(",")
    print(f"{'':24} seed" + "".join(f"{name:>30}" for name in learners))
    errors: dict[tuple[str, int], list[float]] = {}
    for shape in shapes:
        for seed in range(5 if options.errors else options.seeds):
            found = measure(shape, seed, learners)
            print_row(shape, seed, found)
            if shape.n_classes == 2:
                for learner, measured in found.items():
                    errors.setdefault((learner, shape.n_rows), []).append(measured.error)
    print_errors(errors)


if __name__ == "__main__":
    main()
