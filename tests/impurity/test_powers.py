"""Powers: parameters that are refused."""

from __future__ import annotations

from typing import Any

import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ImpurityError


@pytest.mark.parametrize("power", [1, 2.5, True])
def test_bad_parameters_are_refused(power: Any) -> None:
    with refused(ImpurityError, subject="l", found=power):
        bt.Powers(power)
