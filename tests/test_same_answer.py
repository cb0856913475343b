"""Same table, same answer: the order of rows and named columns changes no tree, no figure and no model file."""

from __future__ import annotations

import json
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
from _support.refusals import refused
from budgetree.errors import ModelFileError, TableError

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
    duplicates = draw(st.sampled_from(["keep"] if losses else ["keep", "merge"]))  # no merging with losses
    columns = rng.permutation(frame.columns)
    shuffled = frame.iloc[rng.permutation(n_rows)][columns]  # its index tells the rows
    return Case(frame, shuffled, rng.integers(1, 4, n_rows) / 3, prices, losses, duplicates)


def written(tree: Any) -> str:
    """The file of a tree or certificate, but for the list that keeps the order of the user's columns."""
    with tempfile.TemporaryDirectory() as folder:
        tree.to_json(Path(folder) / "file.json")
        text = (Path(folder) / "file.json").read_text(encoding="utf-8")
    if not isinstance(tree, bt.Tree):
        return text
    columns = json.loads(text)["input_columns"]
    assert tuple(columns) == tree.schema.input_columns
    before, after = text.split('"input_columns":' + json.dumps(columns, ensure_ascii=False, separators=(",", ":")))
    return before + after


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
    check_same(case, lambda cases: figures(bt.frontier(cases, method=method, folds=3, objective="known")))


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
    found = []
    grouped = (groups.tolist(), [called[groups[row]] for row in order])
    for instance, groups_of_rows in zip(case.both(), grouped, strict=True):
        tree = bt.fit(instance, objective="new", budget=2, folds=0, groups=groups_of_rows).tree
        curve = bt.frontier(instance, method="greedy", folds=3, groups=groups_of_rows)
        found.append([written(tree), *figures(curve)])
    assert found[0] == found[1]


@settings(max_examples=12)
@given(cases(), st.integers(0, 5))
def test_exact_search_and_certificates(case: Case, budget: int) -> None:
    check_same(case, lambda cases: written(bt.optimal(cases, budget=budget).tree))
    check_same(case, lambda cases: written(bt.certify(cases, bt.grow(cases))))


@settings(max_examples=8)
@given(cases(), st.sampled_from(["auto", "tree", "points", "model"]))
def test_trees_for_new_cases(case: Case, leaves: Any) -> None:
    def learned(cases: bt.Instance) -> Any:
        kind = "auto" if leaves == "points" and cases.n_classes > 2 else leaves
        return written(bt.predictive(cases, budget=3, leaves=kind))

    check_same(case, learned)


@settings(max_examples=8)
@given(
    cases(),
    st.sampled_from([bt.BudgetTreeClassifier, bt.OptimalBudgetTreeClassifier]),
    st.sampled_from([None, "balanced"]),
    st.booleans(),
)
def test_estimators(case: Case, kind: Any, class_weight: Any, has_listed_prices: bool) -> None:
    found = []
    for frame in (case.frame, case.shuffled):
        tests = frame.drop(columns="class")
        prices = [1 + NAMES.index(name) % 3 for name in tests] if has_listed_prices else case.prices
        classifier = kind(budget=3, prices=prices, losses=case.losses, class_weight=class_weight)
        classifier.fit(tests, frame["class"], sample_weight=case.weights[frame.index])
        answers = classifier.predict_proba(tests)
        assert np.array_equal(classifier.tree_.predict_proba(tests.to_numpy(dtype=object)), answers)  # by position
        importances = dict(zip(tests.columns, classifier.feature_importances_.tolist(), strict=True))
        rows = answers[np.argsort(frame.index)].tolist()
        found.append((written(classifier.tree_), classifier.mean_cost_, importances, rows))
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
        found.append([*map(written, trees), *figures(bt.frontier(instance, folds=3, objective="known"))])
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
    classifier = bt.OptimalBudgetTreeClassifier().fit(frame, [0, 1, 1, 0])
    assert classifier.tree_.test_names == ("a9", "a10", "b")
    assert classifier.predict(frame.to_numpy()).tolist() == classifier.predict(frame).tolist() == [0, 1, 1, 0]


TABLE = pd.DataFrame(
    {"b": [0, 0, 1, 1] * 3, "kind": list("pppqqqpppqqq"), "a10": range(12), "id": range(12), "a9": [5.5, 2, 5, 6] * 3}
)


def _from_file(folder: Path) -> bt.Tree:
    TABLE.to_csv(folder / "cases.csv", index=False)
    return bt.grow(bt.Instance.from_file(folder / "cases.csv", "kind", reading=bt.Reading(drop=["id"])))


def _from_frame(_: Path) -> bt.Tree:
    return bt.grow(bt.Instance.from_frame(TABLE.drop(columns="id"), "kind"))


def _for_new_cases(_: Path) -> bt.Tree:
    many = pd.concat([TABLE.drop(columns="id")] * 10)  # of twelve rows nothing can be said about new ones
    return bt.predictive(bt.Instance.from_frame(many, "kind"), budget=2)


def _from_some_rows(_: Path) -> bt.Tree:
    return bt.grow(bt.Instance.from_frame(TABLE.drop(columns="id"), "kind").rows(range(2, 12)))


def _from_shards(folder: Path) -> bt.Tree:
    parts = [TABLE.drop(columns="id")[:5], TABLE[["kind", "a10", "a9", "b"]][5:]]  # the first part's order counts
    bt.Shards.from_frames(parts, "kind", folder / "cases")
    return bt.grow(bt.Shards(folder / "cases"))


@pytest.mark.parametrize("learn", [_from_file, _from_frame, _for_new_cases, _from_some_rows, _from_shards])
def test_rows_without_names_are_in_the_order_of_the_table(learn: Callable[[Path], bt.Tree], tmp_path: Path) -> None:
    tree = learn(tmp_path)
    assert tree.test_names == ("a9", "a10", "b")
    columns = TABLE[["b", "a10", "a9"]]
    expected = tree.predict_proba(TABLE).tolist()
    assert tree.predict_proba(columns.to_numpy()[:, [1, 2, 0]]).tolist() != expected  # the order matters
    tree.to_json(tmp_path / "m.json")
    for same in (tree, bt.Tree.from_json(tmp_path / "m.json"), tree.cut(9), tree.priced(2), tree.with_labels(None)):
        assert same.schema.input_columns == tuple(columns)
        for rows in (columns.to_numpy(), columns.to_numpy(dtype=object), columns.to_numpy().tolist()):
            assert same.predict_proba(rows).tolist() == expected
    for width in (2, 4):
        with refused(TableError, subject="cases", found=(3, width), expected=(None, 3)) as error:
            tree.predict(np.zeros((3, width)))
        assert str(error.value).endswith("one value for each of 3 tests, in the order 'b', 'a10', 'a9'.")


def test_a_model_file_names_every_input_column_once(tmp_path: Path) -> None:
    tree, path = _from_frame(tmp_path), tmp_path / "m.json"
    tree.to_json(path)
    content = json.loads(path.read_text())
    for wrong in (["b", "a10"], ["b", "a10", "a10"], ["b", "a10", "a9", "x"], "b"):
        path.write_text(json.dumps(content | {"input_columns": wrong}))
        with refused(ModelFileError):
            bt.Tree.from_json(path)
    del content["input_columns"]  # as in files that were written before there was such a list
    path.write_text(json.dumps(content))
    assert bt.Tree.from_json(path).schema.input_columns == tree.test_names
