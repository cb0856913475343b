"""What a growth is asked for: bad settings are refused with what was expected."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ImpurityError, SettingError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"delta": -1}, "delta is -1; delta must be a number of at least 0"),
        ({"delta": math.nan}, "delta is nan"),
        ({"budget": -0.5}, "budget is -0.5; a budget must be a number of at least 0"),
        ({"budget": math.nan}, "budget is nan"),
        ({"budget": "ten"}, "budget is 'ten'"),
        ({"impurity": bt.Polynomial([(1, (1, 1, 1))])}, "3 exponents, but there are 2 classes"),
    ],
)
def test_bad_settings_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        bt.grow(bt.datasets.load("figure1"), **settings)


@pytest.mark.parametrize(("subject", "found"), [("rule", "best"), ("impurity", bt.Pairs), ("impurity", "pairs")])
def test_what_is_not_on_the_list_is_refused(subject: str, found: Any) -> None:
    with refused(SettingError, subject=subject, found=found):
        bt.grow(bt.datasets.load("figure1"), **{subject: found})


def test_an_impurity_of_floats_that_are_not_finite_is_refused() -> None:
    class Odd(bt.Impurity):
        admissible = exact = zero_only_if_pure = False

        def value(self, counts: Any) -> Any:
            return np.where(np.sum(counts, axis=-1) > 30, np.nan, 1.0)

    with refused(ImpurityError, subject="impurity"):
        bt.grow(bt.datasets.load("figure1"), Odd())
