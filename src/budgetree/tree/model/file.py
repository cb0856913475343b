"""The model file: a tree as JSON. Reading checks everything and runs nothing."""

from __future__ import annotations

import math
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import ModelFileError
from budgetree.problem import Schema
from budgetree.problem.schema import distinct_names
from budgetree.problem.units import LARGEST, SMALLEST
from budgetree.services.clock import Ended
from budgetree.services.files import json_text, write_text
from budgetree.services.json_file import read_json
from budgetree.services.words import counted
from budgetree.tree.model.encoding import (
    encoding_content,
    exact,
    prices_content,
    read_encoding,
    read_number,
    read_prices,
)
from budgetree.tree.model.history import (
    expected_content,
    origin_content,
    proven_content,
    read_ended,
    read_expected,
    read_origin,
    read_proven,
)
from budgetree.tree.model.labels import labels_content, read_labels
from budgetree.tree.model.leaves import known_content, models_content, read_known, read_models, read_probabilities
from budgetree.tree.model.losses import losses_content, read_losses
from budgetree.tree.model.shape import FORMAT, VERSION, check_shape
from budgetree.tree.nodes import LEAF, NO_BRANCH, Nodes, charges, paid_on_arrival
from budgetree.tree.purchases import spending

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

AnyTree = TypeVar("AnyTree", bound="Tree")
VERSION_OF_RECORDS = 3  # before it "origin" was prose, and what was proven was not kept


def write(path: str | PathLike[str], tree: Tree) -> None:
    """Write the whole file; an old one stays until the new one is complete."""
    write_text(Path(path), model_text(tree))


def model_text(tree: Tree) -> str:
    """What the file of a tree says."""
    return json_text(_to_content(tree))


def read(path: str | PathLike[str], make: type[AnyTree]) -> AnyTree:
    """The tree in a file; ModelFileError when the file is not a valid model."""
    try:
        content = read_json(path)
    except ValueError as error:
        raise ModelFileError(f"{path}: not valid JSON ({error}); the file may be truncated or not a model.") from error
    try:
        return _from_content(content, make)
    except (ValueError, OverflowError) as error:  # also names or prices that do not fit
        raise ModelFileError(f"{path}: {error}") from error


def _is_unwritten(name: Any) -> bool:
    return isinstance(name, float) and not math.isfinite(name)


def _to_content(tree: Tree) -> dict[str, Any]:
    schema, nodes = tree.schema, tree.nodes
    for name in schema.class_names:
        if not isinstance(name, (str, int, float, bool)):
            raise ValueError(
                f"class {name!r} is a {type(name).__name__}; a model file holds classes that are texts, numbers or "
                "booleans. Convert the labels before growing."
            )
        if _is_unwritten(name):
            raise ValueError(
                f"class {name!r} is no finite number, which JSON cannot hold; convert the labels before growing."
            )
    entries: list[dict[str, Any]] = []
    for node in range(len(nodes)):
        entry: dict[str, Any] = {"counts": nodes.counts[node].tolist()}
        if nodes.test[node] != LEAF:
            test = int(nodes.test[node])
            below = nodes.children(node, int(schema.n_outcomes[test])).tolist()
            entry["test"] = test
            entry["branches"] = [None if child == NO_BRANCH else child for child in below]
            if nodes.fallback[node]:
                entry["fallback"] = True
            if nodes.otherwise is not None:
                entry["otherwise"] = int(nodes.otherwise[node])
        elif nodes.probabilities is not None:
            entry["probabilities"] = nodes.probabilities[node].tolist()
        if tree.models is not None and tree.models.model(node) is not None:
            entry["model"] = int(tree.models.of_node[node])
        entries.append(entry)
    return {
        "format": FORMAT,
        "version": VERSION,
        "origin": origin_content(tree.origin),
        "proven": proven_content(tree.proven, tree.ended),
        "expected": expected_content(tree.expected),
        "known": known_content(tree.known),
        "n_objects": tree.n_objects,
        "units_per_object": exact(schema.weight_scale),
        "classes": list(schema.class_names),
        "tests": _tests_content(schema),
        "prices": prices_content(schema.prices),
        "losses": losses_content(schema),
        "labels": labels_content(schema),
        "models": models_content(tree.models),
        "nodes": entries,
    } | ({} if tree.ended is Ended.COMPLETE else {"ended": tree.ended.value})


