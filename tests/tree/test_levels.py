"""Levels that no node tells apart are one, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.data.encoders import FineLevels
from budgetree.learn.predictive.fit import fine_instance
from budgetree.tree import Model, Split, Totals, TreeBuilder
from budgetree.tree.changes import join_levels
from built_trees import ensemble


def fine_cases(seed: int, n_cases: int = 80) -> bt.Instance:
    """Numbers in fine levels, one with gaps; a text; and a number whose price depends on its outcome."""
    rng = np.random.default_rng(seed)
    a, b = np.round(rng.normal(size=(2, n_cases)), 2)
    frame = pd.DataFrame(
        {"a": a, "b": np.where(rng.random(n_cases) < 0.2, np.nan, b), "unused": rng.normal(size=n_cases)}
    )
    frame["text"] = rng.choice(["x", "y"], n_cases)
    frame["y"] = np.where(a + rng.normal(size=n_cases) > 0, "ill", "well")
    return fine_instance(
        bt.Instance.from_frame(frame, "y", prices={"a": 2, "b": 1.5, "unused": 9, "text": {"x": 1, "y": 3}})
    )


def random_model_tree(seed: int) -> bt.Tree:
    """Branches by result and by score, points and small trees that cut anywhere."""
    import random

    rng, cases = random.Random(seed), fine_cases(seed)
    builder = TreeBuilder(cases)
    names = {name: cases.test_names.index(name) for name in ("a", "b", "text")}
    widths = {test: int(cases.schema.n_outcomes[test]) + 1 for test in names.values()}
    end = builder.root
    for test in names.values():
        end = builder.buy(end, test)
    below, other = builder.branch(
        end, Split.by_result(names["a"], [int(k > widths[names["a"]] // 2) for k in range(widths[names["a"]])])
    )

    def model() -> Model:
        tests = sorted(names.values())
        steps = [np.sort(np.array(rng.choices(range(-5, 6), k=widths[test]))) * 100_000 for test in tests]
        trees = (
            ensemble(rng, widths, rng.randint(1, 3), lambda: [rng.randint(-9, 9) * 50_000])
            if rng.random() < 0.7
            else None
        )
        return Model(Totals(tuple(tests), tuple(own[:, None].astype(np.int32) for own in steps), np.array([0]), trees))

    first = model()
    low, high = builder.branch(below, Split.by_score(first, (100_000,)))
    builder.leaf(low, first)
    builder.leaf(high, model())
    builder.leaf(other, model())
    return builder.build(n_cases=cases.n_objects)


def raw_rows(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed + 1)
    a, b, unused = np.where(rng.random((3, 200)) < 0.1, np.nan, rng.normal(size=(3, 200)) * 2)
    return pd.DataFrame({"a": a, "b": b, "unused": unused, "text": rng.choice(["x", "y", "z", None], 200)})


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_every_raw_value_ends_where_it_did(seed: int) -> None:
    tree, rows = random_model_tree(seed), raw_rows(seed)
    joined = join_levels(tree)
    before, after = tree.walk(rows), joined.walk(rows)
    assert after.answers.tolist() == before.answers.tolist()
    assert after.probabilities.tolist() == before.probabilities.tolist()
    assert after.cost.tolist() == before.cost.tolist()
    assert joined.nodes.counts.tolist() == tree.nodes.counts.tolist()
    assert {node: own.tolist() for node, own in joined.nodes.given.items()} == {
        node: own.tolist() for node, own in tree.nodes.given.items()
    }
    assert joined.schema.n_outcomes[joined.test_names.index("unused")] == 1
    assert (joined.schema.n_outcomes <= tree.schema.n_outcomes).all()
    assert join_levels(joined) == joined


def test_outcomes_with_prices_or_labels_of_their_own_stay() -> None:
    cases = fine_cases(1)
    few = bt.Instance.from_frame(pd.DataFrame({"n": [0.0, 1, 2, 3] * 5, "y": [0, 1] * 10}), "y")
    labelled = fine_instance(few.with_labels(bt.Labels({"n": {"outcomes": {0: "none"}}})))
    for kept in (labelled,):
        builder = TreeBuilder(kept)
        builder.leaf(builder.root)
        assert join_levels(builder.build()).schema.outcome_names == kept.schema.outcome_names
    builder = TreeBuilder(cases)
    builder.leaf(builder.root)
    joined = join_levels(builder.build())
    assert [isinstance(encoder, FineLevels) and encoder.levels for encoder in joined.schema.encoders or ()].count(
        1
    ) == 3
    assert joined.schema.outcome_names[joined.test_names.index("text")] == ("x", "y")


@pytest.mark.parametrize("leaves", ["tree", "points", "model"])
def test_learned_pathways_have_no_level_that_nothing_decides_by(leaves: str) -> None:
    tree = bt.predictive(bt.datasets.load("pima"), budget=3, leaves=leaves)  # type: ignore[arg-type]
    assert join_levels(tree) == tree
