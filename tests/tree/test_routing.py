"""What a case has done where it ends, and the answers that are on no list."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ResultError
from budgetree.tree.routing import ALL_KNOWN


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    number, letter = rng.normal(size=300), rng.choice(list("pqr"), 300)
    score = 2 * number + (letter == "p") + rng.normal(size=300)
    return pd.DataFrame({"number": number, "letter": letter, "class": np.where(score > 0, "pos", "neg")})


NEW = pd.DataFrame({"number": [0.0, 9.0, -9.0], "letter": ["new"] * 3})


@pytest.mark.parametrize("sure", [0.95, None])
def test_an_answer_is_unknown_only_to_a_case_that_gave_it(frame: pd.DataFrame, sure: float | None) -> None:
    """The second and third row are sure after the number: their letter is never asked for."""
    tree = bt.predictive(bt.Instance.from_frame(frame, "class"), budget=2, sure=sure)
    codes = tree.encode(NEW)
    asked = [tests == ("number", "letter") for tests in tree.tests_done(codes)]
    assert asked == [True, sure is None, sure is None]
    letter = tree.test_names.index("letter")
    assert tree.first_unknown(codes).tolist() == [letter if done else ALL_KNOWN for done in asked]


def test_in_a_plain_tree_it_ends_the_path(frame: pd.DataFrame) -> None:
    tree = bt.grow(bt.Instance.from_frame(frame, "class"))
    codes = tree.encode(NEW.assign(number=frame.number[:3].to_numpy()))
    unknown = tree.first_unknown(codes)
    for row, test in enumerate(unknown.tolist()):
        done = tree.tests_done(codes)[row]
        assert (test != ALL_KNOWN) == ("letter" in done)
        assert test == ALL_KNOWN or done[-1] == tree.test_names[test] == "letter"
    assert (tree.first_unknown(tree.encode(frame)) == ALL_KNOWN).all()


def test_a_classifier_refuses_only_what_it_asked_for(frame: pd.DataFrame) -> None:
    classifier = bt.BudgetTreeClassifier(budget=2, handle_unknown="error")
    classifier.fit(frame[["number", "letter"]], frame["class"])
    assert classifier.predict(NEW[1:]).tolist() == ["pos", "neg"]
    with refused(ResultError, subject="letter", found="new"):
        classifier.predict(NEW)
