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
ours, plain / ours     fit_policies(leaves="count" / "model")

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
from numpy.typing import NDArray

import budgetree as bt
from budgetree.datasets.bundled import PIMA_PRICES

SETS = ("house_votes", "sonar", "ionosphere", "dna", "boston", "soybean", "pima", "wdbc", "mammographic")
PRICED = "pima, priced"
UNIT_BUDGETS = (1, 2, 3, 4, 5)
PIMA_BUDGETS = (2, 6, 18, 22, 45)
QUICK = ("house_votes", "pima", "mammographic")
N_FOLDS = 5
SEED = 20260
MEASURES = ("error", "brier", "log loss", "mean cost", "seconds", "nodes")

Row = tuple[str, str, float, int, list[float]]  # method, set, budget, fold, measures


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


def significance(differences: NDArray[np.float64]) -> float:
    """t of the corrected resampled t-test: folds share training cases, so their variance is too small."""
    n = len(differences)
    variance = differences.var(ddof=1) * (1 / n + 1 / (N_FOLDS - 1))
    return 0.0 if variance == 0 else float(differences.mean() / np.sqrt(variance))


def report(rows: list[Row]) -> None:
    from scipy.stats import t as student  # comes with scikit-learn

    table = {(m, s, b): {} for m, s, b, _, _ in rows}
    for m, s, b, fold, measures in rows:
        table[m, s, b][fold] = measures
    methods = [m for m in METHODS if any(key[0] == m for key in table)]
    sets = list(dict.fromkeys(key[1] for key in table))

    def cell(method: str, name: str, budget: float, measure: int) -> NDArray[np.float64]:
        folds = table[method, name, budget]
        return np.array([folds[fold][measure] for fold in sorted(folds)])

    for name in sets:
        budgets = sorted({b for _, s, b in table if s == name})
        print(
            f"\n{name}: error in %\n{'':24}" + "".join(f"{f'B={b:g}':>8}" for b in budgets) + "    mean   Brier     s"
        )
        for m in methods:
            errors = [100 * cell(m, name, b, 0).mean() for b in budgets]
            brier = np.mean([cell(m, name, b, 1).mean() for b in budgets])
            seconds = [cell(m, name, b, 4).mean() for b in budgets]
            together = max(seconds) if m.startswith("ours") or m == "known" else sum(seconds)
            print(
                f"{m:24}" + "".join(f"{e:8.1f}" for e in errors) + f"{np.mean(errors):8.2f}{brier:8.3f}{together:6.2f}"
            )
    unit = [(s, b) for s in sets if s != PRICED for b in UNIT_BUDGETS]
    for title, cells in (("unit prices", unit), (PRICED, [(PRICED, b) for b in PIMA_BUDGETS if PRICED in sets])):
        if not cells:
            continue
        print(f"\nmean of {len(cells)} cells, {title}\n{'':24}" + "".join(f"{m:>11}" for m in MEASURES))
        for m in methods:
            means = [np.mean([cell(m, s, b, k).mean() for s, b in cells]) for k in range(len(MEASURES))]
            print(f"{m:24}{100 * means[0]:11.2f}" + "".join(f"{value:11.3f}" for value in means[1:]))
        for mine in ("ours", "ours, plain"):
            if mine not in methods:
                continue
            print(f"\n{mine} against       better equal worse   significantly better / worse, {title}")
            for m in methods:
                if m == mine:
                    continue
                gaps = {key: cell(m, *key, 0) - cell(mine, *key, 0) for key in cells}
                means = np.array([gap.mean() for gap in gaps.values()])
                limit = student.ppf(0.975, len(next(iter(gaps.values()))) - 1)
                t = {key: significance(gap) for key, gap in gaps.items()}
                worse = [f"{s} B={b:g}" for (s, b), value in t.items() if value < -limit]
                print(
                    f"{m:24}{(means > 1e-12).sum():6}{(abs(means) <= 1e-12).sum():6}{(means < -1e-12).sum():6}"
                    f"{sum(value > limit for value in t.values()):12} / {len(worse)}  {', '.join(worse)}"
                )
                lost = sorted((gap.mean(), s, b) for (s, b), gap in gaps.items() if gap.mean() < -1e-12)
                if lost:
                    print("    lost: " + ", ".join(f"{s} B={b:g} {100 * gap:+.1f}" for gap, s, b in lost))
    slowest = {
        s: max(table["ours", s, b][f][4] for b in UNIT_BUDGETS for f in table["ours", s, b])
        for s in sets
        if s != PRICED and "ours" in methods
    }
    print("\nslowest fit of ours to B = 5, seconds: " + ", ".join(f"{s} {v:.2f}" for s, v in slowest.items()))


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
    report(sorted([(m, s, b, f, k) for m, s, b, f, k in rows], key=lambda row: (row[1], row[2], row[3])))


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
