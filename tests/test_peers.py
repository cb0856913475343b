"""The comparison with other libraries: its helpers. CI runs the comparison itself (benchmarks/peers.py --quick)."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import peer_lightgbm
import peer_trees
import pytest

import budgetree as bt

peers = pytest.importorskip(
    "peers", reason="it imports pystreed, which has no wheels for Python 3.13", exc_type=ImportError
)


@pytest.fixture(scope="module")
def table() -> bt.Instance:
    prices = bt.Prices({"a": 3, "b": 0.1}, shared={"draw": (2, ["a", "b"])}, default=1)
    codes = np.array([[0, 0, 0], [1, 0, 1], [2, 1, 0], [2, 1, 1]])
    return bt.Instance(codes, [0, 1, 0, 1], prices=prices, test_names=["a", "b", "c"])


def test_a_path_pays_every_test_and_every_fee_once(table: bt.Instance) -> None:
    assert peer_trees.path_cost([], table.prices) == 0
    assert peer_trees.path_cost(["c", "c"], table.prices) == 1
    assert peer_trees.path_cost(["a", "b", "a"], table.prices) == Fraction("5.1")


def test_a_trees_cost_is_its_costliest_paths_and_splitting_a_column_again_is_free(table: bt.Instance) -> None:
    again = peer_trees.binary_split(0, [1], 3, [peer_trees.Leaf(1), peer_trees.Leaf(0)])
    below = peer_trees.binary_split(2, [0], 2, [peer_trees.Leaf(0), peer_trees.Leaf(1)])
    tree = peer_trees.binary_split(0, [0, 1], 3, [again, below])
    assert peer_trees.max_cost(tree, table) == 6  # a, its fee and c; not a twice
    assert peer_trees.max_cost(again, table) == 5
    assert peer_trees.predict(tree, table.codes).tolist() == table.labels.tolist()


def test_a_tree_that_its_maker_reads_differently_is_refused(table: bt.Instance) -> None:
    case = peer_trees.Case("tiny", table, (Fraction(1),), unit=False)
    with pytest.raises(AssertionError, match="differ"):
        peer_trees.judged(case, peer_trees.Leaf(0), np.array([0, 0, 0, 1]))


def test_affordable_sets_share_the_fee(table: bt.Instance) -> None:
    case = peer_trees.Case("tiny", table, (), unit=False)
    assert peer_lightgbm.affordable_sets(case, Fraction("5.1")) == [[0, 1], [1, 2]]
    assert peer_lightgbm.affordable_sets(case, Fraction("6.1")) == [[0, 1, 2]]


def test_a_win_of_a_peer_is_reported(table: bt.Instance) -> None:
    case = peer_trees.Case("tiny", table, (Fraction(1),), unit=True)

    def sweep(errors: int, seconds: float) -> object:
        return peer_trees.Sweep({Fraction(1): peer_trees.Result(Fraction(1), errors)}, seconds, 1)

    sweeps = {name: sweep(2, 2.0) for name in peers.METHODS} | {"pystreed": sweep(1, 3.0), "LightGBM": sweep(3, 1.0)}
    assert peers.fewer_errors([(case, sweeps)], "exact") == ["  tiny, B = 1: pystreed 1, exact 2"]
    assert peers.less_time([(case, sweeps)], "exact") == ["  tiny: LightGBM 1.000 s, exact 2.000 s"]


def test_no_win_is_nowhere_and_every_number_is_written(table: bt.Instance, tmp_path: Path) -> None:
    case = peer_trees.Case("tiny", table, (Fraction(1),), unit=True)
    sweep = peer_trees.Sweep({Fraction(1): peer_trees.Result(Fraction(1), 2)}, 2.0, 1)
    outcomes = [(case, dict.fromkeys(peers.METHODS, sweep))]
    assert "Where a peer has fewer errors than budgetree's exact frontier: nowhere" in peers.wins(outcomes)
    peers.write_csv(tmp_path / "peers.csv", outcomes)
    with (tmp_path / "peers.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["method"] for row in rows} == set(peers.METHODS)
    assert {(row["data"], row["errors"], row["max_cost"]) for row in rows} == {("tiny", "2", "1.0")}
