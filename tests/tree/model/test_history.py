"""Origin and what is proven go through the model file as they are; false claims are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TreeError
from budgetree.services.clock import Ended
from budgetree.tree.model.encoding import exact
from budgetree.tree.proven import Asked, Proven
from budgetree.tree.provenance import Change, ChangeKind, Function, Method, Origin


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
    Origin(Method.EXACT),
    Origin(
        Method.GREEDY,
        FUNCTION,
        Fraction(1, 7),
        Fraction(5),
        "expected",
        42,
        (Change(ChangeKind.TRIMMED), Change(ChangeKind.CUT, Fraction(1, 3))),
    ),
]


@pytest.mark.parametrize("origin", ORIGINS, ids=str)
def test_an_origin_goes_through_a_file(tree: bt.Tree, origin: Origin, tmp_path: Path) -> None:
    assert through_a_file(replace(tree, origin=origin), tmp_path).origin == origin


@pytest.mark.parametrize(
    "proven",
    [
        None,
        Proven(Asked.BUDGET, None, Method.EXACT, None, Fraction(10, 3)),
        Proven(Asked.MAX_ERROR, Fraction(1, 3), Method.GREEDY, Fraction(1, 7), Fraction(0), Fraction(1, 9)),
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


ORIGIN = {"method": "greedy", "rule": "worst", "changes": []}


@pytest.mark.parametrize(
    ("entries", "fields"),
    [
        ({"origin": "prose"}, {"entry": "origin", "found": "prose", "expected": "object"}),
        ({"origin": {**ORIGIN, "method": "magic"}}, {"entry": "origin.method", "found": "magic"}),
        ({"origin": {}}, {"entry": "origin", "subject": "method"}),
        ({"origin": {**ORIGIN, "delta": "much"}}, {"entry": "origin.delta", "found": "much"}),
        ({"origin": {**ORIGIN, "changes": [{"kind": "burnt"}]}}, {"entry": "origin.changes[0].kind", "found": "burnt"}),
        ({"proven": {**CLAIM, "least_errors": 11}}, {"entry": "proven.least_errors", "found": 11, "expected": 10}),
        ({"proven": {**CLAIM, "least_cost": 99}}, {"entry": "proven.least_cost", "found": 99}),
        ({"proven": {**CLAIM, "least_cost": -1}}, {"entry": "proven.least_cost", "found": -1}),
        ({"proven": {**CLAIM, "complete": "yes"}}, {"entry": "proven.complete", "found": "yes", "expected": "boolean"}),
        ({"proven": {**CLAIM, "complete": False}}, {"entry": "proven.complete", "found": False}),
        ({"proven": {"asked": "budget"}}, {"entry": "proven", "subject": "limit"}),
        ({"ended": "bored"}, {"entry": "ended", "found": "bored"}),
        ({"expected": {"error": 0, "se": 0, "overfitted": False, "how": "", "loss": 1}}, {"subject": "loss_se"}),
    ],
)
def test_a_false_or_malformed_entry_is_refused(
    tree: bt.Tree, entries: dict[str, Any], fields: dict[str, Any], tmp_path: Path
) -> None:
    path = with_entry(tree, tmp_path, **entries)
    with refused(bt.ModelFileError, source=str(path), **fields):
        bt.Tree.from_json(path)


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    with refused(TreeError, found=Fraction(10**130 + 1, 10**130)):
        exact(Fraction(10**130 + 1, 10**130))
    longest = Fraction(10**119 + 1, 10**119)  # that a price may be
    tree = bt.grow(bt.Instance([[0], [1]], ["a", "b"], prices=longest))
    tree.to_json(tmp_path / "model.json")
    assert bt.Tree.from_json(tmp_path / "model.json") == tree
