"""Is the reported error on new cases true? Tables drawn from a known law, where the truth can be computed.

    python benchmarks/new_error.py [--runs 200] [--rows 300]

A run draws a table, makes a frontier with its errors on new cases, and tries the trees fitted on all rows on a large
sample of the same law. Printed: in how many runs the reported error is within two standard errors of the true one.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import budgetree as bt

N_TRUE = 20_000  # rows for the truth: its own standard error is at most 0.4 points
LAWS = ("clear", "noisy", "rare", "noise")


@dataclass(frozen=True, slots=True)
class Table:
    """Codes and labels."""

    codes: NDArray[np.int64]
    labels: NDArray[np.int64]


def draw(law: str, n_rows: int, generator: np.random.Generator) -> Table:
    """Rows of a law: six tests of three outcomes, two of which matter, or in "noise" none."""
    codes = generator.integers(0, 3, (n_rows, 6))
    score = codes[:, 0] + codes[:, 1]
    if law == "noise":
        return Table(codes, generator.integers(0, 2, n_rows))
    labels = (score >= (4 if law == "rare" else 2)).astype(np.int64)
    flip = generator.random(n_rows) < {"clear": 0.05, "noisy": 0.25, "rare": 0.05}[law]
    return Table(codes, np.where(flip, 1 - labels, labels))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One budget of one run."""

    budget: int
    reported: float
    se: float
    true: float

    @property
    def is_covered(self) -> bool:
        return abs(self.reported - self.true) <= 2 * self.se


def run(law: str, n_rows: int, seed: int, budgets: tuple[int, ...] = (1, 2, 4)) -> list[Outcome]:
    """What is reported for each budget, and what is true."""
    generator = np.random.default_rng([seed, LAWS.index(law)])
    table, truth = draw(law, n_rows, generator), draw(law, N_TRUE, generator)
    names = [["0", "1", "2"]] * 6
    instance = bt.Instance(table.codes, table.labels, outcome_names=names, class_names=["no", "yes"])
    frontier = bt.frontier(instance, max_budget=max(budgets), progress=False, objective="known")
    outcomes = []
    for budget in budgets:
        point = frontier.best(budget=budget)
        assert point.new_error is not None
        assert point.new_error_se is not None
        true = float((point.tree.walk_codes(truth.codes).answers != truth.labels).mean())
        outcomes.append(Outcome(budget, point.new_error, point.new_error_se, true))
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=300)
    options = parser.parse_args()
    print(f"{options.runs} runs of {options.rows} rows; within two standard errors of the truth:")
    print(f"{'law':8} {'budget':>6} {'reported':>9} {'true':>7} {'se':>6} {'within':>7}")
    for law in LAWS:
        outcomes = [outcome for seed in range(options.runs) for outcome in run(law, options.rows, seed)]
        for budget in sorted({outcome.budget for outcome in outcomes}):
            of_budget = [outcome for outcome in outcomes if outcome.budget == budget]
            reported, true, se, within = (
                float(np.mean([getattr(outcome, name) for outcome in of_budget]))
                for name in ("reported", "true", "se", "is_covered")
            )
            print(f"{law:8} {budget:6} {reported:9.1%} {true:7.1%} {se:6.1%} {within:7.1%}", flush=True)


if __name__ == "__main__":
    main()
