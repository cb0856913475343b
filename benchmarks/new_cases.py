"""New cases: budgetree's policies and their peers on rows that nobody has seen, at equal worst-case cost.

    pip install '.[bench]'
    python benchmarks/new_cases.py                        all: three times five folds, about an hour of processor time
    python benchmarks/new_cases.py --quick                three small sets, one repeat, a minute
    python benchmarks/new_cases.py --sets pima,wdbc --repeats 2 --methods CART,ours --jobs 2 --json FILE

Raw rows, nothing merged. The nine sets at unit prices with budgets of 1 to 5 tests, and pima at its real prices with
five budgets. All methods have the same folds, stratified by class.

CART                   scikit-learn's tree of depth B (at real prices: greedy within the budget, re-splits free)
CART, free re-splits   a test paid on the path is free to split on again; pruned by five inner folds
subset …               the best forward subset of B tests, chosen on the training part by our honest loss (a favour: it
                       is quicker and no worse than inner folds), then the named model on it
known                  the fewest errors on the known cases: bt.frontier, for a few seconds, table as by default
ours, plain / ours     Fitter with leaves "tree" / "model"

A cell is a set and a budget. Its test is the corrected resampled t-test (Nadeau and Bengio) on the folds' differences
in error, two-sided at 5 %. Log loss clips probabilities at 0.001. Seconds are of processor time per training part, for
all budgets together; of a subset's model without choosing the subset.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import itertools
import json
import multiprocessing
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from new_cases_methods import METHODS, Predicted, make_fold
from new_cases_report import N_FOLDS, Row, report
from numpy.typing import NDArray

import budgetree as bt
from budgetree.datasets.bundled import PIMA_PRICES
from budgetree.datasets.bundled import table as raw_table

SETS = ("house_votes", "sonar", "ionosphere", "dna", "boston", "soybean", "pima", "wdbc", "mammographic")
PRICED = "pima, priced"
UNIT_BUDGETS = (1, 2, 3, 5, 8)
PIMA_BUDGETS = (2, 6, 18, 22, 45)
QUICK = ("house_votes", "pima", "mammographic")
SEED = 20260


def folds_of(labels: NDArray[np.int64], repeat: int) -> NDArray[np.int64]:
    order = np.random.default_rng([SEED, repeat]).permutation(len(labels))
    folds = np.empty(len(labels), dtype=np.int64)
    folds[order[np.argsort(labels[order], kind="stable")]] = np.arange(len(labels)) % N_FOLDS
    return folds


def measure(predicted: Predicted, labels: NDArray[np.int64]) -> list[float]:
    """A label beyond the classes is of a class that the training part does not have."""
    probabilities = np.column_stack([predicted.probabilities, np.zeros(len(labels))])
    answers = np.eye(probabilities.shape[1])[labels]
    right = probabilities[np.arange(len(labels)), labels]
    return [
        float((probabilities.argmax(axis=1) != labels).mean()),
        float(((probabilities - answers) ** 2).sum(axis=1).mean()),
        float(-np.log(np.maximum(right, 1e-3)).mean()),
        predicted.mean_cost,
        predicted.seconds,
        float(predicted.size),
    ]


def run(task: tuple[str, int, int, Sequence[str]]) -> list[Row]:
    """One fold of one set, by all methods."""
    name, repeat, fold, methods = task
    table = raw_table("pima" if name == PRICED else name)
    prices, budgets = (PIMA_PRICES, PIMA_BUDGETS) if name == PRICED else (bt.Prices(1), UNIT_BUDGETS)
    answers = np.array(table.columns[-1].to_list())
    rows = folds_of(np.unique(answers, return_inverse=True)[1], repeat) != fold
    parts = make_fold(table, rows, prices, budgets)
    position = {label: code for code, label in enumerate(parts.fine.class_names)}
    labels = np.array([position.get(label, len(position)) for label in answers[~rows].tolist()])
    found: list[Row] = []
    for method in methods:
        for budget, predicted in zip(budgets, METHODS[method](parts), strict=True):
            found.append((method, name, float(budget), repeat * N_FOLDS + fold, measure(predicted, labels)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=";".join((*SETS, PRICED)), help="separated by ; or ,")
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by ;")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path, help="every number in a file; what it holds already is not measured again")
    options = parser.parse_args()
    sets = list(QUICK) if options.quick else split(options.sets, (*SETS, PRICED))
    repeats = 1 if options.quick else options.repeats
    rows: list[Row] = json.loads(options.json.read_text()) if options.json and options.json.exists() else []
    methods = split(options.methods, tuple(METHODS))
    done = {(m, s, fold) for m, s, _, fold, _ in rows}
    tasks = []
    for s, repeat, fold in itertools.product(sets, range(repeats), range(N_FOLDS)):
        missing = [m for m in methods if (m, s, repeat * N_FOLDS + fold) not in done]
        if missing:
            tasks.append((s, repeat, fold, missing))
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for n_done, found in enumerate(pool.imap_unordered(run, tasks), 1):
            rows += found
            print(f"\r{n_done} of {len(tasks)} folds", end="", flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows))
    report(rows, list(METHODS), SETS, PRICED)


def split(text: str, known: Sequence[str]) -> list[str]:
    """Names that may hold a comma themselves."""
    wanted = [part.strip() for part in text.split(";")]
    if any(part not in known for part in wanted):
        wanted = [part.strip() for part in text.replace(";", ",").split(",")]
    unknown = [part for part in wanted if part not in known]
    if unknown:
        raise SystemExit(f"no such name: {unknown[0]!r}; the names are {'; '.join(known)}")
    return wanted


if __name__ == "__main__":
    main()
