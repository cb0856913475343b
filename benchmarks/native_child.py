"""What native.py runs on either side, in a process of its own; prints {name: Timing} as JSON.

    python benchmarks/native_child.py dna 3

It uses only what both versions have: the one beside may know no `threads=` for growth.
"""

from __future__ import annotations

import argparse
import inspect
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

HIGHEST_PRICE = 10  # as exact.py
SHORT = 1.0  # seconds; what takes less is run again and its best time taken
REPEATS = 5


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of the processor on all threads, seconds by the clock, and what was found: both sides find the same."""

    processor: float
    wall: float
    answer: str = ""


Timings = dict[str, Timing]


def time_once(job: Callable[[], Any]) -> Timing:
    wall, processor = time.perf_counter(), time.process_time()
    found = job()
    processor, wall = time.process_time() - processor, time.perf_counter() - wall
    return Timing(processor, wall, describe(found))


def best(timings: Sequence[Timing]) -> Timing:
    """The least of either clock: on a shared machine the others measure the neighbours."""
    return Timing(
        min(timing.processor for timing in timings), min(timing.wall for timing in timings), timings[0].answer
    )


def measure(job: Callable[[], Any], repeats: int = REPEATS) -> Timing:
    """The best of several runs, one of what takes long; after one that loads whatever has to be."""
    job()
    timings = [time_once(job)]
    while len(timings) < repeats and timings[0].processor < SHORT:
        timings.append(time_once(job))
    return best(timings)


def without_folds(frontier: Callable[..., Any]) -> dict[str, int]:
    """A search alone, where the version could also estimate the error on new cases."""
    return {"folds": 0} if "folds" in inspect.signature(frontier).parameters else {}


def describe(found: Any) -> str:
    """What was found; up to the colon it is printed, and all of it is compared."""
    if hasattr(found, "proven"):  # a solution
        return f"{found.errors:,} errors, {'proven' if found.proven else 'not proven'}"
    if hasattr(found, "n_leaves"):  # a tree
        return f"{found.n_leaves:,} leaves"
    points = " ".join(f"{point.errors} for {float(point.max_cost):g}," for point in found)
    return f"{len(found)} points: {points}"


def large(table: str, settings: str) -> Timings:
    """A large growth on one thread: of a fresh instance, packing and sorting included, and again."""
    import budgetree as bt

    options = json.loads(settings)
    if "threads" in inspect.signature(bt.grow).parameters:
        options["threads"] = 1
    fresh, again = [], []
    for _ in range(4):
        instance = read(table)
        instance.n_classes  # noqa: B018  (found once per instance, on either side alike)
        for timings in (fresh, again):
            timings.append(time_once(lambda: bt.grow(instance, **options)))  # noqa: B023
    return {"fresh instance": best(fresh[1:]), "again": best(again)}


def first(table: str, settings: str) -> Timings:
    """The first growth of a process, as a user asks for it: on all cores."""
    import budgetree as bt

    instance = read(table)
    return {"first growth of a process": time_once(lambda: bt.grow(instance, **json.loads(settings)))}


def read(table: str) -> Any:
    import numpy as np

    import budgetree as bt

    return bt.Instance(np.load(f"{table}.codes.npy"), np.load(f"{table}.labels.npy"))


def small(name: str) -> Timings:
    """A tree and the portfolio's frontier of one of the nine sets."""
    import budgetree as bt

    instance = bt.datasets.load(name)
    return {
        f"grow {name}": measure(lambda: bt.grow(instance), repeats=100),
        f"portfolio {name}": measure(
            lambda: bt.frontier(instance, method="greedy", progress=False, **without_folds(bt.frontier))
        ),
    }


def dna(budget: str, warm_up: str) -> Timings:
    """The best tree for dna; warmed up at a budget that may be smaller, for a long run should not be made twice."""
    import budgetree as bt

    instance = bt.datasets.load("dna")
    name = f"dna, {budget} tests"
    if warm_up == budget:
        return {name: measure(lambda: bt.optimal(instance, budget=int(budget)))}
    bt.optimal(instance, budget=int(warm_up))
    return {name: time_once(lambda: bt.optimal(instance, budget=int(budget)))}


def frontiers(name: str, seed: str) -> Timings:
    """One set's whole exact frontiers, at unit prices and at exact.py's random ones."""
    import numpy as np

    import budgetree as bt

    unit = bt.datasets.load(name, prices=1)
    prices = np.random.default_rng(int(seed)).integers(1, HIGHEST_PRICE + 1, unit.n_tests).tolist()
    at_random_prices = unit.priced(dict(zip(unit.test_names, prices, strict=True)))
    return {
        f"unit prices {name}": measure(
            lambda: bt.frontier(unit, method="exact", progress=False, **without_folds(bt.frontier))
        ),
        f"random prices {name}": measure(
            lambda: bt.frontier(at_random_prices, method="exact", progress=False, **without_folds(bt.frontier))
        ),
    }


JOBS: dict[str, Callable[..., Timings]] = {
    "large": large,
    "first": first,
    "small": small,
    "dna": dna,
    "frontiers": frontiers,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("arguments", nargs="*")
    asked = parser.parse_args()
    timings = JOBS[asked.job](*asked.arguments)
    print(json.dumps({name: asdict(timing) for name, timing in timings.items()}))


if __name__ == "__main__":
    main()
