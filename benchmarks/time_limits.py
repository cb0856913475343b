"""Time limits: how far beyond its limit each call goes that takes one, and what more time buys.

    python benchmarks/time_limits.py [--seconds 1] [--repeats 1] [--small] [--processor] [--calls frontier …]
    python benchmarks/time_limits.py --curve [5 10 20 40 80 160 320] [--processor]

With --curve, the errors of `optimal` and the least that any tree makes, for each limit on three tables: neither may get
worse with more time.

Prints, per table and call, the limit, the wall time, what it is beyond the limit, and the processor time. The goal is
at most 0.3 seconds or a tenth beyond, whatever the table. Every call gets a table that nothing has been computed of;
"numbers" are read from a frame of floats, which folds and fine levels code again. Of a command, what it takes with a
limit of 0 is left out: it reads the file and writes the tree.
Where other programs keep the machine busy, a call waits for the processor when its time is over: of several repeats the
one that took least counts, and a wall time far above the processor time says little. With --processor (Linux, needs a C
compiler) all clocks, those of the limits too, tell the time that this process has had the processor.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt
from budgetree.cli import main as command_line

SHAPES = [(100_000, 50, 2), (4_000, 4_000, 2), (200_000, 30, 2), (2_000, 12, 500)]  # cases, tests, classes
SMALL = [(2_000, 20, 2), (500, 500, 2), (300, 8, 60)]
ALLOWED_SECONDS, ALLOWED_SHARE = 0.3, 0.1
MAX_CELLS = 2_000_000  # of a file
PROCESSOR_CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    return syscall(SYS_clock_gettime, id == CLOCK_MONOTONIC ? CLOCK_PROCESS_CPUTIME_ID : id, now);
}
"""
NO_LIMIT = ("grow",)  # for comparison
CLASSIFIERS = (bt.OptimalBudgetTreeClassifier, bt.BudgetTreeClassifier)

Call = Callable[[], Any]


