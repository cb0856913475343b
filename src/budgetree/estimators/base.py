"""What the two classifiers share: how rows come in, one walk through the tree, and what is kept after `fit`."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import _get_feature_names, check_array, check_is_fitted, validate_data

from budgetree.data.frames import read_array, read_frame
from budgetree.data.table import Table
from budgetree.errors import ResultError, TableError
from budgetree.estimators.training import Training, listed_columns, n_threads, prices_by_name
from budgetree.learn._fit import SETTINGS
from budgetree.learn.settings import check_time_limit
from budgetree.problem import Instance, Losses
from budgetree.problem.instance import Rows
from budgetree.problem.schema import MANY_ROWS
from budgetree.services.clock import Clock, Ended, instead_of_interrupt
from budgetree.services.words import counted
from budgetree.tree import Tree, Walk
from budgetree.tree.consultation import check_handle_unknown


@dataclass(eq=False, repr=False)
class _BudgetTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier around `tree_`, of which only the tree and its figures are kept: no training row.

    Examples
    --------
    >>> import budgetree as bt
    >>> classifier = bt.OptimalBudgetTreeClassifier(prices=[7, 1]).fit([[0, 1], [1, 1]], ["well", "ill"])
    >>> classifier.predict([[1, 0]]).tolist(), classifier.predict_proba([[1, 0]]).tolist()
    (['ill'], [[1.0, 0.0]])
    >>> classifier.score([[1, 0], [0, 0]], ["ill", "ill"]), classifier.cost([[1, 0]]).tolist()
    (0.5, [7.0])
    >>> classifier.apply([[0, 0], [1, 0]]).tolist(), classifier.get_depth(), classifier.get_n_leaves()
    ([2, 3], 1, 2)
    >>> classifier.decision_path([[0, 0], [1, 0]]).toarray().tolist()
    [[1, 1, 1, 0, 0], [1, 1, 0, 1, 0]]
    """

    budget: Any = None
    prices: Any = None
    _: KW_ONLY
    losses: Any = None
    class_weight: Any = None
    handle_unknown: str = "stop"
    verbose: bool | None = None

    def _settings(self) -> dict[str, Any]:
        """Those of `fit` that the estimator has by the same name; scikit-learn has folds of its own."""
        known = {name: getattr(self, name) for name in SETTINGS if hasattr(self, name)}
        return known | {"folds": 0, "progress": None if self.verbose is None else bool(self.verbose)}

    def _keep(self, tree: Tree) -> Self:
        """What there is after `fit`: the tree and its figures."""
        self.tree_ = tree
        self.answers_ = tree.schema.answers
        self.max_cost_, self.mean_cost_ = tree.max_cost, tree.mean_cost
        nodes, names = tree.nodes, tree.test_names
        bought = np.flatnonzero(nodes.is_buy)
        weights = nodes.counts[bought].sum(axis=1).astype(np.float64)
        paid = np.bincount(nodes.test[bought], weights=weights, minlength=len(names))
        columns = [names.index(name) for name in tree.schema.input_columns]
        self.feature_importances_ = paid[columns] / max(float(nodes.counts[0].sum()), 1.0)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class of each row; where losses allow other answers, the answer of least loss.

        Parameters
        ----------
        X : data frame or array-like
            A row per case. A named frame has the columns that the tree asks for; their order, and what else there
            is or is not, does not matter. An array has the columns of `fit`.

        Raises
        ------
        ValueError
            Where a column that the tree asks for is missing, or a value is unknown and `handle_unknown` is "error"; so
            do the other methods that take X.
        """
        answers = self._walk(X).answers
        # As y had them, unless there is an answer that y cannot have.
        has_others = len(self.answers_) > len(self.classes_)
        predicted: NDArray[Any] = (self.answers_ if has_others else self.classes_)[answers]
        return predicted

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """The share of rows that are given their class, by weight; an answer that is not a class is not right.

        Parameters
        ----------
        X : data frame or array-like
            As in `predict`.
        y : array-like
            The class of each row.
        sample_weight : array-like, optional
            How much each row counts; by default 1.

        Raises
        ------
        ValueError
            Where there is not one label per row.
        """
        answers = self._walk(X).answers
        position_of = {label: position for position, label in enumerate(self.classes_.tolist())}
        right = np.array([position_of.get(label, -1) for label in np.asarray(y).ravel().tolist()])
        if len(right) != len(answers):
            sizes = f"{counted(len(right), 'label')} for {counted(len(answers), 'row')}"
            raise TableError(f"y: {sizes}; expected one each.", subject="y", found=len(right), expected=len(answers))
        return float(np.average(answers == right, weights=sample_weight))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Row × class, in the order of `classes_`: the share of the training rows that end there, or by a leaf's model.

        Parameters
        ----------
        X : data frame or array-like
            As in `predict`.
        """
        return self._walk(X).probabilities

    def cost(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """What the tests on each row's path cost.

        Parameters
        ----------
        X : data frame or array-like
            As in `predict`.
        """
        return self._walk(X).cost

    def apply(self, X: Any) -> NDArray[np.int32]:  # noqa: N803
        """The node of `tree_` where each row ends.

        Parameters
        ----------
        X : data frame or array-like
            As in `predict`.
        """
        return self._walk(X).leaf

    def decision_path(self, X: Any) -> csr_matrix:  # noqa: N803
        """A sparse matrix of rows × nodes, 1 where the row passes the node.

        Parameters
        ----------
        X : data frame or array-like
            As in `predict`.
        """
        reached = self.apply(X)
        rows = np.arange(len(reached))
        passed = [(rows, reached)]
        while len(rows):
            above = self.tree_.nodes.parent[passed[-1][1]]
            rows = passed[-1][0][above >= 0]
            passed.append((rows, above[above >= 0]))
        row, node = (np.concatenate(part) for part in zip(*passed, strict=True))
        ones = np.ones(len(row), dtype=np.int64)
        return csr_matrix((ones, (row, node)), shape=(len(reached), len(self.tree_.nodes)))

    def get_depth(self) -> int:
        """The most tests on a path.

        Raises
        ------
        NotFittedError
            Before `fit`.
        """
        check_is_fitted(self)
        return int(self.tree_.depth)

    def get_n_leaves(self) -> int:
        """The number of leaves.

        Raises
        ------
        NotFittedError
            Before `fit`.
        """
        check_is_fitted(self)
        return int(self.tree_.n_leaves)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "tree_" in vars(self)  # what a failed fit leaves behind is not enough

    def _read(
        self,
        X: Any,  # noqa: N803
        y: Any = "no_validation",
        *,
        reset: bool = True,
        only: Sequence[int] | None = None,
    ) -> Table:
        """Any frame or array, checked as scikit-learn does; or some of its columns, by position."""
        if nw.dependencies.is_into_dataframe(X):
            validate_data(self, X, y, reset=reset, skip_check_array=True)
            table = _not_empty(read_frame(X))
            return table if only is None else replace(table, columns=tuple(table.columns[test] for test in only))
        if nw.dependencies.is_polars_lazyframe(X):
            raise TableError("X: a lazy frame has no rows yet; collect() it first.", subject="X")
        array = check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator=self)
        validate_data(self, array, y, reset=reset, skip_check_array=True)
        return _not_empty(read_array(array)) if only is None else read_array(array[:, only])

    def _walk(self, X: Any) -> Walk:  # noqa: N803
        """New rows on their way through the tree."""
        if "tree_" not in vars(self):
            check_is_fitted(self)  # takes as long as a prediction
        tree = self.tree_
        walk = self._walk_numbers(X)
        if walk is None:
            walk = tree.walk_table(self._new_rows(X))
        if self.handle_unknown == "error" and len(rows := np.flatnonzero(walk.unlisted >= 0)):
            row = int(rows[0])
            column = self._new_rows(X).column(tree.test_names[walk.unlisted[row]])
            value = column.to_list()[row]
            message = f"X: column {column.name!r} is {value!r:.60} in row {row}, which no training row had."
            remedy = "handle_unknown='stop' answers such rows by the other tests of their path."
            raise ResultError(f"{message} {remedy}", subject=column.name, found=value)
        if len(walk.leaf) >= MANY_ROWS and (tests := tree.schema.categories_of(tree.tests_used)):
            tree.schema.warn_of_unknown(self._new_rows(X), tests)
        return walk

    def _walk_numbers(self, X: Any) -> Walk | None:  # noqa: N803
        """The same without a copy of X, where it holds numbers; else None."""
        reader = self.tree_.reader
        if reader is None:
            return None
        if type(X) is not np.ndarray:
            walk = reader.walk(X) if hasattr(self, "feature_names_in_") else None
            return walk if walk is not None and len(walk.leaf) else None
        if X.size == 0 or X.dtype.kind not in "bfiu":
            return None
        # scikit-learn's checks take as long as a prediction.
        is_as_fitted = X.ndim == 2 and X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_")
        with np.errstate(all="ignore"):
            is_as_fitted = is_as_fitted and bool(np.isfinite(X.sum()))
        if not is_as_fitted:
            check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator=self)
            validate_data(self, X, reset=False, skip_check_array=True)
        return reader.walk_array(X)

    def _new_rows(self, X: Any) -> Table:  # noqa: N803
        """The columns that the tree asks for."""
        table = self._named_rows(X)
        if table is not None and len(table):
            return table
        positions = [self.tree_.schema.input_columns.index(name) for name in self._asked]
        return self._read(X, reset=False, only=positions).renamed(self._asked)

    def _named_rows(self, X: Any) -> Table | None:  # noqa: N803
        """The same by their names, wherever they are; None where `fit` or X has no names, and position counts."""
        if not hasattr(self, "feature_names_in_") or not nw.dependencies.is_into_dataframe(X):
            return None
        return None if _get_feature_names(X) is None else read_frame(X, only=self._asked)

    @property
    def _asked(self) -> list[str]:
        return [self.tree_.test_names[test] for test in sorted(self.tree_.tests_used)]


