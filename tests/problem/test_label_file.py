"""Labels in TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

import budgetree as bt
from budgetree.problem.label_file import find_labels

TEXT = """
default = 2
[tests]
sex = 1.50
[labels]
unit = "€"
[labels.tests]
chol = "Cholesterol"
[labels.tests.sex]
name = "Sex"
help = "As in the passport."
outcomes = { 0 = "female", 1 = "male" }
[labels.classes]
0 = "healthy"
[labels.classes.1]
name = "heart disease"
help = "An artery is narrow."
"""


def test_labels_stand_beside_the_prices(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(TEXT, encoding="utf-8")
    assert bt.Labels.from_toml(path) == bt.Labels(
        {
            "chol": "Cholesterol",
            "sex": {"name": "Sex", "help": "As in the passport.", "outcomes": {0: "female", 1: "male"}},
        },
        {"0": "healthy", "1": {"name": "heart disease", "help": "An artery is narrow."}},
        unit="€",
    )
    assert float(bt.Prices.from_toml(path).tests["sex"]) == 1.5  # type: ignore[arg-type]


def test_a_price_list_without_labels_has_none_and_is_refused_where_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("default = 1")
    assert find_labels(path) is None
    with pytest.raises(ValueError, match=r"prices.toml: there is no table \[labels\]; expected one"):
        bt.Labels.from_toml(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labels = 3", r"'labels' must be a table; write \[labels\]"),
        ("[label]\nunit = '€'", r"unknown entry 'label'; expected .* or \[labels\]"),
        ("[labels]\nunits = '€'", "labels: unknown entry 'units'; expected tests, classes or unit"),
        ("[labels.tests]\nsex = 3", "test 'sex' has the label 3"),
        ("[labels.classes]\n1.5 = 'half'", "labels of class '1': unknown entry '5'; .* a dot needs quotes"),
        ("[labels\n", "not a TOML file: .* One label per line"),
    ],
)
def test_a_bad_file_is_named_with_its_entry(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "labels.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        bt.Labels.from_toml(path)
    assert str(path) in str(caught.value)
