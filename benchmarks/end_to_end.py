"""From a file to a tree and back to predictions, beside what others need for the same; all in one run.

    python benchmarks/end_to_end.py                 1,000,000 rows × 50 mixed columns
    python benchmarks/end_to_end.py --rows 100000   a shorter one

Every row of the answer is a process of its own: seconds of processor time (all threads together) and of the clock, and
the most memory it held. `read` is reading and encoding; `whole` is that, growing a tree, reading the file again and
predicting every row. scikit-learn and LightGBM get the file by pandas, and as many leaves as our tree has. They run
where they are installed (pip install pandas scikit-learn lightgbm), LightGBM on one thread, because its threads wait
busily for each other; the frame is polars'.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

TARGET = "diagnosis"
BUDGET = 3
N_NUMBERS, N_FEW, N_TEXTS = 25, 6, 18  # with the target, 50 columns
WORDS = ["normal", "raised", "low", "absent", "not done", "unclear", "left", "right"]
GB = 2**30

Seconds = dict[str, float]


class Stopwatch:
    """Seconds of processor time and of the clock, by what was done in them."""

    def __init__(self) -> None:
        self.processor: Seconds = {}
        self.clock: Seconds = {}

    @contextmanager
    def measure(self, what: str) -> Iterator[None]:
        processor, clock = time.process_time(), time.perf_counter()
        yield
        self.processor[what] = time.process_time() - processor
        self.clock[what] = time.perf_counter() - clock


def make_files(folder: str, n_rows: int) -> dict[str, Any]:
    """The same table as CSV and as Parquet, and how large it is in Arrow."""
    import polars as pl

    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"number {i}": np.round(rng.normal(50, 12, n_rows), 2) for i in range(N_NUMBERS)}
    columns |= {f"few {i}": rng.integers(0, 3 + i, n_rows) for i in range(N_FEW)}
    columns |= {f"text {i}": np.array(WORDS[: 2 + i % 7])[rng.integers(0, 2 + i % 7, n_rows)] for i in range(N_TEXTS)}
    ill = (columns["number 0"] > 55) ^ (columns["text 3"] == "low") ^ (rng.random(n_rows) < 0.1)
    gaps = {name: rng.random(n_rows) < 0.03 for name in list(columns)[::5]}
    frame = pl.DataFrame(columns | {TARGET: np.where(ill, "ill", "well")})
    frame = frame.with_columns(
        pl.when(pl.Series(is_gap)).then(None).otherwise(pl.col(name)).alias(name) for name, is_gap in gaps.items()
    )
    paths = {kind: os.path.join(folder, f"cases.{kind}") for kind in ("csv", "parquet")}
    frame.write_csv(paths["csv"])
    frame.write_parquet(paths["parquet"])
    sizes = {kind: os.path.getsize(path) for kind, path in paths.items()}
    return paths | {"arrow bytes": frame.to_arrow().nbytes, "sizes": sizes, "shape": frame.shape}


def duckdb_alone(path: str, watch: Stopwatch, leaves: int) -> int:
    import duckdb

    reader = "read_csv" if path.endswith("csv") else "read_parquet"
    with watch.measure("read"):
        connection = duckdb.connect()
        connection.execute(f"CREATE TABLE cases AS FROM {reader}('{path}')")
    return 0


def ours(path: str, watch: Stopwatch, leaves: int) -> int:
    import duckdb  # noqa: F401  outside of the clock, as for DuckDB alone

    import budgetree as bt
    from budgetree.cli.predictions import columns_for
    from budgetree.data.source import open_source, read_table
    from budgetree.evaluation.cases import codes_for

    with watch.measure("read"):
        instance = bt.Instance.from_table(read_table(path), TARGET)
    with watch.measure("tree"):
        tree = bt.grow(instance, budget=BUDGET)
    with watch.measure("predict"):
        rows = open_source(path)
        for batch in rows.batches(replace(columns_for(tree.schema, tree.tests_used, rows), lines=False)):
            tree.predict(codes_for(tree.schema, tree.tests_used, batch.table))
    return tree.n_leaves


def ours_from_frame(path: str, watch: Stopwatch, leaves: int) -> int:
    import polars as pl

    import budgetree as bt

    frame = pl.read_parquet(path)
    with watch.measure("read"):
        instance = bt.Instance.from_frame(frame, TARGET)
    with watch.measure("tree"):
        tree = bt.grow(instance, budget=BUDGET)
    with watch.measure("predict"):
        tree.predict_codes(tree.encode(frame))
    return tree.n_leaves


def sklearn_from_pandas(path: str, watch: Stopwatch, leaves: int) -> int:
    import pandas as pd
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.preprocessing import OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    texts = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    encoder = make_column_transformer(
        (texts, make_column_selector(dtype_exclude="number")), remainder="passthrough", verbose_feature_names_out=False
    )
    with watch.measure("read"):
        frame = pd.read_csv(path) if path.endswith("csv") else pd.read_parquet(path)
        codes = encoder.fit_transform(frame.drop(columns=TARGET))
    with watch.measure("tree"):
        tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(codes, frame[TARGET])
    with watch.measure("predict"):
        again = pd.read_csv(path) if path.endswith("csv") else pd.read_parquet(path)
        tree.predict(encoder.transform(again.drop(columns=TARGET)))
    return int(tree.get_n_leaves())


def lightgbm_from_pandas(path: str, watch: Stopwatch, leaves: int) -> int:
    import lightgbm
    import pandas as pd

    def read() -> Any:
        frame = pd.read_csv(path) if path.endswith("csv") else pd.read_parquet(path)
        texts = frame.drop(columns=TARGET).select_dtypes(exclude="number").columns
        return frame.astype(dict.fromkeys(texts, "category"))

    with watch.measure("read"):
        frame = read()
    with watch.measure("tree"):
        model = lightgbm.LGBMClassifier(
            n_estimators=1, num_leaves=max(2, leaves), min_child_samples=1, n_jobs=1, verbose=-1
        )
        model.fit(frame.drop(columns=TARGET), frame[TARGET])
    with watch.measure("predict"):
        model.predict(read().drop(columns=TARGET))
    return leaves


PARTS: dict[str, tuple[str, Callable[[str, Stopwatch, int], int]]] = {
    "DuckDB alone, CSV": ("csv", duckdb_alone),
    "DuckDB alone, Parquet": ("parquet", duckdb_alone),
    "budgetree, CSV": ("csv", ours),
    "budgetree, Parquet": ("parquet", ours),
    "budgetree, polars frame": ("parquet", ours_from_frame),
    "pandas + scikit-learn, CSV": ("csv", sklearn_from_pandas),
    "pandas + LightGBM, CSV": ("csv", lightgbm_from_pandas),
    "pandas + scikit-learn, Parquet": ("parquet", sklearn_from_pandas),
    "pandas + LightGBM, Parquet": ("parquet", lightgbm_from_pandas),
}


def run_part(name: str, path: str, leaves: int) -> None:
    """One part in this process; its figures as JSON."""
    watch = Stopwatch()
    found = PARTS[name][1](path, watch, leaves)
    print(json.dumps({"processor": watch.processor, "clock": watch.clock, "peak": peak_memory(), "leaves": found}))


def peak_memory() -> int:
    """The most bytes that this process held; not getrusage's, which begin with those of the process before it."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def measure(name: str, path: str, leaves: int) -> dict[str, Any] | None:
    """One part in a process of its own; None where a library is missing."""
    command = [sys.executable, __file__, "--part", name, "--path", path, "--leaves", str(leaves)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{name:30} not run: {done.stderr.strip().splitlines()[-1][:90]}")
        return None
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    figures |= {f"whole {kind}": sum(figures[kind].values()) for kind in ("processor", "clock")}
    steps = " ".join(f"{figures['processor'].get(step, float('nan')):8.2f}" for step in ("read", "tree", "predict"))
    whole, clock, peak = figures["whole processor"], figures["whole clock"], figures["peak"] / GB
    print(f"{name:30} {steps} {whole:8.2f} {clock:8.2f} {peak:8.2f} {figures['leaves'] or '':>8}", flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    parser.add_argument("--leaves", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part is not None:
        run_part(asked.part, asked.path, asked.leaves)
        return
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(folder, asked.rows)
        sizes = ", ".join(f"{kind} {size / 1e6:.0f} MB" for kind, size in files["sizes"].items())
        n_rows, n_columns = files["shape"]
        print(f"{n_rows:,} rows × {n_columns} columns; {sizes}, Arrow {files['arrow bytes'] / 1e6:.0f} MB")
        titles = ("read", "tree", "predict", "whole", "clock", "peak GB", "leaves")
        print(f"{'processor seconds':30} {' '.join(f'{title:>8}' for title in titles)}")
        found: dict[str, dict[str, Any] | None] = {}
        for name, (kind, _) in PARTS.items():
            ours_found = found.get("budgetree, CSV")
            found[name] = measure(name, files[kind], ours_found["leaves"] if ours_found else 0)
    print_ratios(found, files["arrow bytes"])


def print_ratios(found: dict[str, dict[str, Any] | None], arrow_bytes: int) -> None:
    def ratio(what: str, above: str, below: str, step: Callable[[dict[str, Any]], float], goal: str) -> None:
        first, second = found.get(above), found.get(below)
        if first and second:
            print(f"{what:64} {step(first) / step(second):6.1f}   goal {goal}")

    print()
    for kind in ("CSV", "Parquet"):
        what = f"reading + encoding, {kind}: ours / DuckDB's reading alone"
        ratio(what, f"budgetree, {kind}", f"DuckDB alone, {kind}", lambda part: part["processor"]["read"], "at most 2")
    for kind in ("CSV", "Parquet"):
        mine = f"budgetree, {kind}"
        for peer, goal in (("pandas + scikit-learn", "at least 20"), ("pandas + LightGBM", "at least 3")):
            what = f"{kind}: {peer} / ours"
            ratio(f"whole, processor, {what}", f"{peer}, {kind}", mine, lambda part: part["whole processor"], goal)
            ratio(f"whole, clock, {what}", f"{peer}, {kind}", mine, lambda part: part["whole clock"], goal)
    for name in ("budgetree, CSV", "budgetree, Parquet", "budgetree, polars frame"):
        if part := found.get(name):
            print(
                f"{f'peak memory / the table in Arrow: {name}':64} {part['peak'] / arrow_bytes:6.1f}   goal at most 3"
            )


if __name__ == "__main__":
    main()
