"""Confusion: each known case is counted once, under its class and what the tree answers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import budgetree as bt
from losing import losing_tree
from new_cases import new_frame, new_tree


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_every_known_case_is_counted_under_its_class_and_its_answer(leaves: str | None) -> None:
    tree, frame = losing_tree(leaves), new_frame(1)
    pairs = Counter(zip(tree.predict_codes(tree.encode(frame)).tolist(), frame["class"], strict=True))
    confusion = tree.confusion
    assert confusion is not None
    for answer, row in zip(confusion.answers, confusion.counts, strict=True):
        assert row == tuple(pairs[answer, name] for name in confusion.class_names)
    assert (confusion.errors, confusion.referred, confusion.total) == (tree.errors, tree.referred, len(frame))


def test_without_losses_the_answers_are_the_classes() -> None:
    confusion = new_tree("model", 0.8).confusion
    assert confusion is not None
    assert confusion.answers == confusion.class_names
    assert confusion.errors == new_tree("model", 0.8).errors


def test_weights_count() -> None:
    codes = np.arange(8)[:, None] % 3
    weights = np.arange(8) / 4
    instance = bt.Instance(codes, [0, 1] * 4, weights=weights, losses=bt.Losses(answers={"refer": 0.1}))
    confusion = bt.grow(instance).confusion
    assert confusion is not None
    assert confusion.total == weights.sum()
    assert confusion.counts == ((0, 0), (0, 0), (3, 4))  # both classes show every outcome
