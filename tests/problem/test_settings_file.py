"""The settings file: prices, losses and labels from one parse, with all their digits; what is wrong is named."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from workbooks import write_xlsx

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import BudgetreeError, FileError, LabelsError, LossesError, PricesError, TableFileError
from budgetree.problem.settings_file import Settings, read_settings, read_toml

PRICES = """
default = 1
[tests]
glucose = 15.51
[tests.mri]
clear = 250
unclear = 312.5
[shared."blood draw"]
fee = 2.10
tests = ["glucose"]
"""
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
LABELS = """
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
EXPECTED_PRICES = bt.Prices(
    {"glucose": 15.51, "mri": {"clear": 250, "unclear": 312.5}}, shared={"blood draw": (2.10, ["glucose"])}, default=1
)
EXPECTED_LOSSES = bt.Losses(
    {"benign": Fraction(3, 2), "cancer": {"benign": 50}}, answers={"refer": 4, "wait": {"benign": 0, "cancer": 0.1}}
)
EXPECTED_LABELS = bt.Labels(
    {
        "chol": "Cholesterol",
        "sex": {"name": "Sex", "help": "As in the passport.", "outcomes": {0: "female", 1: "male"}},
    },
    {"0": "healthy", "1": {"name": "heart disease", "help": "An artery is narrow."}},
    unit="€",
)


def test_prices_losses_and_labels_may_be_in_one_file_or_in_three(tmp_path: Path) -> None:
    path = tmp_path / "all.toml"
    path.write_text(PRICES + LOSSES + LABELS, encoding="utf-8")
    assert read_toml(path) == Settings(EXPECTED_PRICES, EXPECTED_LOSSES, EXPECTED_LABELS)
    assert bt.Prices.from_toml(path) == EXPECTED_PRICES
    assert bt.Losses.from_toml(path) == EXPECTED_LOSSES
    assert bt.Labels.from_toml(path) == EXPECTED_LABELS
    for text, alone in ((PRICES, EXPECTED_PRICES), (LOSSES, EXPECTED_LOSSES), (LABELS, EXPECTED_LABELS)):
        path.write_text(text, encoding="utf-8-sig")  # a byte order mark does not matter
        assert type(alone).from_toml(path) == alone
        settings = read_settings(path)
        assert [part for part in (settings.prices, settings.losses, settings.labels) if part is not None] == [alone]
    assert eval(repr(EXPECTED_PRICES), {"Prices": bt.Prices}) == EXPECTED_PRICES


def test_what_is_asked_for_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "empty.toml"
    path.write_text("", encoding="utf-8")
    assert read_toml(path) == Settings()
    assert bt.Prices.from_toml(path) == bt.Prices({})
    with refused(LossesError, source=str(path)):
        bt.Losses.from_toml(path)
    with refused(LabelsError, source=str(path)):
        bt.Labels.from_toml(path)


