"""Is the reported error on new cases true? Tables drawn from a known law, where the truth can be computed.

    python benchmarks/new_error.py [--runs 200] [--rows 300] [--laws "copies of noise"]

clear, noisy, rare    two of six tests say the class, with few or many exceptions; rare: one class in ten
noise                 none does
copies                noisy, and each row is there one to three times: copies are no further evidence
copies of noise       each row of noise twice
groups                a patient has four rows that differ little; groups= names the patient
groups of noise       the same, where the class has nothing to do with the tests

A run draws a table, fits a pathway with its estimate, and tries the tree fitted on all rows on a large sample of the
same law, new patients where there are some. Printed: in how many runs the reported error is within two standard errors
of the true one. Goal: 90 to 99 % for each law.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import budgetree as bt

N_TRUE = 20_000  # rows for the truth: its own standard error is at most 0.4 points
N_TESTS = 6
FLIPS = {"clear": 0.05, "noisy": 0.25, "rare": 0.05, "copies": 0.25, "groups": 0.15}
LAWS = (*FLIPS, "noise", "copies of noise", "groups of noise")
GROUP_SIZE = 4
GOAL = (0.90, 0.99)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Tests as numbers, labels, and the groups where rows have some."""

    rows: NDArray[np.float64]
    labels: NDArray[np.int64]
    groups: NDArray[np.int64] | None = None

    @property
    def frame(self) -> pd.DataFrame:
        frame = pd.DataFrame(self.rows, columns=[f"t{test}" for test in range(N_TESTS)])
        return frame.assign(label=np.array(["no", "yes"])[self.labels])


def draw(law: str, n_rows: int, generator: np.random.Generator) -> Drawn:
    """So many rows; they have copies or groups in known cases only, so that new ones are independent."""
    rows = generator.normal(size=(n_rows, N_TESTS)).round(3)
    score = rows[:, 0] + rows[:, 1]
    labels = (score > (1.8 if law == "rare" else 0)).astype(np.int64)
    flip = generator.random(n_rows) < FLIPS.get(law, 0.5)
    return Drawn(rows, np.where(flip, 1 - labels, labels))


def known_cases(law: str, n_rows: int, generator: np.random.Generator) -> Drawn:
    """A table of about so many rows."""
    if law.startswith("copies"):
        times = np.full(n_rows // 2, 2) if law == "copies of noise" else generator.integers(1, 4, n_rows // 2)
        once = draw(law, n_rows // 2, generator)
        chosen = generator.permutation(np.repeat(np.arange(n_rows // 2), times))
        return Drawn(once.rows[chosen], once.labels[chosen])
    if law.startswith("groups"):
        patients = draw(law, n_rows // GROUP_SIZE, generator)
        chosen = generator.permutation(np.repeat(np.arange(n_rows // GROUP_SIZE), GROUP_SIZE))
        noise = generator.normal(scale=0.05, size=(len(chosen), N_TESTS))
        return Drawn((patients.rows[chosen] + noise).round(3), patients.labels[chosen], chosen)
    return draw(law, n_rows, generator)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run."""

    reported: float
    se: float
    true: float

    @property
    def is_covered(self) -> bool:
        return abs(self.reported - self.true) <= 2 * self.se


def run(law: str, n_rows: int, seed: int, budget: int = 2) -> Outcome:
    """What is reported, and what is true."""
    generator = np.random.default_rng([seed, LAWS.index(law)])
    known, new = known_cases(law, n_rows, generator), draw(law, N_TRUE, generator)
    instance = bt.Instance.from_frame(known.frame, "label")
    result = bt.fit(instance, budget=budget, objective="new", groups=known.groups, threads=1, progress=False)
    assert result.estimate is not None
    frame = new.frame
    true = float((result.tree.predict(frame) != frame["label"]).mean())
    return Outcome(result.estimate.new_error.error, result.estimate.new_error.se, true)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--laws", default=";".join(LAWS), help="separated by ;")
    options = parser.parse_args()
    print(f"{options.runs} runs of {options.rows} rows; within two standard errors of the truth:")
    print(f"{'law':16}{'reported':>9} {'true':>7} {'se':>6} {'within':>7}")
    for law in (part.strip() for part in options.laws.split(";")):
        outcomes = [run(law, options.rows, seed) for seed in range(options.runs)]
        reported, true, se, within = (
            float(np.mean([getattr(outcome, name) for outcome in outcomes]))
            for name in ("reported", "true", "se", "is_covered")
        )
        verdict = "met" if GOAL[0] <= within <= GOAL[1] else "NOT met"
        print(f"{law:16}{reported:9.1%} {true:7.1%} {se:6.1%} {within:7.1%}   {verdict}", flush=True)


if __name__ == "__main__":
    main()
