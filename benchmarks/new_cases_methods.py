"""The methods of benchmarks/new_cases.py: each is fitted on the training part of a fold for all budgets.

Peers see raw columns by name and share no code with budgetree, but for the fine codes of CART.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import lightgbm
import numpy as np
from new_cases_cart import Sample, fit_cart, predict_proba
from new_cases_tables import PriceList
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

from budgetree.data.table import Table
from budgetree.learn.predictive.basis import bases_of
from budgetree.learn.predictive.fit import fine_instance
from budgetree.learn.predictive.trees import PredictiveTrees
from budgetree.problem import Instance

Numbers = NDArray[np.float64]

N_INNER = 3  # folds within the training part, by which a peer chooses
SELECTION_ROWS = 2_000  # of the training part, by which tests are chosen
KEPT = 16  # tests that are tried after the first: the best so far
LARGE = 5_000  # rows from which on LightGBM has its usual leaves


@dataclass(frozen=True, eq=False)
class Fold:
    """A training part and the rows to predict."""

    train: Table  # the label last
    test: Table
    prices: PriceList
    budgets: Sequence[float]
    kept: dict[Any, Any] = field(default_factory=dict)  # what methods have in common

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.train.columns[:-1]]

    @cached_property
    def classes(self) -> NDArray[np.str_]:
        return np.unique(_texts(self.train, self.train.names[-1]))

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        return np.searchsorted(self.classes, _texts(self.train, self.train.names[-1]))

    @cached_property
    def new_labels(self) -> NDArray[np.int64]:
        """Those of the rows to predict; one beyond the classes where the training part does not have it."""
        known = {label: code for code, label in enumerate(self.classes.tolist())}
        return np.array([known.get(label, len(known)) for label in _texts(self.test, self.test.names[-1]).tolist()])

    @cached_property
    def inner(self) -> NDArray[np.int64]:
        """Per training row, its inner fold, by class."""
        folds = np.empty(len(self.labels), dtype=np.int64)
        folds[np.argsort(self.labels, kind="stable")] = np.arange(len(folds)) % N_INNER
        return folds

    def numbers(self, names: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Numbers as they are, other columns one-hot; of the training part, and of the rows to predict."""
        pairs = [self._columns(name) for name in names]
        return np.hstack([train for train, _ in pairs]), np.hstack([test for _, test in pairs])

    def _columns(self, name: str) -> tuple[Numbers, Numbers]:
        if name not in self.kept:
            index = self.train.names.index(name)
            if self.train.columns[index].numbers is not None:
                pair = [part.columns[index].numbers[:, None] for part in (self.train, self.test)]  # type: ignore[index]
            else:
                values = np.unique(_texts(self.train, name))
                pair = [(_texts(part, name)[:, None] == values).astype(float) for part in (self.train, self.test)]
            self.kept[name] = tuple(pair)
        return self.kept[name]


@dataclass(frozen=True, eq=False)
class Predicted:
    probabilities: Numbers  # of `Fold.classes`
    mean_cost: float
    seconds: float  # of the processor
    tests: Sequence[str] = ()  # that it may use
    kind: str = ""  # of our leaves


Method = Callable[[Fold], list[Predicted]]


def _texts(table: Table, name: str) -> NDArray[np.str_]:
    return np.array([str(value) for value in table.columns[table.names.index(name)].to_list()])


