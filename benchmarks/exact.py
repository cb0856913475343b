"""The exact search, side by side with pystreed where pystreed can do the same, and on whole frontiers.

    python benchmarks/exact.py                the first three of these; minutes, most of them pystreed's
    python benchmarks/exact.py --binary       against pystreed: dna and two random binary tables, at depth 3 and 4
    python benchmarks/exact.py --frontiers    the other eight sets at unit and at random prices, whole frontiers
    python benchmarks/exact.py --pima         pima at its own prices, the whole frontier
    python benchmarks/exact.py --losses       with losses beside without, on the same cases: dna and whole frontiers
    python benchmarks/exact.py --limits       with a second limit beside without: whole frontiers, and dna at 6
    python benchmarks/exact.py --dna5         dna at a budget of 5, alone; long
    python benchmarks/exact.py --cold         the first exact answer of a fresh process, its imports included

pystreed runs with its default settings, as often as budgetree. --no-pystreed-dna4 leaves out dna at depth 4, for which
it takes minutes. It knows binary tests of one price only, where a tree within budget d is a tree of depth d. All times
but those of --cold are warm: everything has run once before.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray
from pystreed import STreeDClassifier

import budgetree as bt

SETS = [name for name in bt.datasets.names()[:9] if name != "dna"]
HIGHEST_PRICE = 10
FLIPPED = 0.2  # the share of a random table's labels that the hidden rule gets wrong
PATIENCE = 3600  # seconds for pystreed, whose own default of 600 a slow machine might need for dna
SHORT = 1.0  # seconds; what takes less is run again and its best time taken
REPEATS = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One row of the comparison with pystreed."""

    name: str
    instance: bt.Instance
    depth: int
    repeats: int
    with_pystreed: bool = True


def random_table(n_objects: int, n_tests: int) -> bt.Instance:
    """Binary tests of various densities; two classes, by a hidden rule of seven tests that is often wrong."""
    rng = np.random.default_rng(0)
    codes = (rng.random((n_objects, n_tests)) < rng.uniform(0.2, 0.8, n_tests)).astype(np.uint8)
    # Anywhere in the table: a solver that tries the tests in their order must not find the rule first.
    a, b, c, d, e, f, g = codes[:, rng.choice(n_tests, 7, replace=False)].T == 1
    rule = (a & b) | (~c & d) | (e & f & ~g)
    return bt.Instance(codes, (rule ^ (rng.random(n_objects) < FLIPPED)).astype(np.int64))


def binary_problems(pystreed_dna4: bool) -> Iterator[Problem]:
    dna = bt.datasets.load("dna")
    yield Problem("dna", dna, depth=3, repeats=REPEATS)
    yield Problem("dna", dna, depth=4, repeats=2, with_pystreed=pystreed_dna4)
    for n_objects, n_tests in ((1_000, 50), (10_000, 40)):
        for depth in (3, 4):
            yield Problem(f"{n_objects:,} × {n_tests}", random_table(n_objects, n_tests), depth, repeats=3)


def compare(problem: Problem) -> str:
    """A row of the table; asserts that both prove their trees to be the best, with as many errors."""
    instance, depth = problem.instance, problem.depth
    assert instance.codes.max() <= 1, "pystreed would cut a column of other values into thresholds"
    codes = instance.codes.astype(np.intc)  # what pystreed works on: its time shall hold no conversion
    bt.optimal(instance, budget=depth)
    fit_pystreed(codes, instance.labels, 1)
    ours = theirs = float("inf")
    for _ in range(problem.repeats):  # alternating, so that a noisy neighbour meets both
        # The processor's time, not the clock's, so that other programs do not matter. Both work on one thread.
        start = time.process_time()
        found = bt.optimal(instance, budget=depth)
        ours = min(ours, time.process_time() - start)
        assert found.proven
        if problem.with_pystreed:
            start = time.process_time()
            peer = fit_pystreed(codes, instance.labels, depth)
            theirs = min(theirs, time.process_time() - start)
            assert peer.fit_result.is_optimal(), "pystreed ran out of time"
            peer_errors = int((peer.predict(codes) != instance.labels).sum())
            assert found.errors == peer_errors, f"budgetree finds {found.errors} errors, pystreed {peer_errors}"
    row = f"{problem.name:>12} {depth:>6} {ours:>12.3f} "
    if not problem.with_pystreed:
        return row + f"{'left out':>11} {'':>8} {found.errors:>17}"
    return row + f"{theirs:>11.3f} {theirs / ours:>7.1f}× {found.errors:>17} {peer_errors:>16}"


def fit_pystreed(codes: NDArray[np.intc], labels: NDArray[np.integer], depth: int) -> STreeDClassifier:
    """pystreed's best tree of a depth, by its default settings.

    The task "accuracy" charges nothing for a node, and columns of 0 and 1 are taken as they are. A new solver for each
    fit, so that none profits from what another has cached.
    """
    solver = STreeDClassifier("accuracy", max_depth=depth, max_num_nodes=2**depth - 1, time_limit=PATIENCE)
    return solver.fit(codes, labels)


