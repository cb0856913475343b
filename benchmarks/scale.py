"""A table larger than the workers' memory on a Dask cluster, beside LightGBM's Dask estimator at the same leaves.

    python benchmarks/scale.py                                   50 million rows × 50 tests, written as Parquet first
    python benchmarks/scale.py --rows 1000000                    smaller
    python benchmarks/scale.py --folder data --no-lightgbm       keeps the files for the next run

Each worker has one thread and may use an eighth of what the rows take in memory as numbers (but 700 MB at least, which
Python with Dask needs anyway). Printed: the time for coding and for growing, the workers' peak memory, rows × tests per
second against the kernel in memory on a sample, what growing takes beside counting, the speed-up from one worker to
two, and the same for LightGBM, which gets all the memory that it wants.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster, get_task_stream

import budgetree as bt
from budgetree.dask import DaskCases
from budgetree.dask.files import of_files
from budgetree.dask.verbs import grow_cases
from budgetree.problem.tables.reading import Reading
from budgetree.shards.plan import CaseRequest

FILE_ROWS = 1_000_000
SAMPLE_ROWS = 1_000_000
MIN_MEMORY = 700 * 2**20


@dataclass(frozen=True)
class Run:
    """One fit: seconds, and how they were spent."""

    coding: float
    growing: float
    counting: float  # of all workers together, in tasks that move and count
    n_passes: int
    peak_bytes: int  # of the worker that needed most
    tree: bt.Tree


def rows_of(number: int, n_rows: int, n_tests: int) -> pd.DataFrame:
    """One file's rows: numbers, of which a few say the class, with some noise."""
    rng = np.random.default_rng(number)
    values = rng.normal(size=(n_rows, n_tests)).astype(np.float32)
    score = values[:, 0] + values[:, 1] * values[:, 2] + 0.5 * values[:, 3] + rng.normal(scale=0.5, size=n_rows)
    frame = pd.DataFrame(values, columns=[f"t{place}" for place in range(n_tests)])
    return frame.assign(label=(score > 0).astype(np.int8))


