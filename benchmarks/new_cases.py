"""New cases: budgetree's pathways and their peers on rows that no method has seen, at equal worst-case cost.

    pip install '.[bench]'
    python benchmarks/new_cases.py                        all: one repeat of five folds, hours of processor time
    python benchmarks/new_cases.py --quick                three small sets, a minute or two
    python benchmarks/new_cases.py --sets nine --json peers.json                          keep every number
    python benchmarks/new_cases.py --sets nine --json now.json --peers-from peers.json    measure only ours
    python benchmarks/new_cases.py --json now.json --compare before.json --methods ""     measure nothing
    python benchmarks/new_cases.py --sets "pima; churn" --budgets 2,5 --methods "CART; ours" --repeats 2

Raw rows, nothing merged: the nine sets and eight larger tables (new_cases_tables.py) at unit prices with budgets of 1,
2, 3, 5 and 8 tests; pima and heart at Turney's prices with five budgets. All methods have the same folds, stratified
by class.

CART              a test paid on the path is free to split on again; pruned by five inner folds
subset …          the named model on the best subset that the budget buys, prices and shared fees counted: forward
                  selections by boosted stumps and by boosted small trees, the better by three inner folds of the model
                  itself; logistic on cubic splines, forest of 200 trees, LightGBM with as many rounds as the inner
                  folds like
ours              bt.predictive; "ours, model", "ours, tree", "ours, points": with these leaves; ", all": never stops
our tests, …      the named model on the tests that ours may buy: is a loss due to what is bought, or to the leaves?
all tests, …      without a budget, for reference; no peer

Significance is by the corrected resampled t-test (Nadeau and Bengio) on the folds' differences, two-sided at 1 %. Log
loss clips probabilities at 0.001. Seconds are of processor time per training part. new_cases_old.json holds what the
learner of version 0.1 did on the same folds.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import itertools
import json
import multiprocessing
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from new_cases_methods import METHODS, OURS, PEERS, Fold, Predicted
from new_cases_report import N_FOLDS, Results, Row, compare, report
from new_cases_tables import GROUPS, SETS, load
from numpy.typing import NDArray

QUICK = ("house_votes", "pima", "mammographic")
SEED = 20260
OLD = Path(__file__).with_name("new_cases_old.json")


def folds_of(labels: NDArray[np.int64], repeat: int) -> NDArray[np.int64]:
    order = np.random.default_rng([SEED, repeat]).permutation(len(labels))
    folds = np.empty(len(labels), dtype=np.int64)
    folds[order[np.argsort(labels[order], kind="stable")]] = np.arange(len(labels)) % N_FOLDS
    return folds


def measure(predicted: Predicted, labels: NDArray[np.int64]) -> list[float]:
    """A label beyond the classes is of a class that the training part does not have."""
    probabilities = np.column_stack([predicted.probabilities, np.zeros(len(labels))])
    right = probabilities[np.arange(len(labels)), labels]
    measures = [
        (probabilities.argmax(axis=1) != labels).mean(),
        ((probabilities**2).sum(axis=1) - 2 * right + 1).mean(),
        -np.log(np.maximum(right, 1e-3)).mean(),
        predicted.mean_cost,
        predicted.seconds,
    ]
    return [round(float(value), 6) for value in measures]


def run(task: tuple[str, Sequence[float], int, Sequence[str]]) -> list[Row]:
    """One fold of one set, by all methods; folds of the second repeat follow those of the first."""
    name, budgets, fold, methods = task
    table, of_set = load(name), SETS[name]
    answers = np.unique(np.array(table.columns[-1].to_list()), return_inverse=True)[1]
    is_test = folds_of(answers, fold // N_FOLDS) == fold % N_FOLDS
    parts = (table.take(np.flatnonzero(rows)) for rows in (~is_test, is_test))
    both = Fold(*parts, of_set.price_list, budgets)
    found: list[Row] = []
    for method in methods:
        try:
            all_predicted = METHODS[method](both)
        except Exception:  # the others' hours are not lost; the cells are missing in the tables
            print(f"\n{method} failed on fold {fold} of {name}:\n{traceback.format_exc()}", file=sys.stderr)
            continue
        for budget, predicted in zip(budgets, all_predicted, strict=True):
            detail = " ".join([predicted.kind, *sorted(predicted.tests)])
            found.append((method, name, float(budget), fold, measure(predicted, both.new_labels), detail))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=";".join(GROUPS), help=f"names, or groups ({'; '.join(GROUPS)})")
    parser.add_argument("--methods", default=";".join([*PEERS, "ours"]), help=f"of {'; '.join(METHODS)}")
    parser.add_argument("--budgets", help="separated by commas; where prices differ, the first, second, … of its own")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="only the first so many of each repeat")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path, help="every number in a file; what it holds already is not measured again")
    parser.add_argument("--peers-from", type=Path, help="such a file, from which the peers' numbers are taken")
    parser.add_argument("--compare", type=Path, help="such a file of another version: differences of ours")
    options = parser.parse_args()
    groups = {group: [name for name, one in SETS.items() if one.group == group] for group in GROUPS}
    wanted = list(QUICK) if options.quick else split(options.sets, (*SETS, *GROUPS))
    sets = list(dict.fromkeys(name for one in wanted for name in groups.get(one, [one])))
    methods = split(options.methods, tuple(METHODS))
    rows = read(options.json)
    if options.peers_from:
        rows += [row for row in read(options.peers_from) if row[0] not in OURS and row[1] in sets]
    done = {tuple(row[:4]) for row in rows}
    tasks = []
    folds = [repeat * N_FOLDS + fold for repeat in range(options.repeats) for fold in range(options.folds)]
    for name, fold in itertools.product(sets, folds):
        budgets = chosen_budgets(name, options.budgets)
        is_done = {m: all((m, name, float(b), fold) in done for b in budgets) for m in methods}
        if not all(is_done.values()):
            tasks.append((name, budgets, fold, [m for m in methods if not is_done[m]]))
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for n_done, found in enumerate(pool.imap_unordered(run, tasks), 1):
            rows += found
            print(f"\r{n_done} of {len(tasks)} folds", end="", flush=True)
            if options.json:
                options.json.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
    results = Results.of([row for row in rows if row[1] in sets])
    report(results, list(METHODS), list(PEERS), Results.of(read(OLD)))
    if options.compare:
        compare(results, Results.of(read(options.compare)), list(OURS))


def read(path: Path | None) -> list[Row]:
    return json.loads(path.read_text()) if path is not None and path.exists() else []


def chosen_budgets(name: str, text: str | None) -> Sequence[float]:
    of_set = SETS[name]
    if text is None:
        return of_set.budgets
    wanted = [float(part) for part in text.split(",")]
    if of_set.price_list.is_unit:
        return wanted
    return [of_set.budgets[int(number) - 1] for number in wanted if 1 <= number <= len(of_set.budgets)]


def split(text: str, known: Sequence[str]) -> list[str]:
    """Names that may hold a comma themselves."""
    wanted = [part.strip() for part in text.split(";") if part.strip()]
    if any(part not in known for part in wanted):
        wanted = [part.strip() for part in text.replace(";", ",").split(",")]
    unknown = [part for part in wanted if part not in known]
    if unknown:
        raise SystemExit(f"no such name: {unknown[0]!r}; the names are {'; '.join(known)}")
    return wanted


if __name__ == "__main__":
    main()
