"""The two classifiers: all of scikit-learn's own checks, its tools, and the promises about budgets and errors."""

from __future__ import annotations

import pickle
import signal
import threading
import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.utils import get_tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.estimator_checks import check_estimator

import budgetree as bt
from _support.refusals import refused
from budgetree import BudgetTreeClassifier, OptimalBudgetTreeClassifier
from budgetree.errors import (
    LossesError,
    NoPriceError,
    PricesError,
    ResultError,
    SettingError,
    TableError,
    TreeError,
)
from budgetree.learn.validation import deal_groups
from budgetree.services.clock import Clock, Ended

BOTH = (BudgetTreeClassifier, OptimalBudgetTreeClassifier)
QUICK: dict[type, dict[str, Any]] = {BudgetTreeClassifier: {}, OptimalBudgetTreeClassifier: {"method": "greedy"}}
PIMA_PRICES = bt.Prices(
    {"glucose": 15.51, "insulin": 20.68}, shared={"blood draw": (2.10, ["glucose", "insulin"])}, default=1
)


@pytest.fixture(scope="module")
def pima() -> tuple[pd.DataFrame, pd.Series]:
    frame = bt.datasets.frame("pima")
    return frame[frame.columns[:-1]], frame[frame.columns[-1]]


@pytest.mark.parametrize(
    "classifier",
    [
        BudgetTreeClassifier(),
        BudgetTreeClassifier(leaves="tree", class_weight="balanced"),
        OptimalBudgetTreeClassifier(),
        OptimalBudgetTreeClassifier(method="greedy"),
        OptimalBudgetTreeClassifier(method="exact"),
        OptimalBudgetTreeClassifier(budget=3, verbose=False),
        OptimalBudgetTreeClassifier(impurity=bt.Powers(3)),
        OptimalBudgetTreeClassifier(class_weight="balanced"),
    ],
    ids=str,
)
def test_scikit_learns_checks_all_pass(classifier: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(classifier, on_fail=None, on_skip=None)
    assert len(results) > 50
    assert [(check["check_name"], check["exception"]) for check in results if check["status"] == "failed"] == []


@pytest.mark.parametrize("kind", BOTH)
def test_settings_are_named_and_all_have_an_effect(kind: type) -> None:
    shared = {"budget", "prices", "losses", "categorical_features", "class_weight", "handle_unknown", "time_limit"}
    shared |= {"n_jobs", "verbose"}
    own = {
        BudgetTreeClassifier: {"confidence", "leaves", "blanks"},
        OptimalBudgetTreeClassifier: {
            "max_error", "method", "impurity", "levels", "binning", "min_samples_leaf", "min_weight_fraction_leaf",
        },
    }  # fmt: skip
    assert set(kind().get_params()) == shared | own[kind]
    assert kind(3, {"a": 1}).get_params()["prices"] == {"a": 1}
    for wrong in ((3, 1, 2), {"objective": "known"}, {"bugdet": 3}):
        with pytest.raises(TypeError):
            kind(*wrong) if isinstance(wrong, tuple) else kind(**wrong)
    with pytest.raises(ValueError, match="Invalid parameter 'bugdet'"):
        kind().set_params(bugdet=3)


@pytest.mark.parametrize("kind", BOTH)
def test_looking_at_a_classifier_computes_nothing(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}), [0, 1, 1, 0]  # noqa: N806
    unfitted, fitted = kind(budget=2), kind(budget=2).fit(X, y)
    for work in ("estimators.classifiers.certify", "tree.tree.walk_columns", "tree.tree.walk_codes"):
        monkeypatch.setattr(f"budgetree.{work}", lambda *_, **__: pytest.fail("computed"))
    for classifier in (unfitted, fitted):
        assert [name for name in dir(classifier) if not hasattr(classifier, name)] == []
        assert not hasattr(classifier, "certificate_")
        assert kind.__name__ in repr(classifier)
        assert kind.__name__ in classifier._repr_html_()
        assert kind.__name__ in classifier._repr_mimebundle_()["text/html"]
    assert [name for name in dir(unfitted) if name.endswith("_") and not name.startswith("_")] == []
    with pytest.raises(NotFittedError):
        unfitted.predict(X)


@pytest.mark.parametrize("kind", BOTH)
def test_a_failed_fit_is_no_fit(kind: type) -> None:
    classifier = kind(budget=-1)
    with refused(SettingError, subject="budget", found=-1):
        classifier.fit([[0], [1]], [0, 1])
    with pytest.raises(NotFittedError):
        classifier.predict([[0]])


