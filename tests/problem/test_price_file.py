"""Price lists in TOML: read with all their digits, and named where they are wrong."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from workbooks import write_xlsx

import budgetree as bt


def test_a_price_list_is_read_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        """
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
    )
    expected = bt.Prices(
        {"glucose": 15.51, "mri": {"clear": 250, "unclear": 312.5}},
        shared={"blood draw": (2.10, ["glucose"])},
        default=1,
    )
    assert bt.Prices.from_toml(path) == expected
    assert eval(repr(expected), {"Prices": bt.Prices}) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tests = 3", "'tests' must be a table"),
        ("[test]\nage = 1", "unknown entry 'test'"),
        ("[tests]\nage = -1", "the price of test 'age' is -1"),
        ("[shared.draw]\nfee = 1", r"\[shared.draw\] must hold exactly `fee` and `tests`"),
        ("[tests\n", "not a TOML file"),
        ("default = 1e-999999999", "the price of every test is 1E-999999999; expected 0 or a number between 1e-30 and"),
        ("[tests]\nage = 1e999999999", r"the price of test 'age' is 1E\+999999999; expected 0 or a number between"),
        ("default = 1e99999999999999999999", "there is the number 1e99999999999999999999; expected 0 or a number"),
        (f"default = 1{'0' * 5000}", "a whole number of thousands of digits; expected 0 or a number"),
        (f"default = 0x{'f' * 5000}", "the price of every test is about 1e6020; expected 0 or a number between"),
        (f"default = {'[' * 100_000}", "brackets within brackets"),
    ],
)
def test_a_bad_price_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        bt.Prices.from_toml(path)
    assert str(path) in str(caught.value)


def test_a_price_list_may_hold_losses_which_prices_leave_alone(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("default = 2\n[losses]\nill = 50\n[answers]\nrefer = 4\n")
    assert bt.Prices.from_toml(path) == bt.Prices(2)


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
    ("text", "message"),
    [
        ("name,price\na,1\n", "a price list has the columns test and price; there are: name, price"),
        ("test,price\na,1\na,2\n", "line 3: there is a second price for 'a'"),
        ("test,price\na,\n", "line 2: there is no price; expected both"),
        ("test,price\n,3\n", "line 2: there is no test; expected both"),
        ("test,price\na,3 €\n", "line 2: the price is '3 €'; expected a number such as 12.50, without a unit"),
        ('test,price\na,"1,234"\n', "line 2: the price is '1,234'; expected a number"),
        ("test,price\na,-3\n", "the price of test 'a' is -3; prices must be finite and at least 0"),
    ],
)
def test_a_bad_table_of_prices_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "prices.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        bt.Prices.from_file(tmp_path / "prices.csv")
    assert "prices.csv" in str(caught.value)
