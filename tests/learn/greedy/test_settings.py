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
    ("subject", "found"),
    [
        ("delta", -1),
        ("delta", math.nan),
        ("budget", -0.5),
        ("budget", math.nan),
        ("budget", "ten"),
        ("rule", "best"),
        ("impurity", bt.Pairs),
        ("impurity", "pairs"),
    ],
)
def test_bad_settings_are_refused(subject: str, found: Any) -> None:
    with refused(SettingError, subject=subject, found=found):
        bt.grow(bt.datasets.load("figure1"), **{subject: found})


def test_an_impurity_of_floats_that_are_not_finite_is_refused() -> None:
    class Odd(bt.Impurity):
        admissible = exact = zero_only_if_pure = False

        def value(self, counts: Any) -> Any:
            return np.where(np.sum(counts, axis=-1) > 30, np.nan, 1.0)

    with refused(ImpurityError, subject="impurity"):
        bt.grow(bt.datasets.load("figure1"), Odd())


def test_an_impurity_for_other_classes_is_refused() -> None:
    with refused(ImpurityError, subject="n_classes", found=2):
        bt.grow(bt.datasets.load("figure1"), bt.Polynomial([(1, (1, 1, 1))]))