def compare_binary(pystreed_dna4: bool) -> None:
    print(
        f"{'binary':>12} {'depth':>6} {'budgetree s':>12} {'pystreed s':>11} {'ratio':>8} "
        f"{'budgetree errors':>17} {'pystreed errors':>16}"
    )
    for problem in binary_problems(pystreed_dna4):
        print(compare(problem), flush=True)


def time_frontier(instance: bt.Instance, time_limit: float) -> tuple[float, bt.Frontier]:
    """The exact frontier and how long it takes, warm: the best of several when that is short."""
    start = time.perf_counter()
    frontier = bt.frontier(instance, method="exact", time_limit=time_limit, progress=False, folds=0)
    if not frontier.complete:  # a warm run would be cut short as well
        return time.perf_counter() - start, frontier
    best, repeats = float("inf"), 0
    while repeats == 0 or (best < SHORT and repeats < REPEATS):
        start = time.perf_counter()
        frontier = bt.frontier(instance, method="exact", time_limit=time_limit, progress=False, folds=0)
        best = min(best, time.perf_counter() - start)
        repeats += 1
    return best, frontier


def at_random_prices(instance: bt.Instance, seed: int) -> bt.Instance:
    prices = np.random.default_rng(seed).integers(1, HIGHEST_PRICE + 1, instance.n_tests).tolist()
    return instance.priced(dict(zip(instance.test_names, prices, strict=True)))


def frontiers(time_limit: float) -> None:
    """Whole frontiers of the small sets, at unit prices and at random ones."""
    totals = np.zeros((2, 3))  # seconds, points and proven frontiers, for either kind of prices
    print(f"{'':>14}  {'unit prices':^25}  {f'prices 1 to {HIGHEST_PRICE}':^25}")
    print(f"{'frontier':>14}" + 2 * f"  {'s':>9} {'points':>7} {'proven':>7}")
    for seed, name in enumerate(SETS):
        unit = bt.datasets.load(name, prices=1)
        row = f"{name:>14}"
        for total, instance in zip(totals, (unit, at_random_prices(unit, seed)), strict=True):
            seconds, frontier = time_frontier(instance, time_limit)
            proven = frontier.complete and all(point.proven for point in frontier)
            total += seconds, len(frontier), proven
            row += f"  {seconds:>9.3f} {len(frontier):>7} {'yes' if proven else 'no':>7}"
        print(row, flush=True)
    row = f"{'all eight':>14}"
    for seconds, points, proven in totals:
        row += f"  {seconds:>9.3f} {points:>7.0f} {f'{proven:.0f} of {len(SETS)}':>7}"
    print(row)


def pima(time_limit: float) -> None:
    seconds, frontier = time_frontier(bt.datasets.load("pima"), time_limit)
    proven = sum(point.proven for point in frontier)
    print(
        f"{'pima':>14}  {seconds:>9.3f} s at its own prices: {len(frontier)} points, {proven} of them proven"
        + ("" if frontier.complete else "; cut short by the time limit")
    )


def loss_kinds(n_classes: int) -> dict[str, bt.Losses]:
    """One class that must not be missed, a referral beside it, and losses at random."""
    missed = np.where(np.arange(n_classes) == 0, 50, 1)[:, None] * (1 - np.eye(n_classes, dtype=int))
    drawn = np.random.default_rng(0).integers(1, 11, (n_classes, n_classes)) * (1 - np.eye(n_classes, dtype=int))
    return {
        "miss 50": bt.Losses(missed),
        "and refer 4": bt.Losses(missed, answers={"refer": 4}),
        "1 to 10": bt.Losses(drawn),
    }


def with_losses(instance: bt.Instance, losses: bt.Losses | None) -> bt.Instance:
    """The very same cases: an instance made from a table would keep all its rows where losses are given."""
    names = {"test_names": instance.test_names, "outcome_names": instance.outcome_names}
    return bt.Instance(instance.codes, instance.labels, class_names=instance.class_names, losses=losses, **names)


def time_searches(instances: dict[str, bt.Instance], depth: int | None, repeats: int = REPEATS) -> dict[str, float]:
    """Processor seconds of one budget, or of the whole frontier; alternating, the best of several."""
    best = dict.fromkeys(instances, float("inf"))
    for _ in range(repeats if depth != 4 else 1):
        for name, instance in instances.items():
            start = time.process_time()
            if depth is None:
                assert bt.frontier(instance, method="exact", progress=False, folds=0).complete
            else:
                assert bt.optimal(instance, budget=depth).proven
            best[name] = min(best[name], time.process_time() - start)
    return best


