"""The native core (core/bindings/): what it offers to Python. tests/core/test_names.py compares the two."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__version__: str

def processor() -> str: ...

class Clock:
    def __init__(self, seconds: float | None = None, tick: Callable[[int, int], object] | None = None) -> None: ...
    def stop(self) -> None: ...
    @property
    def is_stopped(self) -> bool: ...

class Money:
    def __init__(self, own: NDArray[np.int64], fees: NDArray[np.int64], fee_mask: NDArray[np.uint64]) -> None: ...

class Cases:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        labels: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        n_outcomes: NDArray[np.int32],
        n_classes: int,
    ) -> None: ...

class Route:
    def __init__(
        self,
        test: NDArray[np.int32],
        first_branch: NDArray[np.int64],
        branches: NDArray[np.int32],
        n_outcomes: NDArray[np.int64],
        price: NDArray[np.int64],
    ) -> None: ...
    def walk(
        self,
        codes: NDArray[np.uint8],
        node: NDArray[np.int32],
        paid: NDArray[np.int64],
        clock: Clock,
        threads: int | None = None,
    ) -> None: ...
