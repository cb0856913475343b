"""stability: what comes back when a pathway is learned again without the rows that are held out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from budgetree.learn.validation import KnownRows, bought_by
from budgetree.messages import stability_sentence
from budgetree.tree.provenance import Stability


def cases(n_rows: int = 150, *, telling: bool = True) -> bt.Instance:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 4)).round(3), columns=["lab", "scan", "age", "weight"])
    noise = rng.normal(size=n_rows)
    frame["ill"] = np.where((2 * frame.lab + noise if telling else noise) > 0, "yes", "no")
    return bt.Instance.from_frame(frame, "ill")


def test_it_is_what_refits_without_each_fold_say() -> None:
    """Learned again by hand, from rows by their fold; shares no code with cross_validate."""
    instance = cases()
    found = bt.fit(instance, budget=2)
    assert found.estimate is not None
    stability = found.estimate.stability
    assert stability is not None
    folds = KnownRows(instance).folds()
    assert instance.source is not None
    raw = pd.DataFrame({column.name: column.numbers for column in instance.source.tests.columns})
    own, same, firsts, used = found.tree.predict(raw), 0, 0, dict.fromkeys(instance.test_names, 0)
    for fold in range(5):
        refit = bt.fit(instance.rows(np.flatnonzero(folds != fold)), budget=2, objective="new", folds=0).tree
        out = np.flatnonzero(folds == fold)
        same += (np.asarray(refit.predict(raw.iloc[out])) == np.asarray(own)[out]).sum()
        firsts += bought_by(refit)[0] == stability.first_test
        for test in refit.tests_used:
            used[instance.test_names[test]] += 1
    assert stability.same_answers == pytest.approx(same / instance.n_rows)
    assert (stability.n_refits, stability.learned_from, stability.same_first) == (5, 0.8, firsts / 5)
    assert dict(stability.tests) == {
        name: times / 5 for name, times in used.items() if times or name in dict(stability.tests)
    }
    assert stability.first_test == "lab"


def test_what_tells_comes_back_and_noise_does_not() -> None:
    firm = bt.fit(cases(300), budget=1).estimate
    assert firm is not None
    assert firm.stability is not None
    assert dict(firm.stability.tests) == {"lab": 1.0}
    assert firm.stability.same_answers > 0.9
    assert firm.stability.same_first == 1


def test_it_is_in_the_model_file_and_in_its_sentence(tmp_path: Path) -> None:
    tree = bt.fit(cases(), budget=1).tree
    tree.to_json(tmp_path / "tree.json")
    assert bt.Tree.from_json(tmp_path / "tree.json").estimate == tree.estimate
    assert tree.estimate is not None
    assert tree.estimate.stability is not None
    assert (
        "trees learned again from 80 % of the rows begin with lab; trees with each test: lab 5"
        in stability_sentence(tree.estimate.stability, tree.schema)
    )
    none = replace(tree.estimate.stability, first_test=None, tests=(), n_refits=1, same_first=1.0)
    assert "stability: 1 of 1 tree learned again from 80 % of the rows buy no test; " in stability_sentence(
        none, tree.schema
    )


@pytest.mark.parametrize("settings", [{"folds": 0}, {"time_limit": 0}, {"objective": "known"}])
def test_where_nothing_is_held_out_nothing_is_said(settings: dict[str, Any]) -> None:
    estimate = bt.fit(cases(60), budget=1, **settings).estimate
    assert estimate is None or estimate.stability is None


def test_every_point_of_a_frontier_has_one() -> None:
    found = bt.frontier(cases(100), objective="new", budgets=[1, 2])
    for point in found:
        assert point.estimate is not None
        assert isinstance(point.estimate.stability, Stability)
    assert found[0].estimate is not None
    assert found[0].estimate.stability == Stability(5, 0.8, None, 1.0, (), 1.0)  # it buys nothing
