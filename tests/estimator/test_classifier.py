"""BudgetTreeClassifier: all of scikit-learn's own checks, its tools, and the promises about budgets and errors."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.estimator_checks import check_estimator

import budgetree as bt
from _support.refusals import refused
from budgetree import BudgetTreeClassifier
from budgetree.errors import LabelsError, NoPriceError, PricesError, ResultError, SettingError, TableError
from budgetree.services.clock import Clock
from labelled import HEART, heart_frame

PIMA_PRICES = bt.Prices(
    {"glucose": 15.51, "insulin": 20.68}, shared={"blood draw": (2.10, ["glucose", "insulin"])}, default=1
)


@pytest.fixture(scope="module")
def pima() -> tuple[pd.DataFrame, pd.Series]:
    frame = bt.datasets.frame("pima")
    return frame[frame.columns[:-1]], frame[frame.columns[-1]]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"method": "greedy"},
        {"method": "exact"},
        {"budget": 3},
        {"impurity": bt.Powers(3)},
        {"class_weight": "balanced"},
    ],
    ids=str,
)
def test_scikit_learns_checks_all_pass(changes: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(BudgetTreeClassifier(**changes, objective="known"), on_fail=None, on_skip=None)
    assert len(results) > 50
    assert [(check["check_name"], check["exception"]) for check in results if check["status"] == "failed"] == []


def test_the_tags_are_true(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    tags = get_tags(BudgetTreeClassifier(objective="known"))
    assert tags.estimator_type == "classifier"
    assert tags.classifier_tags.multi_class
    assert not tags.classifier_tags.multi_label
    assert (tags.input_tags.allow_nan, tags.input_tags.string, tags.input_tags.categorical) == (True, True, True)
    assert not tags.input_tags.sparse
    assert not tags.non_deterministic
    words = np.array([["a", None], ["b", 1.5], ["a", np.nan], ["b", 2]], dtype=object)
    classifier = BudgetTreeClassifier(objective="known").fit(words, ["x", "y", "x", "z"])
    assert classifier.predict(words).tolist() == ["x", "y", "x", "z"]


def test_a_budget_is_kept_by_every_row_and_buys_the_fewest_errors(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    instance = bt.Instance.from_frame(X.assign(result=y), "result", prices=PIMA_PRICES, duplicates="keep")
    rng = np.random.default_rng(0)
    scrambled = X.apply(lambda column: rng.permutation(column))
    for budget in (0, 2, 4, 20):
        classifier = BudgetTreeClassifier(budget=budget, prices=PIMA_PRICES, objective="known").fit(X, y)
        assert classifier.max_cost_ <= budget
        assert classifier.cost(scrambled).max() <= budget
        best = bt.optimal(instance, budget=budget)
        assert best.proven
        assert (classifier.predict(X) != y).sum() == best.errors == classifier.tree_.errors
        assert classifier.mean_cost_ == pytest.approx(classifier.cost(X).mean())


def test_max_error_buys_the_cheapest(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    allowed = BudgetTreeClassifier(max_error=0.07, objective="known").fit(X, y)
    assert 1 - allowed.score(X, y) <= 0.07
    cheaper = BudgetTreeClassifier(budget=allowed.max_cost_ - 1, objective="known").fit(X, y)
    assert 1 - cheaper.score(X, y) > 0.07
    both = BudgetTreeClassifier(max_error=0.07, budget=8, objective="known").fit(X, y)
    assert both.max_cost_ == allowed.max_cost_
    with refused(SettingError, subject="max_error", found=0.07):
        BudgetTreeClassifier(max_error=0.07, budget=1, objective="known").fit(X, y)


def test_with_neither_there_is_no_error(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    classifier = BudgetTreeClassifier(levels=200, objective="known").fit(X, y)
    assert classifier.score(X, y) == 1
    # Rows alike with different labels: the best there is, without complaint.
    assert (
        BudgetTreeClassifier(objective="known")
        .fit([[1], [1], [1], [2]], [0, 0, 1, 1])
        .score([[1], [1], [1], [2]], [0, 0, 1, 1])
        == 0.75
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_weights_count_as_copies_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (12, 4))  # noqa: N806
    y, weight = rng.integers(0, 3, 12), rng.integers(0, 4, 12)
    weight[0] = 1
    for method in ("exact", "greedy"):
        weighed = BudgetTreeClassifier(budget=2, method=method, objective="known").fit(X, y, sample_weight=weight)
        copied = BudgetTreeClassifier(budget=2, method=method, objective="known").fit(
            X.repeat(weight, axis=0), y.repeat(weight)
        )
        assert np.array_equal(weighed.predict(X), copied.predict(X))
        assert weighed.tree_.errors == copied.tree_.errors
        assert np.array_equal(weighed.cost(X), copied.cost(X))


def test_a_grid_over_budgets_and_errors_works_in_a_pipeline(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    X, y = X.head(200), y.head(200)  # noqa: N806
    for grid in ({"budgettreeclassifier__budget": [0, 1, 2]}, {"budgettreeclassifier__max_error": [0.3, 0.35]}):
        pipeline = make_pipeline(FunctionTransformer(), BudgetTreeClassifier(method="greedy", objective="known"))
        search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
        assert search.best_params_[next(iter(grid))] in next(iter(grid.values()))
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    scores = cross_val_score(BudgetTreeClassifier(budget=2, objective="known"), X, y, cv=3, error_score="raise")
    assert scores.shape == (3,)


def test_copies_and_pickles_are_the_same(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    for method in ("exact", "greedy"):
        classifier = BudgetTreeClassifier(budget=2, prices=PIMA_PRICES, method=method, objective="known").fit(X, y)
        again = pickle.loads(pickle.dumps(classifier))
        assert np.array_equal(again.predict(X), classifier.predict(X))
        assert again.frontier_[1].tree == classifier.frontier_[1].tree
        assert again.certificate_.lower_bound == classifier.certificate_.lower_bound
        fresh = clone(classifier).set_params(budget=1)
        assert fresh.prices == PIMA_PRICES
        assert fresh.fit(X, y).max_cost_ == 1
        assert classifier.max_cost_ == 2


def test_a_certificate_is_made_on_request_and_forgotten_by_the_next_fit() -> None:
    X, y = np.array([[0, 1], [1, 0], [1, 1]]), [0, 1, 1]  # noqa: N806
    classifier = BudgetTreeClassifier(objective="known")
    with pytest.raises(NotFittedError):
        _ = classifier.certificate_
    first = classifier.fit(X, y).certificate_
    assert classifier.certificate_ is first
    assert first.check(classifier.instance_).ok
    assert classifier.fit(X, [0, 0, 0]).certificate_ is not first


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_data_frame_is_read_alike(library: Any) -> None:
    content = {
        "age": [20.0, 30, 41, 47, 53, 61, 70, 75, 80, 88, 90, None],
        "smoker": ["yes", "no", None] * 4,
        "fever": [True, False] * 6,
    }
    labels = ["ill", "well", "well"] * 4
    frame = library(content)
    classifier = BudgetTreeClassifier(objective="known").fit(frame, labels)
    assert classifier.feature_names_in_.tolist() == list(content)
    assert classifier.predict(frame).tolist() == labels
    assert classifier.frontier_.to_frame().__class__ is frame.__class__
    assert "smoker" in classifier.tree_.to_text()
    with pytest.raises(ValueError, match="feature names"):
        classifier.predict(library({"other": content["age"], **{k: content[k] for k in ("smoker", "fever")}}))


def test_polars_labels_and_weights() -> None:
    frame = pl.DataFrame({"a": [1, 2, 1, 2], "b": ["x", "x", "y", "y"], "label": ["p", "q", "p", "q"]})
    classifier = BudgetTreeClassifier(objective="known").fit(
        frame[["a", "b"]], frame["label"], sample_weight=frame["a"]
    )
    assert classifier.predict(frame[["a", "b"]]).tolist() == ["p", "q", "p", "q"]


def test_the_path_passes_the_nodes_it_should(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    classifier = BudgetTreeClassifier(budget=3, method="greedy", objective="known").fit(X, y)
    path, ends = classifier.decision_path(X), classifier.apply(X)
    assert path.shape == (len(X), len(classifier.tree_.nodes))
    for row in range(0, len(X), 50):
        expected, node = set(), int(ends[row])
        while node >= 0:
            expected.add(node)
            node = int(classifier.tree_.nodes.parent[node])
        assert set(path[row].indices) == expected
    assert classifier.get_depth() == path.sum(axis=1).max() - 1
    assert classifier.get_n_leaves() == classifier.tree_.n_leaves


def test_probabilities_are_the_shares_of_training_rows() -> None:
    X, y = [["a"], ["a"], ["a"], ["b"]], ["u", "u", "v", "w"]  # noqa: N806
    classifier = BudgetTreeClassifier(objective="known").fit(np.array(X, dtype=object), y)
    shares = classifier.predict_proba(np.array([["a"], ["b"], ["c"]], dtype=object))
    assert np.allclose(shares, [[2 / 3, 1 / 3, 0], [0, 0, 1], [0.5, 0.25, 0.25]])
    assert np.array_equal(classifier.classes_[shares.argmax(axis=1)], ["u", "w", "u"])


def test_an_unknown_value_stops_or_is_refused() -> None:
    X, y = pd.DataFrame({"colour": ["red", "blue"] * 2, "size": [1, 1, 2, 2]}), [0, 1, 1, 0]  # noqa: N806
    new = pd.DataFrame({"colour": ["red", "green"], "size": [1, 1]})
    assert BudgetTreeClassifier(objective="known").fit(X, y).predict(new).tolist() == [0, 0]
    strict = BudgetTreeClassifier(handle_unknown="error", objective="known").fit(X, y)
    assert strict.predict(X).tolist() == y
    with refused(ResultError, subject="colour", found="green"):
        strict.predict(new)
    with refused(SettingError, subject="handle_unknown", found="ignore"):
        BudgetTreeClassifier(handle_unknown="ignore", objective="known").fit(X, y)


def test_a_column_that_the_tree_never_asks_may_hold_anything() -> None:
    X, y = pd.DataFrame({"useful": [0, 1, 0, 1], "useless": ["a", "a", "a", "a"]}), [0, 1, 0, 1]  # noqa: N806
    classifier = BudgetTreeClassifier(handle_unknown="error", objective="known").fit(X, y)
    assert classifier.predict(X.assign(useless="never seen")).tolist() == y


@pytest.mark.parametrize("listed", [["code"], [1], [False, True], np.array(["code"]), (np.int64(1),)], ids=str)
def test_numbers_may_be_called_categorical(listed: Any) -> None:
    X = pd.DataFrame({"number": np.arange(40.0), "code": np.arange(40) % 20})  # noqa: N806
    y = X["code"] % 2
    classifier = BudgetTreeClassifier(categorical_features=listed, budget=1, objective="known").fit(X, y)
    assert classifier.score(X, y) == 1
    assert len(classifier.instance_.outcome_names[0]) == 10
    assert len(classifier.instance_.outcome_names[1]) == 20
    assert BudgetTreeClassifier(budget=1, objective="known").fit(X, y).score(X, y) < 1


@pytest.mark.parametrize(
    ("change", "kind", "subject", "found"),
    [
        ({"categorical_features": "all"}, SettingError, "categorical_features", "all"),
        ({"categorical_features": ["nothing"]}, SettingError, "categorical_features", "nothing"),
        ({"categorical_features": [7]}, SettingError, "categorical_features", 7),
        ({"categorical_features": [True]}, SettingError, "categorical_features", 1),
        ({"prices": [1]}, SettingError, "prices", 1),
        ({"prices": {"a": 1}}, NoPriceError, None, ("b",)),
        ({"prices": {"a": -1, "b": 2}}, PricesError, "a", -1),
        ({"budget": -1}, SettingError, "budget", -1),
        ({"impurity": "gini"}, SettingError, "impurity", "gini"),
        ({"max_error": 2}, SettingError, "max_error", 2),
        ({"method": "magic"}, SettingError, "method", "magic"),
        ({"levels": 1}, SettingError, "levels", 1),
        ({"levels": {"c": 3}}, SettingError, "levels", "c"),
        ({"time_limit": -1}, SettingError, "time_limit", -1),
        ({"labels": {"tests": {"age": "Age"}}}, LabelsError, "age", "age"),
    ],
)
def test_a_wrong_setting_is_refused(change: dict[str, Any], kind: Any, subject: str, found: Any) -> None:
    X = pd.DataFrame({"a": [1, 2], "b": [1, 1]})  # noqa: N806
    with refused(kind, subject=subject, found=found):
        BudgetTreeClassifier(**change, objective="known").fit(X, [0, 1])


def test_names_and_positions_may_be_mixed() -> None:
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40) % 20, "c": np.arange(40) % 30})  # noqa: N806
    classifier = BudgetTreeClassifier(categorical_features=["b", 2], budget=0, objective="known").fit(X, X["a"] > 20)
    assert [len(names) for names in classifier.instance_.outcome_names] == [10, 20, 30]


def test_with_names_or_without_by_position() -> None:
    X, y = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}), [0, 1, 1, 0]  # noqa: N806
    with pytest.warns(UserWarning, match="feature names"):
        assert BudgetTreeClassifier(objective="known").fit(X, y).predict(X.to_numpy()).tolist() == y
    with pytest.warns(UserWarning, match="feature names"):
        assert BudgetTreeClassifier(objective="known").fit(X.to_numpy(), y).predict(X).tolist() == y
    numbered = X.set_axis([7, 9], axis=1)
    assert (
        BudgetTreeClassifier(levels={7: 3}, objective="known").fit(numbered, y).predict(numbered.to_numpy()).tolist()
        == y
    )


ONE_ROW = [
    pd.DataFrame({"a": [None]}),
    pl.DataFrame({"a": [None]}),
    pa.table({"a": pa.array([None], pa.null())}),
    pd.DataFrame({"a": [np.nan]}),
    pd.DataFrame({"a": pd.array([None], dtype="Int64")}),
]


@pytest.mark.parametrize("row", ONE_ROW, ids=lambda row: type(row).__module__)
def test_one_row_with_a_missing_value_is_everyday_use(row: Any) -> None:
    known = pd.DataFrame({"a": [*np.arange(30.0), np.nan]})
    labels = ["low"] * 15 + ["high"] * 15 + ["none"]
    classifier = BudgetTreeClassifier(objective="known").fit(known, labels)
    assert classifier.predict(row).tolist() == ["none"]
    assert classifier.tree_.predict(classifier.tree_.encode(row)).tolist() == ["none"]


def test_a_table_of_objects_is_read_as_what_it_holds() -> None:
    known = pd.DataFrame({"a": np.arange(30.0), "b": ["x", None] * 15})
    labels = known["a"] > 14
    classifier = BudgetTreeClassifier(objective="known").fit(known, labels)
    assert np.array_equal(classifier.predict(known.astype(object)), labels)
    again = BudgetTreeClassifier(objective="known").fit(known.astype(object), labels)
    assert again.instance_.outcome_names == classifier.instance_.outcome_names
    assert np.array_equal(again.predict(known), labels)


def test_whole_numbers_beyond_floats() -> None:
    moments = pd.DataFrame({"t": 1_700_000_000_000_000_000 + np.arange(1000) * 10**12})
    late = np.arange(1000) > 500
    classifier = BudgetTreeClassifier(method="greedy", objective="known").fit(moments, late)
    assert len(classifier.instance_.outcome_names[0]) == 10
    assert np.array_equal(classifier.predict(moments.head(100)), classifier.predict(moments)[:100])
    ids, y = np.array([[2**60], [2**60 + 1]] * 4), [0, 1] * 4
    for table in (ids, pd.DataFrame(ids)):
        assert BudgetTreeClassifier(objective="known").fit(table, y).score(table, y) == 1
    small = BudgetTreeClassifier(method="greedy", objective="known").fit(
        np.arange(100).reshape(-1, 1), np.arange(100) > 50
    )
    assert small.predict([[2**60]]).tolist() == [True]


def test_copies_of_a_row_become_one_object() -> None:
    classifier = BudgetTreeClassifier(objective="known").fit([[0], [0], [1], [0]], [0, 0, 1, 1])
    assert classifier.instance_.n_objects == 3
    assert classifier.instance_.weights.tolist() == [2, 1, 1]
    assert classifier.tree_.errors == 1


def test_the_worst_case_counts_outcomes_that_no_row_showed_there() -> None:
    X = pd.DataFrame({"a": [0, 0, 1, 1, 1], "b": ["x", "y", "z", "x", "y"]})  # noqa: N806
    prices = {"a": 1, "b": {"x": 2, "y": 2, "z": 50}}
    classifier = BudgetTreeClassifier(prices=prices, method="greedy", impurity=bt.Pairs(), objective="known").fit(
        X, list("pqrrr")
    )
    assert classifier.tree_.known_max_cost < classifier.max_cost_ == classifier.tree_.max_cost
    assert classifier.cost(pd.DataFrame({"a": [0], "b": ["z"]})).max() <= classifier.max_cost_


def test_labels_of_several_types_and_lazy_frames_are_refused() -> None:
    with refused(TableError, subject="y"):
        BudgetTreeClassifier(objective="known").fit([[0], [1]], np.array(["a", None], dtype=object))
    with refused(TableError, subject="X"):
        BudgetTreeClassifier(objective="known").fit(pl.LazyFrame({"a": [0, 1]}), [0, 1])


def test_verbose_shows_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 60)), rng.integers(0, 2, 400)  # noqa: N806
    with pytest.warns(UserWarning, match="the best so far"):
        BudgetTreeClassifier(budget=6, time_limit=1.5, objective="known").fit(X, y)
    assert capsys.readouterr().err == ""
    with pytest.warns(UserWarning, match="the best so far"):
        BudgetTreeClassifier(budget=6, time_limit=1.5, verbose=True, objective="known").fit(X, y)
    assert "exact frontier" in capsys.readouterr().err


def test_a_price_per_column_of_an_array() -> None:
    X, y = [[0, 0], [1, 1], [0, 0], [1, 1]], [0, 1, 0, 1]  # noqa: N806
    classifier = BudgetTreeClassifier(prices=np.array([5, 2]), objective="known").fit(X, y)
    assert (classifier.max_cost_, classifier.tree_.test_names[classifier.tree_.nodes.test[0]]) == (2, "x1")


def test_labels_and_rows_must_be_as_many() -> None:
    with refused(TableError, subject="y", found=3, expected=2):
        BudgetTreeClassifier(objective="known").fit([[0], [1]], [0, 1, 1])


def test_an_empty_table_is_refused() -> None:
    with refused(TableError, subject="X", found=(1, 0)):
        BudgetTreeClassifier(objective="known").fit(pd.DataFrame({"a": []}), [])
    with refused(TableError, subject="X", found=(0, 3)):
        BudgetTreeClassifier(objective="known").fit(pd.DataFrame(index=range(3)), [0, 1, 0])


@pytest.mark.parametrize("objective", ["known", "new"])
def test_the_search_has_what_reading_the_rows_leaves_of_the_time(
    pima: tuple[pd.DataFrame, pd.Series], monkeypatch: pytest.MonkeyPatch, objective: str
) -> None:
    asked: list[Any] = []

    class Late(Clock):
        """A clock that says how much of the limit was left when it was asked."""

        @property
        def seconds_left(self) -> float | None:
            asked.append(super().seconds_left)
            return 0.0

    monkeypatch.setattr("budgetree.estimator.classifier.Clock", Late)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the time was over
        classifier = BudgetTreeClassifier(budget=2, time_limit=9, objective=objective).fit(*pima)
    assert len(asked) == 1
    assert 0 < asked[0] < 9
    assert not classifier.frontier_.complete


def test_new_rows_are_what_a_classifier_is_for(
    pima: tuple[pd.DataFrame, pd.Series], learner: list[dict[str, Any]]
) -> None:
    X, y = pima  # noqa: N806
    classifier = BudgetTreeClassifier(budget=2, leaves="count", sure=0.8, time_limit=9).fit(X, y)
    (asked,) = learner  # once: whoever wants an estimate has scikit-learn's cross_val_score
    assert asked["time_limit"] <= 9
    assert {name: asked[name] for name in ("budget", "leaves", "sure")} == {"budget": 2, "leaves": "count", "sure": 0.8}
    assert classifier.max_cost_ == classifier.tree_.max_cost <= 2
    assert classifier.cost(X).max() <= 2
    assert np.allclose(classifier.predict_proba(X).sum(axis=1), 1)
    assert (classifier.classes_[classifier.predict_proba(X).argmax(axis=1)] == classifier.predict(X)).all()
    learner.clear()
    BudgetTreeClassifier().fit(X, y)
    assert learner[0]["budget"] == X.shape[1]  # all tests


def test_objectives_are_checked(learner: list[dict[str, Any]]) -> None:
    for setting, value in (("objective", "both"), ("max_error", 0.1), ("sure", 2)):
        with refused(SettingError, subject=setting, found=value):
            BudgetTreeClassifier(**{setting: value}).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("objective", ["known", "new"])
def test_losses_turn_answers_towards_the_class_that_must_not_be_missed(objective: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    missed, referred = [], []
    for losses in (None, {0: 50}, bt.Losses({0: 50}, answers={"refer": 0.5})):
        classifier = BudgetTreeClassifier(budget=2, objective=objective, losses=losses, method="greedy").fit(X, y)
        predicted = classifier.predict(X)
        missed.append(int(((predicted != y.astype(predicted.dtype)) & (y == 0) & (predicted != "refer")).sum()))
        referred.append(int((predicted == "refer").sum()))
        assert classifier.classes_.tolist() == [0, 1]
        assert classifier.predict_proba(X).shape == (len(y), 2)
        assert classifier.answers_.tolist() == ([0, 1, "refer"] if referred[-1] else [0, 1])
    assert missed[1] < missed[0]
    assert referred[:2] == [0, 0]
    assert referred[2] > 0


@pytest.mark.parametrize("objective", ["known", "new"])
def test_class_weights_are_sample_weights(objective: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    rows = np.random.default_rng(0).permutation(len(y))[:150]
    X, y = X[rows][:, :6], y[rows]  # noqa: N806
    for weights in ("balanced", {0: 3, 1: 0.5}):
        weighed = BudgetTreeClassifier(budget=2, objective=objective, class_weight=weights).fit(X, y)
        by_hand = BudgetTreeClassifier(budget=2, objective=objective).fit(X, y, compute_sample_weight(weights, y))
        assert weighed.tree_.to_dict() == by_hand.tree_.to_dict()
    with refused(SettingError, subject="class_weight", found="heavy"):
        BudgetTreeClassifier(class_weight="heavy").fit(X, y)


def test_min_cases_counts_training_rows() -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    X = np.repeat(X[:60, :4], 2, axis=0)  # noqa: N806
    y = np.repeat(y[:60], 2)
    classifier = BudgetTreeClassifier(budget=3, objective="known", min_cases=10, levels=3).fit(X, y)
    counts = np.bincount(classifier.apply(X))
    assert min(counts[counts > 0]) >= 10
    assert classifier.get_n_leaves() > 1
    with refused(SettingError, subject="min_cases", found=10):
        BudgetTreeClassifier(min_cases=10).fit(X, y)


def test_leaves_of_little_weight_are_joined() -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    same = {"budget": 3, "objective": "known", "method": "greedy", "levels": 2}
    whole = BudgetTreeClassifier(**same).fit(X, y)
    joined = BudgetTreeClassifier(**same, min_weight_fraction_leaf=0.05).fit(X, y)
    nodes = joined.tree_.nodes
    assert min(nodes.counts[nodes.is_leaf].sum(axis=1)) >= 0.05 * len(y)
    assert 1 < joined.get_n_leaves() < whole.get_n_leaves()
    assert joined.tree_.statement.is_proven is False
    with refused(SettingError, subject="min_weight_fraction_leaf", found=0.7):
        BudgetTreeClassifier(min_weight_fraction_leaf=0.7).fit(X, y)


@pytest.mark.parametrize("objective", ["known", "new"])
def test_a_referred_row_is_not_right(objective: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    losses = bt.Losses({0: 50}, answers={"refer": 0.5})
    classifier = BudgetTreeClassifier(budget=2, objective=objective, losses=losses, method="greedy").fit(X, y)
    predicted = classifier.predict(X)
    assert classifier.score(X, y) == np.mean([given == label for given, label in zip(predicted, y, strict=True)])
    assert np.isfinite(cross_val_score(classifier, X[:, :4], y, cv=2, error_score="raise")).all()


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
def test_class_weights_are_numbers_of_at_least_0(weight: float) -> None:
    with refused(SettingError, subject="class_weight"):
        BudgetTreeClassifier(class_weight={0: weight, 1: 1}).fit([[0], [1], [0], [1]], [0, 1, 0, 1])


def test_labels_are_for_what_is_shown_and_not_for_answers() -> None:
    rows, right = heart_frame().drop(columns="ill"), heart_frame()["ill"]
    for objective in ("new", "known"):
        settings_ = {"budget": 9, "prices": {"sex": 1, "chol": 7.5}, "objective": objective}
        plain = BudgetTreeClassifier(**settings_).fit(rows, right)
        named = clone(BudgetTreeClassifier(**settings_, labels=HEART)).fit(rows, right)
        assert named.predict(rows).tolist() == plain.predict(rows).tolist()
        assert named.classes_.tolist() == [0, 1]
        assert named.tree_ == plain.tree_
        assert "Sex" in named.tree_.to_text()
        assert "sex" not in named.tree_.to_text()
    with refused(LabelsError, subject="age"):
        BudgetTreeClassifier(budget=1, labels={"tests": {"age": "Age"}}).fit(rows, right)
