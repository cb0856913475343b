"""Price lists in TOML: read with all their digits, and named where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

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