@pytest.mark.parametrize("kind", BOTH)
def test_importances_are_the_shares_of_rows_that_pay(kind: type, pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    weights = np.random.default_rng(0).integers(1, 4, len(y)) / 2
    for others in ({}, {"leaves": "tree"} if kind is BudgetTreeClassifier else {"method": "greedy"}):
        classifier = kind(budget=4, **others).fit(X, y, weights)
        paid = np.zeros(X.shape[1])
        for tests, weight in zip(classifier.tree_.walk(X).tests, weights, strict=True):
            for test in tests:
                paid[X.columns.get_loc(test)] += weight
        assert isinstance(classifier.feature_importances_, np.ndarray)
        assert classifier.feature_importances_ == pytest.approx(paid / weights.sum())
        assert classifier.feature_importances_.max() == 1  # the first test
        assert classifier.n_features_in_ == X.shape[1]
    assert kind(budget=0).fit(X, y).feature_importances_.tolist() == [0] * X.shape[1]


@pytest.mark.parametrize("kind", BOTH)
def test_a_pickle_holds_no_training_rows(kind: type) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 40))  # noqa: N806
    y = X[:, 0] + X[:, 1] > rng.normal(size=5000)
    others = {} if kind is BudgetTreeClassifier else {"method": "greedy", "impurity": bt.Pairs()}
    sizes = [len(pickle.dumps(kind(budget=3, **others).fit(X[:n], y[:n]))) for n in (2500, 5000)]
    assert sizes[1] - sizes[0] < 2500 * 40 / 2  # less than half a byte for every cell more


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_named_frame_needs_only_what_the_tree_asks_for(kind: type, library: Any) -> None:
    rng = np.random.default_rng(0)
    content = {name: rng.integers(0, 2, 200).tolist() for name in ("useless", "a", "b", "c")}
    content["c"] = content["a"]
    labels = np.array(content["a"]) ^ np.array(content["b"])
    classifier = kind(prices={"useless": 9, "a": 1, "b": 1, "c": 5}, budget=2).fit(library(content), labels)
    for names in (["b", "a"], ["a", "b", "c", "useless"], ["new", "b", "useless", "a"]):
        assert classifier.predict(library({n: content.get(n, [7] * 200) for n in names})).tolist() == labels.tolist()
    with refused(TableError, subject="b", found=["a"]):
        classifier.predict(library({"a": content["a"], "c": content["c"]}))
    with pytest.warns(UserWarning, match="feature names"), pytest.raises(ValueError, match="X has 3 features, but"):
        classifier.predict(np.zeros((2, 3)))