def _tests_content(schema: Schema) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = [
        {"name": name, "outcomes": list(outcomes)}
        for name, outcomes in zip(schema.test_names, schema.outcome_names, strict=True)
    ]
    for test, encoder in zip(content, schema.encoders or (), strict=False):
        test["encoding"] = encoding_content(encoder)
    return content


def _from_content(content: Any, make: type[AnyTree]) -> AnyTree:
    check_shape(content)
    tests, classes = content["tests"], content["classes"]
    if any(map(_is_unwritten, classes)):
        raise ModelFileError("classes must be texts, booleans or finite numbers.")
    if len({(type(name), name) for name in classes}) < len(classes):
        raise ModelFileError("classes must differ from each other.")
    names = distinct_names([test["name"] for test in tests], "tests")
    encoded = ["encoding" in test for test in tests]
    if any(encoded) and not all(encoded):
        raise ModelFileError(f"test {names[encoded.index(False)]!r} has no encoding, but others do; all or none must.")
    schema = Schema(
        test_names=names,
        outcome_names=tuple(distinct_names(test["outcomes"], f"test {test['name']!r}") for test in tests),
        class_names=tuple(classes),
        prices=read_prices(content["prices"]),
        weight_scale=read_number(content["units_per_object"], "units_per_object"),
        encoders=tuple(read_encoding(test) for test in tests) if any(encoded) else None,
        losses=read_losses(content.get("losses"), len(classes)),
    )
    schema = read_labels(content.get("labels"), schema)
    if not SMALLEST <= schema.weight_scale <= LARGEST:
        raise ModelFileError("units_per_object must be above 0, and between 1e-100 and 1e100.")
    expected = "text" if content["version"] < VERSION_OF_RECORDS else "an object"
    if isinstance(content["origin"], str) != (expected == "text"):
        raise ModelFileError(f"origin is {content['origin']!r:.60}; expected {expected} in this version.")
    nodes = _read_nodes(content["nodes"], schema)
    known = read_known(content.get("known"), nodes, schema, charges(nodes.test, nodes.parent, schema.table))
    models = read_models(content, content["nodes"], nodes, schema)
    origin = read_origin(content["origin"])
    tree = make(schema, nodes, int(content["n_objects"]), origin, models=models, known=known)
    proven = read_proven(content.get("proven"), tree.exact_loss, tree.exact_max_cost)
    return replace(tree, proven=proven, expected=read_expected(content.get("expected")), ended=read_ended(content))


