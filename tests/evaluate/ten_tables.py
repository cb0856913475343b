"""Ten tables with a pathway for each, learned from one half and judged on the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import budgetree as bt

# The positive class of each bundled table.
TABLES = {
    "house_votes": "republican",
    "sonar": "M",
    "ionosphere": "g",
    "pima": "pos",
    "wdbc": "M",
    "mammographic": "1",
    "dna": "ei",
    "boston": None,
    "soybean": None,
    "synthetic": None,
}
BUDGET = 4


@dataclass(frozen=True)
class Judgement:
    """An evaluation, and beside it what packages that share no code with it take."""

    found: bt.Evaluation
    is_class: NDArray[np.bool_]
    chances: NDArray[np.float64]
    says_class: NDArray[np.bool_]
    cost: NDArray[np.float64]

    @property
    def one(self) -> Any:
        return self.found.overall.by_class[self.found.positive]


@lru_cache
def judged(name: str, worth: float | None = None) -> Judgement:
    """The pathway of a table on the half that it was not learned from."""
    frame = bt.datasets.frame(name)
    target = frame.columns[-1]
    known, new = frame.iloc[::2], frame.iloc[1::2].reset_index(drop=True)
    known_classes = set(known[target])
    new = new[new[target].isin(known_classes)].reset_index(drop=True)
    tree = bt.grow(bt.Instance.from_frame(known, target), budget=BUDGET, min_cases=4)
    named = next((c for c in tree.class_names if str(c) == str(TABLES[name])), new[target].value_counts().index[0])
    found = bt.evaluate(tree, new, target=target, positive=named, worth=worth)
    position = [str(c) for c in tree.class_names].index(str(named))
    says = np.array([str(answer) == str(named) for answer in tree.predict(new)])
    is_class = np.array([str(c) == str(named) for c in new[target]])
    return Judgement(found, is_class, tree.predict_proba(new)[:, position], says, tree.walk(new).cost)
