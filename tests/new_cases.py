"""Small tables for trees for new cases, and raw rows that know no mercy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt

PRICES = bt.Prices(
    {"age": 1, "colour": {"r": 1, "g": 2, "b": 3}, "dose": 2, "grade": 1.5},
    shared={"blood draw": (0.5, ["dose", "grade"])},
)


def new_frame(seed: int, n_cases: int = 150) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n_cases)
    return pd.DataFrame(
        {
            "age": labels * 1.5 + rng.normal(size=n_cases),
            "colour": ["rgb"[k] for k in (labels + rng.integers(0, 2, n_cases)) % 3],
            "dose": np.where(rng.random(n_cases) < 0.1, np.nan, (labels == 1) + 0.3 * rng.normal(size=n_cases)),
            "grade": np.round(labels + rng.normal(size=n_cases)),
            "class": np.array(["well", "ill", "worse"])[labels],
        }
    )


@cache
def new_tree(leaves: str, confidence: float | None = 0.8, budget: float = 8) -> bt.Tree:
    instance = bt.Instance.from_frame(new_frame(5), "class", prices=PRICES)
    return bt.predictive(instance, budget=budget, leaves=leaves, confidence=confidence)  # type: ignore[arg-type]


def wild_rows(seed: int, n_rows: int = 200) -> list[dict[str, Any]]:
    """Known values, missing ones and ones never seen."""
    frame = new_frame(seed, n_rows)
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = frame.drop(columns="class").to_dict("records")
    for row in rows:
        for name, strange in (("age", None), ("colour", "purple"), ("dose", None), ("grade", None)):
            if rng.random() < 0.15:
                row[name] = strange
        if rng.random() < 0.1:
            row["colour"] = None
    return rows


def frame_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    numbers = {name: np.array([row[name] for row in rows], dtype=float) for name in ("age", "dose", "grade")}
    return pd.DataFrame(numbers | {"colour": pd.Series([row["colour"] for row in rows], dtype=object)})