@dataclass(eq=False, repr=False)
class _InMemory(_BudgetTree, ABC):
    """One that is fitted to rows in memory."""

    categorical_features: Any = field(default="from_dtype", kw_only=True)
    time_limit: float | None = field(default=None, kw_only=True)
    n_jobs: int | None = field(default=-1, kw_only=True)

    @abstractmethod
    def _check(self) -> None:
        """An error where a setting is not what was expected, before anything is read."""

    @abstractmethod
    def _rows(self, training: Training) -> Rows:
        """The rows of an instance."""

    @abstractmethod
    def _learn(self, instance: Instance, training: Training, limits: dict[str, Any]) -> Tree:
        """The tree."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Learn the tree.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, a column per test.
        y : array-like
            The class of each row.
        sample_weight : array-like, optional
            How much each row counts; by default 1.

        Raises
        ------
        ValueError
            Where a setting is not what was expected, or rows, labels, weights and prices do not fit together.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:  # noqa: N803
        self._check()
        clock = Clock(check_time_limit(self.time_limit))
        check_handle_unknown(self.handle_unknown)
        table = self._read(X, y)
        training = self._training(table, y, sample_weight, groups)
        self.classes_ = training.classes
        instance = self._instance(training)
        instance.schema.costs.budget_units(self.budget)  # refused by its own name
        with _interruptible():
            # What is left of a time limit; if it is missing, work is counted.
            left = self.time_limit if clock.counts_work else clock.seconds_left
            tree = self._learn(instance, training, {"time_limit": left, "threads": n_threads(self.n_jobs)})
        if tree.ended is not Ended.COMPLETE and not tree.statement.is_proven:
            warnings.warn(
                f"fit: the {tree.ended.value} ended the search, and tree_ is the best tree so far; give a longer "
                "time_limit or a smaller budget.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self._keep(tree)

    def _training(self, table: Table, y: Any, sample_weight: Any, groups: Any = None) -> Training:
        """The rows that count, the columns of categories as such."""
        listed = listed_columns(self.categorical_features, table.names)
        columns = tuple(column.as_values() if column.name in listed else column for column in table.columns)
        return Training.of(replace(table, columns=columns), y, sample_weight, self.class_weight, groups)

    def _instance(self, training: Training) -> Instance:
        """The known cases that the rows make."""
        prices = prices_by_name(self.prices, training.table.names)
        return Instance.from_rows(self._rows(training), tuple(self.classes_.tolist()), prices, Losses.of(self.losses))


def _not_empty(table: Table) -> Table:
    """The table, or an error where there is nothing in it."""
    if not table.columns or len(table) == 0:
        size = f"{counted(len(table.columns), 'column')} and {counted(len(table), 'row')}"
        message = f"X: the table has {size}; at least one column and at least one row is needed."
        raise TableError(message, subject="X", found=(len(table.columns), len(table)))
    return table


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends the search within, as always, and then raises KeyboardInterrupt: an estimator has no half results."""
    presses: list[None] = []
    with instead_of_interrupt(lambda: presses.append(None)):
        yield
    if presses:
        raise KeyboardInterrupt
