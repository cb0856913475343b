"""DaskBudgetTreeClassifier: shaped like other Dask estimators, and the ordinary one at the end."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.class_weight import compute_sample_weight

import budgetree as bt
from _support.refusals import refused
from budgetree.dask import DaskBudgetTreeClassifier
from budgetree.errors import SettingError, TableError

TESTS = ["age", "sex", "n"]


def test_answers_are_lazy_and_those_of_the_local_estimator(
    client: Client, frame: dd.DataFrame, table: pd.DataFrame
) -> None:
    classifier = DaskBudgetTreeClassifier(budget=3, prices=[2, 1, 1]).fit(frame[TESTS], frame["y"])
    prices = {"age": 2, "sex": 1, "n": 1}
    expected = bt.grow(bt.Instance.from_frame(table, "y", duplicates="keep", prices=prices), budget=3)
    assert classifier.tree_.to_dict() == expected.to_dict()
    local = pickle.loads(pickle.dumps(classifier.to_local()))
    assert type(local) is bt.OptimalBudgetTreeClassifier
    rows = frame[TESTS].compute()
    for what in ("predict", "predict_proba", "cost", "apply"):
        answers = getattr(classifier, what)(frame[TESTS])
        assert isinstance(answers, da.Array)
        assert (answers.compute() == getattr(local, what)(rows)).all()
        assert answers.dtype == answers.compute().dtype
    assert local.score(rows, frame["y"].compute()) == pytest.approx(1 - expected.errors / 400)
    assert classifier.score(frame[TESTS], frame["y"]) == pytest.approx(1 - expected.errors / 400)
    weights = frame["n"].compute()
    weighted = local.score(rows, frame["y"].compute(), weights)
    assert classifier.score(frame[TESTS], frame["y"], frame["n"]) == pytest.approx(weighted)
    with refused(SettingError, subject="decision_path"):
        classifier.decision_path(frame[TESTS])
    assert classifier.feature_importances_.tolist() == local.feature_importances_.tolist()


def test_arrays_weights_and_losses(client: Client) -> None:
    rng = np.random.default_rng(3)
    codes, labels, weights = rng.integers(0, 3, (300, 4)), rng.integers(0, 2, 300), rng.integers(0, 4, 300) / 2
    losses = {0: 1, 1: 4}
    classifier = DaskBudgetTreeClassifier(impurity=bt.Powers(3), losses=losses).fit(
        da.from_array(codes, chunks=(90, 4)), da.from_array(labels, chunks=90), da.from_array(weights, chunks=90)
    )
    instance = bt.Instance(codes, labels, weights=weights, losses=losses, test_names=["x0", "x1", "x2", "x3"])
    assert classifier.tree_.to_dict() == bt.grow(instance, bt.Powers(3)).to_dict()
    rows = da.from_array(codes, chunks=(90, 4))
    assert classifier.predict(rows).compute().tolist() == classifier.to_local().predict(codes).tolist()
    assert classifier.predict_proba(rows).compute().shape == classifier.predict_proba(rows).shape == (300, 2)
    in_columns = da.from_array(codes, chunks=(90, 2))
    assert (classifier.predict_proba(in_columns) == classifier.predict_proba(rows)).all().compute()


@pytest.mark.parametrize("class_weight", [None, "balanced", {"ill": 3}, {"ill": 0.1, "well": 0.7}])
@pytest.mark.parametrize("weighs", [False, True])
def test_class_weights_are_those_of_the_local_estimator(
    client: Client, frame: dd.DataFrame, class_weight: Any, weighs: bool
) -> None:
    same = {"budget": 2, "impurity": [bt.Powers(2), bt.Powers(4)], "class_weight": class_weight}
    weights = (frame["n"] + 1) / 3 if weighs else None
    found = DaskBudgetTreeClassifier(**same).fit(frame[TESTS], frame["y"], weights)
    local = bt.OptimalBudgetTreeClassifier(method="greedy", **same)
    local.fit(frame[TESTS].compute(), frame["y"].compute(), weights.compute() if weighs else None)
    assert found.tree_.to_dict() == local.tree_.to_dict()
    lines = found.tree_.to_text().splitlines()[1:]  # after how many cases there are: equal rows are one in memory
    assert lines == local.tree_.to_text().splitlines()[1:]
    assert found.to_local().get_params()["class_weight"] == class_weight
    assert (found.predict(frame[TESTS]).compute() == local.predict(frame[TESTS].compute())).all()


@pytest.mark.parametrize("class_weight", ["balanced", {0: 2.5, 1: 0.3}])
def test_one_impurity_grows_from_weighted_classes(client: Client, class_weight: Any) -> None:
    rng = np.random.default_rng(4)
    codes, labels = rng.integers(0, 3, (99, 4)), rng.integers(0, 2, 99)
    classifier = DaskBudgetTreeClassifier(class_weight=class_weight).fit(
        da.from_array(codes, chunks=(20, 4)), da.from_array(labels, chunks=20)
    )
    weights = compute_sample_weight(class_weight, labels)
    instance = bt.Instance(codes, labels, weights=weights, test_names=["x0", "x1", "x2", "x3"])
    assert classifier.tree_.to_dict() == bt.grow(instance).to_dict()


@pytest.mark.parametrize(
    ("settings", "weight", "kind", "fields"),
    [
        ({"class_weight": "heavy"}, None, SettingError, {"subject": "class_weight", "found": "heavy"}),
        ({"class_weight": {"ill": -1}}, None, SettingError, {"subject": "class_weight", "found": {"ill": -1}}),
        ({"class_weight": "balanced"}, -2.0, SettingError, {"found": -2.0, "source": "partition 0"}),
        ({"min_samples_leaf": 0}, None, SettingError, {"subject": "min_samples_leaf", "found": 0}),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    client: Client,
    frame: dd.DataFrame,
    settings: dict[str, Any],
    weight: float | None,
    kind: Any,
    fields: dict[str, Any],
) -> None:
    weights = None if weight is None else frame["n"] * 0 + weight
    with refused(kind, **fields):
        DaskBudgetTreeClassifier(**settings).fit(frame[TESTS], frame["y"], weights)


def test_a_class_that_is_not_there_has_no_weight(client: Client, frame: dd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"classes.* are not in class_weight"):  # as scikit-learn says it
        DaskBudgetTreeClassifier(class_weight={"sick": 2}).fit(frame[TESTS], frame["y"])


def test_the_cheapest_tree_for_an_error(client: Client, frame: dd.DataFrame) -> None:
    classifier = DaskBudgetTreeClassifier(max_error=0.3).fit(frame[TESTS], frame["y"])
    assert classifier.tree_.errors <= 0.3 * 400
    cheaper = DaskBudgetTreeClassifier(max_error=0.3, budget=classifier.max_cost_ - 1)
    with refused(SettingError, subject="max_error", found=0.3):
        cheaper.fit(frame[TESTS], frame["y"])
    best = DaskBudgetTreeClassifier(budget=2, impurity=[bt.Powers(2), bt.Powers(4)]).fit(frame[TESTS], frame["y"])
    assert best.max_cost_ <= 2


def test_settings_are_kept_and_local_rows_refused(client: Client, frame: dd.DataFrame, table: pd.DataFrame) -> None:
    classifier = DaskBudgetTreeClassifier(budget=2, client=client)
    assert clone(DaskBudgetTreeClassifier(budget=2)).get_params()["budget"] == 2
    assert set(classifier.get_params()) == {
        "binning", "budget", "prices", "max_error", "impurity", "levels", "handle_unknown", "verbose", "losses",
        "class_weight", "min_samples_leaf", "client", "objective", "leaves", "confidence",
    }  # fmt: skip
    assert [name for name in dir(classifier) if not hasattr(classifier, name)] == []
    with pytest.raises(NotFittedError):
        classifier.predict(frame[TESTS])
    with refused(SettingError, subject="X", found=("X",)):
        classifier.fit(table[TESTS], frame["y"])
    fitted = classifier.fit(frame[TESTS], frame["y"])
    with refused(SettingError, subject="X"):
        fitted.predict(table[TESTS])
    with refused(TableError, subject="sex"):
        fitted.predict(frame[["age", "n"]])  # at once, and not when it is computed
    again = frame.assign(other=1)[["other", *reversed(TESTS)]]
    assert (fitted.predict(again).compute() == fitted.predict(frame[TESTS]).compute()).all()
    with refused(SettingError, subject="impurity", found="pears"):
        DaskBudgetTreeClassifier(impurity="pears").fit(frame[TESTS], frame["y"])
    with pytest.raises(ValueError, match="'stop'"):  # scikit-learn's convention
        DaskBudgetTreeClassifier(handle_unknown="x").fit(frame[TESTS], frame["y"])


def test_clones_have_the_client_and_pickles_have_none(client: Client, frame: dd.DataFrame) -> None:
    classifier = DaskBudgetTreeClassifier(budget=1, losses={"ill": 3}, client=client).fit(frame[TESTS], frame["y"])
    again = clone(classifier)
    assert again.client is client
    assert not hasattr(again, "tree_")
    for other in (pickle.loads(pickle.dumps(classifier)), copy.deepcopy(classifier)):
        assert other.client is None
        assert other.tree_.to_dict() == classifier.tree_.to_dict()


def test_an_empty_partition_has_answers_of_the_same_type(client: Client, frame: dd.DataFrame) -> None:
    losses = bt.Losses({"ill": 5}, answers={"to be referred": 0.2})
    classifier = DaskBudgetTreeClassifier(budget=1, losses=losses).fit(frame[TESTS], frame["y"])
    answers = classifier.predict(frame[TESTS])
    assert {part.dtype for part in dask.compute(*answers.to_delayed())} == {answers.dtype}


def test_rows_without_columns_and_rows_that_do_not_count_are_refused(client: Client, frame: dd.DataFrame) -> None:
    X, y = frame.drop(columns="y"), frame["y"]  # noqa: N806
    fitted = DaskBudgetTreeClassifier(budget=2).fit(X, y)
    with refused(SettingError, subject="X", found=1, expected=2):
        fitted.predict(da.zeros(5))
    nothing = y.map_partitions(lambda part: part.str.len() * 0, meta=("y", "int64"))
    with refused(SettingError, subject="sample_weight", found=0):
        fitted.score(X, y, sample_weight=nothing)
    assert hasattr(fitted, "feature_names_in_")
    fitted.fit(da.zeros((4, 2), chunks=(2, 2)), da.arange(4, chunks=2))
    assert not hasattr(fitted, "feature_names_in_")
