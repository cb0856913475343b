"""Labels: what may be given, which label is for which name, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import LabelsError
from budgetree.problem.labels import MAX_HELP, MAX_NAME, MAX_UNIT, Labels
from labelled import LOSSES, frame_of_texts, heart_cases, heart_frame


def test_short_and_long_forms_say_the_same() -> None:
    short = Labels({"sex": "Sex"}, {1: "ill"})
    long = Labels({"sex": {"name": "Sex"}}, {1: {"name": "ill", "help": ""}})
    assert short == long
    assert hash(short) == hash(long)
    assert Labels.of({"tests": {"sex": "Sex"}, "classes": {1: "ill"}}) == short
    assert Labels.of(short) is short
    assert Labels.of(None) is None
    assert pickle.loads(pickle.dumps(short)) == short
    assert Labels(short.tests, short.classes) == short  # its own parts may be given again


def test_a_label_is_one_line_that_a_terminal_does_not_obey() -> None:
    labels = Labels({"a": {"name": " two\n  lines ", "help": "\x1b[2J\u202e"}})
    assert labels.tests["a"].name == "two lines"
    assert labels.tests["a"].help == "\\x1b[2J\\u202e"


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        ({"tests": ["sex"]}, {"subject": "tests", "found": ["sex"]}),
        ({"tests": {"sex": 3}}, {"subject": "sex", "found": 3}),
        ({"tests": {"sex": "  "}}, {"subject": "sex", "found": "  "}),
        ({"tests": {"sex": {"nmae": "Sex"}}}, {"subject": "nmae", "expected": ("name", "help", "outcomes")}),
        ({"tests": {"sex": {"outcomes": "female"}}}, {"subject": "sex", "found": "female"}),
        ({"tests": {"sex": {"outcomes": {0: 1}}}}, {"subject": "sex", "found": 1}),
        ({"tests": {"sex": "x" * (MAX_NAME + 1)}}, {"subject": "sex"}),
        ({"tests": {"sex": {"help": "x" * (MAX_HELP + 1)}}}, {"subject": "sex"}),
        ({"tests": {"sex": "\ud800"}}, {"subject": "sex", "found": "\ud800"}),
        ({"classes": {1: {"outcomes": {}}}}, {"subject": "outcomes", "expected": ("name", "help")}),
        ({"unit": 3}, {"subject": "unit", "found": 3}),
        ({"unit": "{} or {}"}, {"subject": "unit", "found": "{} or {}"}),
        ({"unit": "x" * (MAX_UNIT + 1)}, {"subject": "unit"}),
    ],
)
def test_what_is_not_a_label_is_refused(arguments: dict[str, Any], fields: dict[str, Any]) -> None:
    with refused(LabelsError, **fields):
        Labels(**arguments)


def test_a_label_may_be_as_long_as_is_said() -> None:
    with pytest.raises(LabelsError, match=r"^labels: test 'sex' has a label of 201 letters; expected at most 200\.$"):
        Labels({"sex": "x" * 201})
    assert Labels({"sex": {"name": "x" * 200, "help": "x" * 2000}}, unit="x" * 30)


def test_what_is_not_a_set_of_labels_is_refused() -> None:
    with pytest.raises(LabelsError, match=r"labels is 'labels.toml'; .* read by Labels.from_toml"):
        Labels.of("labels.toml")
    with refused(LabelsError, subject="test", expected=("tests", "classes", "unit")):
        Labels.of({"test": {}})


CASES = bt.Instance(
    [[0, 1], [1, 0], [1, 2]],
    [0, 1, 1],
    test_names=["sex", "pain"],
    outcome_names=[["0", "1"], ["none", "some", "much"]],
)


@pytest.mark.parametrize(
    ("labels", "fields"),
    [
        ({"tests": {"sexx": "Sex"}}, {"subject": "sexx", "expected": ("pain", "sex")}),
        ({"tests": {"pain": {"outcomes": {"non": "no"}}}}, {"subject": "pain", "found": "non"}),
        ({"tests": {"sex": {"outcomes": {2: "x"}}}}, {"subject": "sex", "found": "2", "expected": ("0", "1")}),
        ({"classes": {3: "x"}}, {"subject": "3", "expected": ("0", "1")}),
        ({"classes": {0: "ill", 1: "ill"}}, {"subject": "classes", "found": "ill"}),
        ({"classes": {0: "1"}}, {"subject": "classes", "found": "1"}),
        ({"tests": {"sex": "Q", "pain": "Q"}}, {"subject": "tests", "found": "Q"}),
        ({"tests": {"sex": {"outcomes": {0: "x", 1: "x"}}}}, {"subject": "outcomes of test 'sex'", "found": "x"}),
        ({"tests": {"sex": {"outcomes": {0: "1", 1: "0"}}}}, {"subject": "sex", "found": "1"}),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels: dict[str, Any], fields: dict[str, Any]) -> None:
    with refused(LabelsError, **fields):
        CASES.with_labels(labels)
    with refused(LabelsError, **fields):
        bt.grow(CASES).with_labels(labels)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("Pain", " Did you mean 'pain'?"), ("sexx", " Did you mean 'sex'?"), ("z", "")],
)
def test_what_may_have_been_meant_is_proposed(name: str, hint: str) -> None:
    with refused(LabelsError, subject=name, message=f"labels: there is no test '{name}'. There are: pain, sex.{hint}"):
        CASES.with_labels({"tests": {name: "Q"}})


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
    with pytest.raises(LabelsError, match="test 'chol': it is cut into levels, so that '101' is not an outcome of its"):
        heart_cases().with_labels({"tests": {"chol": {"outcomes": {101: "low"}}}})
    first = heart_cases().schema.outcome_names[0][0]
    words = heart_cases().with_labels({"tests": {"chol": {"outcomes": {first: "low"}}}})
    tree = bt.grow(words, budget=9)
    assert "├─ low" in tree.to_text()
    assert first not in tree.to_text()
    with refused(LabelsError, subject="chol", found="250"):
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
    with refused(LabelsError, subject="sex", found=label):
        heart_cases().with_labels({"tests": {"sex": {"outcomes": {0: label}}}})


def test_a_label_may_be_the_number_itself() -> None:
    words = heart_cases().with_labels({"tests": {"sex": {"outcomes": {0: "0", 1: "1"}}}})
    fine = bt.predictive(words, budget=9)
    assert fine.schema.wording.outcomes[1] == ("0", "1")
    fine.with_labels(fine.schema.labels)  # and is not refused where 0 is "below 0.5"


def test_parts_of_the_rows_leave_out_what_they_do_not_have() -> None:
    cases = bt.Instance.from_frame(heart_frame(), "ill").with_labels(
        {"tests": {"sex": {"outcomes": {0: "female", 1: "male"}}}}
    )
    women = cases.rows((heart_frame().sex == 0).to_numpy())
    assert women.schema.wording.outcomes[1] == ("female",)
    assert cases.priced(3).with_losses({0: 4}).schema.wording.outcomes[1] == ("female", "male")


def test_amounts() -> None:
    for unit, shown in (
        ("", "12.5"),
        ("€", "12.50 €"),
        ("min", "12.5 min"),
        ("$", "$12.50"),
        ("${}", "$12.50"),
        ("{}€", "12.50€"),
    ):
        assert CASES.with_labels(bt.Labels(unit=unit)).schema.wording.amount(12.5) == shown
    assert CASES.with_labels(bt.Labels(unit="${}")).schema.wording.unit_name == "$"
