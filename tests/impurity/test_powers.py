"""Powers: parameters that are refused."""

from __future__ import annotations

from typing import Any

import pytest

import budgetree as bt


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Powers(1), "l is 1; expected a whole number of at least 2"),
        (lambda: bt.Powers(2.5), "l is 2.5"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
