"""DaskBudgetTreeClassifier: budgetree as users of Dask's estimators see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array
import dask.dataframe
import numpy as np
from distributed import Client
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from budgetree.dask.cases import DaskCases
from budgetree.dask.cluster import find_client
from budgetree.dask.partitions import ColumnNames, of_columns
from budgetree.dask.verbs import grow_cases
from budgetree.estimator import BudgetTreeClassifier
from budgetree.estimator.settings import prices_by_name
from budgetree.impurity import Impurity, Pairs
from budgetree.learn import frontier
from budgetree.learn.proofs import tree_for_budget, tree_for_error
from budgetree.problem.tables.encoding import DEFAULT_LEVELS
from budgetree.shards.plan import CaseRequest

COLLECTIONS = (dask.dataframe.DataFrame, dask.array.Array)


class DaskBudgetTreeClassifier(BudgetTreeClassifier):
    """A decision tree that never spends more than a budget on a row, learned where a Dask cluster holds the rows.

    It is about the training rows: what BudgetTreeClassifier calls objective="known", by method="greedy". fit takes Dask
    frames, series and arrays of the same partitions; predict, predict_proba and cost are lazy; to_local() is the
    ordinary estimator.

    budget, max_error, prices, levels, handle_unknown, losses, min_cases, verbose
              as in BudgetTreeClassifier
    impurity  what the tree is grown by, such as Powers(3); "auto" takes the best of a portfolio, which reads the rows
              many times
    client    a dask.distributed.Client; by default the one that was made last

    After fit: tree_, frontier_ (where a portfolio or max_error was asked for), classes_, answers_, max_cost_,
    mean_cost_, client_.
    """

    def __init__(
        self,
        budget: Any = None,
        max_error: Any = None,
        prices: Any = None,
        impurity: Any = Pairs(),  # noqa: B008 (an impurity never changes)
        levels: Any = DEFAULT_LEVELS,
        handle_unknown: str = "stop",
        verbose: bool = False,
        losses: Any = None,
        min_cases: int = 1,
        client: Any = None,
    ) -> None:
        super().__init__(
            budget=budget,
            max_error=max_error,
            prices=prices,
            method="greedy",
            impurity=impurity,
            levels=levels,
            handle_unknown=handle_unknown,
            verbose=verbose,
            objective="known",
            losses=losses,
            min_cases=min_cases,
        )
        self.client = client

    @property
    def client_(self) -> Client:
        """The client that fit uses."""
        return find_client(self.client)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DaskBudgetTreeClassifier:  # noqa: N803
        """Learn the tree from rows, their classes and, if given, how much each counts: all of them Dask collections."""
        client = self.client_
        features = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        names = _unused_names(features or ())
        partitions = of_columns(X, y, sample_weight, names)
        tests = features or [f"x{place}" for place in range(X.shape[1])]
        request = CaseRequest.of(
            names.target,
            prices=prices_by_name(self.prices, tests),
            losses=self.losses,
            levels=self.levels,
            duplicates="keep",
            weights=None if sample_weight is None else names.weights,
        )
        cases = DaskCases.of(client, partitions, request)
        cases.schema.table.budget_units(self.budget)  # refused by its own name
        self.tree_ = self._tree(cases)
        self.classes_ = cases.schema.classes
        self.answers_ = cases.schema.answers
        self.n_features_in_ = len(tests)
        if features is not None:
            self.feature_names_in_ = np.array(features, dtype=object)
        self.max_cost_, self.mean_cost_ = self.tree_.max_cost, self.tree_.mean_cost
        return self

    def _tree(self, cases: DaskCases) -> Any:
        progress = bool(self.verbose)
        is_one = isinstance(self.impurity, Impurity)
        if is_one and self.max_error is None:
            return grow_cases(cases, self.impurity, budget=self.budget, min_cases=self.min_cases, progress=progress)
        impurities = None if isinstance(self.impurity, str) else [self.impurity] if is_one else self.impurity
        self.frontier_ = frontier(
            cases, impurities=impurities, max_budget=self.budget, min_cases=self.min_cases, progress=progress
        )
        if self.max_error is None:
            return tree_for_budget(self.frontier_, self.budget)
        return tree_for_error(self.frontier_, self.max_error)

    def predict(self, X: Any) -> Any:  # noqa: N803
        """The class of each row, as a lazy Dask array; where losses allow other answers, the answer of least loss."""
        return self._lazily("predict", X)

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        """The probability of each class, as a lazy Dask array."""
        return self._lazily("predict_proba", X, len(self.classes_))

    def cost(self, X: Any) -> Any:  # noqa: N803
        """What the tests on each row's path cost, as a lazy Dask array."""
        return self._lazily("cost", X)

    def to_local(self) -> BudgetTreeClassifier:
        """The ordinary estimator, for rows in memory; it needs no cluster."""
        check_is_fitted(self)
        settings = {name: value for name, value in self.get_params(deep=False).items() if name != "client"}
        local = BudgetTreeClassifier(method="greedy", objective="known", **settings)
        for name, value in vars(self).items():
            if name.endswith("_") and name != "frontier_":
                setattr(local, name, value)
        return local

    def _lazily(self, what: str, X: Any, n_columns: int | None = None) -> Any:  # noqa: N803
        """A method of the local estimator, on each partition when it is asked for."""
        local = self.to_local()
        if not isinstance(X, COLLECTIONS):
            raise ValueError(
                f"X is a {type(X).__module__.partition('.')[0]} {type(X).__name__}; expected a Dask frame or array. "
                f"For rows in memory: to_local().{what}(X)."
            )
        dtype = {"predict": self._answer_dtype, "predict_proba": np.dtype(float), "cost": np.dtype(float)}[what]
        if isinstance(X, dask.array.Array):
            shape: dict[str, Any] = {"drop_axis": 1} if n_columns is None else {"chunks": (X.chunks[0], (n_columns,))}
            return X.map_blocks(_answer, local, what, meta=_empty(dtype, n_columns), **shape)
        parts = [
            dask.array.from_delayed(answered, _unknown(n_columns), meta=_empty(dtype, n_columns))
            for answered in (dask.delayed(_answer)(part, local, what) for part in X.to_delayed())
        ]
        return dask.array.concatenate(parts, allow_unknown_chunksizes=True)

    @property
    def _answer_dtype(self) -> np.dtype[Any]:
        has_others = len(self.answers_) > len(self.classes_)
        found: np.dtype[Any] = (self.answers_ if has_others else self.classes_).dtype
        return found


def _answer(rows: Any, local: BudgetTreeClassifier, what: str) -> NDArray[Any]:
    """A partition's answers; some partitions have no rows, which estimators do not take."""
    if len(rows) == 0:
        n_columns = len(local.classes_) if what == "predict_proba" else None
        return _empty(np.dtype(float) if what != "predict" else local.classes_.dtype, n_columns)
    answers: NDArray[Any] = getattr(local, what)(rows)
    return answers


def _empty(dtype: np.dtype[Any], n_columns: int | None) -> NDArray[Any]:
    return np.empty((0,) if n_columns is None else (0, n_columns), dtype=dtype)


def _unknown(n_columns: int | None) -> tuple[float, ...]:
    """The shape of a partition whose rows nobody has counted."""
    return (np.nan,) if n_columns is None else (np.nan, n_columns)


def _unused_names(features: Sequence[str]) -> ColumnNames:
    """Names for the labels and the weights that no column of X has."""
    target, weights = "y", "sample_weight"
    while target in features:
        target += "_"
    while weights in features:
        weights += "_"
    return ColumnNames(target, weights)
