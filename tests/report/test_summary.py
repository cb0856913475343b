"""summarise_tree and summarise_frontier: the dict agrees with the tree it describes."""

from __future__ import annotations

import hashlib
import json
import random
import re
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from support import to_instance

import budgetree as bt
from budgetree.data.column import Column
from budgetree.data.encoders import LevelPlan
from budgetree.data.table import Table
from budgetree.report import summarise_frontier, summarise_tree
from budgetree.show.frontier_view import frontier_steps
from built_trees import BUILT, random_tree
from losing import losing_frontier, losing_tree
from new_cases import new_tree
from page_process import needs_node, the_page
from report_cases import SCRIPT, hostile_instance, repeating_tree
from ruled_tables import RULES, ruled_table


def charges(content: dict[str, Any], path: list[int]) -> list[Fraction]:
    """What the last test of a path costs there by outcome and last where it is not listed, by the price list alone."""
    *before, test = path
    paid = {place for each in before for place in content["tests"][each]["shared"]}
    unpaid = [place for place in content["tests"][test]["shared"] if place not in paid]
    due = sum(Fraction(str(content["shared"][place]["amount"])) for place in unpaid)
    prices = [Fraction(str(price)) for price in content["tests"][test]["prices"]]
    return [price + due for price in [*prices, max(prices)]]


def test_every_node_says_its_counts_costs_and_charges() -> None:
    trees = [bt.grow(hostile_instance()), bt.grow(bt.datasets.load("pima")), repeating_tree()]
    trees += [random_tree(seed)[0] for seed in range(30)]
    for tree in trees:
        content = summarise_tree(tree, title="a tree")
        (entry,) = content["trees"]
        assert content["points"] == []
        for key in ("max_cost", "known_max_cost", "mean_cost", "errors", "n_objects", "n_leaves", "depth"):
            assert entry[key] == getattr(tree, key)
        assert entry["nodes"][0]["remaining"] >= tree.max_cost
        pending = [(0, list[int]())]
        seen = 0
        while pending:
            at, path = pending.pop()
            node = entry["nodes"][at]
            seen += 1
            assert node["counts"] == tree.schema.plain_cases(tree.nodes.counts[at].tolist())
            assert any(entry["nodes"][node.get("voters", at)]["counts"])
            if node["kind"] == "buy":
                path = [*path, node["test"]]
                assert [Fraction(str(amount)) for amount in node["charge"]] == charges(content, path)
                assert sum(node["shown"]) == pytest.approx(sum(node["counts"]))
                due = node["due"] + [late["shared"] for late in node["late"]]
                assert sorted(due) == content["tests"][node["test"]]["shared"]
                for late in node["late"]:
                    payers = [each for each in path[:-1] if late["shared"] in content["tests"][each]["shared"]]
                    assert late["unless"] == payers != []
                pending.append((node["child"], path))
            elif node["kind"] == "by_result":
                assert len(node["children"]) == len(content["tests"][node["test"]]["outcomes"]) + 1
            pending += [(child, path) for child in set(node.get("children", []))]
        assert seen == len(tree.nodes)


def branch_labels(content: dict[str, Any]) -> list[tuple[int, str]]:
    """Depth and label of every branch that the page shows, from top to bottom, as its scripts name them."""
    return [tuple(entry) for entry in the_page().ask({"branches": content})["branches"]]