def ours(leaves: str = "auto", confidence: float | None = None) -> Method:
    def fit(fold: Fold) -> list[Predicted]:
        trees = None
        found = []
        for budget in fold.budgets:
            start = time.process_time()
            if trees is None:
                instance = Instance.from_table(fold.train, fold.train.names[-1], prices=fold.prices.prices)
                two = leaves if leaves != "points" or instance.n_classes == 2 else "auto"
                trees = PredictiveTrees(instance, confidence=confidence, leaves=two, threads=1)  # type: ignore[arg-type]
            tree = trees.tree(budget, progress=False)
            seconds = time.process_time() - start
            walk = tree.walk_table(fold.test)
            assert walk.cost.max() <= budget + 1e-9, "a case has paid more than the budget"
            order = np.argsort([str(name) for name in tree.class_names])
            assert np.array(tree.class_names, dtype=str)[order].tolist() == fold.classes.tolist()
            assert tree.origin is not None
            assert tree.origin.choice is not None
            tests, kind = [tree.test_names[test] for test in sorted(tree.tests_used)], tree.origin.choice.kind
            found.append(Predicted(walk.probabilities[:, order], float(walk.cost.mean()), seconds, tests, kind))
        return found

    return fit


def cart(fold: Fold) -> list[Predicted]:
    instance = fine_instance(Instance.from_table(fold.train, fold.train.names[-1], prices=fold.prices.prices))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that the training part does not have
        codes = instance.schema.encode(fold.test, range(instance.n_tests))
    costs = instance.schema.costs
    sample = Sample(
        instance.codes,
        instance.labels,
        instance.n_classes,
        instance.schema.n_outcomes,
        np.array([basis.is_ordered for basis in bases_of(instance)]),
        [(fee / float(costs.scale), tests) for fee, tests in zip(costs.fees[0].tolist(), costs.payers, strict=True)],
        costs.costliest / float(costs.scale),
    )
    order = np.argsort([str(name) for name in instance.class_names])
    found = []
    for budget in fold.budgets:
        start = time.process_time()
        tree = fit_cart(sample, float(budget))
        seconds = time.process_time() - start
        found.append(Predicted(predict_proba(tree, codes)[:, order], float(budget), seconds))
    return found


class Boosted:
    """LightGBM; as many rounds as the inner folds like."""

    def __init__(self, n_rows: int, n_rounds: int = 300) -> None:
        self.n_rounds = n_rounds
        self.settings = {"num_leaves": 31, "min_child_samples": 20}
        if n_rows < LARGE:
            self.settings = {"num_leaves": 8, "min_child_samples": 10}

    def fit(self, rows: Numbers, labels: NDArray[np.int64], judged: Any = None) -> Boosted:
        """Where there are rows to judge by, rounds stop when they no longer help."""
        stop = [lightgbm.early_stopping(20, verbose=False)] if judged is not None else None
        model = lightgbm.LGBMClassifier(
            n_estimators=self.n_rounds, n_jobs=1, verbose=-1, random_state=0, **self.settings
        )
        self.model = model.fit(rows, labels, eval_set=None if judged is None else [judged], callbacks=stop)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, rows: Numbers) -> Numbers:
        return self.model.predict_proba(rows)


def lightgbm_proba(fold: Fold, names: Sequence[str]) -> tuple[float, Callable[[], Numbers]]:
    """The Brier score of the inner folds, and the probabilities by the model of the whole training part."""
    train, test = fold.numbers(names)
    losses, rounds = [], []
    for inner in range(N_INNER):
        known = fold.inner != inner
        present = np.isin(fold.labels, np.unique(fold.labels[known])) & ~known
        model = Boosted(len(train)).fit(train[known], fold.labels[known], (train[present], fold.labels[present]))
        losses.append(_brier(_all_classes(model, train[~known], fold), fold.labels[~known]))
        rounds.append(model.model.best_iteration_ or 1)

    def refit() -> Numbers:
        return _all_classes(Boosted(len(train), round(np.mean(rounds))).fit(train, fold.labels), test, fold)

    return float(np.mean(losses)), refit


def model_proba(make: Callable[[Fold, Sequence[str]], Any]) -> Callable[..., tuple[float, Callable[[], Numbers]]]:
    """The same for a model without rounds."""

    def judge(fold: Fold, names: Sequence[str]) -> tuple[float, Callable[[], Numbers]]:
        train, test = fold.numbers(names)
        losses = []
        for inner in range(N_INNER):
            known = fold.inner != inner
            model = make(fold, names).fit(train[known], fold.labels[known])
            losses.append(_brier(_all_classes(model, train[~known], fold), fold.labels[~known]))
        return float(np.mean(losses)), lambda: _all_classes(make(fold, names).fit(train, fold.labels), test, fold)

    return judge


