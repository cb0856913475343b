"""Do 95 % intervals hold the truth? On tables drawn from a known law, of a fixed pathway and of the procedure.

    python benchmarks/coverage.py [--runs 2000] [--procedure-runs 200]

A case is ill with a chance of 40 %; each of six tests shows one of three outcomes, independently given the class. The
truth of a pathway is added up over all 3^6 results, weighted by the law; nothing of it comes from budgetree.evaluation.
The truth of the procedure is the mean of that over the pathways that it learned, one from each table.
"""

from __future__ import annotations

import argparse
import itertools
import math

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import budgetree as bt

PREVALENCE = 0.4
ILL = np.array(
    [[0.15, 0.25, 0.60], [0.20, 0.30, 0.50], [0.25, 0.35, 0.40], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3], [0.3, 0.4, 0.3]]
)
WELL = np.array(
    [[0.55, 0.30, 0.15], [0.50, 0.30, 0.20], [0.40, 0.35, 0.25], [0.4, 0.3, 0.3], [0.4, 0.4, 0.2], [0.3, 0.4, 0.3]]
)
TESTS = [f"t{number}" for number in range(len(ILL))]
PRICES = dict(zip(TESTS, (5, 4, 3, 2, 2, 1), strict=True))
BUDGET = 12
NAMES = ("error", "sensitivity", "AUC")


def draw(n: int, random: np.random.Generator) -> pd.DataFrame:
    """A table of n cases."""
    is_ill = random.random(n) < PREVALENCE
    table = {}
    for test, (ill, well) in enumerate(zip(ILL, WELL, strict=True)):
        chances = np.where(is_ill[:, None], ill, well).cumsum(axis=1)
        table[TESTS[test]] = np.array(["a", "b", "c"])[(random.random((n, 1)) > chances[:, :2]).sum(axis=1)]
    return pd.DataFrame(table).assign(y=np.where(is_ill, "ill", "well"))


def every_result() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """All results, with the chance of each and being ill, and of each and being well."""
    results = np.array(list(itertools.product(range(3), repeat=len(TESTS))))
    ill = PREVALENCE * np.prod([ILL[test][results[:, test]] for test in range(len(TESTS))], axis=0)
    well = (1 - PREVALENCE) * np.prod([WELL[test][results[:, test]] for test in range(len(TESTS))], axis=0)
    return pd.DataFrame(np.array(["a", "b", "c"])[results], columns=TESTS), ill, well


def truth(tree: bt.Tree) -> tuple[float, float, float]:
    """Error, sensitivity and AUC under the law."""
    frame, ill, well = every_result()
    says_ill, chance = tree.predict(frame) == "ill", tree.predict_proba(frame)[:, tree.class_names.index("ill")]
    is_ill = np.repeat([True, False], len(frame))
    area = roc_auc_score(is_ill, np.tile(chance, 2), sample_weight=np.concatenate([ill, well]))
    return float(ill @ ~says_ill + well @ says_ill), float(ill @ says_ill / ill.sum()), float(area)


def measured(found: bt.Evaluation) -> list:
    """The three intervals."""
    one = found.overall.by_class[found.tree.class_names.index("ill")]
    return [found.overall.error, one.sensitivity, one.auc]


def learn(frame: pd.DataFrame) -> bt.Instance:
    return bt.Instance.from_frame(frame, "y", prices=PRICES)


def show(title: str, held: np.ndarray) -> None:
    for name, share in zip(NAMES, held.mean(axis=0), strict=True):
        error = math.sqrt(share * (1 - share) / len(held))
        print(f"{title:28} {name:12} {100 * share:5.1f} % of {len(held)} runs (± {100 * error:.1f})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--procedure-runs", type=int, default=200)
    parser.add_argument("--cases", type=int, default=200)
    asked = parser.parse_args()
    random = np.random.default_rng(33)
    tree = bt.fit(learn(draw(400, random)), budget=BUDGET, folds=0, threads=1).tree
    true, held = truth(tree), []
    for _ in range(asked.runs):
        found = bt.evaluate(tree, draw(asked.cases, random), target="y", positive="ill")
        held.append([of.low <= value <= of.high for of, value in zip(measured(found), true, strict=True)])
    print(f"truth of the pathway: {', '.join(f'{n} {v:.3f}' for n, v in zip(NAMES, true, strict=True))}")
    show(f"fixed, {asked.cases} new cases", np.array(held))
    intervals, truths = [], []
    for run in range(asked.procedure_runs):
        found = bt.evaluate(
            learn(draw(asked.cases, random)), budget=BUDGET, repeats=1, positive="ill", threads=1, progress=False
        )
        intervals.append([(of.low, of.high) for of in measured(found)])
        truths.append(truth(found.tree))
        if (run + 1) % 50 == 0 or run + 1 == asked.procedure_runs:
            mean, ends = np.mean(truths, axis=0), np.array(intervals)
            show(f"procedure, {asked.cases} cases", (ends[..., 0] <= mean) & (mean <= ends[..., 1]))


if __name__ == "__main__":
    main()
