"""The model file: round trips, and every broken file refused with one clear error."""

from __future__ import annotations

import copy
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("models") / "model.json"
    bt.grow(bt.datasets.load("pima"), budget=20).to_json(path)
    return dict(json.loads(path.read_text()))


def refused(tmp_path: Path, content: Any) -> str:
    path = tmp_path / "broken.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(bt.ModelFileError) as caught:
        bt.Tree.from_json(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", bt.datasets.names())
def test_a_tree_comes_back_from_its_file(tmp_path: Path, name: str) -> None:
    tree = bt.grow(bt.datasets.load(name), bt.HingedPairs(3))
    tree.to_json(tmp_path / "model.json")
    again = bt.Tree.from_json(tmp_path / "model.json")
    assert again == tree
    assert again.origin == tree.origin
    assert again.to_dict() == tree.to_dict()
    assert (again.max_cost, again.mean_cost, again.ceiling) == (tree.max_cost, tree.mean_cost, tree.ceiling)


def test_prices_fees_and_weights_come_back(tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(100):
        tree = bt.grow(to_instance(reference.random_problem(rng)))
        tree.to_json(tmp_path / "model.json")
        assert bt.Tree.from_json(tmp_path / "model.json") == tree


def test_a_truncated_file_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    assert "may be truncated" in refused(tmp_path, json.dumps(content)[:-40])
    assert "not valid JSON" in refused(tmp_path, "")


def test_a_number_without_end_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content).replace('"n_objects": 753', f'"n_objects": {"9" * 5000}')
    assert "not valid JSON" in refused(tmp_path, text)


def test_a_later_version_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    assert "written by a later budgetree" in refused(tmp_path, content | {"version": 2})


def test_a_child_that_points_back_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    broken = copy.deepcopy(content)
    node = next(i for i, entry in enumerate(broken["nodes"]) if i and "test" in entry)
    place = next(i for i, child in enumerate(broken["nodes"][node]["branches"]) if child is not None)
    broken["nodes"][node]["branches"][place] = 0
    assert f"node {node} has the child 0, which points back" in refused(tmp_path, broken)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(format="other"), "not a budgetree model"),
        (lambda c: c.update(version="1"), "version is '1'"),
        (lambda c: c.pop("tests"), "'tests' is missing"),
        (lambda c: c.update(classes=[]), "classes must be a list"),
        (lambda c: c.update(n_objects=-1), "'n_objects' is not valid"),
        (lambda c: c.update(units_per_object=0), "units_per_object must be above 0"),
        (lambda c: c["tests"][0].update(name=c["tests"][1]["name"]), "occurs twice"),
        (lambda c: c["tests"][0].pop("outcomes"), 'must have a "name" and a list of "outcomes"'),
        (lambda c: c["prices"]["tests"].update(glucose=-1), "the price of test 'glucose'"),
        (lambda c: c["prices"]["tests"].update(mri=1), "no test is named 'mri'"),
        (lambda c: c["prices"]["shared"]["blood draw"].update(fee="much"), "expected a number"),
        (lambda c: c["nodes"].clear(), "no nodes"),
        (lambda c: c["nodes"][0].update(test=99), "has the test 99"),
        (lambda c: c["nodes"][0]["branches"].pop(), "must have 10 branches"),
        (lambda c: c["nodes"][0]["counts"].append(1), "expected 2 whole numbers"),
        (lambda c: c["nodes"][0].update(counts=[1.5, 2]), "expected 2 whole numbers"),
        (lambda c: c["nodes"][0].update(counts=[1, 1]), "not the sum of its children's"),
        (lambda c: c["nodes"].append({"counts": [0, 0]}), "is no node's child"),
        (lambda c: c["nodes"][0]["branches"].__setitem__(0, 10**9), "there are nodes 0 to"),
        (lambda c: [node.update(counts=[0, 0]) for node in c["nodes"]], "the root counts no objects"),
        (lambda c: c.update(classes=["a", "a"]), "classes must differ"),
        (lambda c: c["tests"][0].update(outcomes=[str(i) for i in range(300)]), "300 outcomes; at most 255"),
        (lambda c: c["prices"]["shared"]["blood draw"].update(fee="1e9999999"), "expected a number"),
        (lambda c: c["prices"]["shared"]["blood draw"].update(fee="1/0"), "expected a number"),
        (lambda c: c["prices"]["tests"].update(glucose=1e300), "between 1e-100 and 1e100"),
        (lambda c: c.update(units_per_object="1e300"), "between 1e-100 and 1e100"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, content: dict[str, Any], change: Any, message: str) -> None:
    broken = copy.deepcopy(content)
    change(broken)
    assert message in refused(tmp_path, broken)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_json_that_is_no_model_is_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    refused(tmp_path_factory.mktemp("any"), value)


@given(data=st.data())
def test_a_changed_entry_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any], data: st.DataObject
) -> None:
    broken = copy.deepcopy(content)
    place: Any = broken
    while isinstance(place, (dict, list)) and place:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], (dict, list)) or data.draw(st.booleans()):
            place[key] = data.draw(st.none() | st.integers(-3, 3) | st.text(max_size=3) | st.just([]) | st.just({}))
            break
        place = place[key]
    path = tmp_path_factory.mktemp("changed") / "model.json"
    path.write_text(json.dumps(broken))
    try:
        tree = bt.Tree.from_json(path)
    except bt.ModelFileError:
        return
    tree.to_text()
    assert len(tree.predict([[0] * 8])) == 1


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    tree = bt.grow(bt.datasets.load("figure1"))
    tree.to_json(path)
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        bt.grow(bt.datasets.load("pima")).to_json(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]


def test_classes_that_json_cannot_hold_are_refused(tmp_path: Path) -> None:
    tree = bt.grow(bt.Instance([[0], [1]], [(1, 2), (3, 4)]))
    with pytest.raises(ValueError, match="is a tuple; a model file holds classes that are texts"):
        tree.to_json(tmp_path / "model.json")
