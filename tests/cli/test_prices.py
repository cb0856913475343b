"""Price lists on the command line: what they lack is said as it is to be typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run

import budgetree as bt


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"{20 + i % 30},{'' if i == 5 else i % 4},{'ab'[i % 4 // 2]}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["age,ca level,y", *lines]), encoding="utf-8")
    return tmp_path


FIT = ["fit", "t.csv", "-t", "y", "--budget", "9", "--objective", "known", "--folds", "0", "-o", "m.json", "--prices"]


def test_a_missing_price_is_advised_as_an_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.toml").write_text("[tests]\nage = 3\n", encoding="utf-8")
    printed = run(capsys, *FIT, "p.toml", code=1)
    assert printed == (
        "error: p.toml: prices: no price for 'ca level'. Add a line for each, or say what every test costs that is not "
        "in the list: --default-price 1.\n"
    )
    run(capsys, *FIT, "p.toml", "--default-price", "7")
    content = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    assert content["prices"]["default"] in (7, "7")


def test_a_second_default_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.toml").write_text("default = 3\n", encoding="utf-8")
    printed = run(capsys, *FIT, "p.toml", "--default-price", "7", code=1)
    assert "p.toml: prices: the list has a default of its own; leave out --default-price" in printed


def test_a_gap_in_a_column_with_prices_per_outcome_says_what_to_add(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = 'default = 1\n[tests."ca level"]\n0 = 1\n1 = 2\n2 = 3\n3 = 4\n'
    (folder / "p.toml").write_text(text, encoding="utf-8")
    printed = run(capsys, *FIT, "p.toml", code=1)
    assert printed == (
        "error: p.toml: prices: test 'ca level' has a price per outcome, but none for rows where it is missing. Add "
        'below [tests."ca level"], or in the braces of "ca level" = {…}: missing = 1.\n'
    )
    (folder / "p.toml").write_text(text + printed.rpartition(": ")[2].rstrip(".\n"), encoding="utf-8")
    run(capsys, *FIT, "p.toml")
    run(capsys, *FIT, "p.toml", "--levels", "3")


def test_a_price_list_may_be_a_csv_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.csv").write_text("test,price\nage,3\nca level,0.5\n", encoding="utf-8")
    assert "worst case 0.5" in run(capsys, *FIT, "p.csv")


def test_an_empty_file_is_a_list_without_a_price(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.toml").write_text("# nothing yet\n", encoding="utf-8")
    assert "p.toml: prices: no price for 'age', 'ca level'" in run(capsys, *FIT, "p.toml", code=1)


def test_a_file_about_something_else_leaves_prices_as_they_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "s.toml").write_text("[labels]\nunit = '€'\n", encoding="utf-8")
    check = ["check", "t.csv", "-t", "y", "--prices", "s.toml"]
    assert "every test costs 1 €." in run(capsys, *check)
    assert "every test costs 4 €." in run(capsys, *check, "--default-price", "4")
    run(capsys, "fit", "pima", *FIT[4:], "s.toml")
    content = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    assert content["prices"]["tests"]["glucose"] != 1  # a bundled table has prices of its own


def test_without_a_list_all_tests_may_cost_something_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "every test costs 4." in run(capsys, "check", "t.csv", "-t", "y", "--default-price", "4")


def test_a_price_that_could_be_two_is_asked_about(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.csv").write_text("test;price\nage;1,136\nca level;2\n", encoding="utf-8")
    expected = "p.csv, line 2: column 'price' has '1,136', which could be 1136 (use --decimal . --thousands ,) or 1.136"
    assert expected in run(capsys, *FIT, "p.csv", code=1)
    run(capsys, *FIT, "p.csv", "--decimal", ".", "--thousands", ",")
    assert bt.Tree.from_json("m.json").schema.prices == bt.Prices({"age": 1136, "ca level": 2})
    assert bt.Prices.from_file("p.csv", reading=bt.Reading(decimal=",")) == bt.Prices({"age": 1.136, "ca level": 2})
    (folder / "p.csv").write_text("test;price\nage;1,136\nca level;2,5\n", encoding="utf-8")
    run(capsys, *FIT, "p.csv", "--thousands", ",")  # the marks of the cases, and the list has its own
    assert bt.Prices.from_file("p.csv") == bt.Prices({"age": 1.136, "ca level": 2.5})


def test_a_test_that_is_left_out_may_stay_in_the_price_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases, prices = tmp_path / "cases.csv", tmp_path / "prices.toml"
    cases.write_text("a,b,c,y\n0,0,0,p\n0,1,1,q\n1,0,1,q\n1,1,0,p\n" * 3)
    shared = "[shared.draw]\nfee = 1\ntests = ['a', 'b']\n[shared.visit]\nfee = 4\ntests = ['b']\n"
    prices.write_text(f"[tests]\na = 2\nb = 3\nc = 1\n{shared}")
    model = tmp_path / "m.json"
    run(capsys, "fit", str(cases), "-t", "y", "--drop", "b", "--prices", str(prices), "--budget", "9", "-o", str(model))
    listed = bt.Tree.from_json(model).schema.prices
    assert sorted(listed.tests) == ["a", "c"]
    assert {name: each.tests for name, each in listed.shared.items()} == {"draw": ("a",)}
    reading = bt.Reading(drop=["b"])
    instance = bt.Instance.from_file(cases, "y", prices=bt.Prices.from_toml(prices), reading=reading)
    assert instance.schema.prices == listed