def _read_nodes(entries: list[Any], schema: Schema) -> Nodes:
    size = len(entries)
    test = np.full(size, LEAF, dtype=np.int32)
    parent = np.full(size, -1, dtype=np.int32)
    counts = np.zeros((size, len(schema.class_names)), dtype=np.int64)
    first_branch = np.full(size, -1, dtype=np.int64)
    fallback = np.zeros(size, dtype=bool)
    otherwise = _read_otherwise(entries)
    branches: list[int] = []
    for node, entry in enumerate(entries):
        if len(entry["counts"]) != counts.shape[1]:
            raise ModelFileError(f"node {node} has the counts {entry['counts']!r:.60}; expected {counts.shape[1]}.")
        counts[node] = entry["counts"]
        if "test" not in entry:
            continue
        if entry["test"] >= len(schema.test_names):
            raise ModelFileError(
                f"node {node} has the test {entry['test']!r}; expected 0 to {len(schema.test_names) - 1}."
            )
        test[node] = entry["test"]
        fallback[node] = entry.get("fallback", False)
        first_branch[node] = len(branches)
        below = _read_branches(node, entry["branches"], int(schema.n_outcomes[test[node]]), size)
        for child in dict.fromkeys(below if otherwise is None else [*below, int(otherwise[node])]):
            if child == NO_BRANCH:
                continue
            if parent[child] >= 0:
                raise ModelFileError(f"node {child} is a child of both node {parent[child]} and node {node}.")
            parent[child] = node
        branches.extend(below)
    orphans = np.flatnonzero(parent[1:] < 0) + 1
    if len(orphans):
        raise ModelFileError(f"node {orphans[0]} is no node's child.")
    if (np.diff(parent) < 0).any():
        raise ModelFileError("nodes are not in breadth-first order.")
    nodes = Nodes(test, parent, counts, np.zeros(size, np.int64), first_branch, np.array(branches, np.int32), fallback)
    nodes = replace(nodes, otherwise=otherwise, probabilities=read_probabilities(entries, counts, parent))
    _check_sums(nodes)
    if sum(counts[0].tolist()) * max(1, schema.loss_table.largest) > LARGEST_EXACT:
        raise ModelFileError("the root counts more than 2^53 units, or that many when multiplied by a loss.")
    due = charges(test, parent, schema.table)
    if otherwise is None:
        return replace(nodes, paid=paid_on_arrival(nodes, due, schema.n_outcomes))
    return replace(nodes, paid=spending(nodes, due, schema.n_outcomes).paid)


def _read_otherwise(entries: list[Any]) -> NDArray[np.int32] | None:
    if not any("otherwise" in entry or "probabilities" in entry or "model" in entry for entry in entries):
        return None
    otherwise = np.full(len(entries), NO_BRANCH, dtype=np.int32)
    for node, entry in enumerate(entries):
        if ("otherwise" in entry) != ("test" in entry):
            raise ModelFileError(
                f"node {node}: in a tree for new cases, nodes with a test have 'otherwise', leaves none."
            )
        if "test" in entry:
            if not node < entry["otherwise"] < len(entries):
                last = len(entries) - 1
                raise ModelFileError(
                    f"node {node}: otherwise is {entry['otherwise']}; expected a node after it, up to {last}."
                )
            otherwise[node] = entry["otherwise"]
    return otherwise


def _read_branches(node: int, branches: list[Any], n_outcomes: int, size: int) -> list[int]:
    if len(branches) != n_outcomes or all(child is None for child in branches):
        raise ModelFileError(
            f"node {node} must have {counted(n_outcomes, 'branch', 'branches')}, one per outcome of its test "
            "(null: never seen)."
        )
    for child in branches:
        if child is None:
            continue
        if child >= size:
            raise ModelFileError(f"node {node} has the child {child!r}; there are nodes 0 to {size - 1}.")
        if child <= node:
            raise ModelFileError(
                f"node {node} has the child {child}, which points back; children come after their parent."
            )
    return [NO_BRANCH if child is None else int(child) for child in branches]


def _check_sums(nodes: Nodes) -> None:
    below = np.zeros_like(nodes.counts)
    np.add.at(below, nodes.parent[1:], nodes.counts[1:])
    # In a tree for new cases some stop at a node, and nobody known may come to another.
    is_wrong = below != nodes.counts if nodes.otherwise is None else below > nodes.counts
    wrong = np.flatnonzero(~nodes.is_leaf & is_wrong.any(axis=1))
    if len(wrong):
        raise ModelFileError(f"the counts of node {wrong[0]} are not the sum of its children's.")
    empty = np.flatnonzero(~nodes.counts[: None if nodes.otherwise is None else 1].any(axis=1))
    if len(empty):
        raise ModelFileError(f"node {empty[0]} counts no cases.")