@pytest.mark.parametrize("kind", BOTH)
def test_the_first_interrupt_is_raised(kind: type) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (6000, 60))  # noqa: N806
    y = (X[:, :40].sum(axis=1) + rng.normal(0, 2, 6000) > 20).astype(int)
    classifier = kind(**({"budget": 40} if kind is BudgetTreeClassifier else {"method": "exact", "budget": 9}))
    press = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    press.start()
    with pytest.raises(KeyboardInterrupt):
        classifier.fit(X, y)
    press.join()
    assert not hasattr(classifier, "tree_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_a_whole_weight_is_so_many_rows_in_any_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 3, 40), "b": rng.normal(size=40).round(1), "c": rng.choice(list("xyz"), 40)})  # noqa: N806
    X.loc[3, "b"] = np.nan
    y, weight = rng.choice(["p", "q"], 40), rng.integers(0, 4, 40)
    weight[:2], y[:2] = 1, ["p", "q"]
    weighed = BudgetTreeClassifier(budget=2).fit(X, y, weight)
    rows = rng.permutation(np.repeat(np.arange(40), weight))
    repeated = BudgetTreeClassifier(budget=2).fit(X.iloc[rows], y[rows])
    assert weighed.tree_ == repeated.tree_


def test_groups_stay_together_where_branches_are_judged(
    pima: tuple[pd.DataFrame, pd.Series], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = (part.head(200) for part in pima)  # noqa: N806
    twice, labels, groups = pd.concat([X, X + 0.5]), pd.concat([y, y]), np.tile(np.arange(200), 2)
    folds: list[Any] = []

    def dealt(labels: Any, group: Any, *others: Any) -> Any:
        folds.append((group, deal_groups(labels, group, *others)))
        return folds[-1][1]

    monkeypatch.setattr(import_module("budgetree.learn.predictive.fit"), "deal_groups", dealt)
    classifier = BudgetTreeClassifier(budget=2).fit(twice, labels, groups=groups)
    ((group, fold),) = folds
    assert len(np.unique(group)) == 200
    assert all(len(set(fold[group == number])) == 1 for number in range(200))
    assert len(set(fold)) == 5
    assert classifier.tree_.max_cost <= 2
    for wrong, found in ((groups[:-1], 399), (np.zeros(400), 1)):
        with refused(SettingError, subject="groups", found=found):
            BudgetTreeClassifier().fit(twice, labels, groups=wrong)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = BudgetTreeClassifier(budget=2).set_fit_request(groups=True)
        scores = cross_validate(routed, twice, labels, cv=GroupKFold(3), params={"groups": groups}, error_score="raise")
    assert len(folds) == 4
    assert len(scores["test_score"]) == 3


def test_the_tags_are_true(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    tags = get_tags(OptimalBudgetTreeClassifier())
    assert tags.estimator_type == "classifier"
    assert tags.classifier_tags.multi_class
    assert not tags.classifier_tags.multi_label
    assert (tags.input_tags.allow_nan, tags.input_tags.string, tags.input_tags.categorical) == (True, True, True)
    assert not tags.input_tags.sparse
    assert not tags.non_deterministic
    words = np.array([["a", None], ["b", 1.5], ["a", np.nan], ["b", 2]], dtype=object)
    classifier = OptimalBudgetTreeClassifier().fit(words, ["x", "y", "x", "z"])
    assert classifier.predict(words).tolist() == ["x", "y", "x", "z"]


def test_a_budget_is_kept_by_every_row_and_buys_the_fewest_errors(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    instance = bt.Instance.from_frame(X.assign(result=y), "result", prices=PIMA_PRICES, duplicates="keep")
    rng = np.random.default_rng(0)
    scrambled = X.apply(lambda column: rng.permutation(column))
    for budget in (0, 2, 4, 20):
        classifier = OptimalBudgetTreeClassifier(budget=budget, prices=PIMA_PRICES).fit(X, y)
        assert classifier.max_cost_ <= budget
        assert classifier.cost(scrambled).max() <= budget
        best = bt.optimal(instance, budget=budget)
        assert best.proven
        assert (classifier.predict(X) != y).sum() == best.errors == classifier.tree_.errors
        assert classifier.mean_cost_ == pytest.approx(classifier.cost(X).mean())


def test_max_error_buys_the_cheapest(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    allowed = OptimalBudgetTreeClassifier(max_error=0.07).fit(X, y)
    assert 1 - allowed.score(X, y) <= 0.07
    cheaper = OptimalBudgetTreeClassifier(budget=allowed.max_cost_ - 1).fit(X, y)
    assert 1 - cheaper.score(X, y) > 0.07
    both = OptimalBudgetTreeClassifier(max_error=0.07, budget=8).fit(X, y)
    assert both.max_cost_ == allowed.max_cost_
    with refused(SettingError, subject="max_error", found=0.07):
        OptimalBudgetTreeClassifier(max_error=0.07, budget=1).fit(X, y)


def test_with_neither_there_is_no_error(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    classifier = OptimalBudgetTreeClassifier(levels=200).fit(X, y)
    assert classifier.score(X, y) == 1
    # Rows alike with different labels: the best there is, without complaint.
    assert (
        OptimalBudgetTreeClassifier().fit([[1], [1], [1], [2]], [0, 0, 1, 1]).score([[1], [1], [1], [2]], [0, 0, 1, 1])
        == 0.75
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
@example(1343)  # whose portfolio found less where a case was taken to be as much as the mean weight
def test_weights_count_as_copies_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (12, 4))  # noqa: N806
    y, weight = rng.integers(0, 3, 12), rng.integers(0, 4, 12)
    weight[0] = 1
    for method in ("exact", "greedy"):
        weighed = OptimalBudgetTreeClassifier(budget=2, method=method).fit(X, y, sample_weight=weight)
        copied = OptimalBudgetTreeClassifier(budget=2, method=method).fit(X.repeat(weight, axis=0), y.repeat(weight))
        assert np.array_equal(weighed.predict(X), copied.predict(X))
        assert weighed.tree_.errors == copied.tree_.errors
        assert np.array_equal(weighed.cost(X), copied.cost(X))


@pytest.mark.parametrize("seed", [34, 221, 336, 522])
def test_weights_count_as_copies_do_where_errors_differ(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (12, 4))  # noqa: N806
    y, weight = rng.integers(0, 3, 12), rng.integers(0, 4, 12)
    y[:3], weight[:3] = (0, 1, 2), 1
    losses = {0: 1, 1: int(rng.integers(1, 30)), 2: 2}
    classifier = OptimalBudgetTreeClassifier(budget=2, method="greedy", losses=losses)
    weighed, copied = clone(classifier).fit(X, y, weight), clone(classifier).fit(X.repeat(weight, 0), y.repeat(weight))
    assert np.array_equal(weighed.predict(X), copied.predict(X))
    assert weighed.tree_.loss == copied.tree_.loss


def test_a_grid_over_budgets_and_errors_works_in_a_pipeline(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    X, y = X.head(200), y.head(200)  # noqa: N806
    for grid in ({"tree__budget": [0, 1, 2]}, {"tree__max_error": [0.3, 0.35]}):
        tree = OptimalBudgetTreeClassifier(method="greedy")
        pipeline = Pipeline([("as it is", FunctionTransformer()), ("tree", tree)])
        search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
        assert search.best_params_[next(iter(grid))] in next(iter(grid.values()))
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    scores = cross_val_score(OptimalBudgetTreeClassifier(budget=2), X, y, cv=3, error_score="raise")
    assert scores.shape == (3,)


def test_copies_and_pickles_are_the_same(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    for method in ("exact", "greedy"):
        classifier = OptimalBudgetTreeClassifier(budget=2, prices=PIMA_PRICES, method=method).fit(X, y)
        again = pickle.loads(pickle.dumps(classifier))
        assert np.array_equal(again.predict(X), classifier.predict(X))
        assert again.tree_ == classifier.tree_
        assert again.certify(X, y).lower_bound == classifier.certify(X, y).lower_bound
        fresh = clone(classifier).set_params(budget=1)
        assert fresh.prices == PIMA_PRICES
        assert fresh.fit(X, y).max_cost_ == 1
        assert classifier.max_cost_ == 2


def test_a_certificate_is_made_from_the_rows_of_fit() -> None:
    X, y = pd.DataFrame([[0, 1], [1, 0], [1, 1]], columns=["a", "b"]), [0, 1, 1]  # noqa: N806
    classifier = OptimalBudgetTreeClassifier()
    with pytest.raises(NotFittedError):
        classifier.certify(X, y)
    certificate = classifier.fit(X, y, [1, 2, 3]).certify(X, y, [1, 2, 3])
    assert certificate.lower_bound == classifier.max_cost_ == 1
    assert certificate.check().ok
    with refused(TreeError):
        classifier.certify(X, [0, 0, 1], [1, 2, 3])
    with pytest.raises(ValueError, match="feature names"):
        classifier.certify(X[["a"]], y)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_data_frame_is_read_alike(library: Any) -> None:
    content = {
        "age": [20.0, 30, 41, 47, 53, 61, 70, 75, 80, 88, 90, None],
        "smoker": ["yes", "no", None] * 4,
        "fever": [True, False] * 6,
    }
    labels = ["ill", "well", "well"] * 4
    frame = library(content)
    classifier = OptimalBudgetTreeClassifier().fit(frame, labels)
    assert classifier.feature_names_in_.tolist() == list(content)
    assert classifier.predict(frame).tolist() == labels
    assert "smoker" in classifier.tree_.to_text()
    with refused(TableError, subject="smoker"):
        classifier.predict(library({"age": content["age"], "Smoker": content["smoker"], "fever": content["fever"]}))


def test_polars_labels_and_weights() -> None:
    frame = pl.DataFrame({"a": [1, 2, 1, 2], "b": ["x", "x", "y", "y"], "label": ["p", "q", "p", "q"]})
    classifier = OptimalBudgetTreeClassifier().fit(frame[["a", "b"]], frame["label"], sample_weight=frame["a"])
    assert classifier.predict(frame[["a", "b"]]).tolist() == ["p", "q", "p", "q"]


def test_the_path_passes_the_nodes_it_should(pima: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = pima  # noqa: N806
    classifier = OptimalBudgetTreeClassifier(budget=3, method="greedy").fit(X, y)
    path, ends = classifier.decision_path(X), classifier.apply(X)
    assert path.shape == (len(X), len(classifier.tree_.nodes))
    for row in range(0, len(X), 50):
        expected, node = set(), int(ends[row])
        while node >= 0:
            expected.add(node)
            node = int(classifier.tree_.nodes.parent[node])
        assert set(path[row].indices) == expected
    assert classifier.get_depth() == path[:, np.flatnonzero(classifier.tree_.nodes.is_buy)].sum(axis=1).max()
    assert classifier.get_n_leaves() == classifier.tree_.n_leaves


def test_probabilities_are_the_shares_of_training_rows() -> None:
    X, y = [["a"], ["a"], ["a"], ["b"]], ["u", "u", "v", "w"]  # noqa: N806
    classifier = OptimalBudgetTreeClassifier().fit(np.array(X, dtype=object), y)
    shares = classifier.predict_proba(np.array([["a"], ["b"], ["c"]], dtype=object))
    assert np.allclose(shares, [[2 / 3, 1 / 3, 0], [0, 0, 1], [0.5, 0.25, 0.25]])
    assert np.array_equal(classifier.classes_[shares.argmax(axis=1)], ["u", "w", "u"])


def test_an_unknown_value_stops_or_is_refused() -> None:
    X, y = pd.DataFrame({"colour": ["red", "blue"] * 2, "size": [1, 1, 2, 2]}), [0, 1, 1, 0]  # noqa: N806
    new = pd.DataFrame({"colour": ["red", "green"], "size": [1, 1]})
    assert OptimalBudgetTreeClassifier().fit(X, y).predict(new).tolist() == [0, 0]
    strict = OptimalBudgetTreeClassifier(handle_unknown="error").fit(X, y)
    assert strict.predict(X).tolist() == y
    with refused(ResultError, subject="colour", found="green"):
        strict.predict(new)
    with refused(SettingError, subject="handle_unknown", found="ignore"):
        OptimalBudgetTreeClassifier(handle_unknown="ignore").fit(X, y)


def test_a_column_that_the_tree_never_asks_may_hold_anything() -> None:
    X, y = pd.DataFrame({"useful": [0, 1, 0, 1], "useless": ["a", "a", "a", "a"]}), [0, 1, 0, 1]  # noqa: N806
    classifier = OptimalBudgetTreeClassifier(handle_unknown="error").fit(X, y)
    assert classifier.predict(X.assign(useless="never seen")).tolist() == y


@pytest.mark.parametrize("listed", [["code"], [1], [False, True], np.array(["code"]), (np.int64(1),)], ids=str)
def test_numbers_may_be_called_categorical(listed: Any) -> None:
    X = pd.DataFrame({"number": np.arange(40.0), "code": np.arange(40) % 20})  # noqa: N806
    y = X["code"] % 2
    classifier = OptimalBudgetTreeClassifier(categorical_features=listed, budget=1).fit(X, y)
    assert classifier.score(X, y) == 1
    assert classifier.tree_.test_names == ("code", "number")
    assert [len(names) for names in classifier.tree_.schema.outcome_names] == [20, 10]
    assert OptimalBudgetTreeClassifier(budget=1).fit(X, y).score(X, y) < 1


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
        ({"min_samples_leaf": 0.5}, SettingError, "min_samples_leaf", 0.5),
        ({"class_weight": {0: 1, 1: 1, 2: 1}}, SettingError, "class_weight", 2),
    ],
)
def test_a_wrong_setting_is_refused(change: dict[str, Any], kind: Any, subject: str, found: Any) -> None:
    X = pd.DataFrame({"a": [1, 2], "b": [1, 1]})  # noqa: N806
    with refused(kind, subject=subject, found=found):
        OptimalBudgetTreeClassifier(**change).fit(X, [0, 1])


def test_names_and_positions_may_be_mixed() -> None:
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40) % 20, "c": np.arange(40) % 30})  # noqa: N806
    classifier = OptimalBudgetTreeClassifier(categorical_features=["b", 2], budget=0).fit(X, X["a"] > 20)
    assert [len(names) for names in classifier.tree_.schema.outcome_names] == [10, 20, 30]


def test_with_names_or_without_by_position() -> None:
    X, y = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}), [0, 1, 1, 0]  # noqa: N806
    with pytest.warns(UserWarning, match="feature names"):
        assert OptimalBudgetTreeClassifier().fit(X, y).predict(X.to_numpy()).tolist() == y
    with pytest.warns(UserWarning, match="feature names"):
        assert OptimalBudgetTreeClassifier().fit(X.to_numpy(), y).predict(X).tolist() == y
    numbered = X.set_axis([7, 9], axis=1)
    assert OptimalBudgetTreeClassifier(levels={7: 3}).fit(numbered, y).predict(numbered.to_numpy()).tolist() == y


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
    classifier = OptimalBudgetTreeClassifier().fit(known, labels)
    assert classifier.predict(row).tolist() == ["none"]
    assert classifier.tree_.predict(row).tolist() == ["none"]
    assert classifier.tree_.predict_codes(classifier.tree_.encode(row)).tolist() == ["none"]


def test_a_table_of_objects_is_read_as_what_it_holds() -> None:
    known = pd.DataFrame({"a": np.arange(30.0), "b": ["x", None] * 15})
    labels = known["a"] > 14
    classifier = OptimalBudgetTreeClassifier().fit(known, labels)
    assert np.array_equal(classifier.predict(known.astype(object)), labels)
    again = OptimalBudgetTreeClassifier().fit(known.astype(object), labels)
    assert again.tree_.schema.outcome_names == classifier.tree_.schema.outcome_names
    assert np.array_equal(again.predict(known), labels)


def test_whole_numbers_beyond_floats() -> None:
    moments = pd.DataFrame({"t": 1_700_000_000_000_000_000 + np.arange(1000) * 10**12})
    late = np.arange(1000) > 500
    classifier = OptimalBudgetTreeClassifier(method="greedy").fit(moments, late)
    assert len(classifier.tree_.schema.outcome_names[0]) == 10
    assert np.array_equal(classifier.predict(moments.head(100)), classifier.predict(moments)[:100])
    ids, y = np.array([[2**60], [2**60 + 1]] * 4), [0, 1] * 4
    for table in (ids, pd.DataFrame(ids)):
        assert OptimalBudgetTreeClassifier().fit(table, y).score(table, y) == 1
    small = OptimalBudgetTreeClassifier(method="greedy").fit(np.arange(100).reshape(-1, 1), np.arange(100) > 50)
    assert small.predict([[2**60]]).tolist() == [True]


def test_copies_of_a_row_are_cases_as_in_fit() -> None:
    classifier = OptimalBudgetTreeClassifier().fit([[0], [0], [1], [0]], [0, 0, 1, 1])
    instance = bt.Instance.from_frame(pd.DataFrame({"x0": [0, 0, 1, 0], "y": [0, 0, 1, 1]}), "y")
    assert classifier.tree_ == bt.fit(instance, objective="known", folds=0).tree
    assert classifier.tree_.n_objects == 4
    assert classifier.tree_.nodes.counts[0].tolist() == [2, 2]
    assert classifier.tree_.errors == 1


def test_the_worst_case_counts_outcomes_that_no_row_showed_there() -> None:
    X = pd.DataFrame({"a": [0, 0, 1, 1, 1], "b": ["x", "y", "z", "x", "y"]})  # noqa: N806
    prices = {"a": 1, "b": {"x": 2, "y": 2, "z": 50}}
    classifier = OptimalBudgetTreeClassifier(prices=prices, method="greedy", impurity=bt.Pairs()).fit(X, list("pqrrr"))
    assert classifier.tree_.known_max_cost < classifier.max_cost_ == classifier.tree_.max_cost
    assert classifier.cost(pd.DataFrame({"a": [0], "b": ["z"]})).max() <= classifier.max_cost_


def test_labels_of_several_types_and_lazy_frames_are_refused() -> None:
    with refused(TableError, subject="y"):
        OptimalBudgetTreeClassifier().fit([[0], [1]], np.array(["a", None], dtype=object))
    with refused(TableError, subject="X"):
        OptimalBudgetTreeClassifier().fit(pl.LazyFrame({"a": [0, 1]}), [0, 1])


@pytest.mark.parametrize(("verbose", "is_terminal", "shows"), [(None, False, 0), (None, True, 1), (True, False, 1)])
def test_verbose_shows_the_search(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    verbose: bool | None,
    is_terminal: bool,
    shows: bool,
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 60)), rng.integers(0, 2, 400)  # noqa: N806
    monkeypatch.setattr("budgetree.services.progress.on_terminal", lambda: is_terminal)
    with pytest.warns(ConvergenceWarning, match="the best tree so far"):
        OptimalBudgetTreeClassifier(budget=6, time_limit=1.5, verbose=verbose).fit(X, y)
    assert ("exact search" in capsys.readouterr().err) == shows


def test_verbose_shows_what_is_learned_for_new_rows(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (3000, 60)), rng.integers(0, 2, 3000)  # noqa: N806
    for verbose in (None, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the time was over
            BudgetTreeClassifier(budget=40, time_limit=1.5, verbose=verbose).fit(X, y)
        assert ("new cases" in capsys.readouterr().err) == bool(verbose)


def test_a_price_per_column_of_an_array() -> None:
    X, y = [[0, 0], [1, 1], [0, 0], [1, 1]], [0, 1, 0, 1]  # noqa: N806
    classifier = OptimalBudgetTreeClassifier(prices=np.array([5, 2])).fit(X, y)
    assert (classifier.max_cost_, classifier.tree_.test_names[classifier.tree_.nodes.test[0]]) == (2, "x1")


def test_labels_and_rows_must_be_as_many() -> None:
    with refused(TableError, subject="y", found=3, expected=2):
        OptimalBudgetTreeClassifier().fit([[0], [1]], [0, 1, 1])


def test_an_empty_table_is_refused() -> None:
    with refused(TableError, subject="X", found=(1, 0)):
        OptimalBudgetTreeClassifier().fit(pd.DataFrame({"a": []}), [])
    with refused(TableError, subject="X", found=(0, 3)):
        OptimalBudgetTreeClassifier().fit(pd.DataFrame(index=range(3)), [0, 1, 0])


@pytest.mark.parametrize("kind", BOTH)
def test_the_search_has_what_reading_the_rows_leaves_of_the_time(
    pima: tuple[pd.DataFrame, pd.Series], monkeypatch: pytest.MonkeyPatch, kind: type
) -> None:
    asked: list[Any] = []

    class Late(Clock):
        """A clock that says how much of the limit was left when it was asked."""

        @property
        def seconds_left(self) -> float | None:
            asked.append(super().seconds_left)
            return 0.0

    monkeypatch.setattr("budgetree.estimators.base.Clock", Late)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the time was over
        classifier = kind(budget=2, time_limit=9).fit(*pima)
    assert len(asked) == 1
    assert 0 < asked[0] < 9
    assert classifier.tree_.ended is Ended.TIME_LIMIT


def test_new_rows_are_what_a_classifier_is_for(
    pima: tuple[pd.DataFrame, pd.Series], learner: list[dict[str, Any]]
) -> None:
    X, y = pima  # noqa: N806
    classifier = BudgetTreeClassifier(budget=2, leaves="tree", confidence=0.8, time_limit=9).fit(X, y)
    (asked,) = learner  # once: for an estimate there is scikit-learn's cross_val_score
    assert asked["time_limit"] <= 9
    assert {name: asked[name] for name in ("budget", "leaves", "confidence")} == {
        "budget": 2,
        "leaves": "tree",
        "confidence": 0.8,
    }
    assert classifier.max_cost_ == classifier.tree_.max_cost <= 2
    assert classifier.cost(X).max() <= 2
    assert np.allclose(classifier.predict_proba(X).sum(axis=1), 1)
    assert (classifier.classes_[classifier.predict_proba(X).argmax(axis=1)] == classifier.predict(X)).all()
    learner.clear()
    BudgetTreeClassifier().fit(X, y)
    assert learner[0]["budget"] == 8  # all tests


@pytest.mark.parametrize(
    ("change", "kind", "fields"),
    [
        ({"confidence": 2}, SettingError, {"subject": "confidence", "found": 2}),
        ({"leaves": "models"}, SettingError, {"subject": "leaves", "found": "models"}),
        ({"n_jobs": 0}, SettingError, {"subject": "n_jobs", "found": 0}),
        ({"n_jobs": "all"}, SettingError, {"subject": "n_jobs", "found": "all"}),
        ({"class_weight": {0: 1, 1: 1, 2: 5}}, SettingError, {"subject": "class_weight", "found": 2}),
        ({"losses": {"x": 2}}, LossesError, {}),
        ({"losses": {0: {"maybe": 2}}}, LossesError, {}),
        ({"prices": {"x0": 1, "x7": 1}}, PricesError, {"subject": "x7"}),
    ],
)
def test_wrong_settings_for_new_rows_are_refused(change: dict[str, Any], kind: Any, fields: dict[str, Any]) -> None:
    with refused(kind, **fields):
        BudgetTreeClassifier(**change).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("kind", BOTH)
def test_losses_turn_answers_towards_the_class_that_must_not_be_missed(kind: type) -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    missed, referred = [], []
    for losses in (None, {0: 50}, bt.Losses({0: 50}, answers={"refer": 0.5})):
        classifier = kind(
            budget=2, losses=losses, **({} if kind is BudgetTreeClassifier else {"method": "greedy"})
        ).fit(X, y)
        predicted = classifier.predict(X)
        missed.append(int(((predicted != y.astype(predicted.dtype)) & (y == 0) & (predicted != "refer")).sum()))
        referred.append(int((predicted == "refer").sum()))
        assert classifier.classes_.tolist() == [0, 1]
        assert classifier.predict_proba(X).shape == (len(y), 2)
        assert classifier.answers_.tolist() == ([0, 1, "refer"] if referred[-1] else [0, 1])
    assert missed[1] < missed[0]
    assert referred[:2] == [0, 0]
    assert referred[2] > 0


@pytest.mark.parametrize("kind", BOTH)
def test_class_weights_are_sample_weights(kind: type) -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    rows = np.random.default_rng(0).permutation(len(y))[:150]
    X, y = X[rows][:, :6], y[rows]  # noqa: N806
    for weights in ("balanced", {0: 3, 1: 0.5}):
        weighed = kind(budget=2, class_weight=weights).fit(X, y)
        by_hand = kind(budget=2).fit(X, y, compute_sample_weight(weights, y))
        assert weighed.tree_.to_dict() == by_hand.tree_.to_dict()
    with refused(SettingError, subject="class_weight", found="heavy"):
        BudgetTreeClassifier(class_weight="heavy").fit(X, y)


def test_min_samples_leaf_counts_training_rows() -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    X = np.repeat(X[:60, :4], 2, axis=0)  # noqa: N806
    y = np.repeat(y[:60], 2)
    classifier = OptimalBudgetTreeClassifier(budget=3, min_samples_leaf=10, levels=3).fit(X, y)
    counts = np.bincount(classifier.apply(X))
    assert min(counts[counts > 0]) >= 10
    assert classifier.get_n_leaves() > 1
    with refused(SettingError, subject="min_samples_leaf", found=0):
        OptimalBudgetTreeClassifier(min_samples_leaf=0).fit(X, y)


def test_leaves_of_little_weight_are_joined() -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    same = {"budget": 3, "method": "greedy", "levels": 2}
    whole = OptimalBudgetTreeClassifier(**same).fit(X, y)
    joined = OptimalBudgetTreeClassifier(**same, min_weight_fraction_leaf=0.05).fit(X, y)
    nodes = joined.tree_.nodes
    assert min(nodes.counts[nodes.is_leaf & nodes.is_reached].sum(axis=1)) >= 0.05 * len(y)
    assert 1 < joined.get_n_leaves() < whole.get_n_leaves()
    assert joined.tree_.statement.is_proven is False
    with refused(SettingError, subject="min_weight_fraction_leaf", found=0.7):
        OptimalBudgetTreeClassifier(min_weight_fraction_leaf=0.7).fit(X, y)


@pytest.mark.parametrize("kind", BOTH)
def test_a_referred_row_is_not_right(kind: type) -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    losses = bt.Losses({0: 50}, answers={"refer": 0.5})
    classifier = kind(budget=2, losses=losses, **({} if kind is BudgetTreeClassifier else {"method": "greedy"})).fit(
        X, y
    )
    predicted = classifier.predict(X)
    assert classifier.score(X, y) == np.mean([given == label for given, label in zip(predicted, y, strict=True)])
    assert np.isfinite(cross_val_score(classifier, X[:, :4], y, cv=2, error_score="raise")).all()


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
def test_class_weights_are_numbers_of_at_least_0(weight: float) -> None:
    with refused(SettingError, subject="class_weight"):
        BudgetTreeClassifier(class_weight={0: weight, 1: 1}).fit([[0], [1], [0], [1]], [0, 1, 0, 1])


def test_a_one_hot_group_is_paid_once_and_prices_may_go_by_position() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"country": rng.choice(list("abcd"), 200), "age": rng.integers(20, 80, 200)})
    y = np.where(frame["country"].isin(["a", "b"]) ^ (frame["age"] > 50), "ill", "well")

    def fitted(output: str, prices: Any) -> Any:
        encode = ColumnTransformer(
            [("c", OneHotEncoder(sparse_output=False), ["country"])],
            remainder="passthrough",
            verbose_feature_names_out=False,
        ).set_output(transform=output)
        return make_pipeline(encode, bt.OptimalBudgetTreeClassifier(prices=prices)).fit(frame, y)[-1]

    named = fitted("pandas", {"country_*": 4, "age": 1})
    assert named.tree_.max_cost == 5, "the four columns of a country are one test"
    assert len(named.tree_.tests_used) > 2
    limits = {"time": bt.Limit(10, {"age": 10}, default=1)}
    limited = fitted("pandas", bt.Prices({"country_*": 4, "age": 1}, limits=limits)).tree_
    assert limited.schema.prices.limits == limits, "the rules stay where a group is paid once"
    assert fitted("default", [0, 0, 0, 0, 1]).tree_.max_cost == 1
    by_position = fitted("default", {0: 2, 1: 2, 2: 2, 3: 2, 4: 1})
    assert by_position.max_cost_ == fitted("pandas", [2, 2, 2, 2, 1]).max_cost_
    with refused(PricesError, subject="country_*") as caught:
        fitted("default", {"country_*": 4, "age": 1})
    assert "set_output(transform='pandas')" in str(caught.value)
