"""export("javascript"): a function that needs no library, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError, TreeError
from exported import assert_javascript_agrees, deep_tree
from losing import losing_tree
from new_cases import frame_of, new_tree, wild_rows
from node_runner import by_node


@pytest.mark.parametrize(("leaves", "confidence"), [("model", 0.8), ("model", None), ("tree", None), ("tree", 0.8)])
def test_trees_for_new_cases_say_what_predict_says(leaves: str, confidence: float | None) -> None:
    tree, rows = new_tree(leaves, confidence), wild_rows(31, 300)
    assert_javascript_agrees(tree, rows, tree.walk(frame_of(rows)))


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_answers_by_losses_are_those_of_predict(leaves: str | None) -> None:
    tree, rows = losing_tree(leaves), wild_rows(32, 300)
    assert "refer" in tree.predict(frame_of(rows))
    assert_javascript_agrees(tree, rows, tree.walk(frame_of(rows)))


def test_costs_are_those_of_outcomes_and_shared_fees() -> None:
    tree, rows = new_tree("model", 0.8), wild_rows(33)
    found = {row["cost"] for row in by_node(tree, rows)}
    assert found == set(tree.walk(frame_of(rows)).cost.tolist())
    assert len(found) > 2


@pytest.mark.parametrize("depth", [1, 1500])
def test_a_deep_tree_is_still_a_function(depth: int) -> None:
    tree = deep_tree(depth)
    codes = np.array([[int(i < ones) for i in range(depth)] for ones in (0, 1, depth // 2, depth)])
    rows = [{f"t{i}": code for i, code in enumerate(row)} for row in codes.tolist()]
    assert_javascript_agrees(tree, rows, tree.walk_codes(codes))


def test_an_es_module_exports_the_function(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    (tmp_path / "tree.mjs").write_text(tree.export("javascript", name="diagnose"), encoding="utf-8")
    case = {"age": 42, "pregnant": 3, "glucose": 1e3, "unused": "x"}
    main = f'import {{ diagnose }} from "./tree.mjs"; console.log(JSON.stringify(diagnose({json.dumps(case)})));'
    (tmp_path / "main.mjs").write_text(main, encoding="utf-8")
    ran = subprocess.run([node, tmp_path / "main.mjs"], capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout)
    asked = tree.ask(case)
    assert (found["answer"], found["cost"]) == (asked.prediction, asked.spent)
    assert found["tests"] == [step.test for step in asked.history]


def test_what_is_no_value_is_refused_by_name() -> None:
    frame = pd.DataFrame({"age": np.arange(40.0), "sex": ["f", "m"] * 20, "y": np.arange(40) % 4})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    whole = {"age": 3, "sex": "f"}
    found = by_node(tree, [whole | {"age": "3"}, whole | {"age": True}, whole | {"sex": ["f"]}, {}])
    assert found[0] == 'TypeError: age is "3"; expected a finite number, or null.'
    assert found[1] == "TypeError: age is true; expected a finite number, or null."
    assert found[2] == 'TypeError: sex is ["f"]; expected a text, a number, true, false or null.'
    assert found[3].endswith("give its value, or null where it is missing.")


def test_a_case_answers_only_for_its_own_names() -> None:
    tree = bt.grow(bt.Instance([[0], [1]], ["a", "b"], test_names=["constructor"]))
    found = by_node(tree, [{}, {"constructor": 1}])
    assert found[0].startswith("TypeError: the case has no constructor")
    assert found[1]["answer"] == "b"


@pytest.mark.parametrize("name", ["two words", "1st", "class", "await", "", "f(){}; function g", "Math"])
def test_a_function_must_have_a_functions_name(name: str) -> None:
    with refused(SettingError, subject="name", found=name):
        bt.grow(bt.datasets.load("figure1")).export("javascript", name=name)


@pytest.mark.parametrize(
    "values",
    [
        [datetime(2024, 2, 29, 12), datetime(2024, 3, 1)],
        [datetime(2024, 2, 29, 12, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)],
        [date(2024, 2, 29), date(2024, 3, 1)],
        ["p", 1.5],
        [True, False],
        ["1", 1],
    ],
    ids=str,
)
def test_values_of_other_kinds(values: list[Any]) -> None:
    frame = pd.DataFrame({"v": pd.Series(values * 2, dtype=object), "y": [0, 1, 0, 1]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    assert [row["answer"] for row in by_node(tree, [{"v": value} for value in values])] == [0, 1]


def test_decimals_are_numbers() -> None:
    frame = pd.DataFrame({"v": pd.Series([Decimal("1.10"), Decimal("2.25")] * 2, dtype=object), "y": [0, 1, 0, 1]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    assert [row["answer"] for row in by_node(tree, [{"v": 1.1}, {"v": 2.25}])] == [0, 1]


@pytest.mark.parametrize("values", [[b"p", b"q"], [timedelta(1), timedelta(2)], [2**60, 2**60 + 1]], ids=str)
def test_what_cannot_be_written_as_javascript_is_refused(values: list[Any]) -> None:
    frame = pd.DataFrame({"v": pd.Series(values * 2, dtype=object), "y": [0, 1, 0, 1]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    with refused(TreeError, found=values[0]):
        tree.export("javascript")


def test_hostile_names_are_only_names() -> None:
    name = "t\"'`${1}</script>\u2028\n*/ // \\"
    prices = bt.Prices({name: 1}, shared={"fee\n\u2028alert()": (2, [name])})
    tree = bt.grow(bt.Instance([[0], [1]], ["a</script>", "__proto__"], prices=prices, test_names=[name]))
    assert [row["answer"] for row in by_node(tree, [{name: 0}, {name: 1}])] == ["a</script>", "__proto__"]
    assert "</script" not in tree.export("javascript")
    tree.export("javascript").encode("ascii")


@pytest.mark.browser
def test_a_script_defines_the_function_in_a_page(tmp_path: Path) -> None:
    from page_browser import open_browser

    tree, rows = new_tree("model", 0.8), wild_rows(34, 50)
    plain = [{name: None if value != value else value for name, value in row.items()} for row in rows]
    page = tmp_path / "page.html"
    page.write_text(f"<meta charset=utf-8><script>{tree.export('javascript', module=False)}</script>", encoding="utf-8")
    driver = open_browser()
    try:
        driver.get(page.as_uri())
        found = driver.execute_script("return arguments[0].map((row) => predict(row).answer);", plain)
    finally:
        driver.quit()
    assert found == tree.predict(frame_of(rows)).tolist()
