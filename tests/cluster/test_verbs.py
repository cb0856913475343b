"""fit, predictive, grow and frontier on Dask frames: the trees of memory, to the bit."""

from __future__ import annotations

from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd
import pytest
from distributed import Client

import budgetree as bt
import budgetree.dask as bd
from _support.refusals import refused
from budgetree.data.profile import MixedColumnError
from budgetree.distributed.partition import Sizes
from budgetree.errors import SettingError
from budgetree.problem import drawing
from sharding import PARTITIONS

LOSSES = {"ill": 5, "well": 1}
PRICES = bt.Prices({"age": 2, "sex": {"f": 1, "m": 3}, "n": 0.5}, shared={"lab": (2, ["n", "age"])})


@pytest.mark.parametrize("n_parts", PARTITIONS)
def test_any_number_of_partitions(client: Client, n_parts: int) -> None:
    instance = bt.datasets.load("figure1")
    frame = pd.DataFrame(instance.codes, columns=instance.test_names).assign(y=instance.labels)
    rows = frame.sample(100, replace=True, random_state=1, ignore_index=True)
    cut = dd.from_pandas(rows, npartitions=n_parts, sort=False)
    assert bd.grow(cut, "y").to_dict() == bt.grow(bt.Instance.from_frame(rows, "y")).to_dict()


@pytest.mark.parametrize(
    "settings",
    [{}, {"duplicates": "merge"}, {"losses": LOSSES}, {"binning": "uniform"}],
)
def test_empty_partitions_and_partitions_of_one_class(
    client: Client, frame: dd.DataFrame, table: pd.DataFrame, settings: dict[str, Any]
) -> None:
    instance = bt.Instance.from_frame(table, "y", prices=PRICES, **settings)
    cases = bd.DaskCases(frame, "y", prices=PRICES, **settings)
    for asked in ({"budget": 5}, {"delta": 4, "rule": "expected"}, {"min_cases": 4}):
        assert bd.grow(cases, **asked).to_dict() == bt.grow(instance, **asked).to_dict()
    assert bt.grow(cases, bt.Powers(3)).to_dict() == bt.grow(instance, bt.Powers(3)).to_dict()


def test_the_frontier_is_that_of_memory(client: Client, frame: dd.DataFrame, table: pd.DataFrame) -> None:
    instance = bt.Instance.from_frame(table, "y", prices=PRICES)
    settings: dict[str, Any] = {"impurities": [bt.Powers(2), bt.Powers(3), bt.HingedPairs(4)], "max_budget": 6}
    expected = bt.frontier(instance, method="greedy", folds=0, **settings)
    found = bd.frontier(frame, "y", prices=PRICES, **settings)
    assert [(p.max_cost, p.errors, p.lower_bound, p.source) for p in found] == [
        (p.max_cost, p.errors, p.lower_bound, p.source) for p in expected
    ]
    assert [point.tree.to_dict() for point in found] == [point.tree.to_dict() for point in expected]


def test_weights_come_from_a_column(client: Client, frame: dd.DataFrame, table: pd.DataFrame) -> None:
    plain = bt.Instance.from_frame(table.drop(columns="n"), "y", duplicates="keep")
    codes = plain.codes_of(plain, range(plain.n_rows))
    expected = bt.Instance(codes, plain.row_labels, weights=table["n"] / 4, test_names=plain.test_names,
                           outcome_names=plain.outcome_names, class_names=plain.class_names)  # fmt: skip
    found = bd.grow(frame.assign(n=frame["n"] / 4), "y", weights="n")
    assert found.to_dict() == bt.grow(expected).to_dict()


