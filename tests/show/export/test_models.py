"""Trees for new cases as programs: they say what predict says, whatever the rows."""

from __future__ import annotations

from typing import Any

import pytest

from exported import by_duckdb, compiled
from losing import losing_tree
from new_cases import frame_of, new_tree, wild_rows

KINDS = [("model", 0.8), ("model", None), ("count", None), ("count", 0.8)]


@pytest.mark.parametrize(("leaves", "sure"), KINDS)
def test_the_python_function_says_what_predict_says(leaves: str, sure: float | None) -> None:
    tree, rows = new_tree(leaves, sure), wild_rows(11)
    diagnose = compiled(tree)
    assert [diagnose(row) for row in rows] == tree.predict(tree.encode(frame_of(rows))).tolist()


def test_the_python_function_asks_only_for_what_is_paid() -> None:
    tree = new_tree("model", 0.8)
    diagnose, rows = compiled(tree), wild_rows(12, 50)
    for row, expected in zip(rows, tree.tests_done(tree.encode(frame_of(rows))), strict=True):
        asked: list[str] = []

        class Row(dict[str, Any]):
            def __getitem__(self, name: str, asked: list[str] = asked) -> Any:
                asked.append(name)
                return super().__getitem__(name)

        diagnose(Row(row))
        assert tuple(asked) == expected


@pytest.mark.parametrize("sure", [None, 0.8])
def test_the_sql_of_a_plain_tree_says_what_predict_says(sure: float | None) -> None:
    import pyarrow as pa

    tree, rows = new_tree("count", sure), wild_rows(13)
    table = pa.Table.from_pylist(
        [{name: None if value != value else value for name, value in row.items()} for row in rows]
    )
    assert by_duckdb(tree, table) == tree.predict(tree.encode(frame_of(rows))).tolist()


def test_answers_by_losses_are_those_of_predict() -> None:
    tree, rows = losing_tree("model"), wild_rows(14, 400)
    predicted = tree.predict(tree.encode(frame_of(rows))).tolist()
    assert len(set(predicted)) > 2
    assert "refer" in predicted
    diagnose = compiled(tree)
    assert [diagnose(row) for row in rows] == predicted


def test_without_losses_no_losses_are_written() -> None:
    assert "LOSSES" not in new_tree("model", 0.8).to_python()
