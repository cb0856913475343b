"""DaskBudgetTreeClassifier: an estimator for Dask collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import dask.array
import dask.dataframe
import numpy as np
from dask.delayed import delayed
from distributed import Client
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from budgetree.data.column import Coded, sort_key
from budgetree.data.encoders import DEFAULT_LEVELS, Binning
from budgetree.distributed.dask_cases import DaskCases, parts_of_columns, row_parts
from budgetree.distributed.dask_client import find_client, results
from budgetree.distributed.prepare import CaseRequest, Parts, flat_labels
from budgetree.errors import SettingError
from budgetree.estimators import BudgetTreeClassifier, OptimalBudgetTreeClassifier
from budgetree.estimators.base import _BudgetTree
from budgetree.estimators.training import class_factors, class_totals, impurities_of, prices_by_name
from budgetree.impurity import Pairs
from budgetree.learn._fit import ObjectiveName, fit
from budgetree.learn.settings import Leaves, check_choice, check_min_cases
from budgetree.learn.validation import DEFAULT_FOLDS
from budgetree.services.words import counted
from budgetree.tree.consultation import check_handle_unknown

COLLECTIONS = (dask.dataframe.DataFrame, dask.array.Array)


@dataclass(eq=False, repr=False, kw_only=True)
class DaskBudgetTreeClassifier(_BudgetTree):
    """A decision tree that never spends more than a budget on a row, learned where a Dask cluster holds the rows.

    It is OptimalBudgetTreeClassifier(method="greedy") or, for new cases, BudgetTreeClassifier. fit takes Dask frames,
    series and arrays of the same partitions; predict, predict_proba, cost and apply are lazy; to_local() is the usual
    estimator. A row of weight 0 counts for nothing, but its values still make levels and categories. Copies and pickles
    have no client; clones have the same one.

    budget, prices, max_error, losses, levels, binning, min_samples_leaf, class_weight, handle_unknown, verbose
              as in OptimalBudgetTreeClassifier
    objective "known": the fewest errors on the rows; "new": the lowest error to expect on new ones
    leaves, confidence
              as in BudgetTreeClassifier, for new cases only
    impurity  what the tree is grown by, such as Powers(3); "auto" takes the best of a portfolio, which reads the rows
              many times
    client    a dask.distributed.Client; by default the one that was made last

    After fit: tree_, classes_, answers_, max_cost_, mean_cost_, feature_importances_.
    """

    max_error: Any = None
    impurity: Any = Pairs()  # noqa: RUF009 (it never changes)
    levels: Any = DEFAULT_LEVELS
    binning: Binning = "quantile"
    min_samples_leaf: int = 1
    client: Any = None
    objective: ObjectiveName = "known"
    leaves: Leaves = "auto"
    confidence: float | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}  # a connection cannot be written down

    def __sklearn_clone__(self) -> DaskBudgetTreeClassifier:
        settings = self.get_params(deep=False)
        client = settings.pop("client")
        return type(self)(**{name: clone(value, safe=False) for name, value in settings.items()}, client=client)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DaskBudgetTreeClassifier:  # noqa: N803
        """Learn the tree from rows, their classes and, if given, how much each counts: all of them Dask collections."""
        client = find_client(self.client)
        check_handle_unknown(self.handle_unknown)
        check_choice("objective", self.objective, ("known", "new"))
        impurities = impurities_of(self.impurity)
        least = check_min_cases(self.min_samples_leaf, "min_samples_leaf")
        features = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        target, weights = (_unused_name(name, features or ()) for name in ("y", "sample_weight"))
        parts = parts_of_columns(X, y, sample_weight, (target, weights))
        if self.class_weight is not None:
            parts = weighted_by_class(client, parts, self.class_weight)
        tests = features or [f"x{position}" for position in range(X.shape[1])]
        request = CaseRequest.of(
            target,
            prices=prices_by_name(self.prices, tests),
            losses=self.losses,
            levels=self.levels,
            binning=self.binning,
            weights=None if sample_weight is None and self.class_weight is None else weights,
        )
        cases = DaskCases.of(client, parts, request)
        cases.schema.costs.budget_units(self.budget)  # refused by its own name
        settings = self._settings() | {"min_cases": least}
        if self.objective == "known":
            settings |= {"method": "greedy", "impurities": impurities}
        if self.max_error is not None:
            settings["folds"] = DEFAULT_FOLDS
        result = fit(cases, **settings)
        self.classes_, self.n_features_in_ = cases.schema.classes, len(tests)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if features is not None:
            self.feature_names_in_ = np.array(features, dtype=object)
        return self._keep(result.tree)

    def predict(self, X: Any) -> Any:  # noqa: N803
        """The class of each row, as a lazy Dask array; where losses allow other answers, the answer of least loss."""
        return self._lazily("predict", X)

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        """The probability of each class, as a lazy Dask array."""
        return self._lazily("predict_proba", X, len(self.classes_))

    def cost(self, X: Any) -> Any:  # noqa: N803
        """What the tests on each row's path cost, as a lazy Dask array."""
        return self._lazily("cost", X)

    def apply(self, X: Any) -> Any:  # noqa: N803
        """The node of tree_ where each row ends, as a lazy Dask array."""
        return self._lazily("apply", X)

    def decision_path(self, X: Any) -> Any:  # noqa: N803
        """For rows in memory alone: to_local().decision_path(X)."""
        message = "decision_path: a sparse matrix is for rows in memory; to_local().decision_path(X) makes it."
        raise SettingError(message, subject="decision_path")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """The share of rows that are given their class, by weight, found where the rows are."""
        local, client = delayed(self.to_local()), find_client(self.client)
        parts = parts_of_columns(X, y, sample_weight, ("y", "sample_weight"))
        found = results(client, client.compute([delayed(_score)(rows, local) for rows in parts.parts()]))
        total = sum(weight for _, weight in found)
        if not total:
            message = "score: no row counts; expected at least one row of a weight above 0."
            raise SettingError(message, subject="sample_weight", found=0)
        return float(sum(share * weight for share, weight in found) / total)

    def to_local(self) -> BudgetTreeClassifier | OptimalBudgetTreeClassifier:
        """The ordinary estimator, for rows in memory; it needs no cluster."""
        check_is_fitted(self)
        local = BudgetTreeClassifier() if self.objective == "new" else OptimalBudgetTreeClassifier(method="greedy")
        known = local.get_params(deep=False)
        local.set_params(**{name: value for name, value in self.get_params(deep=False).items() if name in known})
        for name, value in vars(self).items():
            if name.endswith("_"):
                setattr(local, name, value)
        return local

    def _lazily(self, what: str, X: Any, n_columns: int | None = None) -> Any:  # noqa: N803
        """A method of the local estimator, on each partition when it is asked for."""
        local = self.to_local()
        if not isinstance(X, COLLECTIONS):
            given = f"{type(X).__module__.partition('.')[0]} {type(X).__name__}"
            message = f"X is a {given}; expected a Dask frame or array. For rows in memory: to_local().{what}(X)."
            raise SettingError(message, subject="X", found=X)
        if X.ndim != 2:
            message = f"X has {counted(X.ndim, 'dimension')}; expected a column per test: rows × tests."
            raise SettingError(message, subject="X", found=X.ndim, expected=2)
        is_array = isinstance(X, dask.array.Array)
        like_fit = np.empty((0, X.shape[1])) if is_array else X._meta
        named = local._named_rows(like_fit)  # now, and not on a worker
        if named is None:
            validate_data(local, like_fit, reset=False, skip_check_array=True)
        else:
            local.tree_.schema.encoded(named, local.tree_.tests_used)
        if is_array:
            X = X.rechunk({1: -1})  # noqa: N806
        sizes = X.chunks[0] if is_array else (np.nan,) * X.npartitions  # those of a frame are not counted
        none = np.empty((0,) if n_columns is None else (0, n_columns), dtype=self._dtype_of(what))
        parts = [
            dask.array.from_delayed(delayed(_answer)(part, local, what, none), (n_rows, *none.shape[1:]), meta=none)
            for part, n_rows in zip(row_parts(X, "X"), sizes, strict=True)
        ]
        return dask.array.concatenate(parts, allow_unknown_chunksizes=True)

    def _dtype_of(self, what: str) -> Any:
        if what != "predict":
            return np.int32 if what == "apply" else np.float64
        has_others = len(self.answers_) > len(self.classes_)
        return (self.answers_ if has_others else self.classes_).dtype