def text_labels(tree: bt.Tree) -> list[tuple[int, str]]:
    """The same from to_text."""
    lines = [re.match(r"([│├└─ ]*)(.*?): ", line) for line in tree.to_text().splitlines()[2:]]
    return [(len(line[1]) // 3, line[2]) for line in lines if line]


@needs_node
@pytest.mark.parametrize("seed", range(60))
def test_the_page_has_the_branches_of_to_text(seed: int) -> None:
    tree = bt.grow(to_instance(reference.random_problem(random.Random(seed))))
    assert branch_labels(summarise_tree(tree, title="")) == text_labels(tree)


@needs_node
@pytest.mark.parametrize("name", ["pima", "soybean", "mammographic"])
def test_ranges_and_equal_subtrees_are_joined_as_in_to_text(name: str) -> None:
    for tree in (bt.grow(bt.datasets.load(name), bt.HingedPairs(3)), bt.optimal(bt.datasets.load(name), budget=2).tree):
        assert branch_labels(summarise_tree(tree, title="")) == text_labels(tree)


def nodes_of(group: dict[str, Any], nodes: list[dict[str, Any]]) -> list[int]:
    """All that a group shows: of each of its nodes, what is one stage with it; a leaf has a group of its own."""
    found = []
    for node in group["nodes"]:
        found.append(node)
        while "buys" in group and nodes[node]["kind"] == "buy":
            node = nodes[node]["child"]
            if nodes[node]["kind"] != "leaf":
                found.append(node)
    return found


def test_every_node_is_in_one_group() -> None:
    """But for leaves that no known case comes to."""
    for tree in (
        bt.grow(hostile_instance()),
        bt.grow(bt.datasets.load("soybean")),
        new_tree("model"),
        repeating_tree(),
    ):
        (entry,) = summarise_tree(tree, title="")["trees"]
        listed = [node for group in entry["outline"] for node in nodes_of(group, entry["nodes"])]
        assert len(set(listed)) == len(listed)
        left_out = set(range(len(tree.nodes))) - set(listed)
        assert all(entry["nodes"][node]["kind"] == "leaf" and "voters" in entry["nodes"][node] for node in left_out)
        for number, group in enumerate(entry["outline"]):
            assert all(branch["below"] > number for branch in group.get("branches", []))
            end = group.get("end", group["nodes"][0])
            assert {*group.get("buys", []), end} <= {*nodes_of(group, entry["nodes"]), end}


def test_the_page_knows_every_key_of_the_summary() -> None:
    """types.d.ts, by which the page's scripts are checked, has the keys that Python writes."""
    source = resources.files("budgetree.report").joinpath("page", "types.d.ts").read_text(encoding="utf-8")
    shapes = {
        name: {key.rstrip("?") for key in re.findall(r"^  (\w+\??):(?!.*: by names\.js$)", body, re.M)}
        for name, body in re.findall(r"^export interface (\w+)(?: extends \w+)? \{\n(.*?)^\}", source, re.M | re.S)
    }
    content = summarise_frontier(bt.frontier(bt.datasets.load("pima"), folds=0, objective="known"), title="")
    assert set(content) == shapes["Content"]
    assert set(content["points"][0]) == shapes["Point"]
    assert set(content["steps"]) == shapes["Steps"]
    assert set(content["trees"][0]) == shapes["Tree"]
    trees = [bt.grow(hostile_instance()), repeating_tree(), *(make() for make in BUILT.values())]
    entries = [summarise_tree(tree, title="")["trees"][0] for tree in trees]
    written: dict[str, set[str]] = {}
    for node in (node for entry in entries for node in entry["nodes"]):
        written[node["kind"]] = written.get(node["kind"], set()) | set(node)
    facts = shapes["Facts"]
    assert written == {
        "buy": shapes["Buy"] | facts - {"voters"},
        "by_result": shapes["ByResult"] | facts - {"voters"},
        "by_total": shapes["ByTotal"] | facts - {"voters"},
        "leaf": shapes["Leaf"] | facts,
    }
    groups = [group for entry in entries for group in entry["outline"]]
    assert set().union(*groups) == shapes["Group"]
    assert set().union(*(branch for group in groups for branch in group.get("branches", []))) == shapes["Branch"]
    assert {key for entry in entries for totals in entry["totals"] for key in totals} == shapes["Totals"]
    assert {key for entry in entries for node in entry["nodes"] for key in node.get("usual", {})} == shapes["Usual"]
    assert {
        key for entry in entries for node in entry["nodes"] for each in node.get("late", []) for key in each
    } == shapes["Late"]
    priced = summarise_tree(bt.grow(hostile_instance()), title="")
    assert set(priced["shared"][0]) == shapes["Shared"]
    assert set(priced["tests"][0]) == shapes["Test"]
    named = [name for test in priced["tests"] for name in test["outcomes"] if isinstance(name, dict)]
    assert set().union(*named) == shapes["Interval"]
    kinds = {test["encoding"]["kind"]: set(test["encoding"]) for test in priced["tests"]}
    assert kinds == {"levels": shapes["Levels"], "values": shapes["Values"]}
    instance = bt.datasets.load("figure1")
    certificate = bt.certify(instance, bt.grow(instance))
    (entry,) = summarise_tree(bt.grow(instance), title="", certificate=certificate)["trees"]
    assert set(entry["certificate"]) == shapes["Certificate"]


def test_thresholds_divide_numbers_as_the_encoder_does() -> None:
    instance = hostile_instance()
    content = summarise_tree(bt.grow(instance), title="")
    encoding = next(test["encoding"] for test in content["tests"] if test["name"] == SCRIPT)
    encoder = next(each for each in instance.schema.encoders or () if each.name == SCRIPT)
    assert encoding["missing"] == len(encoding["thresholds"]) + 1 == 10
    edges = np.array(encoding["thresholds"])
    values = np.concatenate([edges, np.nextafter(edges, -np.inf), [encoding["low"] - 50, encoding["high"] + 50]])
    expected = encoder.encode(Column(SCRIPT, "float", numbers=values))
    assert np.searchsorted(edges, values, side="right").tolist() == expected.tolist()


def test_a_column_with_one_value_has_thresholds_that_nothing_reaches() -> None:
    columns = (Column("flat", "float", numbers=np.array([3.0, 3.0])), Column("class", "text", values=["a", "b"]))
    instance = bt.Instance.from_table(Table("t", columns, 2), "class", levels=LevelPlan.of({"flat": 4}, "uniform"))
    content = summarise_tree(bt.grow(instance), title="")
    assert content["tests"][0]["encoding"]["thresholds"] == [None, None, None]
    json.dumps(content, allow_nan=False)


def test_weights_are_counted_in_the_users_units() -> None:
    instance = bt.Instance([[0], [0], [1]], ["a", "b", "b"], weights=[0.1, 0.2, 1])
    (entry,) = summarise_tree(bt.grow(instance), title="")["trees"]
    assert entry["nodes"][0]["counts"] == [0.1, 1.2]
    assert entry["errors"] == 0.1


def test_codes_have_no_encoding() -> None:
    content = summarise_tree(repeating_tree(), title="")
    assert [test["encoding"] for test in content["tests"]] == [None, None]
    assert content["shared"] == [{"name": "visit", "amount": 0.5, "panel": False}]


def test_a_frontier_has_a_tree_for_each_point() -> None:
    frontier = bt.frontier(bt.datasets.load("pima"), folds=0, objective="known")
    content = summarise_frontier(frontier, title="pima")
    steps = frontier_steps(frontier)
    assert content["steps"]["loss"] == [list(corner) for corner in steps.loss.corners]
    assert content["steps"]["bound"] == [list(corner) for corner in steps.bound.corners]
    said = [[fact["kind"] for fact in tree["statement"]["facts"]] for tree in content["trees"]]
    assert ["costlier" in kinds for kinds in said] == [False, *[True] * (len(said) - 1)]
    greedy = summarise_frontier(bt.frontier(bt.datasets.load("pima"), method="greedy", folds=0), title="pima")
    assert not any(fact["kind"] == "costlier" for tree in greedy["trees"] for fact in tree["statement"]["facts"])
    assert [point["max_cost"] for point in content["points"]] == [point.max_cost for point in frontier]
    for point in content["points"]:
        tree = content["trees"][point["tree"]]
        assert (tree["max_cost"], tree["errors"]) == (point["max_cost"], point["errors"])
    assert content["trees"][content["chosen"]]["errors"] == min(point.errors for point in frontier)


def test_the_page_opens_on_the_recommended_tree() -> None:
    frontier = bt.frontier(bt.datasets.load("soybean"), objective="known")
    content = summarise_frontier(frontier, title="")
    chosen = content["points"][content["chosen"]]
    assert chosen["max_cost"] == frontier.recommended.max_cost == 3
    assert chosen["new_error"] == frontier.recommended.new_error
    assert [content["points"][at]["overfitted"] for at in (0, -1)] == [False, True]
    assert (content["validation"]["n_done"], content["validation"]["n_folds"]) == (5, 5)
    assert content["advice"] == {"recommended": content["chosen"], "enough": content["chosen"]}


def test_a_tree_is_known_by_the_digest_of_its_file(tmp_path: Path) -> None:
    """The same before and after it was saved, and another for another tree."""
    trees = [bt.grow(bt.datasets.load("pima"), budget=budget) for budget in (1, 2)]
    digests = [summarise_tree(tree, title="")["trees"][0]["digest"] for tree in trees]
    assert digests[0] != digests[1]
    trees[0].to_json(tmp_path / "model.json")
    assert digests[0] == hashlib.sha256((tmp_path / "model.json").read_bytes()).hexdigest()
    read = bt.Tree.from_json(tmp_path / "model.json")
    assert digests[0] == summarise_tree(read, title="another")["trees"][0]["digest"]


def test_a_certificate_is_told_in_lines() -> None:
    instance = bt.datasets.load("figure1")
    tree = bt.grow(instance)
    certificate = bt.certify(instance, tree)
    (entry,) = summarise_tree(tree, title="", certificate=certificate)["trees"]
    assert entry["certificate"]["lines"] == certificate.to_text().splitlines()
    assert entry["certificate"]["lower_bound"] == certificate.lower_bound
    assert entry["certificate"]["ratio"] == pytest.approx(certificate.ratio)


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_losses_answers_and_what_they_were_given_for_are_told(leaves: str | None) -> None:
    tree = losing_tree(leaves)
    content = summarise_tree(tree, title="")
    assert content["answers"] == ["ill", "well", "worse", "refer", "wait"]
    losses = content["losses"]
    assert losses["units"][0][1] / losses["scale"] == 9  # an ill case that is called well
    assert [row[3] / losses["scale"] for row in losses["units"]] == [0.4] * 3
    assert not losses["plain"]
    (entry,) = content["trees"]
    assert (entry["loss"], entry["errors"], entry["referred"]) == (tree.loss, tree.errors, tree.referred)
    assert tree.confusion is not None
    assert all(count == tree.confusion.counts[answer][label] for answer, label, count in entry["confusion"])
    assert sum(count for _, _, count in entry["confusion"]) == 150
    json.dumps(content, allow_nan=False)


def test_without_losses_the_answers_are_the_classes() -> None:
    content = summarise_tree(bt.grow(bt.datasets.load("figure1")), title="")
    assert content["losses"] is None
    assert content["answers"] == content["classes"]
    (entry,) = content["trees"]
    assert (entry["loss"], entry["referred"]) == (entry["errors"], 0)


def test_a_frontier_of_loss_has_its_steps() -> None:
    frontier = losing_frontier()
    content = summarise_frontier(frontier, title="")
    assert [point["loss"] for point in content["points"]] == [point.loss for point in frontier]
    assert content["steps"]["loss"][0] == [0, frontier[0].loss]
    assert content["trees"][-1]["statement"]["facts"] == [{"kind": "least", "budget": 3}, {"kind": "costlier"}]


def test_every_resource_has_its_amounts() -> None:
    cases = bt.Instance.from_frame(ruled_table(), "y", prices=RULES["all"])
    tree = bt.fit(cases, budget=20, objective="known", method="greedy", folds=0).tree
    content = summarise_tree(tree, title="")
    assert [(resource["unit"], resource["limit"]) for resource in content["further"]] == [("min", 25), ("tests", 4)]
    by_name = {test["name"]: test for test in content["tests"]}
    assert by_name["x"]["panel"] == "blood"
    age, sex = (cases.schema.test_names.index(name) for name in ("age", "sex"))
    assert sorted(by_name["scan"]["after"]) == [[(age, None)], [(sex, [0])]]
    (shown,) = content["trees"]
    rows = tree.walk_codes(cases.codes)
    for at, (found, cost) in enumerate(zip(shown["further"], [*tree.costs.values()][1:], strict=True), start=1):
        assert (found["max_cost"], found["mean_cost"]) == (cost.worst, cost.mean)
        scale = float(tree.schema.costs.resources[at].scale)
        for leaf, spent in zip(rows.leaf.tolist(), (rows.all_spent[at] / scale).tolist(), strict=True):
            assert spent <= found["nodes"][leaf]["spent"]
        assert found["nodes"][0]["remaining"] >= cost.worst
