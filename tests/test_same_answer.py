"""Same table, same answer: the order of rows and named columns changes no tree, no figure and no model file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt

NAMES = ("t10", "t2", "T2", "age", "Ärger", "x y", "01", "1")
KINDS = ("few", "many", "text", "mixed", "gaps")


@dataclass(frozen=True)
class Case:
    """A table, another order of the same, and what goes with both."""

    frame: pd.DataFrame
    shuffled: pd.DataFrame
    weights: np.ndarray  # by the index of either
    prices: Any
    losses: Any
    duplicates: Any

    def both(self) -> tuple[bt.Instance, bt.Instance]:
        how = {"prices": self.prices, "losses": self.losses, "duplicates": self.duplicates, "levels": 4}
        return bt.Instance.from_frame(self.frame, "class", **how), bt.Instance.from_frame(self.shuffled, "class", **how)


def _column(kind: str, rng: np.random.Generator, n_rows: int) -> Any:
    if kind == "few":
        return rng.integers(0, 2, n_rows)
    if kind == "many":
        return np.round(rng.normal(size=n_rows), 2)
    if kind == "gaps":
        return np.where(rng.random(n_rows) < 0.3, np.nan, rng.integers(0, 9, n_rows) / 3)
    values = ["no", "yes", "maybe"] if kind == "text" else ["1", 2, 2.5, None, "x"]
    return pd.Series([values[i] for i in rng.integers(0, len(values), n_rows)], dtype=object)


@st.composite
def cases(draw: st.DrawFn, max_tests: int = 4, kinds_of_columns: tuple[str, ...] = KINDS) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(6, 24))
    kinds = draw(st.lists(st.sampled_from(kinds_of_columns), min_size=2, max_size=max_tests))
    names = draw(st.permutations(NAMES))[: len(kinds)]
    frame = pd.DataFrame({name: _column(kind, rng, n_rows) for name, kind in zip(names, kinds, strict=True)})
    frame["class"] = np.array(["ill", "well", "sick"])[rng.integers(0, draw(st.integers(2, 3)), n_rows)]
    frame = frame.iloc[rng.integers(0, n_rows, n_rows)].reset_index(drop=True)  # some rows several times, some never
    prices: Any = {name: int(rng.integers(0, 4)) for name in names}
    prices = draw(st.sampled_from([None, prices, bt.Prices(prices, shared={"visit": (2, list(names[:2]))})]))
    losses = draw(st.sampled_from([None, None, {"ill": 3, "well": 1, "sick": 1}]))
    losses = losses and {name: loss for name, loss in losses.items() if name in set(frame["class"])}
    duplicates = draw(st.sampled_from([None, "merge", "keep"]))
    columns = rng.permutation(frame.columns)
    shuffled = frame.iloc[rng.permutation(n_rows)][columns]  # its index tells the rows
    return Case(frame, shuffled, rng.integers(1, 4, n_rows) / 3, prices, losses, duplicates)


def written(tree: Any) -> str:
    """The file of a tree or certificate."""
    with tempfile.TemporaryDirectory() as folder:
        tree.to_json(Path(folder) / "file.json")
        return (Path(folder) / "file.json").read_text(encoding="utf-8")


def figures(frontier: bt.Frontier) -> list[Any]:
    """All that a frontier says, and the files of its trees."""
    return [frontier.to_text(), *((repr(point), point.mean_loss, written(point.tree)) for point in frontier)]


def check_same(case: Case, learn: Callable[[bt.Instance], Any]) -> None:
    first, second = case.both()
    assert learn(first) == learn(second)


@settings(max_examples=15)
@given(cases())
def test_growth_and_curves(case: Case) -> None:
    impurities = (bt.Pairs(), bt.Powers(3), bt.Entropy())
    check_same(case, lambda cases: [written(bt.grow(cases, impurity)) for impurity in impurities])
    check_same(case, lambda cases: [(repr(point), written(point.tree)) for point in bt.tradeoff(cases, bt.HingedPairs)])
    check_same(case, lambda cases: written(bt.grow(cases, lookahead=1, budget=3)))
    check_same(case, lambda cases: written(bt.grow(cases, min_cases=2)))


@settings(max_examples=8)
@given(cases(), st.sampled_from(["greedy", "exact"]))
def test_frontiers(case: Case, method: Any) -> None:
    check_same(case, lambda cases: figures(bt.frontier(cases, method=method, folds=3)))


@settings(max_examples=8)
@given(cases(max_tests=3))
def test_frontiers_for_new_cases(case: Case) -> None:
    check_same(case, lambda cases: figures(bt.frontier(cases, objective="new", folds=3, max_budget=3)))


@settings(max_examples=10)
@given(cases(), st.integers(0, 4))
def test_rows_of_a_group(case: Case, seed: int) -> None:
    """Their values go along with the rows; which values they are does not matter."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 5, len(case.frame))
    groups[:2] = 0, 1
    called = dict(zip(range(5), rng.permutation(list("abcde")), strict=True))
    order = case.shuffled.index.to_numpy()
    first, second = case.both()
    assert figures(bt.frontier(first, method="greedy", folds=3, groups=groups.tolist())) == figures(
        bt.frontier(second, method="greedy", folds=3, groups=[called[groups[row]] for row in order])
    )


