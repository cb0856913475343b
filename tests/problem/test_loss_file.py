"""Losses in TOML: a file of their own or a price list, with every bad entry named."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import budgetree as bt
from budgetree.problem.loss_file import find_losses, read_losses

LOSSES = """
[losses]
benign = 1.50
[losses.cancer]
benign = 50
[answers]
refer = 4
[answers.wait]
benign = 0
cancer = 0.1
"""


@pytest.mark.parametrize("prices", ["", "default = 3\n[tests]\nage = 1\n"])
def test_losses_are_read_from_a_file_of_their_own_or_a_price_list(tmp_path: Path, prices: str) -> None:
    path = tmp_path / "losses.toml"
    path.write_text(prices + LOSSES)
    found = read_losses(path)
    assert found == bt.Losses.from_toml(path) == find_losses(path)
    assert found == bt.Losses(
        {"benign": Fraction(3, 2), "cancer": {"benign": 50}}, answers={"refer": 4, "wait": {"benign": 0, "cancer": 0.1}}
    )


def test_a_price_list_without_losses_has_none_and_is_refused_where_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("default = 1")
    assert find_losses(path) is None
    with pytest.raises(ValueError, match=r"neither a table \[losses\] nor a table \[answers\]"):
        read_losses(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("losses = 3", r"'losses' must be a table; write \[losses\]"),
        ("answers = 3", r"'answers' must be a table; write \[answers\]"),
        ("[loss]\ncancer = 1", r"unknown entry 'loss'; expected default, \[tests\] .* \[losses\] and \[answers\]"),
        ("[losses]\ncancer = -1", "the loss of missing class 'cancer' is -1"),
        ("[losses.cancer]\nbenign = inf", "the loss of class 'cancer', answer 'benign', is Infinity"),
        ("[losses.cancer]\nbenign = 'much'", "the loss of class 'cancer', answer 'benign', is 'much'"),
        ("[losses.cancer.benign]\nwell = 3", r"\[losses\] has more than a number or a table of numbers at 'cancer'"),
        ("[answers]\nrefer = [1, 2]", r"\[answers\] has more than a number .* \[answers.refer\] with numbers"),
        ("[answers.refer]\ncancer = nan", "the loss of class 'cancer', answer 'refer', is NaN"),
        ("[losses\n", "not a TOML file: .* One loss per line, as in: cancer = 50"),
        ("[losses]\ncancer = 1e999999999", r"class 'cancer' is 1E\+999999999; expected 0 or a number between"),
    ],
)
def test_a_bad_losses_file_is_named_with_its_entry(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "losses.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_losses(path)
    assert str(path) in str(caught.value)
