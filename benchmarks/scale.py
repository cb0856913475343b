"""A table larger than the workers' memory on a Dask cluster, beside LightGBM's Dask estimator at the same leaves.

    python benchmarks/scale.py                                   50 million rows × 50 tests, written as Parquet first
    python benchmarks/scale.py --rows 1000000                    smaller
    python benchmarks/scale.py --folder data --no-lightgbm       keeps the files for the next run
    python benchmarks/scale.py --rows 10000000 --memory 4        another limit

Each worker has one thread and may use an eighth of what the rows take in memory as 32-bit numbers (but 700 MB at least,
which Python with Dask needs anyway). Printed: the time for coding and for growing, the workers' peak memory, rows ×
tests per second against the kernel in memory on a sample, what growing takes beside counting, the speed-up from one
worker to two, and the same for LightGBM. The limit is Dask's: files that workers map stay in memory beyond it as long
as the machine has some to spare; in a control group that has not, the disk is read at each level. LightGBM has no limit
and gets as many of the rows as this machine's memory can hold for it, so times are compared per row. At the end: what
the driver takes for each node of a large tree.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil  # which Dask brings
from distributed import Client, LocalCluster, get_task_stream

import budgetree as bt
from budgetree.dask import DaskCases
from budgetree.data.source import Reading
from budgetree.distributed.cases import LocalCases, LocalEngine
from budgetree.distributed.partition import Partition, Step, partitions_of
from budgetree.distributed.prepare import CaseRequest, parts_of_files
from budgetree.learn.greedy.levels import LevelGrower
from budgetree.learn.greedy.rule import check_settings

FILE_ROWS = 1_000_000
SAMPLE_ROWS = 1_000_000
DRIVER_ROWS = 50_000
MIN_MEMORY = 700 * 2**20
NUMBER_BYTES = 4  # of the rows as they are written
LIGHTGBM_COPIES = 4  # of the rows, which LightGBM's estimator has in memory at its peak, and some room


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
    n_tasks: int
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
        request = CaseRequest.of("label")
        files = parts_of_files(pattern, Reading(), n_threads=n_workers)
        coding, cases = spent_on(client, lambda: DaskCases.of(client, files, request))
        with get_task_stream(client) as stream:
            growing, tree = spent_on(client, lambda: bt.grow(cases, budget=budget, progress=False))
        counting = sum(
            step["stop"] - step["start"]
            for task in stream.data
            for step in task["startstops"]
            if _kind(task) in ("move", "count") and step["action"] == "compute"
        )
        n_passes = sum(_kind(task) == "_itself" for task in stream.data)
        peak = max(client.run(peak_bytes).values())
    return Run(coding, growing, counting, len(stream.data), n_passes, peak, tree)


def _kind(task: dict[str, Any]) -> str:
    """The function that a task called."""
    return str(task["key"]).split("-")[0].strip("('\"")


@dataclass(frozen=True)
class Other:
    """LightGBM's fit."""

    n_rows: int
    reading: Spent
    fitting: Spent
    peak_bytes: int
    n_leaves: int


def fit_lightgbm(files: Sequence[Path], n_workers: int, n_leaves: int) -> Other:
    import lightgbm

    with cluster(n_workers, None) as theirs, Client(theirs) as client:
        frame = dd.read_parquet([str(file) for file in files])
        reading, kept = spent_on(client, lambda: _computed(client, frame))
        estimator = lightgbm.DaskLGBMClassifier(
            n_estimators=1,
            num_leaves=n_leaves,
            max_bin=10,
            min_child_samples=1,
            min_sum_hessian_in_leaf=0,
            verbose=-1,
        )
        rows, labels = kept.drop(columns="label"), kept["label"]
        fitting, _ = spent_on(client, lambda: estimator.fit(rows, labels))
        found = estimator.booster_.dump_model()["tree_info"][0]["num_leaves"]
        return Other(len(kept), reading, fitting, max(client.run(peak_bytes).values()), found)


def _computed(client: Client, frame: Any) -> Any:
    kept = client.persist(frame)
    len(kept)
    return kept


def in_memory(asked: argparse.Namespace) -> tuple[float, float]:
    """Rows × tests × levels per second on one thread and a sample: grow in memory, and level by level from shards."""
    sample = rows_of(0, min(asked.rows, SAMPLE_ROWS), asked.tests)
    instance = bt.Instance.from_frame(sample, "label")
    shards = LocalCases(instance.schema, list(partitions_of(instance, SAMPLE_ROWS)), instance.n_objects)
    speeds = []
    for cases in (instance, shards):
        bt.grow(cases, budget=asked.budget, threads=1)
        start = time.process_time()
        tree = bt.grow(cases, budget=asked.budget, threads=1)
        speeds.append(len(sample) * asked.tests * max(tree.depth, 1) / (time.process_time() - start))
    return speeds[0], speeds[1]


class TimedEngine(LocalEngine):
    """Local partitions, and how long they took."""

    def __init__(self, partitions: Sequence[Partition]) -> None:
        super().__init__(partitions, 1)
        self.seconds = 0.0

    def advance(self, positions: Any, step: Step) -> Any:
        start = time.process_time()
        found = super().advance(positions, step)
        self.seconds += time.process_time() - start
        return found


