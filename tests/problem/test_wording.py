"""Wording: which label is for which name, and which labels are refused."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

import budgetree as bt
from labelled import LOSSES, frame_of_texts, heart_cases, heart_frame

CASES = bt.Instance(
    [[0, 1], [1, 0], [1, 2]],
    [0, 1, 1],
    test_names=["sex", "pain"],
    outcome_names=[["0", "1"], ["none", "some", "much"]],
)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"tests": {"sexx": "Sex"}}, "labels: no test is named 'sexx'; the nearest is 'sex'."),
        ({"tests": {"Pain": "Pain"}}, "labels: no test is named 'Pain'; the nearest is 'pain'."),
        ({"tests": {"zzz": "Z"}}, "labels: no test is named 'zzz'; the tests are 'sex', 'pain'."),
        ({"tests": {"pain": {"outcomes": {"non": "no"}}}}, "test 'pain' has no outcome 'non'; the nearest is 'none'."),
        ({"tests": {"sex": {"outcomes": {2: "x"}}}}, "test 'sex' has no outcome '2'; the outcomes are '0', '1'."),
        ({"classes": {3: "x"}}, "labels: no class is named '3'; the classes are '0', '1'."),
        ({"classes": {0: "ill", 1: "ill"}}, "'0', '1' of the classes would all be called 'ill'"),
        ({"classes": {0: "1"}}, "'0', '1' of the classes would all be called '1'"),
        ({"tests": {"sex": "Q", "pain": "Q"}}, "'sex', 'pain' of the tests would all be called 'Q'"),
        ({"tests": {"sex": {"outcomes": {0: "x", 1: "x"}}}}, "outcomes of test 'sex' would all be called 'x'"),
        ({"tests": {"sex": {"outcomes": {0: "1", 1: "0"}}}}, "the label '1', the name of another outcome"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        CASES.with_labels(labels)
    with pytest.raises(ValueError, match=re.escape(message)):
        bt.grow(CASES).with_labels(labels)


def test_classes_are_labelled_by_value_or_text_and_answers_that_are_no_class_too() -> None:
    for key in (1, "1"):
        assert CASES.with_labels({"classes": {key: "ill"}}).schema.wording.classes == ("0", "ill")
    referring = bt.Instance.from_frame(frame_of_texts(), "answer", losses=LOSSES)
    words = referring.with_labels({"classes": {"qf1q": {"name": "refer", "help": "To a clinic."}}}).schema.wording
    assert (words.answers[-1], words.answer_help[-1]) == ("refer", "To a clinic.")
    assert "refer" not in words.classes


def test_labels_can_be_taken_off() -> None:
    labelled = CASES.with_labels({"classes": {1: "ill"}})
    assert labelled.with_labels(None).schema.wording.classes == ("0", "1")
    assert bt.grow(labelled).with_labels(None).to_text() == bt.grow(CASES).to_text()


def test_a_number_that_is_rounded_has_no_label_of_its_own() -> None:
    with pytest.raises(ValueError, match=r"test 'chol' is rounded to levels, so that '101' is no outcome of its own"):
        heart_cases().with_labels({"tests": {"chol": {"outcomes": {101: "low"}}}})
    first = heart_cases().schema.outcome_names[1][0]
    words = heart_cases().with_labels({"tests": {"chol": {"outcomes": {first: "low"}}}})
    tree = bt.grow(words, budget=9)
    assert "├─ low" in tree.to_text()
    assert first not in tree.to_text()
    with pytest.raises(ValueError, match="has the label '250', a number, which could be a result"):
        heart_cases().with_labels({"tests": {"chol": {"outcomes": {first: "250"}}}})


def test_decimals_and_missing_values_are_labelled() -> None:
    frame = pd.DataFrame({"dose": [0.1, 0.1, 0.1, 2.5, None, None], "y": [0, 0, 0, 1, 1, 1]})
    labels = {"tests": {"dose": {"outcomes": {"0.10": "low", 2.5: "high", "missing": "none"}}}}
    instance = bt.Instance.from_frame(frame, "y").with_labels(labels)
    assert instance.schema.wording.outcomes == (("low", "high", "none"),)
    assert bt.Consultation(bt.grow(instance)).expected == "one of 'low', 'high', 'none' (None means none)"
    fine = bt.predictive(instance, budget=1)
    assert fine.schema.wording.outcomes == (("low", "high", "none"),)


@pytest.mark.parametrize("label", ["7", "1.0"])
def test_a_label_that_could_be_another_result_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match=f"outcome '0' of test 'sex' has the label '{label}'"):
        heart_cases().with_labels({"tests": {"sex": {"outcomes": {0: label}}}})


def test_a_label_may_be_the_number_itself() -> None:
    words = heart_cases().with_labels({"tests": {"sex": {"outcomes": {0: "0", 1: "1"}}}})
    fine = bt.predictive(words, budget=9)
    assert fine.schema.wording.outcomes[0] == ("0", "1")
    fine.with_labels(fine.schema.labels)  # and is not refused where 0 is "below 0.5"


def test_parts_of_the_rows_leave_out_what_they_do_not_have() -> None:
    cases = bt.Instance.from_frame(heart_frame(), "ill").with_labels(
        {"tests": {"sex": {"outcomes": {0: "female", 1: "male"}}}}
    )
    women = cases.rows((heart_frame().sex == 0).to_numpy())
    assert women.schema.wording.outcomes[0] == ("female",)
    assert cases.priced(3).with_losses({0: 4}).schema.wording.outcomes[0] == ("female", "male")


def test_amounts() -> None:
    for unit, shown in (("", "12.5"), ("€", "12.5 €"), ("min", "12.5 min"), ("${}", "$12.5"), ("{}€", "12.5€")):
        assert CASES.with_labels(bt.Labels(unit=unit)).schema.wording.amount(12.5) == shown
    assert CASES.with_labels(bt.Labels(unit="${}")).schema.wording.unit_name == "$"
