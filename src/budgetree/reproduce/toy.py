"""Figure 1: the toy, computed as the paper's appendix does, and by the formula as it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from budgetree import datasets
from budgetree.impurity import HingedPairs, HingedProduct, Impurity, Pairs
from budgetree.learn import grow

ALPHA = 8  # the paper's α in this example


@dataclass(frozen=True, slots=True)
class ToyColumn:
    """The toy's numbers for one impurity: what sets owe, each test's R, and which test the rule takes."""

    name: str
    whole: Fraction
    parts: dict[str, tuple[Fraction, ...]]  # per test, of each outcome's part
    ratios: dict[str, Fraction]  # the paper's R(t)
    chosen: str


def toy_columns() -> list[ToyColumn]:
    """Pairs, the hinge as the paper computes it (without −α²), and the hinge as the paper prints it."""
    return [
        _column("Pairs", Pairs(), 1),
        # The paper sums over unordered pairs here; over ordered ones everything doubles, and no choice changes.
        _column("hinged, as computed", HingedProduct(ALPHA), 2),
        _column("hinged, as printed", HingedPairs(ALPHA), 2),
    ]


def _column(name: str, impurity: Impurity, divisor: int) -> ToyColumn:
    instance = datasets.load("figure1")
    tree = grow(instance, impurity)

    def owed(rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Fraction:
        return Fraction(impurity(np.bincount(instance.labels[rows], minlength=instance.n_classes))) / divisor

    whole = owed(np.ones(instance.n_objects, dtype=bool))
    parts = {
        test: tuple(owed(instance.codes[:, place] == outcome) for outcome in (0, 1))
        for place, test in enumerate(instance.test_names)
    }
    ratios = {test: max(1 / (whole - part) for part in owed_by_parts) for test, owed_by_parts in parts.items()}
    return ToyColumn(name, whole, parts, ratios, instance.test_names[tree.nodes.test[0]])
