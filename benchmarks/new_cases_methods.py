"""The methods of benchmarks/new_cases.py: each is fitted on the training part of a fold for all budgets."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import lightgbm
import numpy as np
from new_cases_cart import Sample, fit_cart, predict_proba
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import budgetree as bt
from budgetree.data.table import Table
from budgetree.learn.predictive.fit import Fitter, cases_of, fine_instance
from budgetree.learn.predictive.ridge import Models
from budgetree.problem import Instance
from budgetree.services.clock import Clock

KNOWN_SECONDS = 3.0  # for the exact frontier of known cases, per training part


@dataclass(frozen=True, eq=False)
class Fold:
    """A training part and the rows to predict."""

    train: Table  # the label last
    test: Table
    prices: bt.Prices
    budgets: Sequence[float]
    fine: Instance  # the training part in fine codes
    fine_codes: NDArray[np.uint8]  # of the rows to predict

    @property
    def units(self) -> list[int]:
        return [self.fine.schema.costs.budget_units(budget) for budget in self.budgets]


@dataclass(frozen=True, eq=False)
class Predicted:
    probabilities: NDArray[np.float64]
    mean_cost: float
    seconds: float  # of processor time, for all budgets together where a method fits them together
    size: int  # nodes, where there are some


Method = Callable[[Fold], list[Predicted]]


def learned_from(table: Table, prices: bt.Prices) -> Instance:
    return Instance.from_table(table, table.names[-1], prices=prices)


def make_fold(table: Table, rows: NDArray[np.bool_], prices: bt.Prices, budgets: Sequence[float]) -> Fold:
    train, test = table.take(np.flatnonzero(rows)), table.take(np.flatnonzero(~rows))
    fine = fine_instance(learned_from(train, prices))
    codes = fine.schema.encode(test, range(fine.n_tests))
    return Fold(train, test, prices, budgets, fine, codes)


def ours(leaves, confidence=None) -> Method:
    def fit(fold: Fold) -> list[Predicted]:
        start = time.process_time()
        instance = fine_instance(learned_from(fold.train, fold.prices))
        pathways = Fitter(instance, leaves, confidence).pathways(fold.units, Clock(None), [None] * len(fold.units))
        seconds = time.process_time() - start
        found = []
        for pathway, budget in zip(pathways, fold.units, strict=True):
            tree = pathway.tree
            cost = tree.walk_codes(fold.fine_codes).spent
            assert cost.max() <= budget, "a case has paid more than the budget"
            mean = float(cost.mean() / float(instance.schema.costs.scale))
            found.append(Predicted(tree.walk_codes(fold.fine_codes).probabilities, mean, seconds, len(tree.nodes)))
        return found

    return fit


def known(fold: Fold) -> list[Predicted]:
    """The fewest errors on the known cases: what bt.frontier gives, as users prepare their table by default."""
    start = time.process_time()
    instance = learned_from(fold.train, fold.prices)
    frontier = bt.frontier(
        instance, max_budget=max(fold.budgets), time_limit=KNOWN_SECONDS, progress=False, folds=0, objective="known"
    )
    seconds = time.process_time() - start
    codes = instance.schema.encode(fold.test, range(instance.n_tests))
    found = []
    for budget in fold.budgets:
        tree = frontier.best(budget=budget).tree
        counts = tree.nodes.counts[tree.walk_codes(codes).leaf] / float(instance.schema.weight_scale)
        share = (counts + 1 / counts.shape[1]) / (counts.sum(axis=1, keepdims=True) + 1)
        found.append(Predicted(share, float(tree.walk_codes(codes).cost.mean()), seconds, len(tree.nodes)))
    return found


def cart(fold: Fold) -> list[Predicted]:
    """scikit-learn's tree of depth B; where prices differ, the tree of new_cases_cart.py, not pruned."""
    if fold.fine.schema.costs.one_price is None:
        return _own_cart(fold, prune=False)
    train, test = _numbers(fold, range(fold.fine.n_tests))
    found = []
    for budget in fold.budgets:
        start = time.process_time()
        tree = DecisionTreeClassifier(max_depth=int(budget), random_state=0).fit(train, fold.fine.labels)
        seconds = time.process_time() - start
        counts = tree.predict_proba(test) * tree.tree_.n_node_samples[tree.apply(test)][:, None]
        share = (counts + 1 / counts.shape[1]) / (counts.sum(axis=1, keepdims=True) + 1)
        found.append(Predicted(_all_classes(share, tree.classes_, fold), float(budget), seconds, tree.tree_.node_count))
    return found


