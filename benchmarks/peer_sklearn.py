"""scikit-learn's tree: every depth and many leaf counts, codes as numbers and one-hot."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from peer_trees import (
    Case,
    Leaf,
    Split,
    Sweep,
    binary_split,
    judged,
    swept,
    timed,
)
from sklearn.tree import DecisionTreeClassifier

SKLEARN_DEPTHS = range(1, 21)
SKLEARN_LEAVES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)


def one_hot(case: Case, pool: Sequence[int]) -> tuple[NDArray[np.float32], list[tuple[int, int | None]]]:
    """A binary column for every outcome that occurs, and which column and outcome it stands for."""
    codes = case.instance.codes
    owners = [(column, int(code)) for column in pool for code in np.unique(codes[:, column])]
    return np.stack([codes[:, column] == code for column, code in owners], axis=1).astype(np.float32), owners


def as_numbers(case: Case, pool: Sequence[int]) -> tuple[NDArray[np.float32], list[tuple[int, int | None]]]:
    return case.instance.codes[:, pool].astype(np.float32), [(column, None) for column in pool]


def read_sklearn(model: DecisionTreeClassifier, case: Case, owners: Sequence[tuple[int, int | None]]) -> Leaf | Split:
    grown = model.tree_

    def read(at: int) -> Leaf | Split:
        if grown.children_left[at] < 0:
            return Leaf(int(model.classes_[grown.value[at, 0].argmax()]))
        column, outcome = owners[grown.feature[at]]
        codes = range(case.n_outcomes(column))
        if outcome is None:
            left = [code for code in codes if code <= grown.threshold[at]]
        else:
            left = [code for code in codes if code != outcome]
        children = [read(grown.children_left[at]), read(grown.children_right[at])]
        return binary_split(column, left, len(codes), children)

    return read(0)


def sklearn_tree(case: Case) -> Sweep:
    labels = case.instance.labels
    sizes = [{"max_depth": depth} for depth in SKLEARN_DEPTHS] + [{"max_leaf_nodes": n} for n in SKLEARN_LEAVES]
    settings = [size | {"criterion": criterion} for size in sizes for criterion in ("gini", "entropy")]
    encodings = [as_numbers]
    if case.instance.codes.max() > 1:  # one-hot columns of a binary table say nothing new
        encodings.append(one_hot)
    total, results = 0.0, []
    for encoding, pool in itertools.product(encodings, case.pools()):
        table, owners = encoding(case, pool)
        seconds, fitted = timed(
            lambda setting, table=table: DecisionTreeClassifier(**setting, random_state=0).fit(table, labels), settings
        )
        total += seconds
        results += [judged(case, read_sklearn(model, case, owners), model.predict(table)) for _, model in fitted]
    return swept(case, total, results)