def write_files(folder: Path, n_rows: int, n_tests: int) -> None:
    """At least eight files, so that workers have something to share."""
    in_file = min(FILE_ROWS, -(-n_rows // 8))
    for number, first in enumerate(range(0, n_rows, in_file)):
        file = folder / f"part-{number:04}.parquet"
        if not file.exists():
            rows_of(number, min(in_file, n_rows - first), n_tests).to_parquet(file, row_group_size=100_000)


def peak_bytes() -> int:
    """Of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def timed(job: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = job()
    return time.perf_counter() - start, found


def cluster(n_workers: int, memory: int | None) -> LocalCluster:
    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        memory_limit=memory,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    )


def fit_ours(pattern: str, n_workers: int, memory: int, budget: int) -> Run:
    with cluster(n_workers, memory) as ours, Client(ours) as client:
        request = CaseRequest.of("label", duplicates="keep")
        coding, cases = timed(lambda: DaskCases.of(client, of_files(pattern, Reading()), request))
        with get_task_stream(client) as stream:
            growing, tree = timed(lambda: grow_cases(cases, bt.Pairs(), budget=budget, progress=False))
        work: dict[str, list[float]] = {"move": [], "count": [], "_itself": []}
        for task in stream.data:
            kind = str(task["key"]).split("-")[0].strip("('\"")
            if kind in work:
                work[kind] += [
                    step["stop"] - step["start"] for step in task["startstops"] if step["action"] == "compute"
                ]
        counting = sum(work["move"]) + sum(work["count"])
        peak = max(client.run(peak_bytes).values())
    return Run(coding, growing, counting, len(work["_itself"]), peak, tree)


def fit_lightgbm(pattern: str, n_workers: int, n_leaves: int) -> tuple[float, float, int]:
    """Seconds for reading, seconds for fit, and the peak memory of a worker."""
    import lightgbm

    with cluster(n_workers, None) as theirs, Client(theirs) as client:
        frame = dd.read_parquet(pattern)
        reading, kept = timed(lambda: _computed(client, frame))
        estimator = lightgbm.DaskLGBMClassifier(
            n_estimators=1,
            num_leaves=n_leaves,
            max_bin=10,
            min_child_samples=1,
            min_split_gain=0.0,
            verbose=-1,
            n_jobs=1,
        )
        fitting, _ = timed(lambda: estimator.fit(kept.drop(columns="label"), kept["label"]))
        return reading, fitting, max(client.run(peak_bytes).values())


def _computed(client: Client, frame: Any) -> Any:
    kept = client.persist(frame)
    len(kept)
    return kept


def in_memory(n_tests: int, budget: int, n_rows: int) -> float:
    """Rows × tests × levels per second of the kernel in memory, on one thread."""
    sample = rows_of(0, min(n_rows, SAMPLE_ROWS, FILE_ROWS), n_tests)
    instance = bt.Instance.from_frame(sample, "label", duplicates="keep")
    bt.grow(instance, budget=budget, threads=1)
    seconds, tree = timed(lambda: bt.grow(instance, budget=budget, threads=1))
    return len(sample) * n_tests * max(tree.depth, 1) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--tests", type=int, default=50)
    parser.add_argument("--budget", type=int, default=3, help="tests on a path, each at a price of 1")
    parser.add_argument("--folder", help="where the Parquet files are, or will be; by default a temporary folder")
    parser.add_argument("--no-lightgbm", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="budgetree-scale-") as scratch:
        folder = Path(asked.folder or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        seconds, _ = timed(lambda: write_files(folder, asked.rows, asked.tests))
        size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
        print(f"{asked.rows:,} rows × {asked.tests} tests: {size / 1e9:.2f} GB of Parquet, written in {seconds:.0f} s")
        with dask.config.set({"distributed.worker.profile.enabled": False, "temporary-directory": scratch}):
            compare(str(folder / "*.parquet"), asked)


def compare(pattern: str, asked: argparse.Namespace) -> None:
    whole = asked.rows * asked.tests * 8
    memory = max(whole // 8, MIN_MEMORY)
    print(f"as numbers they take {whole / 1e9:.2f} GB in memory; a worker may use {memory / 1e9:.2f} GB")
    print("workers  coding  growing  passes  cells/s a worker  overhead  peak      LightGBM: reading  fit  peak")
    runs = []
    for n_workers in (1, 2):
        run = fit_ours(pattern, n_workers, memory, asked.budget)
        runs.append(run)
        counted = asked.rows * asked.tests * max(run.tree.depth, 1)
        share = run.counting / n_workers
        line = (
            f"{n_workers:7}  {run.coding:5.1f} s {run.growing:6.1f} s {run.n_passes:6}  {counted / run.counting:12.2e}"
            f"      {(run.growing - share) / share:6.0%}   {run.peak_bytes / 1e9:.2f} GB"
        )
        if not asked.no_lightgbm:
            reading, fitting, peak = fit_lightgbm(pattern, n_workers, run.tree.n_leaves)
            line += f"            {reading:5.1f} s {fitting:5.1f} s  {peak / 1e9:.2f} GB"
            line += f"   (fit / growing: {fitting / run.growing:.1f}, all / all: "
            line += f"{(reading + fitting) / (run.coding + run.growing):.1f})"
        print(line, flush=True)
    kernel = in_memory(asked.tests, asked.budget, asked.rows)
    counted = asked.rows * asked.tests * max(runs[0].tree.depth, 1)
    print(f"the kernel in memory: {kernel:.2e} cells/s, a worker {counted / runs[0].counting / kernel:.0%} of that")
    print(
        f"from 1 worker to 2: coding {runs[0].coding / runs[1].coding:.2f} ×, growing "
        f"{runs[0].growing / runs[1].growing:.2f} ×; {runs[0].tree.n_leaves} leaves, the same tree: "
        f"{runs[0].tree.to_dict() == runs[1].tree.to_dict()}"
    )


if __name__ == "__main__":
    main()