def cart_resplit(fold: Fold) -> list[Predicted]:
    return _own_cart(fold, prune=True)


def _own_cart(fold: Fold, *, prune: bool) -> list[Predicted]:
    instance, table = fold.fine, fold.fine.schema.costs
    scale = float(table.scale)
    sample = Sample(
        instance.codes,
        instance.labels,
        instance.n_classes,
        instance.schema.n_outcomes,
        np.array([basis.is_ordered for basis in cases_of(instance).bases]),
        table.costliest / scale,
        float(table.fees.sum() / scale),
        table.flags > 0,
    )
    found = []
    for budget in fold.budgets:
        start = time.process_time()
        tree = fit_cart(sample, float(budget), prune=prune)
        seconds = time.process_time() - start
        found.append(Predicted(predict_proba(tree, fold.fine_codes), float(budget), seconds, 0))
    return found


def subset(make: Callable[[], object]) -> Method:
    """A model on the best forward subset of tests that the budget buys, chosen on the training part by honest loss."""

    def fit(fold: Fold) -> list[Predicted]:
        found = []
        for units, budget in zip(fold.units, fold.budgets, strict=True):
            tests = forward_subset(fold.fine, units)
            train, test = _numbers(fold, tests)
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = make().fit(train, fold.fine.labels)  # type: ignore[attr-defined]
                probabilities = _all_classes(model.predict_proba(test), model.classes_, fold)
            found.append(Predicted(probabilities, float(budget), time.process_time() - start, 0))
        return found

    return fit


_subsets: dict[tuple[int, int], tuple[Instance, list[int]]] = {}  # the three models use the same


def forward_subset(instance: Instance, units: int) -> list[int]:
    """By gain or by gain per price, whichever ends with the lower honest loss."""
    key = id(instance), units
    if key in _subsets:
        return _subsets[key][1]
    models, table = Models(cases_of(instance), Clock(None)), instance.schema.costs
    best, least = [0], np.inf
    for per_price in (False, True):
        chosen: list[int] = []
        left, fees = units, 0
        while True:
            price = table.costliest + table.surcharge(fees)
            fits = [t for t in np.flatnonzero(price <= left).tolist() if t not in chosen]
            if not fits:
                break
            before = models.loss(chosen).sum()
            gain = np.array([before - loss.sum() for loss in models.losses([*chosen, t] for t in fits)])
            test = fits[int((gain / price[fits] if per_price else gain).argmax())]
            left, fees = left - int(price[test]), fees | int(table.flags[test])
            chosen.append(test)
        total = float(models.loss(chosen).sum())
        if chosen and total < least:
            best, least = chosen, total
    _subsets[key] = instance, best
    return best


def _numbers(fold: Fold, tests: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Numbers as they are, other columns one-hot."""
    parts = []
    for rows in (fold.train, fold.test):
        columns = []
        for test in tests:
            column = rows.columns[test]
            if column.numbers is not None:
                columns.append(column.numbers[:, None])
            else:
                values = np.array(fold.fine.schema.encoders[test].values)  # type: ignore[index,union-attr]
                columns.append((np.array(column.to_list())[:, None] == values[None]).astype(float))
        parts.append(np.hstack(columns))
    return parts[0], parts[1]


def _all_classes(probabilities: NDArray[np.float64], classes: NDArray[np.int64], fold: Fold) -> NDArray[np.float64]:
    whole = np.zeros((len(probabilities), fold.fine.n_classes))
    whole[:, classes] = probabilities
    return whole


METHODS: dict[str, Method] = {
    "CART": cart,
    "CART, free re-splits": cart_resplit,
    "subset logistic": subset(lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))),
    "subset forest": subset(lambda: RandomForestClassifier(200, min_samples_leaf=2, random_state=0, n_jobs=1)),
    "subset LightGBM": subset(
        lambda: lightgbm.LGBMClassifier(
            n_estimators=60, learning_rate=0.1, num_leaves=15, min_child_samples=10, n_jobs=1, verbose=-1
        )
    ),
    "known": known,
    "ours, tree": ours("tree"),
    "ours, points": ours("points"),
    "ours, model": ours("model"),
    "ours, all": ours("model", 1.0),
    "ours": ours(None),
}
