"""Labels: what may be given, and what is refused in words."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from budgetree.problem.user_labels import MAX_HELP, MAX_NAME, MAX_UNIT, Labels


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
    ("arguments", "message"),
    [
        ({"tests": ["sex"]}, r"tests is \['sex'\]; expected \{name: label\}"),
        ({"tests": {"sex": 3}}, "test 'sex' has the label 3; expected a text that is not empty"),
        ({"tests": {"sex": "  "}}, "test 'sex' has the label '  '; expected a text"),
        ({"tests": {"sex": {"nmae": "Sex"}}}, "labels of test 'sex': unknown entry 'nmae'; expected name, help or"),
        ({"tests": {"sex": {"outcomes": "female"}}}, r"outcomes of test 'sex' are 'female'; expected \{outcome"),
        ({"tests": {"sex": {"outcomes": {0: 1}}}}, "test 'sex', outcome 0 has the label 1"),
        ({"tests": {"sex": "x" * (MAX_NAME + 1)}}, "a label of 201 letters; expected at most 200"),
        ({"tests": {"sex": {"help": "x" * (MAX_HELP + 1)}}}, "the help of test 'sex' has a label of 2,001 letters"),
        ({"tests": {"sex": "\ud800"}}, "is not valid Unicode"),
        ({"classes": {1: {"outcomes": {}}}}, "labels of class 1: unknown entry 'outcomes'; expected name or help"),
        ({"unit": 3}, "the unit has the label 3"),
        ({"unit": "{} or {}"}, r"the unit is '\{\} or \{\}'; expected \{\} once"),
        ({"unit": "x" * (MAX_UNIT + 1)}, "the unit has a label of 31 letters"),
    ],
)
def test_what_is_no_label_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Labels(**arguments)


def test_what_is_no_set_of_labels_is_refused() -> None:
    with pytest.raises(ValueError, match=r"labels is 'labels.toml'; .* read by Labels.from_toml"):
        Labels.of("labels.toml")
    with pytest.raises(ValueError, match="labels: unknown entry 'test'; expected tests, classes or unit"):
        Labels.of({"test": {}})
