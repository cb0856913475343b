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
from budgetree.errors import ModelFileError, TreeError
from budgetree.services.clock import Ended
from budgetree.tree.model.encoding import exact
from budgetree.tree.provenance import Bounds, Change, ChangeKind, Function, LeafChoice, Method, Origin, ProofState


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
    Origin(
        Method.PREDICTIVE,
        choice=LeafChoice("points", (("tree", 0.4), ("points", 0.376), ("model", 0.368)), "model", 0.008, 0.004),
        confidence=Fraction(9, 10),
    ),
]


@pytest.mark.parametrize("origin", ORIGINS, ids=str)
def test_an_origin_goes_through_a_file(tree: bt.Tree, origin: Origin, tmp_path: Path) -> None:
    assert through_a_file(replace(tree, origin=origin), tmp_path).origin == origin


def test_a_choice_without_the_score_of_its_kind_is_refused(tree: bt.Tree, tmp_path: Path) -> None:
    choice = LeafChoice("model", (("tree", 0.4),), "tree", 0.1, 0.2)
    with refused(ModelFileError, found=["tree"]):
        through_a_file(replace(tree, origin=Origin(Method.PREDICTIVE, choice=choice)), tmp_path)


@pytest.mark.parametrize(
    "bounds",
    [
        None,
        Bounds(ProofState.BOUNDED, 3),
        Bounds(ProofState.OPTIMAL, 10, 9, 2),
        Bounds(ProofState.NOT_SEARCHED, 0, 3, 1, Fraction(1, 3), 7),
    ],
    ids=["nothing", "errors", "best", "cost"],
)
@pytest.mark.parametrize("ended", Ended)
def test_what_is_proven_goes_through_a_file(tree: bt.Tree, bounds: Bounds | None, ended: Ended, tmp_path: Path) -> None:
    claiming = replace(tree, bounds=bounds, ended=ended)
    again = through_a_file(claiming, tmp_path)
    assert (again.bounds, again.ended) == (bounds, ended)
    assert str(again.statement) == str(claiming.statement)


CLAIM = {"state": "bounded", "least_loss": 0, "within": 9, "least_cost": 0, "max_error": None, "min_cases": 1}
CLAIM |= {"ignores": []}


ORIGIN = {"method": "greedy", "rule": "worst", "changes": []}


@pytest.mark.parametrize(
    ("entries", "fields"),
    [
        ({"origin": "prose"}, {"entry": "origin", "found": "prose", "expected": "object"}),
        ({"origin": {**ORIGIN, "method": "magic"}}, {"entry": "origin.method", "found": "magic"}),
        ({"origin": {}}, {"entry": "origin", "subject": "method"}),
        ({"origin": {**ORIGIN, "delta": "much"}}, {"entry": "origin.delta", "found": "much"}),
        ({"origin": {**ORIGIN, "changes": [{"kind": "burnt"}]}}, {"entry": "origin.changes[0].kind", "found": "burnt"}),
        ({"bounds": {**CLAIM, "least_loss": 11}}, {"entry": "bounds.least_loss", "found": 11, "expected": 10}),
        ({"bounds": {**CLAIM, "least_loss": 0.5}}, {"entry": "bounds.least_loss", "found": 0.5}),
        ({"bounds": {**CLAIM, "least_cost": 99}}, {"entry": "bounds.least_cost", "found": 99}),
        ({"bounds": {**CLAIM, "least_cost": -1}}, {"entry": "bounds.least_cost", "found": -1}),
        ({"bounds": {**CLAIM, "state": "perfect"}}, {"entry": "bounds.state", "found": "perfect"}),
        ({"bounds": {**CLAIM, "state": "optimal"}}, {"entry": "bounds.state", "found": "optimal"}),
        ({"bounds": {**CLAIM, "ignores": ["order"]}}, {"entry": "bounds.ignores", "expected": "some of no rules"}),
        ({"bounds": {**CLAIM, "within": 0}}, {"entry": "bounds.state", "found": "bounded"}),
        ({"bounds": {"state": "optimal"}}, {"entry": "bounds", "subject": "least_loss"}),
        ({"ended": "bored"}, {"entry": "ended", "found": "bored"}),
        ({"estimate": {"error": 0, "se": 0, "overfitted": False, "how": "", "loss": 1}}, {"subject": "loss_se"}),
        (
            {"estimate": {"error": 0, "se": 0, "overfitted": False, "how": "", "mean_cost": 1, "recalls": [0.5]}},
            {"found": 1},
        ),
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
