"""Tables whose every name can be found in a text, and trees of them, for tests of what things are called."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

import budgetree as bt

# No name is a part of another, or of any word of ours.
OUTCOMES = {"qa1q": ["qb1q", "qb2q"], "qa2q": ["qc1q", "qc2q", "qc3q"], "qa3q": ["qd1q", "qd2q"]}
CLASSES = ["qe1q", "qe2q"]
LOSSES = bt.Losses({"qe1q": 5}, answers={"qf1q": 0.7})
HEART = bt.Labels(
    {
        "sex": {"name": "Sex", "help": "As in the passport.", "outcomes": {0: "female", 1: "male"}},
        "chol": "Cholesterol",
    },
    {0: "healthy", 1: {"name": "heart disease", "help": "An artery is narrow."}},
    unit="€",
)


def frame_of_texts(n_rows: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({test: rng.choice(names, n_rows) for test, names in OUTCOMES.items()})
    ill = (frame.qa1q == "qb1q").astype(int) + (frame.qa2q == "qc3q") + (rng.random(n_rows) < 0.2)
    return frame.assign(answer=np.where(ill >= 1, *CLASSES))


@cache
def tree_of_texts(kind: str) -> bt.Tree:
    losses = LOSSES if kind == "losses" else None
    instance = bt.Instance.from_frame(
        frame_of_texts(), "answer", prices={"qa1q": 1, "qa2q": 2.5, "qa3q": 4}, losses=losses
    )
    if kind in ("model", "tree"):
        return bt.predictive(instance, budget=8, leaves=kind, confidence=None)  # type: ignore[arg-type]
    return bt.grow(instance)


def heart_frame(n_rows: int = 200) -> pd.DataFrame:
    """Sex and diagnosis are 0 and 1, as tables have them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.integers(0, 2, n_rows), "chol": rng.integers(100, 300, n_rows)})
    return frame.assign(ill=((frame.sex + (frame.chol > 200) + rng.normal(0, 0.3, n_rows)) > 1.3).astype(int))


@cache
def heart_cases() -> bt.Instance:
    return bt.Instance.from_frame(heart_frame(), "ill", prices={"sex": 1, "chol": 7.5}).with_labels(HEART)


@cache
def heart_tree(leaves: str | None = None) -> bt.Tree:
    if leaves is None:
        return bt.grow(heart_cases(), budget=9)
    return bt.predictive(heart_cases(), budget=9, leaves=leaves, confidence=None)  # type: ignore[arg-type]
