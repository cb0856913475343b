"""What the classes of the known cases come to before any test is done, and what no test can change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.loss_table import LossTable


@dataclass(frozen=True, slots=True, eq=False)
class ClassTotals:
    """How much there is of each class, wherever the cases are."""

    counts: NDArray[np.int64]  # per class, in weight units
    table: LossTable
    n_cases: int  # that count: weight above 0

    @property
    def total(self) -> int:
        """The weight units of all cases."""
        return int(self.counts.sum())

    @property
    def leaf_loss(self) -> int:
        """What a single leaf loses, in loss units."""
        return int(self.table.least(self.counts))

    @property
    def leaf_errors(self) -> int:
        """What that leaf gets wrong, in weight units; an answer that is no class is no error."""
        answer = int(self.table.best(self.counts))
        return int(self.counts.sum() - self.counts[answer]) if answer < len(self.counts) else 0


@dataclass(frozen=True, slots=True, eq=False)
class ClassOrder(ClassTotals):
    """The cases that count, sorted by class and then by position."""

    order: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Irreducible:
    """What no tree can separate: cases that agree on every test but not on the class."""

    outvoted: NDArray[np.int64]  # per case in the class order, its loss units under the best answer for all like it
    n_objects: int  # the cases that are identical to one of another class

    @property
    def units(self) -> int:
        """The loss that remains, in loss units."""
        return int(self.outvoted.sum())


@dataclass(frozen=True, slots=True)
class Unavoidable:
    """The same in two numbers, where the cases are not at hand."""

    units: int  # the loss that remains, in loss units
    n_objects: int  # the cases that are identical to one of another class