class Table:
    """Classes that follow a few tests, but for half of the cases."""

    def __init__(self, n_cases: int, n_tests: int, n_classes: int) -> None:
        rng = np.random.default_rng(0)
        self.codes = rng.integers(0, 3, (n_cases, n_tests)).astype(np.uint8)
        rule = self.codes[:, :6] @ (3 ** np.arange(6)) % n_classes
        self.labels = np.where(rng.random(n_cases) < 0.5, rng.integers(0, n_classes, n_cases), rule)
        self.classes = list(range(n_classes))
        self.words = f"{n_cases:,} × {n_tests:,}, {n_classes}"
        self.noise = rng.normal(0, 0.2, self.codes.shape).round(4)

    def instance(self) -> bt.Instance:
        """A new one, of which nothing has been computed yet."""
        return bt.Instance(self.codes, self.labels, class_names=self.classes)

    def with_losses(self) -> bt.Instance:
        """The same where overlooking the first class costs three times as much."""
        return bt.Instance(self.codes, self.labels, class_names=self.classes, losses={0: 3})

    def numbers(self) -> bt.Instance:
        """The same as raw numbers, nearly all of them different."""
        return bt.Instance.from_frame(self.frame, "class")

    @cached_property
    def frame(self) -> pd.DataFrame:
        frame = pd.DataFrame(self.codes + self.noise).rename(columns=str)
        return frame.assign(**{"class": self.labels})

    def with_fees(self) -> bt.Instance:
        """The same where tests cost 1 to 3, and every second one a visit."""
        prices = {str(test): 1 + test % 3 for test in range(self.codes.shape[1])}
        shared = {"visit": (2, [str(test) for test in range(0, self.codes.shape[1], 2)])}
        return bt.Instance(self.codes, self.labels, class_names=self.classes, prices=bt.Prices(prices, shared=shared))

    def shards(self, folder: str) -> bt.Shards:
        """The same in a folder, in four shards or so."""
        path = tempfile.mkdtemp(dir=folder)
        os.rmdir(path)
        return bt.Shards.from_instance(self.instance(), path, max_rows=-(-len(self.codes) // 4))

    def file(self, folder: str) -> str:
        """The numbers as a CSV file, with as many rows as are written in a moment."""
        path = os.path.join(folder, "cases.csv")
        self.frame.iloc[: MAX_CELLS // self.codes.shape[1]].to_csv(path, index=False)
        return path


def faults(n_cases: int = 38_514, n_tests: int = 40) -> bt.Instance:
    """Units with one of twelve faults, each of which shows in the tests but for one in a hundred."""
    rng = np.random.default_rng(12)
    fault = rng.choice(12, n_cases, p=np.arange(12, 0, -1) / 78)
    shows = rng.integers(0, 2, (12, n_tests))[fault]
    flips = rng.random(shows.shape) < np.where(np.arange(n_tests) % 3, 0.01, 0.0005)
    return bt.Instance((shows ^ flips).astype(np.uint8), fault)


def curve(limits: list[float]) -> None:
    """Prints what each limit finds and proves."""
    tables = {
        "38,514 × 40, faults": (faults(), 5),
        "2,000 × 30": (Table(2_000, 30, 3).instance(), 5),
        "20,000 × 40, priced": (Table(20_000, 40, 3).with_fees(), 7),
    }
    print(f"{'table':<22}{'limit':>8}{'errors':>9}{'at least':>10}{'took':>10}")
    for name, (instance, budget) in tables.items():
        before = (float("inf"), -1.0)
        for seconds in limits:
            began = time.perf_counter()
            tree = bt.optimal(instance, budget=budget, time_limit=seconds, progress=False)
            took, now = time.perf_counter() - began, (tree.errors, tree.lower_bound)
            worse = "  worse" if now[0] > before[0] or now[1] < before[1] else ""
            proven = " proven" if tree.proven else ""
            print(f"{name:<22}{seconds:>6g} s{now[0]:>9g}{now[1]:>10g}{took:>8.1f} s{proven}{worse}", flush=True)
            before = now


def calls(table: Table, seconds: float, folder: str) -> dict[str, Callable[[], Call]]:
    """What makes each call ready, by its name."""
    limits: dict[str, Any] = {"time_limit": seconds, "progress": False}
    ready: dict[str, Callable[[], Call]] = {}
    for suffix, make in (("", table.instance), (" losses", table.with_losses)):
        ready |= {
            "grow" + suffix: _with(make, bt.grow),
            "certify" + suffix: _with_tree(make, lambda cases, tree: bt.certify(cases, tree, **limits)),
            "check" + suffix: _check(make, seconds),
            "optimal" + suffix: _with(make, lambda cases: bt.optimal(cases, budget=5, **limits)),
            "frontier" + suffix: _with(make, lambda cases: bt.frontier(cases, objective="known", **limits)),
            "predictive" + suffix: _with(make, lambda cases: bt.predictive(cases, budget=5, **limits)),
        }
    fees, numbers = table.with_fees, table.numbers
    ready |= {
        "certify fees": _with_tree(fees, lambda cases, tree: bt.certify(cases, tree, **limits)),
        "check fees": _check(fees, seconds),
        "optimal fees": _with(fees, lambda cases: bt.optimal(cases, budget=7, **limits)),
        "frontier fees": _with(fees, lambda cases: bt.frontier(cases, objective="known", **limits)),
        "optimal numbers": _with(numbers, lambda cases: bt.optimal(cases, budget=5, **limits)),
        "frontier numbers": _with(numbers, lambda cases: bt.frontier(cases, objective="known", **limits)),
        "frontier min_cases": _with(numbers, lambda cases: bt.frontier(cases, min_cases=20, **limits)),
        "frontier greedy": _with(numbers, lambda cases: bt.frontier(cases, method="greedy", **limits)),
        "frontier gini": _with(
            numbers, lambda cases: bt.frontier(cases, method="greedy", impurities=[bt.Gini()], **limits)
        ),
        "frontier numbers new": _with(numbers, lambda cases: bt.frontier(cases, objective="new", **limits)),
        "predictive numbers": _with(numbers, lambda cases: bt.predictive(cases, budget=5, **limits)),
        "predictive tree": _with(numbers, lambda cases: bt.predictive(cases, budget=5, leaves="tree", **limits)),
        "frontier shards": lambda: partial(bt.frontier, table.shards(folder), method="greedy", **limits),
    }
    ready["frontier exact"] = _with(
        table.instance, lambda cases: bt.frontier(cases, method="exact", max_budget=5, **limits)
    )
    ready["frontier new"] = _with(table.instance, lambda cases: bt.frontier(cases, objective="new", **limits))
    ready |= {kind.__name__: _fit(table, seconds, kind) for kind in CLASSIFIERS}
    for words in (
        "fit --budget 5",
        "fit --budget 5 --objective known",
        "fit --budget 5 --certificate",
        "fit --max-error 0",
        "frontier",
    ):
        ready[f"budgetree {words}"] = _command(table, folder, words.split(), seconds)
    return ready


def _with(make: Callable[[], bt.Instance], call: Callable[[bt.Instance], Any]) -> Callable[[], Call]:
    return lambda: partial(call, make())


def _with_tree(make: Callable[[], bt.Instance], call: Callable[[bt.Instance, bt.Tree], Any]) -> Callable[[], Call]:
    return lambda: partial(call, make(), bt.grow(make()))


def _check(make: Callable[[], bt.Instance], seconds: float) -> Callable[[], Call]:
    def ready() -> Call:
        cases = make()
        certificate = bt.certify(cases, bt.grow(cases), time_limit=seconds, progress=False)
        return partial(certificate.check, make(), time_limit=seconds)

    return ready


def _fit(table: Table, seconds: float, kind: type) -> Callable[[], Call]:
    def fit(classifier: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the time was over
            classifier.fit(table.codes, table.labels)

    return lambda: partial(fit, kind(budget=5, time_limit=seconds))


def _command(table: Table, folder: str, words: list[str], seconds: float) -> Callable[[], Call]:
    """A command, and how long it takes without any time to search."""
    written = ["-o", os.path.join(folder, "tree.json")] if words[0] == "fit" else []
    if words[-1] == "--certificate":
        written = [os.path.join(folder, "proof.json"), *written]
    known = ["--objective", "known"] if words[-1] in ("--certificate", "0", "frontier") else []

    def run(path: str, limit: float) -> None:
        arguments = [words[0], path, "--target", "class", *known, *words[1:], *written, "--time-limit", str(limit)]
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
            if command_line(arguments) not in (0, 1):
                raise RuntimeError(said.getvalue())

    def ready() -> Call:
        path = table.file(folder)
        run(path, 0)
        began = time.perf_counter()
        run(path, 0)
        return Command(partial(run, path, seconds), time.perf_counter() - began)

    return ready


@dataclass(frozen=True)
class Command:
    """A call, and what of it is no search."""

    run: Call
    seconds_elsewhere: float

    def __call__(self) -> None:
        self.run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="the limit of every call")
    parser.add_argument("--repeats", type=int, default=1, help="the best of so many counts")
    parser.add_argument("--small", action="store_true", help="small tables, to see that it runs")
    parser.add_argument("--calls", nargs="*", help="only calls whose names begin so")
    parser.add_argument("--shape", type=int, nargs=3, metavar="N", help="only a table of so many cases, tests, classes")
    parser.add_argument("--processor", action="store_true", help="let all clocks tell the processor time")
    parser.add_argument("--curve", type=float, nargs="*", metavar="S", help="what limits of so many seconds find")
    options = parser.parse_args()
    if options.processor:
        sys.exit(_by_processor_time([argument for argument in sys.argv if argument != "--processor"]))
    if options.curve is not None:
        curve(options.curve or [5 * 2.0**power for power in range(7)])
        return
    shapes = SMALL if options.small else SHAPES
    print(f"{'cases × tests, classes':>26}  {'call':<48}{'limit':>6}{'took':>9}{'beyond':>9}{'processor':>11}")
    for shape in [tuple(options.shape)] if options.shape else shapes:
        table = Table(*shape)
        with tempfile.TemporaryDirectory() as folder:
            for name, ready in calls(table, options.seconds, folder).items():
                if not options.calls or name.startswith(tuple(options.calls)):
                    took, processor = min(_timed(ready()) for _ in range(options.repeats))
                    _print(table.words, name, options.seconds, took, processor)


def _by_processor_time(arguments: list[str]) -> int:
    """This program again, in a process whose steady clock is its processor time; one thread for NumPy, which spins."""
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/processor_clock.so"
        compiler = ["cc", "-O2", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
        subprocess.run(compiler, input=PROCESSOR_CLOCK, text=True, check=True)
        environment = {**os.environ, "LD_PRELOAD": library, "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.run([sys.executable, *arguments], env=environment, check=False).returncode


def _timed(call: Call) -> tuple[float, float]:
    elsewhere = call.seconds_elsewhere if isinstance(call, Command) else 0.0
    began, used = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began - elsewhere, time.process_time() - used


def _print(words: str, name: str, seconds: float, took: float, processor: float) -> None:
    is_limited = not name.startswith(NO_LIMIT)
    beyond = max(took - seconds, 0.0) if is_limited else 0.0
    late = "" if beyond <= max(ALLOWED_SECONDS, ALLOWED_SHARE * seconds) else "  late"
    limit = f"{seconds:g} s" if is_limited else "–"
    print(f"{words:>26}  {name:<48}{limit:>6}{took:>7.2f} s{beyond:>7.2f} s{processor:>9.2f} s{late}", flush=True)


if __name__ == "__main__":
    main()
