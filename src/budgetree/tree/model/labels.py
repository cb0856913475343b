"""The user's words, as an entry of the model file: an entry per test and per answer, as they are listed there."""

from __future__ import annotations

from typing import Any

from budgetree.errors import ModelFileError
from budgetree.problem import Labels, Schema


def labels_content(schema: Schema) -> dict[str, Any] | None:
    """The labels of what there is, as JSON; null for a test or an answer that has none."""
    if schema.labels is None:
        return None
    words = schema.wording
    tests = [
        _entry(schema.test_names[test], words.tests[test], words.test_help[test])
        | (
            {"outcomes": {schema.outcome_names[test][k]: words.outcomes[test][k] for k in sorted(labelled)}}
            if labelled
            else {}
        )
        for test, labelled in enumerate(words.labelled)
    ]
    answers = [
        _entry(str(name), label, explained)
        for name, label, explained in zip(schema.answer_names, words.answers, words.answer_help, strict=True)
    ]
    return {"unit": words.unit, "tests": [entry or None for entry in tests], "answers": [a or None for a in answers]}


def _entry(name: str, label: str, explained: str) -> dict[str, Any]:
    return ({} if label == name else {"name": label}) | ({"help": explained} if explained else {})


def read_labels(content: dict[str, Any] | None, schema: Schema) -> Schema:
    """The schema with the labels of a file's entry, which must fit."""
    if content is None:
        return schema
    for what, names in (("tests", schema.test_names), ("answers", schema.answer_names)):
        if len(content[what]) != len(names):
            raise ModelFileError(
                f"labels.{what} has {len(content[what])} entries; expected {len(names)}, one for each (null: no label)."
            )
    tests, answers = (
        {name: entry for name, entry in zip(names, entries, strict=True) if entry is not None}
        for names, entries in ((schema.test_names, content["tests"]), (schema.answer_names, content["answers"]))
    )
    return schema.labelled(Labels(tests, answers, unit=content["unit"]))
