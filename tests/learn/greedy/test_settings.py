"""What a growth is asked for: bad settings are refused with what was expected."""

from __future__ import annotations

import math

import pytest

import budgetree as bt


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"delta": -1}, "delta is -1; delta must be a number of at least 0"),
        ({"delta": math.nan}, "delta is nan"),
        ({"budget": -0.5}, "budget is -0.5; a budget must be a number of at least 0"),
        ({"budget": math.nan}, "budget is nan"),
        ({"budget": "ten"}, "budget is 'ten'"),
        ({"rule": "best"}, "rule is 'best'; expected 'worst' or 'expected'"),
        ({"impurity": bt.Pairs}, "got the class Pairs; give an object"),
        ({"impurity": "pairs"}, "expected an Impurity such as"),
        ({"impurity": bt.Polynomial([(1, (1, 1, 1))])}, "3 exponents, but there are 2 classes"),
    ],
)
def test_bad_settings_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        bt.grow(bt.datasets.load("figure1"), **settings)
