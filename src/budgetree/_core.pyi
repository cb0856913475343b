"""The native core, as core/bindings/ makes it. Use it through budgetree.core, which says whether it is there."""

from collections.abc import Callable, Sequence
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

parts: ModuleType  # components by themselves, for tests

def processor() -> str: ...

class Clock:
    def __new__(cls, seconds: float | None = None, tick: Callable[[int, int], object] | None = None) -> Clock: ...
    def stop(self) -> None: ...
    @property
    def is_stopped(self) -> bool: ...

class Money:
    def __new__(cls, own: NDArray[np.int64], fees: NDArray[np.int64], fee_mask: NDArray[np.uint64]) -> Money: ...

class Cases:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        labels: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        n_outcomes: NDArray[np.int32],
        n_classes: int,
    ) -> None: ...

class Table:
    def __new__(cls, cases: Cases, clock: Clock) -> Table: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def total_weight(self) -> int: ...

class Form:
    @staticmethod
    def powers(power: int, n_classes: int) -> Form: ...
    @staticmethod
    def hinge(q: bytes, p: bytes, subtracts_square: bool, n_classes: int) -> Form: ...
    @staticmethod
    def polynomial(coefficients: Sequence[bytes], exponents: Sequence[Sequence[int]], n_classes: int) -> Form: ...
    @staticmethod
    def gini(n_classes: int) -> Form: ...
    @staticmethod
    def entropy(n_classes: int) -> Form: ...

class GrowthSettings:
    def __new__(
        cls, form: Form, threshold: bytes, float_threshold: float, budget: int, is_worst: bool
    ) -> GrowthSettings: ...

class Hinges:
    def __new__(cls, q: bytes, p: bytes, subtracts_square: bool, budget: int) -> Hinges: ...

StepArrays = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

class Pool:
    def __new__(cls, table: Table, money: Money, cache_bytes: int) -> Pool: ...
    def grow(self, settings: Sequence[GrowthSettings], clock: Clock) -> StepArrays: ...
    def bisect(
        self, hinges: Hinges, largest: int, close: int, clock: Clock
    ) -> tuple[NDArray[np.int64], StepArrays]: ...

def grow(
    table: Table, money: Money, settings: GrowthSettings, threads: int, clock: Clock
) -> dict[str, NDArray[np.generic]] | None: ...
def count_classes(cases: Cases, numbers: NDArray[np.int32], clock: Clock) -> NDArray[np.int64]: ...
