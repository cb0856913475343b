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
class Spent:
    """Seconds on the clock, and of the workers' processors, which neighbours on the machine change less."""

    clock: float
    processor: float

    def __str__(self) -> str:
        return f"{self.clock:.1f} s (processors {self.processor:.1f} s)"


@dataclass(frozen=True)
class Run:
    """One fit, and how its time was spent."""

    coding: Spent
    growing: Spent
    counting: float  # seconds of all workers together, in tasks that move and count
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


def spent_on(client: Client, job: Callable[[], Any]) -> tuple[Spent, Any]:
    """What a job takes on a cluster."""
    before = sum(client.run(time.process_time).values())
    seconds, found = timed(job)
    return Spent(seconds, sum(client.run(time.process_time).values()) - before), found


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
        coding, cases = spent_on(client, lambda: DaskCases.of(client, of_files(pattern, Reading()), request))
        with get_task_stream(client) as stream:
            growing, tree = spent_on(client, lambda: grow_cases(cases, bt.Pairs(), budget=budget, progress=False))
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


def fit_lightgbm(pattern: str, n_workers: int, n_leaves: int) -> tuple[Spent, Spent, int]:
    """Reading, fit, and the peak memory of a worker."""
    import lightgbm

    with cluster(n_workers, None) as theirs, Client(theirs) as client:
        frame = dd.read_parquet(pattern)
        reading, kept = spent_on(client, lambda: _computed(client, frame))
        estimator = lightgbm.DaskLGBMClassifier(
            n_estimators=1,
            num_leaves=n_leaves,
            max_bin=10,
            min_child_samples=1,
            verbose=-1,
        )
        rows, labels = kept.drop(columns="label"), kept["label"]
        fitting, _ = spent_on(client, lambda: estimator.fit(rows, labels))
        return reading, fitting, max(client.run(peak_bytes).values())


def _computed(client: Client, frame: Any) -> Any:
    kept = client.persist(frame)
    len(kept)
    return kept


def in_memory(asked: argparse.Namespace) -> float:
    """Rows × tests × levels per second of the kernel in memory, on one thread and a sample."""
    sample = rows_of(0, min(asked.rows, SAMPLE_ROWS), asked.tests)
    instance = bt.Instance.from_frame(sample, "label", duplicates="keep")
    bt.grow(instance, budget=asked.budget, threads=1)
    seconds, tree = timed(lambda: bt.grow(instance, budget=asked.budget, threads=1))
    return len(sample) * asked.tests * max(tree.depth, 1) / seconds


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
    runs = []
    for n_workers in (1, 2):
        run = fit_ours(pattern, n_workers, memory, asked.budget)
        runs.append(run)
        beside = run.growing.clock / (run.counting / n_workers) - 1
        print(f"{n_workers} worker(s): coding {run.coding}, growing {run.growing} in {run.n_passes} passes;")
        print(
            f"    {cells(asked, run.tree) / run.counting:.2e} cells/s a worker; {beside:.0%} beside counting; "
            f"peak {run.peak_bytes / 1e9:.2f} GB; {run.tree.n_leaves} leaves",
            flush=True,
        )
        if not asked.no_lightgbm:
            reading, fitting, peak = fit_lightgbm(pattern, n_workers, run.tree.n_leaves)
            together = (reading.clock + fitting.clock) / (run.coding.clock + run.growing.clock)
            work = (reading.processor + fitting.processor) / (run.coding.processor + run.growing.processor)
            print(
                f"    LightGBM: reading {reading}, fit {fitting}; peak {peak / 1e9:.2f} GB; in all {together:.1f} × "
                f"our time and {work:.1f} × our processor time",
                flush=True,
            )
    kernel, worker = in_memory(asked), cells(asked, runs[0].tree) / runs[0].counting
    print(f"in memory: {kernel:.2e} cells/s, a worker {worker / kernel:.0%} of that")
    print(
        f"from 1 worker to 2: coding {runs[0].coding.clock / runs[1].coding.clock:.2f} ×, growing "
        f"{runs[0].growing.clock / runs[1].growing.clock:.2f} ×; the same tree: "
        f"{runs[0].tree.to_dict() == runs[1].tree.to_dict()}"
    )


def cells(asked: argparse.Namespace, tree: bt.Tree) -> int:
    """Rows × tests × levels."""
    return int(asked.rows * asked.tests * max(tree.depth, 1))


if __name__ == "__main__":
    main()
