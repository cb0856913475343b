"""Counter: whoever can count classes per test and outcome can grow trees."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgetree.counts.memory import count_classes
from budgetree.problem import Instance


class Counter(Protocol):
    """A set of cases somewhere: in memory, in files, on a cluster. Groups are opaque to the grower."""

    def everything(self) -> Any:
        """The group of all cases."""

    def count(self, group: Any) -> NDArray[np.int64]:
        """Weight units per (test, outcome, class) in the group."""

    def cases(self, group: Any) -> NDArray[np.int64]:
        """How many cases of the group show each outcome, by test; asked only where leaves need several."""

    def split(self, group: Any, test: int, outcomes: list[int]) -> list[Any]:
        """The group's cases by their outcome of the test."""


class MemoryCounter:
    """Counts in this process; a group is an array of row numbers."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    def everything(self) -> NDArray[np.int32]:
        return self._instance.class_order.order

    def count(self, group: NDArray[np.int32]) -> NDArray[np.int64]:
        return count_classes(self._instance, group)

    def cases(self, group: NDArray[np.int32]) -> NDArray[np.int64]:
        codes = self._instance.codes[group]
        width = int(self._instance.schema.n_outcomes.max())
        return np.stack([np.bincount(column, minlength=width) for column in codes.T])

    def split(self, group: NDArray[np.int32], test: int, outcomes: list[int]) -> list[NDArray[np.int32]]:
        shown = self._instance.codes[group, test]
        return [group[shown == outcome] for outcome in outcomes]
