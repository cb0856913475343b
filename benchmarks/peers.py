"""budgetree and its peers on the same tables in one run: errors at equal worst-case cost, and seconds.

    pip install '.[bench]'
    python benchmarks/peers.py                 the paper's nine sets, the synthetic one, and pima at its real prices
    python benchmarks/peers.py --quick         three small ones
    python benchmarks/peers.py --csv FILE      every number in a file as well

Every method is asked the same: if no case may cost more than B, how few of the known cases can be wrong? The cost of a
path is the sum of the prices of the different tests on it, a shared fee once; a tree's is that of its costliest path.
No peer takes such a ceiling as it is, so each gets a sweep over the parameters that it has, and the best tree within B
counts. Every tree, ours included, is read into one form, walked here, and must predict what its maker says.

scikit-learn   every depth from 1 to 20 and a list of leaf counts, gini and entropy, outcome codes as numbers and
               one-hot; where prices differ, also without the columns that a budget cannot buy
LightGBM       one tree; its penalties for the cost of features over a grid of trade-offs and depths, outcome codes as
               numbers and as categories; and every affordable set of columns as interaction constraints, where these
               are not too many, which is a ceiling in effect
pystreed       optimal binary trees, codes cut at every level: at unit prices the task "accuracy" for every depth, at
               other prices the task "cost-sensitive" over a grid of prices for an error, also without the columns
               that a budget cannot buy

Seconds are the clock's and hold the fits of the whole sweep, not our checks. Everything is loaded before
the clock starts. Peers work on one thread; so does budgetree, but for the long exact searches (dna's), which take all
cores.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from peer_lightgbm import lightgbm_tree
from peer_ours import budgetree_exact, budgetree_greedy
from peer_pystreed import pystreed_trees
from peer_sklearn import sklearn_tree
from peer_trees import (
    COST_DEPTHS,
    Case,
    Sweep,
)

import budgetree as bt

UNIT_BUDGETS = ("1", "2", "3", "4", "5")
PIMA_BUDGETS = ("2", "4", "6", "19.61", "21.61", "27.78")
METHODS: dict[str, Callable[[Case], Sweep]] = {
    "greedy": budgetree_greedy,
    "exact": budgetree_exact,
    "scikit-learn": sklearn_tree,
    "LightGBM": lightgbm_tree,
    "pystreed": pystreed_trees,
}
PEERS = ("scikit-learn", "LightGBM", "pystreed")
WIDTH = 13

CANNOT = """What each can do. "Sweep": not as a parameter, only by trying others until a tree happens to fit.

                          budgetree   scikit-learn  LightGBM      pystreed
worst-case ceiling        yes         sweep         sets, 1)      sweep, 2)
tests of many outcomes    yes         no            subsets, 3)   no
a column's price once     yes         no            yes, 4)       yes
shared fees               yes         no            in sets, 1)   yes, one per column
prices per outcome        yes         no            no            no
proof of the fewest       yes         no            no            for a depth, or mean cost
errors against cost       frontier    no            sweep         sweep, 5)
more than two classes     yes         yes           a tree each   yes