class Splines:
    """Numbers → cubic splines with knots at quantiles; columns of zeros and ones stay."""

    def fit(self, rows: Numbers, labels: Any = None) -> Splines:
        self.is_number = np.array([len(np.unique(column)) > 2 for column in rows.T])
        self.splines = []
        for column in rows.T[self.is_number]:
            knots = np.unique(np.quantile(column, (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)))[:, None]
            self.splines.append(SplineTransformer(knots=knots, extrapolation="linear").fit(column[:, None]))
        return self

    def transform(self, rows: Numbers) -> Numbers:
        numbers = rows.T[self.is_number]
        curves = [spline.transform(column[:, None]) for spline, column in zip(self.splines, numbers, strict=True)]
        return np.hstack([*curves, rows[:, ~self.is_number]])

    def fit_transform(self, rows: Numbers, labels: Any = None) -> Numbers:
        return self.fit(rows).transform(rows)


def make_logistic(fold: Fold, names: Sequence[str]) -> Any:
    return make_pipeline(Splines(), StandardScaler(), LogisticRegression(C=0.3, max_iter=300))


def make_forest(fold: Fold, names: Sequence[str]) -> Any:
    return RandomForestClassifier(200, min_samples_leaf=3, random_state=0, n_jobs=1)


def subset(judge: Callable[..., tuple[float, Callable[[], Numbers]]]) -> Method:
    """A model on the best subset of tests that the budget buys, of those found by two kinds of forward selection."""

    def fit(fold: Fold) -> list[Predicted]:
        found = []
        for budget in fold.budgets:
            candidates = {tuple(sorted(names)) for names in affordable(fold, budget)}
            found.append(_best(judge, fold, budget, sorted(candidates)))
        return found

    return fit


def of_ours(judge: Callable[..., tuple[float, Callable[[], Numbers]]]) -> Method:
    """The same model on all tests that our pathway may buy, whatever they cost together: who is to blame for a loss?"""

    def fit(fold: Fold) -> list[Predicted]:
        bought = _once(fold, "ours", lambda: ours()(fold))
        return [_best(judge, fold, budget, [one.tests]) for budget, one in zip(fold.budgets, bought, strict=True)]

    return fit


def all_tests(fold: Fold) -> list[Predicted]:
    """LightGBM without a budget, for reference."""
    return [_best(lightgbm_proba, fold, 0, [tuple(fold.names)])] * len(fold.budgets)


def _best(judge: Any, fold: Fold, budget: float, candidates: Sequence[tuple[str, ...]]) -> Predicted:
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best: tuple[float, Any, tuple[str, ...]] | None = None
        for names in candidates:
            loss, refit = judge(fold, names) if names else (2.0, lambda: _priors(fold))
            if best is None or loss < best[0]:
                best = loss, refit, names
        assert best is not None
        probabilities = best[1]()
    return Predicted(probabilities, float(budget), time.process_time() - start, best[2])


def affordable(fold: Fold, budget: float) -> list[list[str]]:
    """Forward subsets by stumps and by small trees; by gain, and with prices by gain per price."""
    found = []
    for num_leaves, per_price in itertools.product((2, 8), (False,) if fold.prices.is_unit else (False, True)):
        most = max(fold.budgets) if fold.prices.is_unit else budget  # at unit prices one path serves all budgets
        key = "path", most, num_leaves, per_price
        path = _once(fold, key, partial(forward, fold, most, num_leaves, per_price))
        found.append(path[: int(budget)] if fold.prices.is_unit else path)
    return found