def driver(asked: argparse.Namespace) -> None:
    """What a node costs where the tree is made: a tree that ends in single rows."""
    rows = min(asked.rows, DRIVER_ROWS)
    instance = bt.Instance.from_frame(rows_of(0, rows, asked.tests), "label")
    partitions = list(partitions_of(instance, rows))
    cases = LocalCases(instance.schema, partitions, instance.n_objects)
    settings = check_settings(cases, bt.Pairs(), 0, None, "worst")
    engine = TimedEngine(partitions)
    start = time.process_time()
    nodes = LevelGrower(cases, settings, engine).grow()
    seconds = time.process_time() - start - engine.seconds
    n_split = int((nodes.test >= 0).sum())
    tracemalloc.start()
    grower = LevelGrower(cases, settings, engine)
    grower.grow()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    print(
        f"the driver: {1e3 * seconds / n_split:.2f} ms for each of {n_split:,} nodes that it splits, "
        f"{kept / len(nodes):.0f} bytes for each of {len(nodes):,}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--tests", type=int, default=50)
    parser.add_argument("--budget", type=int, default=3, help="tests on a path, each at a price of 1")
    parser.add_argument("--folder", help="where the Parquet files are, or will be; by default a temporary folder")
    parser.add_argument("--no-lightgbm", action="store_true")
    parser.add_argument("--memory", type=float, help="GB that a worker may use, where an eighth is not what is asked")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="budgetree-scale-") as scratch:
        folder = Path(asked.folder or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        seconds, _ = timed(lambda: write_files(folder, asked.rows, asked.tests))
        size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
        print(f"{asked.rows:,} rows × {asked.tests} tests: {size / 1e9:.2f} GB of Parquet, written in {seconds:.0f} s")
        with dask.config.set({"distributed.worker.profile.enabled": False, "temporary-directory": scratch}):
            compare(folder, asked)


def compare(folder: Path, asked: argparse.Namespace) -> None:
    whole = asked.rows * asked.tests * NUMBER_BYTES
    memory = max(whole // 8, MIN_MEMORY) if asked.memory is None else int(asked.memory * 1e9)
    print(f"as numbers they take {whole / 1e9:.2f} GB in memory; a worker may use {memory / 1e9:.2f} GB", flush=True)
    runs = []
    for n_workers in (1, 2):
        run = fit_ours(str(folder / "*.parquet"), n_workers, memory, asked.budget)
        runs.append(run)
        beside = run.growing.clock - run.counting / n_workers
        print(f"{n_workers} worker(s): coding {run.coding}, growing {run.growing} in {run.n_passes} passes;")
        print(
            f"    {1e9 * run.coding.processor / (asked.rows * asked.tests):.0f} ns to code a cell; "
            f"{cells(asked, run.tree) / run.counting:.2e} cells/s a worker; beside counting {beside:.2f} s, which is "
            f"{beside * n_workers / run.counting:.0%} of it, {beside / run.n_passes:.2f} s a pass and "
            f"{1e3 * beside / run.n_tasks:.1f} ms a task; "
            f"peak {run.peak_bytes / 1e9:.2f} GB; {run.tree.n_leaves} leaves",
            flush=True,
        )
        if not asked.no_lightgbm:
            print_lightgbm(fit_lightgbm(fitting_files(folder, asked), n_workers, run.tree.n_leaves), run, asked)
    kernel, shard_kernel = in_memory(asked)  # at the end, because processes inherit the peak of who starts them
    worker = cells(asked, runs[0].tree) / runs[0].counting
    beyond = [n * run.growing.clock * shard_kernel / cells(asked, run.tree) - 1 for n, run in enumerate(runs, 1)]
    print(
        f"in memory, one thread: {kernel:.2e} cells/s, level by level {shard_kernel:.2e}; a worker "
        f"{worker / kernel:.0%} and {worker / shard_kernel:.0%} of that. Growing took {beyond[0]:.0%} and "
        f"{beyond[1]:.0%} more than the kernel alone would, level by level on so many cores"
    )
    print(
        f"from 1 worker to 2: coding {runs[0].coding.clock / runs[1].coding.clock:.2f} ×, growing "
        f"{runs[0].growing.clock / runs[1].growing.clock:.2f} ×; the same tree: "
        f"{runs[0].tree.to_dict() == runs[1].tree.to_dict()}"
    )
    driver(asked)


def fitting_files(folder: Path, asked: argparse.Namespace) -> list[Path]:
    """As many as LightGBM can hold in this machine's memory; all of them, if it is large enough."""
    free = psutil.virtual_memory().available
    files = sorted(folder.glob("*.parquet"))
    in_file = asked.rows * asked.tests * NUMBER_BYTES / len(files)
    return files[: max(1, int(free / LIGHTGBM_COPIES / in_file))]


def print_lightgbm(other: Other, run: Run, asked: argparse.Namespace) -> None:
    share = other.n_rows / asked.rows
    clock = (other.reading.clock + other.fitting.clock) / (run.coding.clock + run.growing.clock) / share
    work = (other.reading.processor + other.fitting.processor) / (run.coding.processor + run.growing.processor) / share
    print(
        f"    LightGBM, {other.n_rows:,} rows: reading {other.reading}, fit {other.fitting}; peak "
        f"{other.peak_bytes / 1e9:.2f} GB; {other.n_leaves} leaves; per row in all {clock:.1f} × our time and "
        f"{work:.1f} × our processor time; its fit alone "
        f"{other.fitting.processor / share / run.growing.processor:.1f} × our growing",
        flush=True,
    )


def cells(asked: argparse.Namespace, tree: bt.Tree) -> int:
    """Rows × tests × levels."""
    return int(asked.rows * asked.tests * max(tree.depth, 1))


if __name__ == "__main__":
    main()
