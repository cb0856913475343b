"""Origin and what is proven go through the model file as they are; older files and false claims are met in words."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import budgetree as bt
from budgetree.services.clock import Ended
from budgetree.tree.model.encoding import exact
from budgetree.tree.origin import Change, Function, Origin
from budgetree.tree.proven import Proven


@pytest.fixture(scope="module")
def tree() -> bt.Tree:
    return bt.grow(bt.datasets.load("figure1"))


def through_a_file(tree: bt.Tree, folder: Path) -> bt.Tree:
    tree.to_json(folder / "model.json")
    return bt.Tree.from_json(folder / "model.json")


def with_entry(tree: bt.Tree, folder: Path, **entries: Any) -> Path:
    tree.to_json(folder / "model.json")
    content = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(content | entries))
    return folder / "model.json"


FUNCTION = Function("HingedPairs", (("alpha", Fraction(1, 3)),), "HingedPairs(0.3333)")
ORIGINS = [
    Origin(),
    Origin("exact"),
    Origin(
        "greedy",
        FUNCTION,
        Fraction(1, 7),
        Fraction(5),
        "expected",
        42,
        (Change("trimmed"), Change("cut", Fraction(1, 3))),
    ),
    Origin(note="grown by hand"),
]


@pytest.mark.parametrize("origin", ORIGINS, ids=str)
def test_an_origin_goes_through_a_file(tree: bt.Tree, origin: Origin, tmp_path: Path) -> None:
    assert through_a_file(replace(tree, origin=origin), tmp_path).origin == origin


def test_the_prose_of_older_files_is_kept_as_a_note(tree: bt.Tree, tmp_path: Path) -> None:
    path = with_entry(tree, tmp_path, version=2, origin="greedy Pairs(), cut at 3")
    content = json.loads(path.read_text())
    del content["proven"]
    path.write_text(json.dumps(content))
    old = bt.Tree.from_json(path)
    assert old == tree
    assert old.origin == Origin("unknown", note="greedy Pairs(), cut at 3")
    assert str(old.origin) == "greedy Pairs(), cut at 3"
    assert old.proven is None
    again = through_a_file(old, tmp_path)
    assert again.origin == old.origin


@pytest.mark.parametrize(
    "proven",
    [
        None,
        Proven("budget", None, "exact", None, Fraction(10, 3)),
        Proven("max_error", Fraction(1, 3), "greedy", Fraction(1, 7), Fraction(0), Fraction(1, 9)),
    ],
    ids=["nothing", "errors", "cost"],
)
@pytest.mark.parametrize("ended", Ended)
def test_what_is_proven_goes_through_a_file(tree: bt.Tree, proven: Proven | None, ended: Ended, tmp_path: Path) -> None:
    claiming = replace(tree, proven=proven, ended=ended)
    again = through_a_file(claiming, tmp_path)
    assert (again.proven, again.ended) == (proven, ended)
    assert str(again.statement) == str(claiming.statement)


CLAIM = {
    "asked": "budget",
    "limit": 9,
    "method": "exact",
    "complete": True,
    "budget": 9,
    "least_errors": 0,
    "least_cost": 0,
}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"origin": "prose"}, "origin is 'prose'; expected an object in this version"),
        ({"origin": {"method": "magic"}}, r"origin.method is 'magic'; expected 'greedy' or 'exact'"),
        ({"origin": {}}, "origin: 'method' is missing"),
        ({"origin": {"method": "greedy", "delta": "much"}}, "origin.delta is 'much'; expected a number"),
        ({"origin": {"method": "exact", "changes": [{"kind": "burnt"}]}}, "kind is 'burnt'; expected 'cut'"),
        ({"proven": {**CLAIM, "least_errors": 11}}, "proven.least_errors is 11, but this very tree makes 10"),
        ({"proven": {**CLAIM, "least_cost": 99}}, "proven.least_cost is 99, but this very tree costs"),
        ({"proven": {**CLAIM, "least_cost": -1}}, "proven.least_cost is -1; expected a number of at least 0"),
        ({"proven": {**CLAIM, "complete": "yes"}}, "proven.complete is 'yes'; expected boolean"),
        ({"proven": {"asked": "budget"}}, "proven: 'limit' is missing"),
    ],
)
def test_a_false_or_malformed_entry_is_refused_in_words(
    tree: bt.Tree, entries: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = with_entry(tree, tmp_path, **entries)
    with pytest.raises(bt.ModelFileError, match=message) as caught:
        bt.Tree.from_json(path)
    assert str(path) in str(caught.value)


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="more than a model file holds"):
        exact(Fraction(10**130 + 1, 10**130))
    longest = Fraction(10**119 + 1, 10**119)  # that a price may be
    tree = bt.grow(bt.Instance([[0], [1]], ["a", "b"], prices=longest))
    tree.to_json(tmp_path / "model.json")
    assert bt.Tree.from_json(tmp_path / "model.json") == tree