def forward(fold: Fold, budget: float, num_leaves: int, per_price: bool) -> list[str]:
    """Tests bought one by one, each the best by the Brier score of the inner folds of a sample."""
    rows = np.random.default_rng(0).permutation(len(fold.labels))[:SELECTION_ROWS]
    labels, inner = fold.labels[rows], fold.inner[rows]
    chosen: list[str] = []
    candidates, before = fold.names, _brier(np.tile(_priors(fold)[:1], (len(labels), 1)), labels)
    losses: dict[str, float] = {}
    while True:
        paid = fold.prices.of(chosen)
        fits = [t for t in candidates if t not in chosen and fold.prices.of([*chosen, t]) <= budget + 1e-9]
        if not fits:
            return chosen
        losses = {t: _quick_loss(fold.numbers([*chosen, t])[0][rows], labels, inner, fold, num_leaves) for t in fits}
        price = {t: fold.prices.of([*chosen, t]) - paid if per_price else 1.0 for t in fits}
        gain = {t: (before - losses[t]) / price[t] for t in fits}
        best = max(fits, key=lambda t: gain[t])
        chosen.append(best)
        before = losses[best]
        if len(candidates) == len(fold.names):
            candidates = sorted(fits, key=lambda t: -gain[t])[:KEPT]


def _quick_loss(
    rows: Numbers, labels: NDArray[np.int64], inner: NDArray[np.int64], fold: Fold, num_leaves: int
) -> float:
    settings = {"num_leaves": num_leaves, "min_data_in_leaf": 10, "learning_rate": 0.2, "num_threads": 1, "verbose": -1}
    classes, codes = np.unique(labels, return_inverse=True)
    many = {"objective": "multiclass", "num_class": len(classes)} if len(classes) > 2 else {"objective": "binary"}
    total = 0.0
    for left_out in range(N_INNER):
        known = inner != left_out
        data = lightgbm.Dataset(rows[known], codes[known], params={"max_bin": 63, "verbose": -1})
        raw = lightgbm.train({**settings, **many}, data, num_boost_round=20).predict(rows[~known], num_threads=1)
        shares = raw if raw.ndim == 2 else np.column_stack([1 - raw, raw])
        total += _brier(shares, codes[~known]) * (~known).sum()
    return total / len(labels)


def _once(fold: Fold, key: Any, make: Callable[[], Any]) -> Any:
    if key not in fold.kept:
        fold.kept[key] = make()
    return fold.kept[key]


def _priors(fold: Fold) -> Numbers:
    return np.tile(np.bincount(fold.labels) / len(fold.labels), (len(fold.test), 1))


def _brier(probabilities: Numbers, labels: NDArray[np.int64]) -> float:
    right = probabilities[np.arange(len(labels)), labels]
    return float(((probabilities**2).sum(axis=1) - 2 * right + 1).mean())


def _all_classes(model: Any, rows: Numbers, fold: Fold) -> Numbers:
    whole = np.zeros((len(rows), len(fold.classes)))
    whole[:, model.classes_] = model.predict_proba(rows)
    return whole


PEERS: dict[str, Method] = {
    "CART": cart,
    "subset logistic": subset(model_proba(make_logistic)),
    "subset forest": subset(model_proba(make_forest)),
    "subset LightGBM": subset(lightgbm_proba),
}
OURS: dict[str, Method] = {
    "ours": lambda fold: _once(fold, "ours", lambda: ours()(fold)),
    "ours, tree": ours("tree"),
    "ours, points": ours("points"),
    "ours, model": ours("model"),
    "ours, all": ours("auto", 1.0),
    "ours, model, all": ours("model", 1.0),
    "our tests, LightGBM": of_ours(lightgbm_proba),
    "our tests, forest": of_ours(model_proba(make_forest)),
    "our tests, logistic": of_ours(model_proba(make_logistic)),
}
METHODS = {**PEERS, "all tests, LightGBM": all_tests, **OURS}