def losses() -> None:
    """With losses beside without, and how many times as long it takes."""
    kinds = list(loss_kinds(2))
    print(f"{'losses':>14} {'none s':>9}" + "".join(f" {kind + ' s':>14} {'':>6}" for kind in kinds))
    totals = np.zeros(1 + len(kinds))
    problems = [("dna", 3), ("dna", 4), *((name, None) for name in SETS)]
    for name, depth in problems:
        unit = bt.datasets.load(name, prices=1)
        given = {"none": None, **loss_kinds(unit.n_classes)}
        seconds = time_searches({kind: with_losses(unit, losses) for kind, losses in given.items()}, depth)
        none, *others = seconds.values()
        totals += 0 if depth else np.array([none, *others])
        label = name if depth is None else f"{name} at {depth}"
        print(f"{label:>14} {none:>9.3f}" + "".join(f" {s:>14.3f} {s / none:>5.1f}×" for s in others), flush=True)
    none, *others = totals.tolist()
    print(f"{'all eight':>14} {none:>9.3f}" + "".join(f" {s:>14.3f} {s / none:>5.1f}×" for s in others))


def limits() -> None:
    """With a second limit that binds beside without, at prices 1 to 10, and how many times as long it takes."""
    kinds = ("4 tests", "12 minutes", "20 minutes")
    print(f"{'limits':>14} {'none s':>9}" + "".join(f" {kind + ' s':>14} {'':>6}" for kind in kinds))
    totals = np.zeros(1 + len(kinds))
    for seed, name in enumerate([*SETS, "dna"]):
        unit = bt.datasets.load(name, prices=1)
        rng = np.random.default_rng(seed)
        prices, minutes = (
            dict(zip(unit.test_names, rng.integers(1, HIGHEST_PRICE + 1, unit.n_tests).tolist(), strict=True))
            for _ in range(2)
        )
        further = [{}, {"tests": 4}, *({"minutes": bt.Limit(most, tests=minutes)} for most in (12, 20))]
        given = dict(zip(("none", *kinds), (bt.Prices(prices, limits=one) for one in further), strict=True))
        instances = {kind: unit.priced(prices) for kind, prices in given.items()}
        seconds = np.array(list(time_searches(instances, 6 if name == "dna" else None, repeats=1).values()))
        totals += seconds
        _print_ratios(name, seconds)
    _print_ratios("all nine", totals)


def _print_ratios(name: str, seconds: NDArray[np.float64]) -> None:
    none, *others = seconds.tolist()
    print(f"{name:>14} {none:>9.3f}" + "".join(f" {s:>14.3f} {s / none:>5.1f}×" for s in others), flush=True)


def dna5() -> None:
    dna = bt.datasets.load("dna")
    bt.optimal(dna, budget=3)  # warm; a whole run would take as long as the one that is timed
    start = time.perf_counter()
    found = bt.optimal(dna, budget=5)
    seconds = time.perf_counter() - start
    outcome = "proven" if found.proven else f"not proven, at least {found.lower_bound}"
    print(f"{'dna':>14}  {seconds:>9.1f} s at a budget of 5: {found.errors} errors, {outcome}")


FIRST_ANSWER = """
import sys, time
start = time.perf_counter()
import budgetree as bt
instance = bt.datasets.load(sys.argv[1], prices=1)
print(time.perf_counter() - start)
for _ in range(2):
    start = time.perf_counter()
    bt.optimal(instance, budget=3)
    print(time.perf_counter() - start)
"""


def cold() -> None:
    """What a fresh process waits for: budgetree and the data, then the first exact answer; and the second one."""
    print(f"{'fresh process':>14}  {'import and data':>16} {'first answer':>13} {'together':>9} {'second answer':>14}")
    for name in ("house_votes", "wdbc", "dna"):
        command = [sys.executable, "-c", FIRST_ANSWER, name]
        runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(REPEATS)]
        times = [tuple(map(float, run.split())) for run in runs]
        loading, first, second = min(times, key=lambda each: each[0] + each[1])
        together = loading + first
        print(f"{name:>14}  {loading:>14.2f} s {first:>11.2f} s {together:>7.2f} s {second:>12.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", action="store_true", help="against pystreed on binary tests")
    parser.add_argument("--frontiers", action="store_true", help="whole frontiers of eight sets")
    parser.add_argument("--pima", action="store_true", help="pima's whole frontier at its own prices")
    parser.add_argument("--losses", action="store_true", help="with losses beside without")
    parser.add_argument("--limits", action="store_true", help="with a second limit beside without")
    parser.add_argument("--dna5", action="store_true", help="dna at a budget of 5")
    parser.add_argument("--cold", action="store_true", help="first answers of fresh processes")
    parser.add_argument(
        "--pystreed-dna4",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether --binary runs pystreed on dna at depth 4",
    )
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for a frontier (default 60)")
    wanted = parser.parse_args()
    chosen = (
        wanted.binary or wanted.frontiers or wanted.pima or wanted.losses or wanted.limits or wanted.dna5 or wanted.cold
    )
    if wanted.binary or not chosen:
        compare_binary(wanted.pystreed_dna4)
    if wanted.frontiers or not chosen:
        frontiers(wanted.time_limit)
    if wanted.pima or not chosen:
        pima(wanted.time_limit)
    if wanted.losses:
        losses()
    if wanted.limits:
        limits()
    if wanted.dna5:
        dna5()
    if wanted.cold:
        cold()


if __name__ == "__main__":
    main()
