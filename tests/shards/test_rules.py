"""Rules of a pathway with shards: limits, panels, order and what comes first, to the model files of memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import budgetree as bt
from budgetree.distributed.partition import Sizes
from ruled_tables import FOR_NEW_CASES, RULES, VERBS, model_of, ruled_table

SMALL = Sizes(bucket_bytes=1000, file_bytes=900)


@pytest.mark.parametrize("rules", RULES)
def test_rules_give_the_model_files_of_memory(tmp_path: Path, rules: str) -> None:
    frame, prices = ruled_table(), RULES[rules]
    instance = bt.Instance.from_frame(frame, "y", prices=prices)
    parts = [frame[frame["sex"] == "m"], frame.iloc[:0], frame[frame["sex"] == "f"]]
    made = [
        bt.Shards.from_frames(parts, "y", tmp_path / "frames", prices=prices, sizes=SMALL),
        bt.Shards.from_instance(instance, tmp_path / "instance", max_rows=90),
        bt.Shards(tmp_path / "frames"),
    ]
    for verb, learned in VERBS.items():
        trees = list(learned(instance))
        assert max(len(tree.tests_used) for tree in trees) > 1
        for shards in made:
            assert [model_of(tree) for tree in learned(shards)] == [model_of(tree) for tree in trees], verb


@pytest.mark.parametrize("verb", FOR_NEW_CASES)
def test_rules_may_be_given_later(tmp_path: Path, verb: str) -> None:
    frame, prices = ruled_table(), RULES["all"]
    instance = bt.Instance.from_frame(frame, "y", prices=prices)
    shards = bt.Shards.from_frames([frame[:99], frame[99:]], "y", tmp_path / "shards", sizes=SMALL)
    _ = shards.drawn
    expected = [model_of(tree) for tree in FOR_NEW_CASES[verb](instance)]
    assert [model_of(tree) for tree in FOR_NEW_CASES[verb](shards.priced(prices))] == expected


def test_what_needs_a_column_that_is_dropped_is_left_out_too(tmp_path: Path) -> None:
    file, prices = str(tmp_path / "t.csv"), RULES["order"]
    ruled_table().to_csv(file, index=False)
    with pytest.warns(UserWarning, match="also left out, since they need a test that is left out: scan"):
        instance = bt.Instance.from_file(file, "y", reading=bt.Reading(drop=["n"]), prices=prices)
    with pytest.warns(UserWarning, match="also left out"):
        shards = bt.Shards.from_files(file, "y", tmp_path / "shards", drop=["n"], prices=prices)
    assert instance.test_names == shards.test_names == ("age", "sex", "x")
    assert instance.prices == shards.prices == bt.Prices(1, order={"x": {"after": ["age"]}})
