"""BudgetTreeClassifier for new cases, OptimalBudgetTreeClassifier for known ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from budgetree.data.encoders import DEFAULT_LEVELS, Binning, LevelPlan
from budgetree.estimators.base import _InMemory
from budgetree.estimators.training import Training, impurities_of, leaf_share
from budgetree.learn import fit
from budgetree.learn.settings import check_confidence, check_min_cases
from budgetree.problem import Instance
from budgetree.problem.instance import Rows
from budgetree.proof import Certificate, certify
from budgetree.tree import Tree
from budgetree.tree.changes import without_small_leaves


@dataclass(eq=False, repr=False, kw_only=True)
class BudgetTreeClassifier(_InMemory):
    """A decision tree with the lowest expected error on new rows, none of which costs more than a budget.

    Parameters
    ----------
    budget : number, optional
        No row's path costs more than this; by default all tests may be bought.
    prices : number, array-like, dict or Prices, optional
        One price for all, one per column, {column: price}, {column: {outcome: price}}, or a `Prices`, in which
        tests may share a charge; by default 1 each. A column is its name or position, and "country_*" is all columns
        of that name, paid once together. Columns of an array are called x0, x1, …
    losses : dict, array-like or Losses, optional
        What a wrong answer costs: a `Losses`, {class: {answer: loss}}, {class: loss} or a square array. `predict` then
        gives the answer of least expected loss, which may be one that is not a class, such as "refer", if the losses
        allow it.
    class_weight : dict or 'balanced', optional
        How much the rows of a class count, times `sample_weight`.
    handle_unknown : {'stop', 'error'}, default 'stop'
        How to treat a value that no training row had: answer without it, or raise an error.
    verbose : bool, optional
        Whether to show a progress bar; by default on a terminal.
    categorical_features : 'from_dtype' or array-like, default 'from_dtype'
        "from_dtype": columns that are not numbers have one outcome per value; or the columns (names, positions or a
        mask) for which that holds although they are numbers.
    time_limit : float, optional
        Seconds for `fit`, after which it takes the best tree so far and warns.
    n_jobs : int, optional
        Threads of `fit`: by default -1, one per processor, and one in a worker of joblib. The tree does not depend on
        it.
    confidence : float, optional
        A row stops where its likeliest class has this probability; by default where going on would hardly change its
        answer.
    leaves : {'auto', 'tree', 'points', 'model'}, default 'auto'
        A plain tree, points that are added up (for two classes), or a model of all results bought; "auto" takes the
        simplest that is good enough.
    blanks : {'unknown', 'result'} or dict, optional
        What a missing value is, as in `Instance.from_frame`: by default a result that is not known.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    max_cost_ : number
        What no row exceeds.
    mean_cost_ : float
        Over the training rows, by weight.
    feature_importances_ : array of float
        Per column the share of the training rows, by weight, that pay for it.
    classes_ : array
        The classes.
    answers_ : array
        The classes, then whatever else may be answered.
    n_features_in_ : int
        The columns of `fit`.
    feature_names_in_ : array of str
        Their names, where all of them are text.

    See Also
    --------
    OptimalBudgetTreeClassifier : The fewest errors on the training rows, with proof.

    Examples
    --------
    >>> import budgetree as bt
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> classifier = bt.BudgetTreeClassifier(budget=3, prices=[1, 1, 2, 2]).fit(X, y)
    >>> classifier.max_cost_, round(classifier.score(X, y), 2)
    (2, 0.96)
    """

    confidence: float | None = None
    leaves: str = "auto"
    blanks: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:  # noqa: N803
        """Learn the tree.

        Parameters
        ----------
        X : data frame or array-like
            A row per case, a column per test.
        y : array-like
            The class of each row.
        sample_weight : array-like, optional
            How much each row counts; by default 1. A row of a whole weight is as good as so many rows.
        groups : array-like, optional
            One value per row, where several rows belong together (a patient's): they are held out together while
            the tree is learned.

        Raises
        ------
        ValueError
            Where a setting is not what was expected, or rows, labels, weights and prices do not fit together.
        """
        return self._fit(X, y, sample_weight, groups)

    def _check(self) -> None:
        check_confidence(self.confidence)

    def _training(self, *given: Any, **others: Any) -> Training:
        return super()._training(*given, **others).as_cases()

    def _rows(self, training: Training) -> Rows:
        plan, weights = LevelPlan.of(DEFAULT_LEVELS, blanks=self.blanks), training.weights * training.factors
        each = None if (weights == 1).all() else weights
        return Rows(training.table.owned(), training.labels, plan, weights=each)

    def _learn(self, instance: Instance, training: Training, limits: dict[str, Any]) -> Tree:
        groups = training.groups
        if groups is None and (training.factors != 1).any():  # a factor of 2 does not make a row two cases
            copies = instance.copies()
            groups = np.arange(instance.n_rows) if copies is None else copies.group
        return fit(instance, objective="new", groups=groups, **self._settings() | limits).tree


@dataclass(eq=False, repr=False, kw_only=True)
class OptimalBudgetTreeClassifier(_InMemory):
    """A decision tree with the fewest errors on the training rows within a budget, proven if the search finishes.

    With a budget, it has the fewest errors within it; with max_error, it is the cheapest tree with at most that share
    wrong; with both, the cheapest within the budget; with neither, the cheapest tree with the fewest errors, which are
    none unless equal rows have different labels. It is for tables of facts and for proofs: for new rows
    `BudgetTreeClassifier` is better.

    Parameters
    ----------
    budget : number, optional
        No row's path costs more than this.
    prices : number, array-like, dict or Prices, optional
        As in `BudgetTreeClassifier`.
    losses : dict, array-like or Losses, optional
        What a wrong answer costs, as in `BudgetTreeClassifier`; the tree then has the least loss.
    class_weight, handle_unknown, verbose, categorical_features, time_limit : optional
        Those of `BudgetTreeClassifier`.
    n_jobs : int, optional
        Threads of exact search: by default -1, one per processor, and one in a worker of joblib. A tree that is proven
        does not depend on it.
    max_error : number, optional
        The share of the training rows, by weight, that the tree may get wrong.
    method : {'auto', 'exact', 'greedy'}, default 'auto'
        "auto": exact search as far as some seconds of counted work (or `time_limit`) go, greedy where the data are too
        large; "exact": the same with much more work; "greedy".
    impurity : 'auto', Impurity or list, default 'auto'
        Of greedy trees: "auto" takes the best of a portfolio; or an impurity, or a list of them.
    levels : int or dict, default 10
        A numeric column with more different values is cut into so many levels; or {column: levels}.
    binning : {'quantile', 'uniform'}, default 'quantile'
        Levels with about as many rows each, or evenly spaced ones.
    min_samples_leaf : int, default 1
        No leaf has fewer training rows.
    min_weight_fraction_leaf : float, default 0
        Leaves with less than this share of all weight are joined after the search.

    Attributes
    ----------
    tree_ : Tree
        The tree; `tree_.statement` says what is proven of it.
    max_cost_, mean_cost_, feature_importances_, classes_, answers_, n_features_in_, feature_names_in_
        Those of `BudgetTreeClassifier`.

    See Also
    --------
    BudgetTreeClassifier : The lowest error on new rows.

    Examples
    --------
    >>> import budgetree as bt
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> classifier = bt.OptimalBudgetTreeClassifier(budget=3, prices=[1, 1, 2, 2]).fit(X, y)
    >>> classifier.max_cost_, round(classifier.score(X, y), 3), classifier.cost(X.iloc[1:3]).tolist()
    (3, 0.973, [2.0, 1.0])
    >>> X, y = [[0, 1], [1, 1]], ["well", "ill"]
    >>> bt.OptimalBudgetTreeClassifier().fit(X, y).certify(X, y)
    Certificate(worst case 1, at least 1, ratio 1, with at most 0 errors)
    """

    max_error: Any = None
    method: str = "auto"
    impurity: Any = "auto"
    levels: Any = DEFAULT_LEVELS
    binning: Binning = "quantile"
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0

    def _check(self) -> None:
        check_min_cases(self.min_samples_leaf, "min_samples_leaf")
        leaf_share(self.min_weight_fraction_leaf)
        impurities_of(self.impurity)

    def certify(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: Any = None,
        *,
        time_limit: float | None = None,
    ) -> Certificate:
        """How far any tree with as few errors could do better on the training rows, proven.

        The classifier keeps none of its training rows, so they are given again.

        Parameters
        ----------
        X : data frame or array-like
            The rows of `fit`.
        y : array-like
            Their classes.
        sample_weight : array-like, optional
            How much each row counts, as in `fit`.
        time_limit : float, optional
            Seconds; by default work is counted, and `math.inf` searches until the least worst case is known.

        Raises
        ------
        ValueError
            Where these are not the rows of `fit`.
        """
        check_is_fitted(self)
        table = self._read(X, y, reset=False)
        training = self._training(table, y, sample_weight)
        return certify(
            self._instance(training), self.tree_, time_limit=time_limit, progress=self._settings()["progress"]
        )

    def _rows(self, training: Training) -> Rows:
        levels = LevelPlan.of(self.levels, self.binning)
        table = levels.as_planned(training.table.owned())
        return Rows(table, training.labels, levels, weights=training.weights * training.factors)

    def _learn(self, instance: Instance, training: Training, limits: dict[str, Any]) -> Tree:
        about_known = {"impurities": impurities_of(self.impurity), "min_cases": self.min_samples_leaf}
        tree = fit(instance, objective="known", **about_known, **self._settings() | limits).tree
        return without_small_leaves(tree, leaf_share(self.min_weight_fraction_leaf))