def test_numbers_keep_their_digits(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("default = 15.510000000000000001", encoding="utf-8")
    assert bt.Prices.from_toml(path).default == Fraction("15.510000000000000001")


@pytest.mark.parametrize(
    ("text", "kind", "fields"),
    [
        ("tests = 3", FileError, {"subject": "tests", "found": 3}),
        ("losses = 3", FileError, {"subject": "losses"}),
        ("answers = 3", FileError, {"subject": "answers"}),
        ("labels = 3", FileError, {"subject": "labels"}),
        ("[test]\nage = 1", FileError, {"subject": "test"}),
        ("[tests\n", FileError, {}),
        ("\x00", FileError, {}),
        ("default = 1e99999999999999999999", FileError, {}),
        (f"default = 1{'0' * 5000}", FileError, {}),
        (f"default = {'[' * 100_000}", FileError, {}),
        ("[tests]\nage = -1", PricesError, {"subject": "age", "found": -1}),
        ("[tests]\nage = 1e999999999", PricesError, {"subject": "age", "found": Decimal("1e999999999")}),
        ("default = 1e-999999999", PricesError, {"subject": "default"}),
        (f"default = 0x{'f' * 5000}", PricesError, {"subject": "default"}),
        ("[shared.draw]\nfee = 1", PricesError, {"subject": "draw"}),
        ("[limits.time]\nmax = 3\nshared = 'draw'", PricesError, {"found": "draw"}),
        ("[losses]\ncancer = -1", LossesError, {"subject": "cancer", "found": -1}),
        ("[losses.cancer]\nbenign = inf", LossesError, {"subject": "cancer", "found": Decimal("inf")}),
        ("[losses.cancer]\nbenign = 'much'", LossesError, {"subject": "cancer", "found": "much"}),
        ("[losses.cancer.benign]\nwell = 3", LossesError, {"subject": "cancer"}),
        ("[answers]\nrefer = [1, 2]", LossesError, {"subject": "refer", "found": [1, 2]}),
        ("[answers.refer]\ncancer = nan", LossesError, {"subject": "cancer"}),
        ("[losses]\ncancer = 1e999999999", LossesError, {"subject": "cancer"}),
        ("[labels]\nunits = '€'", LabelsError, {"subject": "units", "expected": ("tests", "classes", "unit")}),
        ("[labels.tests]\nsex = 3", LabelsError, {"subject": "sex", "found": 3}),
        ("[labels.classes]\n1.5 = 'half'", LabelsError, {"subject": "5"}),
    ],
)
def test_a_bad_file_is_named_with_its_entry(
    tmp_path: Path, text: str, kind: type[BudgetreeError], fields: dict[str, Any]
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    for read in (read_toml, bt.Prices.from_toml, bt.Losses.from_toml, bt.Labels.from_toml):
        with refused(kind, source=str(path), **fields):
            read(path)


def test_a_file_that_is_not_toml_shows_how_an_entry_is_written(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("blood test = 12.50", encoding="utf-8")
    with pytest.raises(FileError, match=r'prices.toml: not a TOML file: .* as in: "blood test" = 12.50 '):
        bt.Prices.from_toml(path)


def test_a_price_list_may_be_a_table(tmp_path: Path) -> None:
    expected = bt.Prices({"glucose": Decimal("15.510000000000000001"), "stress test": 3, "007": 0})
    text = 'Test,note,Price\nglucose,blood,15.510000000000000001\n"stress test",,3\n007,,0\n'
    (tmp_path / "prices.csv").write_text(text, encoding="utf-8")
    assert bt.Prices.from_file(tmp_path / "prices.csv") == expected
    (tmp_path / "comma.csv").write_text("test;price\nglucose;15,51\n", encoding="utf-8")
    assert bt.Prices.from_file(tmp_path / "comma.csv") == bt.Prices({"glucose": 15.51})
    book = write_xlsx(tmp_path / "prices.xlsx", {"list": [["test", "price"], ["glucose", 15.51], ["ecg", 3]]})
    assert bt.Prices.from_file(book) == bt.Prices({"glucose": 15.51, "ecg": 3})
    (tmp_path / "prices.toml").write_text("default = 2", encoding="utf-8")
    assert bt.Prices.from_file(tmp_path / "prices.toml") == bt.Prices({}, default=2)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("name,price\na,1\n", {"found": ("name", "price"), "expected": ("test", "price"), "entry": None}),
        ("test,price\na,1\na,2\n", {"subject": "a", "line": 3}),
        ("test,price\na,\n", {"subject": "price", "line": 2}),
        ("test,price\n,3\n", {"subject": "test", "line": 2}),
        ("test,price\na,3 €\n", {"subject": "a", "found": "3 €", "line": 2}),
        ("test,price\na,-3\n", {"subject": "a", "found": -3}),
        ("test,price\na,1\nb,1e99999999999999999999\n", {"subject": "b", "found": "1e99999999999999999999", "line": 3}),
        ("test,price\na,1e999999999\n", {"subject": "a", "found": Decimal("1e999999999")}),
    ],
)
def test_a_bad_table_of_prices_is_named(tmp_path: Path, text: str, fields: dict[str, Any]) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(text, encoding="utf-8")
    with refused(PricesError, source=str(path), **fields):
        bt.Prices.from_file(path)


def test_a_price_that_could_be_two_numbers_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text('test,price\na,"1,234"\n', encoding="utf-8")
    with refused(TableFileError, source=str(path), line=2):
        bt.Prices.from_file(path)


RULES = """default = 8
first = ["ecg"]
[tests]
ecg = 40
[limits.time]
unit = "min"
max = 90
default = 10
[limits.time.tests]
ecg = 15
[limits.time.shared."blood draw"]
fee = 25
tests = ["mri", "xray"]
[limits.tests]
max = 5
[panels."lab"]
tests = ["troponin", "d-dimer"]
price = 30
time = 40
[order]
mri = { after = ["xray"] }
angiography = { after = { exercise = ["positive", "unclear"] } }
"""


def test_rules_of_a_pathway_are_read(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(RULES, encoding="utf-8")
    draw = {"blood draw": (25, ["mri", "xray"])}
    assert bt.Prices.from_toml(path) == bt.Prices(
        {"ecg": 40},
        default=8,
        limits={"time": bt.Limit(90, {"ecg": 15}, shared=draw, default=10, unit="min"), "tests": 5},
        panels={"lab": {"tests": ["troponin", "d-dimer"], "price": 30, "time": 40}},
        order={"mri": {"after": ["xray"]}, "angiography": {"after": {"exercise": ["positive", "unclear"]}}},
        first=["ecg"],
    )


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        ("max = 90\n", "", {"subject": "time"}),
        ("max = 90\n", "max = -90\n", {"subject": "max", "found": -90}),
        ("ecg = 15", "ecg = inf", {"subject": "ecg"}),
        ("unit =", "units =", {"subject": "time"}),
        ("time = 40", "tiem = 40", {"subject": "lab"}),
        ("price = 30\n", "", {"subject": "lab", "found": "price"}),
        ('["mri", "xray"]', '["mri", "d-dimer"]', {"subject": "d-dimer"}),
        ('{ after = ["xray"] }', '["xray"]', {"subject": "mri", "found": ["xray"]}),
        ('{ after = ["xray"] }', "{ before = 3 }", {"subject": "mri"}),
        ('first = ["ecg"]', 'first = "ecg"', {"subject": "first", "found": "ecg"}),
        ('first = ["ecg"]', 'first = ["mri"]', {"subject": "mri"}),
    ],
)
def test_a_bad_rule_is_named_with_its_file(tmp_path: Path, before: str, after: str, fields: dict[str, Any]) -> None:
    path = tmp_path / "prices.toml"
    assert before in RULES
    path.write_text(RULES.replace(before, after), encoding="utf-8")
    with refused(PricesError, source=str(path), **fields):
        bt.Prices.from_toml(path)
