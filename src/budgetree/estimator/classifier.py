"""BudgetTreeClassifier: budgetree as scikit-learn sees it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from budgetree.data.encoders import DEFAULT_LEVELS
from budgetree.data.frames import read_array, read_frame
from budgetree.data.table import Table
from budgetree.errors import ResultError, TableError, TreeError
from budgetree.estimator.training import (
    Labelled,
    check_settings,
    leaf_share,
    listed_columns,
    prices_by_name,
    training_weights,
)
from budgetree.learn import frontier
from budgetree.learn._frontier import frontier_for_new
from budgetree.learn.predictive.fit import SURE, check_sure
from budgetree.learn.proofs import tree_for_budget, tree_for_error
from budgetree.learn.settings import check_time_limit
from budgetree.problem import Instance, Losses
from budgetree.problem.instance import Duplicates, Rows
from budgetree.proof import Certificate, certify
from budgetree.services.clock import Clock
from budgetree.services.words import counted
from budgetree.tree import Tree
from budgetree.tree.changes import without_small_leaves


class BudgetTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree that never spends more than a budget on a case.

    With objective="new" it is the tree with the lowest error to expect on new rows within the budget. With "known" it
    is about the training rows: give a budget and get the fewest errors it can buy; give max_error and get the cheapest
    tree that makes no more errors; give both and get the cheapest within the budget; give neither and get the cheapest
    tree with the fewest errors, which are none unless equal rows have different labels.

    Parameters
    ----------
    budget : number, optional
        No row's path costs more than this.
    max_error : number, optional
        The share of the training rows, by weight, that the tree may get wrong; for "known" only.
    prices : number, array-like, dict or Prices, optional
        One price for all, one per column, {column: price}, {column: {outcome: price}}, or a `Prices` with shared fees;
        by default 1 each. Columns of an array are called x0, x1, …
    method : {'auto', 'exact', 'greedy'}, default 'auto'
        "auto": exact search for ten seconds (or `time_limit`), greedy where the data are too large; "exact": until it
        is proven, or `time_limit`; "greedy".
    impurity : 'auto', Impurity or list, default 'auto'
        Of greedy trees: "auto" takes the best of a portfolio; or an impurity, or a list of them.
    levels : int or dict, default 10
        A numeric column with more different values is rounded to so many levels; or {column: levels}.
    categorical_features : 'from_dtype' or array-like, default 'from_dtype'
        "from_dtype": columns that are not numbers have one outcome per value; or the columns (names, positions or a
        mask) for which that holds although they are numbers.
    handle_unknown : {'stop', 'error'}, default 'stop'
        A value that no training row had stops its row at that test, or is an error.
    random_state : object, optional
        Without effect: nothing here is left to chance.
    time_limit : float, optional
        Seconds for `fit`: the search has what reading the rows leaves of them.
    verbose : bool, default False
        Whether to show a progress bar.
    objective : {'new', 'known'}, default 'new'
        "new": the lowest error on new rows (see `predictive`; `method` and `impurity` are then without effect);
        "known": the fewest errors on the training rows, proven where the search can.
    leaves : {'model', 'count'}, default 'model'
        For "new", "model": a leaf weighs up all that was paid; "count": the leaves of a plain tree.
    sure : float or None, optional
        For "new": a row stops where its answer has this probability; None to spend all.
    losses : dict, array-like or Losses, optional
        What a wrong answer costs: a `Losses`, {class: {answer: loss}}, {class: loss} or a square array. `predict` then
        gives the answer of least (expected) loss, which may be one that is no class, such as "refer", if the losses
        allow it.
    class_weight : dict or 'balanced', optional
        How much the rows of a class count, times `sample_weight`.
    min_cases : int, default 1
        For "known": no leaf has fewer training rows.
    min_weight_fraction_leaf : float, default 0
        For "known": leaves with less than this share of all weight are joined after the search.
    labels : Labels, optional
        What tests, outcomes and classes are called where `tree_` and `frontier_` are shown.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    frontier_ : Frontier
        For "known": everything up to the budget.
    max_cost_ : number
        What no row exceeds.
    mean_cost_ : float
        Over the training rows, by weight.
    classes_ : array
        The classes.
    answers_ : array
        The classes, then whatever else may be answered.
    instance_ : Instance
        The training rows, coded and merged.

    Examples
    --------
    >>> import budgetree as bt
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> classifier = bt.BudgetTreeClassifier(budget=3, prices=[1, 1, 2, 2], objective="known").fit(X, y)
    >>> classifier.max_cost_, round(classifier.score(X, y), 3), classifier.cost(X.head(2)).tolist()
    (3, 0.967, [2.0, 3.0])
    """

    def __init__(
        self,
        budget: Any = None,
        max_error: Any = None,
        prices: Any = None,
        method: str = "auto",
        impurity: Any = "auto",
        levels: Any = DEFAULT_LEVELS,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "stop",
        random_state: Any = None,
        time_limit: float | None = None,
        verbose: bool = False,
        objective: str = "new",
        leaves: str = "model",
        sure: float | None = SURE,
        losses: Any = None,
        class_weight: Any = None,
        min_cases: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        labels: Any = None,
    ) -> None:
        self.budget = budget
        self.max_error = max_error
        self.prices = prices
        self.method = method
        self.impurity = impurity
        self.levels = levels
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.random_state = random_state
        self.time_limit = time_limit
        self.verbose = verbose
        self.objective = objective
        self.leaves = leaves
        self.sure = sure
        self.losses = losses
        self.class_weight = class_weight
        self.min_cases = min_cases
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.labels = labels

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BudgetTreeClassifier:  # noqa: N803
        """Learn the tree.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, a column per test.
        y : array-like
            The class of each row.
        sample_weight : array-like, optional
            How much each row counts; by default 1.

        Returns
        -------
        BudgetTreeClassifier
            Itself.

        Raises
        ------
        ValueError
            Where a setting is not what was expected, or rows, labels, weights and prices do not fit together.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.BudgetTreeClassifier(objective="known").fit([[0, 1], [1, 1]], ["well", "ill"]).tree_.n_leaves
        2
        """
        clock = Clock(check_time_limit(self.time_limit))
        check_settings(self.objective, self.handle_unknown, self.impurity, self.min_cases, self.max_error)
        share = leaf_share(self.min_weight_fraction_leaf)
        table = self._table(X, y, reset=True)
        labelled = Labelled.of(y, len(table))
        self.classes_ = labelled.classes
        self.instance_ = self._instance(table, labelled, training_weights(labelled, sample_weight, self.class_weight))
        self.instance_.schema.costs.budget_units(self.budget)  # refused by its own name
        tree = self._learn(clock)
        self.tree_ = tree if self.objective == "new" else without_small_leaves(tree, share)
        if not self.frontier_.complete and not self.tree_.statement.is_proven:
            warnings.warn(
                "fit: the time was over before the search had ended, and tree_ is the best so far; give a longer "
                "time_limit, a smaller budget or method='greedy'.",
                stacklevel=2,
            )
        self.answers_ = self.instance_.schema.answers
        self.max_cost_ = self.tree_.max_cost
        self.mean_cost_ = self.tree_.mean_cost
        self._certificate: Certificate | None = None
        return self

    def _learn(self, clock: Clock) -> Tree:
        """The lowest error on new rows, where without a budget all tests may be bought; or the fewest on these."""
        limits: dict[str, Any] = {"time_limit": clock.seconds_left, "progress": bool(self.verbose), "folds": 0}
        if self.objective == "new":
            learner = {"sure": check_sure(self.sure), "leaves": self.leaves}
            self.frontier_ = frontier_for_new(self.instance_, [self.budget], learner, **limits)
            return self.frontier_[-1].tree
        self.frontier_ = frontier(
            self.instance_,
            method=self.method,  # type: ignore[arg-type]
            impurities=None if isinstance(self.impurity, str) else self.impurity,
            max_budget=self.budget,
            min_cases=self.min_cases,
            **limits,
        )
        if self.max_error is None:
            return tree_for_budget(self.frontier_, self.budget)
        return tree_for_error(self.frontier_, self.max_error)

    @property
    def certificate_(self) -> Certificate:
        """How far any tree with as few errors could do better, proven; takes up to ten seconds the first time."""
        check_is_fitted(self)
        if not hasattr(self, "instance_"):
            message = "certificate_: the training rows stayed on a cluster, and a proof needs them"
            remedy = "fit a BudgetTreeClassifier on rows that fit into memory"
            raise TreeError(f"{message}; {remedy}.", subject="certificate_")
        if self._certificate is None:
            self._certificate = certify(self.instance_, self.tree_, progress=bool(self.verbose))
        return self._certificate

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class of each row; where losses allow other answers, the answer of least loss.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, with the columns of `fit`.

        Returns
        -------
        array
            An answer per row.

        Raises
        ------
        ValueError
            Where columns are not those of `fit`, or a value is unknown and `handle_unknown` is "error"; so do the other
            methods that take X.

        Examples
        --------
        >>> import budgetree as bt
        >>> classifier = bt.BudgetTreeClassifier(objective="known").fit([[0, 1], [1, 1]], ["well", "ill"])
        >>> classifier.predict([[1, 0]]).tolist()
        ['ill']
        """
        codes = self._codes(X)
        answers = self.tree_.answers(codes)
        # As y had them, unless there is an answer that y cannot have.
        has_others = len(self.answers_) > len(self.classes_)
        predicted: NDArray[Any] = (self.answers_ if has_others else self.classes_)[answers]
        return predicted

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """The share of rows that are given their class, by weight; an answer that is no class is not right.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, with the columns of `fit`.
        y : array-like
            The class of each row.
        sample_weight : array-like, optional
            How much each row counts; by default 1.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        ValueError
            Where there is not one label per row.

        Examples
        --------
        >>> import budgetree as bt
        >>> classifier = bt.BudgetTreeClassifier(objective="known").fit([[0, 1], [1, 1]], ["well", "ill"])
        >>> classifier.score([[1, 0], [0, 0]], ["ill", "ill"])
        0.5
        """
        codes = self._codes(X)
        answers = self.tree_.answers(codes)
        position_of = {label: position for position, label in enumerate(self.classes_.tolist())}
        right = np.array([position_of.get(label, -1) for label in np.asarray(y).ravel().tolist()])
        if len(right) != len(answers):
            sizes = f"{counted(len(right), 'label')} for {counted(len(answers), 'row')}"
            raise TableError(f"y: {sizes}; expected one each.", subject="y", found=len(right), expected=len(answers))
        return float(np.average(answers == right, weights=sample_weight))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The probability of each class: by a leaf's model, or its share of the training rows that end there.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, with the columns of `fit`.

        Returns
        -------
        array of float
            Rows × classes, in the order of `classes_`.

        Examples
        --------
        >>> import budgetree as bt
        >>> classifier = bt.BudgetTreeClassifier(objective="known").fit([[0, 1], [1, 1]], ["well", "ill"])
        >>> classifier.predict_proba([[1, 0]]).tolist()
        [[1.0, 0.0]]
        """
        codes = self._codes(X)
        return self.tree_.predict_proba(codes)

    def cost(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """What the tests on each row's path cost.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, with the columns of `fit`.

        Returns
        -------
        array of float
            A cost per row.

        Examples
        --------
        >>> import budgetree as bt
        >>> classifier = bt.BudgetTreeClassifier(prices=[7, 1], objective="known")
        >>> classifier = classifier.fit([[0, 1], [1, 1]], ["well", "ill"])
        >>> classifier.cost([[1, 0]]).tolist()
        [7.0]
        """
        codes = self._codes(X)
        return self.tree_.cost(codes)

    def apply(self, X: Any) -> NDArray[np.int32]:  # noqa: N803
        """The node of `tree_` where each row ends.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, with the columns of `fit`.

        Returns
        -------
        array of int
            A node per row.

        Examples
        --------
        >>> import budgetree as bt
        >>> classifier = bt.BudgetTreeClassifier(objective="known").fit([[0, 1], [1, 1]], ["well", "ill"])
        >>> classifier.apply([[0, 0], [1, 0]]).tolist()
        [1, 2]
        """
        codes = self._codes(X)
        return self.tree_.route(codes)

    def decision_path(self, X: Any) -> csr_matrix:  # noqa: N803
        """A sparse matrix of rows × nodes, 1 where the row passes the node.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, with the columns of `fit`.

        Returns
        -------
        csr_matrix
            Rows × nodes.

        Examples
        --------
        >>> import budgetree as bt
        >>> classifier = bt.BudgetTreeClassifier(objective="known").fit([[0, 1], [1, 1]], ["well", "ill"])
        >>> classifier.decision_path([[0, 0], [1, 0]]).toarray().tolist()
        [[1, 1, 0], [1, 0, 1]]
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

        Returns
        -------
        int
            The number of tests.

        Raises
        ------
        NotFittedError
            Before `fit`.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.BudgetTreeClassifier(objective="known").fit([[0, 1], [1, 1]], ["well", "ill"]).get_depth()
        1
        """
        check_is_fitted(self)
        return int(self.tree_.depth)

    def get_n_leaves(self) -> int:
        """The number of leaves.

        Returns
        -------
        int
            How many there are.

        Raises
        ------
        NotFittedError
            Before `fit`.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.BudgetTreeClassifier(objective="known").fit([[0, 1], [1, 1]], ["well", "ill"]).get_n_leaves()
        2
        """
        check_is_fitted(self)
        return int(self.tree_.n_leaves)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _table(self, X: Any, y: Any = "no_validation", *, reset: bool) -> Table:  # noqa: N803
        """Any frame or array, checked as scikit-learn does."""
        if nw.dependencies.is_polars_lazyframe(X):
            raise TableError("X: a lazy frame has no rows yet; collect() it first.", subject="X")
        if nw.dependencies.is_into_dataframe(X):
            validate_data(self, X, y, reset=reset, skip_check_array=True)
            table = read_frame(X)
        else:
            array = check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator=self)
            validate_data(self, array, y, reset=reset, skip_check_array=True)
            table = read_array(array)
        if not table.columns or len(table) == 0:
            size = f"{counted(len(table.columns), 'column')} and {counted(len(table), 'row')}"
            message = f"X: the table has {size}; at least one column and at least one row is needed."
            raise TableError(message, subject="X", found=(len(table.columns), len(table)))
        # As scikit-learn does: a table fitted with names may be predicted without, by position.
        return table if reset else table.renamed(self.tree_.test_names)

    def _instance(self, table: Table, labelled: Labelled, weights: NDArray[np.float64]) -> Instance:
        """The rows that count, those alike as one."""
        labels = labelled.labels
        counts = weights > 0
        if not counts.any():
            raise TableError("sample_weight: every weight is 0; at least one row must count.", subject="sample_weight")
        if not counts.all():
            kept = np.flatnonzero(counts)
            table, labels, weights = table.take(kept), labels[kept], weights[kept]
        listed = listed_columns(self.categorical_features, table.names)
        columns = tuple(column.as_values() if column.name in listed else column for column in table.columns)
        levels = self.levels
        if isinstance(levels, Mapping):
            levels = {str(name): count for name, count in levels.items()}
        alike: Duplicates = "keep" if self.min_cases != 1 else "add up"  # every row is a case, where leaves count them
        rows = Rows(replace(table, columns=columns).owned(), labels, levels, alike, weights)
        prices = prices_by_name(self.prices, table.names)
        instance = Instance.from_rows(rows, tuple(self.classes_.tolist()), prices, Losses.of(self.losses))
        return instance if self.labels is None else instance.with_labels(self.labels)

    def _codes(self, X: Any) -> NDArray[np.uint8]:  # noqa: N803
        """The codes of new rows, in the columns that the tree asks for."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        asked = [self.tree_.test_names[test] for test in self.tree_.tests_used]
        codes = self.tree_.schema.encode(table.only(asked), self.tree_.tests_used)
        if self.handle_unknown == "error":
            unknown = self.tree_.first_unknown(codes)
            if len(rows := np.flatnonzero(unknown >= 0)):
                row = int(rows[0])
                column = table.columns[unknown[row]]
                value = column.to_list()[row]
                message = f"X: column {column.name!r} is {value!r:.60} in row {row}, which no training row had."
                remedy = "handle_unknown='stop' answers such rows by the other tests of their path."
                raise ResultError(f"{message} {remedy}", subject=column.name, found=value)
        return codes
