"""summarise_tree and summarise_frontier: the dict agrees with the tree it describes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree.problem.tables.columns import Column
from budgetree.report import summarise_frontier, summarise_tree
from report_cases import SCRIPT, hostile_instance, repeating_tree


def fees_and_price(content: dict[str, Any], path: list[int]) -> tuple[Fraction, Fraction]:
    """The least and the most that the last test of a path costs there, from the price list alone."""
    *before, test = path
    if test in before:
        return Fraction(0), Fraction(0)
    paid = {fee for each in before for fee in content["tests"][each]["fees"]}
    unpaid = [fee for fee in content["tests"][test]["fees"] if fee not in paid]
    due = sum(Fraction(str(content["fees"][fee]["amount"])) for fee in unpaid)
    prices = [Fraction(str(price)) for price in content["tests"][test]["prices"]]
    return min(prices) + due, max(prices) + due


def test_every_node_says_its_counts_costs_and_price(tmp_path: Path) -> None:
    trees = [bt.grow(hostile_instance()), bt.grow(bt.datasets.load("pima")), repeating_tree(tmp_path)]
    for tree in trees:
        content = summarise_tree(tree, title="a tree")
        (entry,) = content["trees"]
        assert content["points"] == []
        for key in ("max_cost", "known_max_cost", "mean_cost", "errors", "n_objects", "n_leaves", "depth"):
            assert entry[key] == getattr(tree, key)
        assert max(node["spent"] for node in entry["nodes"]) == tree.known_max_cost
        pending = [(0, list[int]())]
        seen = 0
        while pending:
            at, above = pending.pop()
            node = entry["nodes"][at]
            seen += 1
            assert node["counts"] == tree.nodes.counts[at].tolist()
            assert node["counts"][node["label"]] == max(node["counts"])
            if "test" not in node:
                continue
            path = [*above, node["test"]]
            assert tuple(Fraction(str(price)) for price in node["price"]) == fees_and_price(content, path)
            assert len(node["branches"]) == len(content["tests"][node["test"]]["outcomes"])
            pending += [(child, path) for child in set(node["branches"]) - {None}]
        assert seen == len(tree.nodes)


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
    column = [Column("flat", "float", numbers=np.array([3.0, 3.0])), Column("class", "text", values=["a", "b"])]
    instance = bt.Instance.from_columns(column, "class", levels={"flat": 4})
    content = summarise_tree(bt.grow(instance), title="")
    assert content["tests"][0]["encoding"]["thresholds"] == [None, None, None]
    json.dumps(content, allow_nan=False)


def test_weights_are_counted_in_the_users_units() -> None:
    instance = bt.Instance([[0], [0], [1]], ["a", "b", "b"], weights=[0.1, 0.2, 1])
    (entry,) = summarise_tree(bt.grow(instance), title="")["trees"]
    assert entry["nodes"][0]["counts"] == [0.1, 1.2]
    assert entry["errors"] == 0.1


def test_a_model_file_has_no_encoding(tmp_path: Path) -> None:
    content = summarise_tree(repeating_tree(tmp_path), title="")
    assert [test["encoding"] for test in content["tests"]] == [None, None]
    assert content["fees"] == [{"name": "visit", "amount": 0.5}]


def test_a_frontier_has_a_tree_for_each_point() -> None:
    frontier = bt.frontier(bt.datasets.load("pima"))
    content = summarise_frontier(frontier, title="pima")
    assert content["bounds"] == [list(step) for step in frontier.bounds]
    cheaper = "Whatever costs less in the worst case makes more errors."
    said = [tree["statement"]["sentences"] for tree in content["trees"]]
    assert [cheaper in sentences for sentences in said] == [False, *[True] * (len(said) - 1)]
    greedy = summarise_frontier(bt.frontier(bt.datasets.load("pima"), method="greedy"), title="pima")
    assert not any(cheaper in tree["statement"]["sentences"] for tree in greedy["trees"])
    assert [point["max_cost"] for point in content["points"]] == [point.max_cost for point in frontier]
    for point in content["points"]:
        tree = content["trees"][point["tree"]]
        assert (tree["max_cost"], tree["errors"]) == (point["max_cost"], point["errors"])
    assert content["trees"][content["chosen"]]["errors"] == min(point.errors for point in frontier)


def test_a_certificate_is_told_in_lines() -> None:
    instance = bt.datasets.load("figure1")
    tree = bt.grow(instance)
    certificate = bt.certify(instance, tree)
    (entry,) = summarise_tree(tree, title="", certificate=certificate)["trees"]
    assert entry["certificate"]["lines"] == certificate.to_text().splitlines()
    assert entry["certificate"]["lower_bound"] == certificate.lower_bound
    assert entry["certificate"]["ratio"] == pytest.approx(certificate.ratio)