def _answer(rows: Any, local: _BudgetTree, what: str, none: NDArray[Any]) -> NDArray[Any]:
    """A partition's answers; some partitions have no rows, which estimators do not take."""
    return np.asarray(getattr(local, what)(rows)) if len(rows) else none


def _score(rows: Sequence[Any], local: _BudgetTree) -> tuple[float, float]:
    weights = np.ones(len(rows[0])) if len(rows) < 3 else np.asarray(rows[2], dtype=np.float64).ravel()
    total = float(weights.sum())
    return (local.score(rows[0], rows[1], weights), total) if total else (0.0, 0.0)


def _unused_name(name: str, features: Sequence[str]) -> str:
    """Like this one, which no column of X has."""
    while name in features:
        name += "_"
    return name


def weighted_by_class(client: Client, parts: Parts, class_weight: Any) -> Parts:
    """The same rows, which count by their class, too; their labels and weights are read for it."""
    every = list(parts.parts())
    totals: dict[Any, Fraction] = {}
    for found in results(client, client.compute([delayed(_totals)(part[1:]) for part in every])):
        for label, total in found.items():
            totals[label] = totals.get(label, Fraction(0)) + total
    classes = sorted(totals, key=sort_key)
    factors = class_factors(classes, [totals[label] for label in classes], class_weight)
    by_class = dict(zip(classes, factors.tolist(), strict=True))
    weighted = [(*part[:2], delayed(_weighted)(part[1:], by_class)) for part in every]
    return replace(parts, parts=lambda: weighted)


def _totals(rows: Sequence[Any]) -> dict[Any, Fraction]:
    labels, weights = _labelled(rows)
    if len(labels) != len(weights) or not _are_weights(weights).all():
        return {}  # which is refused when all of it is read
    present = labels.positions >= 0
    totals = class_totals(labels.positions[present], weights[present], len(labels.distinct))
    return dict(zip(labels.distinct, totals, strict=True))


def _weighted(rows: Sequence[Any], by_class: Mapping[Any, float]) -> NDArray[np.float64]:
    """The weights of a partition; a wrong one stays as it is, to be named when it is refused."""
    labels, weights = _labelled(rows)
    if len(labels) != len(weights):
        return weights
    factors = np.array([by_class.get(label, 1.0) for label in labels.distinct], dtype=np.float64)
    return np.where(_are_weights(weights), weights * labels.look_up(factors, 1.0), weights)


def _labelled(rows: Sequence[Any]) -> tuple[Coded, NDArray[np.float64]]:
    labels = flat_labels(rows[0])
    weights = np.ones(len(labels)) if len(rows) < 2 else np.asarray(rows[1], dtype=np.float64).ravel()
    return labels, weights


def _are_weights(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isfinite(weights) & (weights >= 0)
