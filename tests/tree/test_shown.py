"""How a tree presents itself: sizes are checked, and who only predicts loads none of it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError


@pytest.mark.parametrize(
    ("settings", "subject", "found", "expected"),
    [
        ({"max_leaves": 0}, "max_leaves", 0, 1),
        ({"max_depth": ""}, "max_depth", "", 0),
        ({"max_leaves": "x"}, "max_leaves", "x", 1),
    ],
)
def test_a_wrong_size_is_refused(settings: dict[str, Any], subject: str, found: object, expected: int) -> None:
    with refused(SettingError, subject=subject, found=found, expected=expected):
        bt.grow(bt.datasets.load("figure1")).draw(**settings)


def test_who_only_predicts_loads_nothing_that_shows() -> None:
    script = """
import sys
import budgetree as bt
tree = bt.grow(bt.datasets.load("figure1"))
tree.predict_codes([[0, 0]])
assert not [name for name in sys.modules if name.startswith("budgetree.show")]
assert tree.to_text().startswith(tree.summary())
"""
    subprocess.run([sys.executable, "-c", script], check=True)
