"""Polynomial: terms that are refused."""

from __future__ import annotations

from typing import Any

import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ImpurityError


@pytest.mark.parametrize(
    ("terms", "subject", "found"),
    [
        ([], "terms", ()),
        ([(1, (2, 0))], "term 0", (2, 0)),
        ([(-1, (1, 1))], "term 0", -1),
        ([(1, (1, -1))], "term 0", -1),
        ([(1, (1, 1)), (1, (1, 1, 1))], "terms", [2, 3]),
        ([3], "term 0", 3),
        (None, "terms", None),
    ],
)
def test_bad_parameters_are_refused(terms: Any, subject: str, found: Any) -> None:
    with refused(ImpurityError, subject=subject, found=found):
        bt.Polynomial(terms)


def test_other_numbers_of_classes_are_refused() -> None:
    with refused(ImpurityError, subject="n_classes", found=3):
        bt.Polynomial([(1, (1, 1))])([1, 2, 3])
