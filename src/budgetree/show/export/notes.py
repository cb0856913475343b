"""What the names in a program mean, for its readers: the user's labels, which programs cannot go by."""

from __future__ import annotations

from budgetree.services.words import visible
from budgetree.tree.tree import Tree


def label_notes(tree: Tree) -> list[str]:
    """A line per test and answer that has labels, and one for the unit; each is one line, whatever the labels are.

    >>> import budgetree as bt
    >>> cases = bt.Instance([[0], [1]], [0, 1], test_names=["sex"])
    >>> words = bt.Labels({"sex": {"name": "Sex", "outcomes": {0: "female"}}}, {1: "ill"}, unit="€")
    >>> label_notes(bt.grow(cases.with_labels(words)))
    ['costs are in €', 'sex: Sex (0: female)', 'answer 1: ill']
    """
    schema, words = tree.schema, tree.schema.wording
    lines = [f"costs are in {words.unit_name}"] if words.unit_name else []
    for test in sorted(tree.tests_used):
        names, outcomes = schema.outcome_names[test], words.outcomes[test]
        meant = ", ".join(f"{names[place]}: {outcomes[place]}" for place in sorted(words.labelled[test]))
        name, label = schema.test_names[test], words.tests[test]
        if meant or label != name:
            lines.append(f"{name}: {label}{f' ({meant})' if meant else ''}")
    for answer, label in zip(map(str, schema.answer_names), words.answers, strict=True):
        if label != answer:
            lines.append(f"answer {answer}: {label}")
    return [visible(line) for line in lines]


def in_docstring(text: str) -> str:
    """A text that cannot end the string of a program in which it stands."""
    return visible(text).replace("\\", "\\\\").replace('"', "'")