@settings(max_examples=12)
@given(cases(), st.integers(0, 5))
def test_exact_search_and_certificates(case: Case, budget: int) -> None:
    check_same(case, lambda cases: written(bt.optimal(cases, budget=budget).tree))
    check_same(case, lambda cases: written(bt.certify(cases, bt.grow(cases))))


@settings(max_examples=8)
@given(cases(), st.sampled_from(["model", "count"]))
def test_trees_for_new_cases(case: Case, leaves: Any) -> None:
    check_same(case, lambda cases: written(bt.predictive(cases, budget=3, leaves=leaves)))


@settings(max_examples=8)
@given(cases(), st.sampled_from(["new", "known"]), st.sampled_from([None, "balanced"]))
def test_estimators(case: Case, objective: str, class_weight: Any) -> None:
    found = []
    for frame in (case.frame, case.shuffled):
        classifier = bt.BudgetTreeClassifier(
            budget=3, prices=case.prices, objective=objective, losses=case.losses, class_weight=class_weight
        )
        classifier.fit(frame.drop(columns="class"), frame["class"], sample_weight=case.weights[frame.index])
        answers = classifier.predict_proba(frame.drop(columns="class"))
        found.append((written(classifier.tree_), classifier.mean_cost_, answers[np.argsort(frame.index)].tolist()))
    assert found[0] == found[1]


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.sampled_from([1, 2]))
def test_codes_with_weights(seed: int, threads: int) -> None:
    """The second table is learned from by another number of threads, too."""
    rng = np.random.default_rng(seed)
    codes, labels = rng.integers(0, 3, (20, 4)), rng.integers(0, 3, 20)
    weights, rows, columns = rng.integers(0, 5, 20) / 7 + 0.1, rng.permutation(20), rng.permutation(4)
    names = np.array(["t10", "t9", "b", "a"])
    found = []
    for instance, n_threads in (
        (bt.Instance(codes, labels, weights=weights, test_names=names), 1),
        (bt.Instance(codes[rows][:, columns], labels[rows], weights=weights[rows], test_names=names[columns]), threads),
    ):
        trees = [
            bt.grow(instance, threads=n_threads),
            bt.optimal(instance, budget=2, threads=n_threads).tree,
            bt.predictive(instance, budget=2, threads=n_threads),
        ]
        found.append([*map(written, trees), *figures(bt.frontier(instance, folds=3))])
    assert found[0] == found[1]


@settings(max_examples=5)
@given(cases(kinds_of_columns=("few", "many", "text", "gaps")))  # one kind of values in all parts
def test_shards(case: Case) -> None:
    found = []
    for frame in (case.frame, case.shuffled):
        with tempfile.TemporaryDirectory() as folder:
            parts = [frame.iloc[:3], frame.iloc[3:][case.frame.columns]]  # whose columns may be in another order
            how = {"prices": case.prices, "losses": case.losses, "levels": 4}
            shards = bt.Shards.from_frames(parts, "class", Path(folder) / "cases", **how)
            found.append(written(bt.grow(shards)))
    assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_an_array_has_the_columns_of_the_frame_that_was_fitted() -> None:
    frame = pd.DataFrame({"b": [0, 0, 1, 1], "a10": [0, 1, 2, 3], "a9": [5, 5, 5, 6]})
    classifier = bt.BudgetTreeClassifier(objective="known").fit(frame, [0, 1, 1, 0])
    assert classifier.tree_.test_names == ("a9", "a10", "b")
    assert classifier.predict(frame.to_numpy()).tolist() == classifier.predict(frame).tolist() == [0, 1, 1, 0]
