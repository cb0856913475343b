"""Hinged functions: parameters that are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import budgetree as bt


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.HingedPairs(-1), "HingedPairs: alpha is -1; expected a finite number of at least 0"),
        (lambda: bt.HingedProduct(math.nan), "HingedProduct: alpha is nan"),
        (lambda: bt.HingedPairs("8"), "alpha is '8'"),
        (lambda: bt.HingedPairs(10**400), "at most 1e100"),
        (lambda: bt.HingedPairs(np.True_), "alpha is np.True_"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
