"""This interpreter's budgetree beside another one's, each in processes of its own; prints ratios of processor time.

    python benchmarks/native.py --beside /path/to/other/python               all but the long one; about six minutes
    python benchmarks/native.py --beside /path/to/other/python --only dna    one part
    python benchmarks/native.py --beside /path/to/other/python --long        also dna at 5 tests

    400k, 1M     one large growth, on one thread: of a fresh instance (packing and sorting are in it), and again; then
                 the first of a process
    small        a tree and the portfolio's frontier for each of the nine sets
    dna          the best tree within 3 and 4 tests
    frontiers    the exact frontiers of the other eight sets, at unit prices and at random ones
    fresh        whole processes, from their start to their end: the first exact answer, and a command

The sides alternate, so that a noisy neighbour meets both, and everything has run once before. Threads are what either
side takes by default, but for the large growths; processor time counts them all. Times are the best of some rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from native_child import Timing, Timings, best

import budgetree as bt

CHILD = Path(__file__).with_name("native_child.py")
ROUNDS = 3
SETS = bt.datasets.names()[:9]
OTHERS = [name for name in SETS if name != "dna"]
LARGE = {  # the seed's tables, and what is asked of them
    "400k": (400_000, {"delta": 41_800}),
    "1M": (1_000_000, {"budget": 2}),
}
FIRST_ANSWER = """
import budgetree as bt
bt.optimal(bt.datasets.load("house_votes", prices=1), budget=3)
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing measured on both sides."""

    name: str
    ours: Timing
    theirs: Timing

    def __str__(self) -> str:
        ours, theirs = self.ours, self.theirs
        text = (
            f"{self.name:>32} {show(ours.processor):>9} {show(theirs.processor):>9} "
            f"{theirs.processor / ours.processor:>6.2f}× {show(ours.wall):>9} {show(theirs.wall):>9}"
        )
        if ours.answer != theirs.answer:
            return f"{text}   the answers differ: {ours.answer} | {theirs.answer}"
        return f"{text}   {ours.answer.partition(':')[0]}".rstrip()


HEAD = f"{'':>32} {'processor':>9} {'other':>9} {'ratio':>7} {'clock':>9} {'other':>9}"


def show(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms"


def total(name: str, rows: Iterable[Row]) -> Row:
    """What all the rows take whose names begin like this."""
    chosen = [row for row in rows if row.name.startswith(f"{name} ")]
    ours, theirs = (
        Timing(sum(timing.processor for timing in side), sum(timing.wall for timing in side))
        for side in ([row.ours for row in chosen], [row.theirs for row in chosen])
    )
    return Row(f"{name}, all {len(chosen)}", ours, theirs)


def compare(beside: str, measure: Callable[[str], Timings], rounds: int = ROUNDS) -> list[Row]:
    """The best of some rounds on each side."""
    sides: dict[str, list[Timings]] = {sys.executable: [], beside: []}
    for _ in range(rounds):
        for python, found in sides.items():
            found.append(measure(python))
    ours, theirs = sides.values()
    return [
        Row(name, best([found[name] for found in ours]), best([found[name] for found in theirs])) for name in ours[0]
    ]


def child(job: str, *arguments: str) -> Callable[[str], Timings]:
    """What one of native_child.py's jobs measures, by an interpreter."""

    def measure(python: str) -> Timings:
        done = run([python, str(CHILD), job, *arguments])
        return {name: Timing(**timing) for name, timing in json.loads(done.stdout).items()}

    return measure


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Away from any checkout: what is measured is what the interpreter has installed."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=tempfile.gettempdir())


def settle_environment(bytecode: str) -> None:
    """Either side imports its own installation, and as one that pip has made: compiled, whatever this shell forbids."""
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
        os.environ.pop(name, None)
    os.environ["PYTHONPYCACHEPREFIX"] = bytecode  # not into the checkouts; either side writes it when it warms up


def time_process(command: list[str]) -> Timing:
    wall, processor = time.perf_counter(), children_time()
    run(command)
    return Timing(children_time() - processor, time.perf_counter() - wall)


def children_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def make_table(n_cases: int, path: Path) -> None:
    """As growth.py makes it; there the reasons."""
    import numpy as np
    from growth import coded_classification

    codes, labels = coded_classification(n_cases, 2)
    np.save(f"{path}.codes.npy", codes)
    np.save(f"{path}.labels.npy", labels)


def large(beside: str, name: str, folder: Path) -> Iterator[Row]:
    n_cases, settings = LARGE[name]
    table = folder / f"table_{n_cases}"
    if not Path(f"{table}.codes.npy").exists():
        make_table(n_cases, table)
    print(f"{n_cases:,} × 50, {', '.join(f'{key} {value:,}' for key, value in settings.items())}")
    for job in ("large", "first"):
        yield from compare(beside, child(job, str(table), json.dumps(settings)))


def small(beside: str) -> Iterator[Row]:
    print("the nine sets, greedy")
    rows = []
    for name in SETS:
        rows += compare(beside, child("small", name))
        yield from rows[-2:]
    yield total("grow", rows)
    yield total("portfolio", rows)


def dna(beside: str, is_long: bool) -> Iterator[Row]:
    print("the best tree for dna")
    yield from compare(beside, child("dna", "3", "3"))
    yield from compare(beside, child("dna", "4", "4"), rounds=2)
    if is_long:
        yield from compare(beside, child("dna", "5", "3"), rounds=1)


def frontiers(beside: str) -> Iterator[Row]:
    print("whole exact frontiers")
    rows = []
    for seed, name in enumerate(OTHERS):
        rows += compare(beside, child("frontiers", name, str(seed)), rounds=2)
        yield from rows[-2:]
    yield total("unit prices", rows)
    yield total("random prices", rows)


def fresh(beside: str) -> Iterator[Row]:
    print("fresh processes")

    def measure(python: str) -> Timings:
        command = str(Path(python).with_name("budgetree"))
        return {
            "first answer, house_votes": time_process([python, "-c", FIRST_ANSWER]),
            "budgetree frontier pima": time_process([command, "frontier", "pima", "--objective", "known"]),
        }

    measure(sys.executable), measure(beside)
    yield from compare(beside, measure, rounds=5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", required=True, help="the other version's interpreter")
    parser.add_argument("--only", choices=[*LARGE, "small", "dna", "frontiers", "fresh"], help="one part of it")
    parser.add_argument("--long", action="store_true", help="also dna at 5 tests; minutes")
    parser.add_argument("--tables", type=Path, help="a folder that keeps the large tables for the next run")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as bytecode:
        settle_environment(bytecode)
        folder = (asked.tables or Path(scratch)).absolute()
        parts = {name: large(asked.beside, name, folder) for name in LARGE} | {
            "small": small(asked.beside),
            "dna": dna(asked.beside, asked.long),
            "frontiers": frontiers(asked.beside),
            "fresh": fresh(asked.beside),
        }
        print(HEAD)
        for name, rows in parts.items():
            if asked.only in (None, name):
                for row in rows:
                    print(row, flush=True)


if __name__ == "__main__":
    main()