1) by listing every affordable set of columns as interaction constraints; 34,220 of them for three tests of sonar's 60.
2) at unit prices and binary tests a depth is a ceiling; else it bounds the splits, not what they cost.
3) a category split sends a subset of the outcomes each way: two branches.
4) its penalties count a column once for the tree or once for a row; they are weighed against the gain, not added up.
5) the task "cost-sensitive" minimises the mean cost of tests and errors, not the worst case."""

EXPLAINED = """No binary tree can beat a proven exact one at equal cost. Once a test is paid, its outcome is known,
and our split uses all of it; the thresholds that a binary tree puts on a paid column, as often as it likes and free of
charge, only join some of them. Such a tree has fewer leaves and may do better on new cases, which are not counted
here. Where our search was stopped (*), a peer may be ahead."""


def cell_text(sweep: Sweep, budget: Fraction) -> str:
    if budget not in sweep.cells:
        return "- "
    cell = sweep.cells[budget]
    return f"{cell.errors}{' ' if cell.finished else '*'}"


def error_table(case: Case, sweeps: Mapping[str, Sweep]) -> list[str]:
    instance = case.instance
    shape = f"{instance.n_objects} cases, {instance.n_tests} tests, {instance.n_classes} classes"
    lines = [f"{case.title}: {shape}; errors within a worst-case cost of B"]
    lines.append(f"{'B':>7}" + "".join(f"{name:>{WIDTH}} " for name in METHODS))
    for budget in case.budgets:
        texts = "".join(f"{cell_text(sweep, budget):>{WIDTH + 1}}" for sweep in sweeps.values())
        lines.append(f"{float(budget):>7g}{texts}")
    trees = "".join(f"{sweep.n_trees or '-':>{WIDTH}} " for sweep in sweeps.values())
    lines.append(f"{'trees':>7}" + trees)
    if any(not cell.finished for sweep in sweeps.values() for cell in sweep.cells.values()):
        lines.append("  * the search was stopped by its time limit: not proven")
    return lines + [f"  {sweep.note}" for sweep in sweeps.values() if sweep.note]


def seconds_table(outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]]) -> list[str]:
    lines = ["Seconds for the whole sweep, or the whole frontier; everything loaded before"]
    lines.append(f"{'':>22}" + "".join(f"{name:>{WIDTH}}" for name in METHODS))
    for case, sweeps in outcomes:
        texts = ["-" if sweep.seconds is None else f"{sweep.seconds:.3f}" for sweep in sweeps.values()]
        lines.append(f"{case.title:>22}" + "".join(f"{text:>{WIDTH}}" for text in texts))
    return lines


def fewer_errors(outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]], ours: str) -> list[str]:
    """Where a peer has fewer errors than one of our methods, at the same budget."""
    lines = []
    for case, sweeps in outcomes:
        for peer in PEERS:
            for budget, cell in sweeps[peer].cells.items():
                mine = sweeps[ours].cells[budget]
                if cell.errors < mine.errors:
                    lines.append(f"  {case.title}, B = {float(budget):g}: {peer} {cell.errors}, {ours} {mine.errors}")
    return lines


def less_time(outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]], ours: str) -> list[str]:
    lines = []
    for case, sweeps in outcomes:
        mine = sweeps[ours].seconds
        for peer in PEERS:
            seconds = sweeps[peer].seconds
            if seconds is not None and seconds < mine:
                lines.append(f"  {case.title}: {peer} {seconds:.3f} s, {ours} {mine:.3f} s")
    return lines


def wins(outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]]) -> list[str]:
    lines = []
    for ours in ("exact", "greedy"):
        for what, found in (("fewer errors", fewer_errors(outcomes, ours)), ("less time", less_time(outcomes, ours))):
            lines.append(f"Where a peer has {what} than budgetree's {ours} frontier: {len(found) or 'nowhere'}")
            lines += found
    return lines


def write_csv(path: Path, outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["data", "prices", "budget", "method", "errors", "max_cost", "finished", "trees", "seconds"])
        for case, sweeps in outcomes:
            for name, sweep in sweeps.items():
                for budget in case.budgets:
                    cell = sweep.cells.get(budget)
                    values = ["", "", ""] if cell is None else [cell.errors, float(cell.max_cost), int(cell.finished)]
                    seconds = "" if sweep.seconds is None else f"{sweep.seconds:.4f}"
                    prices = "unit" if case.unit else "real"
                    writer.writerow([case.name, prices, float(budget), name, *values, sweep.n_trees, seconds])


def cases(quick: bool) -> Iterator[Case]:
    names = ["house_votes", "synthetic"] if quick else [*bt.datasets.names()[:9], "synthetic"]
    for name in names:
        yield Case(name, bt.datasets.load(name, prices=1), tuple(map(Fraction, UNIT_BUDGETS)), unit=True)
    depths = COST_DEPTHS[:-1] if quick else COST_DEPTHS
    yield Case("pima", bt.datasets.load("pima"), tuple(map(Fraction, PIMA_BUDGETS)), unit=False, cost_depths=depths)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="three small sets only")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write every number to a file as well")
    wanted = parser.parse_args()
    outcomes: list[tuple[Case, Mapping[str, Sweep]]] = []
    for case in cases(wanted.quick):
        sweeps = {name: method(case) for name, method in METHODS.items()}
        outcomes.append((case, sweeps))
        print("\n".join(error_table(case, sweeps)), end="\n\n", flush=True)
    for lines in (seconds_table(outcomes), CANNOT.splitlines(), wins(outcomes), EXPLAINED.splitlines()):
        print("\n".join(lines), end="\n\n")
    if wanted.csv:
        write_csv(wanted.csv, outcomes)
    if fewer_errors(outcomes, "exact"):
        raise SystemExit("A peer has fewer errors than exact search: one of the two is wrong.")


if __name__ == "__main__":
    main()
