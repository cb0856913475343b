"""Programs keep the names that they go by, say the labels in comments, and no label can become a part of them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

import budgetree as bt
from labelled import heart_frame, heart_tree, tree_of_texts

WICKED = '"""); raise SystemExit # \\" */ </script> \n raise SystemExit'


def run_python(source: str) -> Any:
    room: dict[str, Any] = {}
    exec(source, room)
    return room["predict"]


@pytest.mark.parametrize("leaves", [None, "count", "model"])
def test_labels_are_in_comments_and_answers_are_the_same(leaves: str | None) -> None:
    tree = heart_tree(leaves)
    python, script = tree.to_python(), tree.to_javascript()
    for source in (python, script):
        for note in ("costs are in €", "sex: Sex (", "female", "chol: Cholesterol", "answer 1: heart disease"):
            assert note in source
    predict, rows = run_python(python), heart_frame().drop(columns="ill")
    found = [predict(row) for row in rows.to_dict("records")]
    assert found == tree.predict(tree.encode(rows)).tolist()
    assert tree.to_sql() == tree.with_labels(None).to_sql()


@pytest.mark.parametrize("kind", ["plain", "model", "count"])
def test_no_label_becomes_a_part_of_a_program(kind: str) -> None:
    wicked = bt.Labels({"qa1q": {"name": WICKED, "outcomes": {"qb1q": WICKED}}}, {"qe1q": WICKED}, unit='"""\\')
    tree = tree_of_texts(kind).with_labels(wicked)
    run_python(tree.to_python())
    script = tree.to_javascript()
    assert "</script" not in script
    comments = [line for line in script.splitlines() if "SystemExit" in line]
    assert comments
    assert all(line.startswith("//") for line in comments)
    if kind != "model":
        ElementTree.fromstring(tree.to_pmml())


def test_pmml_shows_labels_beside_the_names() -> None:
    document = ElementTree.fromstring(heart_tree().to_pmml())
    place = {"p": "http://www.dmg.org/PMML-4_4"}
    fields = {field.attrib["name"]: field for field in document.findall(".//p:DataField", place)}
    assert fields["sex"].attrib["displayName"] == "Sex"
    assert fields["chol"].attrib["displayName"] == "Cholesterol"
    values = [(value.attrib["value"], value.attrib["displayValue"]) for value in fields["sex"]]
    assert values == [("0", "female"), ("1", "male")]
    assert [value.attrib["displayValue"] for value in fields["answer"]] == ["healthy", "heart disease"]