def test_what_is_wrong_is_said(client: Client, frame: dd.DataFrame, table: pd.DataFrame) -> None:
    with refused(SettingError, subject="frame", expected=None):
        bd.grow(table, "y")
    with refused(SettingError, subject="target", found="z", source="partition 0"):
        bd.grow(frame, "z")
    with refused(SettingError, subject="target", found=None):
        bd.grow(frame)
    with refused(SettingError, subject="client", found="tcp://127.0.0.1:1"):
        bd.grow(frame, "y", client="tcp://127.0.0.1:1")
    cases = bd.DaskCases(frame, "y", client=client)
    with refused(SettingError, subject="target, prices"):
        bd.grow(cases, "y", prices=1)
    with refused(SettingError, subject="budget", found=-1):
        bd.grow(cases, budget=-1)


@pytest.mark.parametrize(
    ("verb", "settings", "message"),
    [
        (bd.grow, {"bugdet": 3}, r"^grow\(\) got an unexpected setting: there is no setting 'bugdet'.* 'budget'\?$"),
        (bd.frontier, {"max_buget": 3}, r"^frontier\(\) got an unexpected setting: .* Did you mean 'max_budget'\?$"),
        (bd.frontier, {"levles": 3}, r"^frontier\(\) got an unexpected setting: .* Did you mean 'levels'\?$"),
        (bd.DaskCases, {"levles": 3}, r"^settings: there is no setting 'levles'.* Did you mean 'levels'\?$"),
    ],
)
def test_a_setting_that_there_is_not(
    client: Client, frame: dd.DataFrame, verb: Any, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        verb(frame, "y", **settings)


def test_text_in_one_partition_and_numbers_in_another(client: Client, table: pd.DataFrame) -> None:
    def broken(part: pd.DataFrame) -> pd.DataFrame:
        is_second = part.index[0] >= 200
        return part.assign(n="none" if is_second else part["n"].astype(object))

    with dask.config.set({"dataframe.convert-string": False}):  # with which older Dasks make text of all of it
        frame = dd.from_pandas(table, npartitions=2)
        mixed = frame.map_partitions(broken, meta=frame._meta.astype({"n": object}))
        with refused(MixedColumnError, subject="n", found=("numbers", "text")):
            bd.grow(mixed, "y")


@pytest.mark.parametrize("max_rows", [150, 250_000])
def test_trees_for_new_cases_are_those_of_memory(
    client: Client, frame: dd.DataFrame, table: pd.DataFrame, max_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MAX_ROWS", max_rows)
    monkeypatch.setattr("budgetree.learn.validation.HOLD_OUT_FROM", 120)
    instance = bt.Instance.from_frame(table, "y", prices=PRICES)
    cases = bd.DaskCases(frame, "y", prices=PRICES, sizes=Sizes(bucket_bytes=1000))  # hashes of several ranges
    asked: dict[str, Any] = {"budget": 4, "objective": "new", "folds": 2}
    found, expected = bd.fit(cases, **asked), bt.fit(instance, **asked)
    assert found.tree.to_dict() == expected.tree.to_dict()
    assert found.estimate == expected.estimate
    assert bd.predictive(frame, "y", prices=PRICES, budget=4).to_dict() == bt.predictive(instance, budget=4).to_dict()
    for other in (dd.from_pandas(table.sample(frac=1, random_state=3), npartitions=7, sort=False),):
        assert bd.fit(other, "y", prices=PRICES, **asked).tree.to_dict() == expected.tree.to_dict()


def test_the_estimator_learns_for_new_cases_too(client: Client, frame: dd.DataFrame, table: pd.DataFrame) -> None:
    features = ["age", "n"]
    there = bd.DaskBudgetTreeClassifier(budget=1, objective="new", leaves="model", client=client)
    there.fit(frame[features], frame["y"])
    here = bt.BudgetTreeClassifier(budget=1, leaves="model").fit(table[features], table["y"])
    assert there.tree_.to_dict() == here.tree_.to_dict()
    local = there.to_local()
    assert isinstance(local, bt.BudgetTreeClassifier)
    assert (local.budget, local.leaves) == (1, "model")
    assert there.predict(frame[features]).compute().tolist() == local.predict(frame[features].compute()).tolist()
    with refused(SettingError, subject="objective", found="auto"):
        bd.DaskBudgetTreeClassifier(objective="auto", client=client).fit(frame[features], frame["y"])
