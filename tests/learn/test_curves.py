"""Curve: a frame, a table, and something to be pickled."""

from __future__ import annotations

import pickle

import pandas as pd
import polars as pl

import budgetree as bt


def test_a_curve_is_a_frame_and_a_table() -> None:
    frame = pl.from_pandas(bt.datasets.frame("house_votes"))
    curve = bt.tradeoff(bt.Instance.from_frame(frame, frame.columns[-1]), bt.HingedPairs)
    table = curve.to_frame()
    assert isinstance(table, pl.DataFrame)
    assert table.columns == ["alpha", "epsilon", "max_cost", "mean_cost", "errors"]
    assert len(table) == len(curve) == len(curve.to_text().splitlines()) - 2
    deltas = bt.tradeoff(bt.datasets.load("house_votes"), bt.Powers(5)).to_frame()
    assert isinstance(deltas, pd.DataFrame)
    assert list(deltas.columns) == ["delta", "max_cost", "mean_cost", "errors"]


def test_curves_can_be_pickled() -> None:
    curve = bt.tradeoff(bt.datasets.load("house_votes"), bt.Powers(3))
    assert [point.tree for point in pickle.loads(pickle.dumps(curve))] == [point.tree for point in curve]
