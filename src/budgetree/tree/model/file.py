"""The model file: a tree as JSON. Reading checks everything and runs nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import BudgetreeError, ModelFileError, TreeError, Where
from budgetree.problem import Schema
from budgetree.problem.schema import distinct_names
from budgetree.problem.units import LARGEST, SMALLEST
from budgetree.services.clock import Ended
from budgetree.services.files import check_schema, json_text, read_json, write_text
from budgetree.services.words import counted
from budgetree.tree.model import encoding, history, leaves
from budgetree.tree.model.encoding import exact, flaw, read_number
from budgetree.tree.nodes import LEAF, NO_BRANCH, Nodes, charges, paid_on_arrival
from budgetree.tree.purchases import spending

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

FORMAT, VERSION = "budgetree", 6
SCHEMA_FILE = "model.schema.json"
AnyTree = TypeVar("AnyTree", bound="Tree")


def write(path: str | PathLike[str], tree: Tree) -> None:
    """Write the whole file; an old one stays until the new one is complete."""
    write_text(Path(path), model_text(tree))


def model_text(tree: Tree) -> str:
    """What the file of a tree says."""
    return json_text(_to_content(tree))


def read(path: str | PathLike[str], make: type[AnyTree]) -> AnyTree:
    """The tree in a file; ModelFileError when the file is not a valid model."""
    where = Where(str(path))
    content = read_json(path, ModelFileError)
    try:
        return _from_content(content, make)
    except BudgetreeError as error:  # also names or prices that do not fit
        raise ModelFileError.of(error, where) from error
    except OverflowError as error:
        raise ModelFileError("a number in it is too large.", where=where) from error


def check_shape(content: Any) -> None:
    """An error about the first entry that breaks the published schema."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        message = 'this is not a budgetree model; expected an object with "format": "budgetree".'
        found = content.get("format") if isinstance(content, dict) else content
        raise ModelFileError(message, subject="format", found=found, expected=FORMAT)
    if (version := content.get("version", VERSION)) != VERSION:
        message = f"this is a model of version {version!r:.60}; this budgetree reads version {VERSION}."
        raise ModelFileError(message, subject="version", found=version, expected=VERSION)
    check_schema(content, "budgetree.tree.model", SCHEMA_FILE, ModelFileError)


def as_dict(tree: Tree) -> dict[str, Any]:
    """What Tree.to_dict returns: {"test", "counts", "label", "children": {outcome: …}}, the latter not in leaves.

    Where outcomes share a subtree, it stands at the first of them, and "same" says {other outcome: first}: written at
    all of them, three tests of 255 levels would take gigabytes.
    """
    nodes, schema = tree.nodes, tree.schema
    counts = nodes.counts.tolist()
    if schema.weight_scale != 1:
        counts = [schema.plain_cases(row) for row in counts]
    entries: list[dict[str, Any]] = []
    for node, test in enumerate(nodes.test.tolist()):
        entry: dict[str, Any] = {"counts": counts[node], "label": schema.answer_names[nodes.label[node]]}
        if test != LEAF:
            entry = {"test": schema.test_names[test], **entry, "children": {}}
        entries.append(entry)
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        names, first = schema.outcome_names[nodes.test[node]], dict[int, str]()
        for name, child in zip(names, nodes.children(node, len(names)).tolist(), strict=True):
            if child == NO_BRANCH:
                continue
            if child in first:
                entries[node].setdefault("same", {})[name] = first[child]
            else:
                first[child] = name
                entries[node]["children"][name] = entries[child]
    return entries[0]


def _is_unwritten(name: Any) -> bool:
    return isinstance(name, float) and not math.isfinite(name)


def _to_content(tree: Tree) -> dict[str, Any]:
    schema, nodes = tree.schema, tree.nodes
    for name in schema.class_names:
        if not isinstance(name, (str, int, float, bool)) or _is_unwritten(name):
            message = f"class {name!r} is a {type(name).__name__} that JSON cannot hold; a model file holds classes "
            message += "that are texts, finite numbers or booleans. Convert the labels before growing."
            raise TreeError(message, subject="class", found=name)
    entries: list[dict[str, Any]] = []
    for node, test in enumerate(nodes.test.tolist()):
        entry: dict[str, Any] = {"counts": nodes.counts[node].tolist()}
        if test != LEAF:
            below = nodes.children(node, int(schema.n_outcomes[test])).tolist()
            entry |= {"test": test, "branches": [None if child == NO_BRANCH else child for child in below]}
            if nodes.fallback[node]:
                entry["fallback"] = True
            if nodes.otherwise is not None:
                entry["otherwise"] = int(nodes.otherwise[node])
        elif nodes.probabilities is not None:
            entry["probabilities"] = nodes.probabilities[node].tolist()
        if tree.models is not None and tree.models.model(node) is not None:
            entry["model"] = int(tree.models.of_node[node])
        entries.append(entry)
    tests: list[dict[str, Any]] = [
        {"name": name, "outcomes": list(outcomes)}
        for name, outcomes in zip(schema.test_names, schema.outcome_names, strict=True)
    ]
    for test_entry, encoder in zip(tests, schema.encoders or (), strict=False):
        test_entry["encoding"] = encoding.encoding_content(encoder)
    return {
        "format": FORMAT,
        "version": VERSION,
        "origin": history.origin_content(tree.origin),
        "proven": history.proven_content(tree.proven, tree.ended),
        "expected": history.expected_content(tree.expected),
        "known": leaves.known_content(tree.known),
        "n_objects": tree.n_objects,
        "units_per_object": exact(schema.weight_scale),
        "classes": list(schema.class_names),
        "tests": tests,
        "prices": encoding.prices_content(schema.prices),
        "losses": encoding.losses_content(schema),
        "labels": encoding.labels_content(schema),
        "models": leaves.models_content(tree.models),
        "nodes": entries,
    } | ({} if tree.ended is Ended.COMPLETE else {"ended": tree.ended.value})


def _from_content(content: Any, make: type[AnyTree]) -> AnyTree:
    check_shape(content)
    schema = _read_schema(content)
    nodes = _read_nodes(content["nodes"], schema)
    known = leaves.read_known(content["known"], nodes, schema, charges(nodes.test, nodes.parent, schema.costs))
    models = leaves.read_models(content["models"], content["nodes"], nodes, schema)
    origin = history.read_origin(content["origin"])
    tree = make(schema, nodes, int(content["n_objects"]), origin, models=models, known=known)
    proven = history.read_proven(content["proven"], tree.exact_loss, tree.exact_max_cost)
    expected, ended = history.read_expected(content["expected"]), history.read_ended(content)
    return replace(tree, proven=proven, expected=expected, ended=ended)


@contextmanager
def _in_entry(entry: str) -> Iterator[None]:
    """What is refused in here is an error about this entry, unless it says more."""
    try:
        yield
    except BudgetreeError as error:
        raise ModelFileError.of(error, Where(entry=entry)) from error


def _read_schema(content: dict[str, Any]) -> Schema:
    tests, classes = content["tests"], content["classes"]
    if any(map(_is_unwritten, classes)):
        raise flaw("classes", classes, "texts, booleans or finite numbers")
    if len({(type(name), name) for name in classes}) < len(classes):
        raise flaw("classes", classes, "names that differ")
    with _in_entry("tests"):
        names = distinct_names([test["name"] for test in tests], "tests")
        outcomes = tuple(distinct_names(test["outcomes"], f"test {test['name']!r}") for test in tests)
    encoded = ["encoding" in test for test in tests]
    if any(encoded) and not all(encoded):
        raise flaw(f"tests[{encoded.index(False)}].encoding", None, "one, as other tests have; all or none must")
    encoders = tuple(encoding.read_encoding(test, f"tests[{k}].encoding") for k, test in enumerate(tests) if encoded[k])
    scale = read_number(content["units_per_object"], "units_per_object")
    if not SMALLEST <= scale <= LARGEST:
        raise flaw("units_per_object", content["units_per_object"], "a number between 1e-100 and 1e100")
    with _in_entry("prices"):
        prices = encoding.read_prices(content["prices"])
    with _in_entry("losses"):
        losses = encoding.read_losses(content["losses"], len(classes))
    schema = Schema(names, outcomes, tuple(classes), prices, scale, encoders or None, losses)
    for entry, read_table in (("prices", lambda: schema.costs), ("losses", lambda: schema.loss_table)):
        with _in_entry(entry):
            read_table()  # refuses what does not fit the tests and classes
    with _in_entry("labels"):
        return encoding.read_labels(content["labels"], schema)


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
            raise flaw(f"nodes[{node}].counts", entry["counts"], f"{counts.shape[1]} numbers, one per class")
        counts[node] = entry["counts"]
        if "test" not in entry:
            continue
        if entry["test"] >= len(schema.test_names):
            raise flaw(f"nodes[{node}].test", entry["test"], f"0 to {len(schema.test_names) - 1}")
        test[node] = entry["test"]
        fallback[node] = entry.get("fallback", False)
        first_branch[node] = len(branches)
        below = _read_branches(node, entry["branches"], int(schema.n_outcomes[test[node]]), size)
        for child in dict.fromkeys(below if otherwise is None else [*below, int(otherwise[node])]):
            if child == NO_BRANCH:
                continue
            if parent[child] >= 0:
                raise flaw(f"nodes[{node}].branches", child, f"a child of its own; node {parent[child]} has it already")
            parent[child] = node
        branches.extend(below)
    orphans = np.flatnonzero(parent[1:] < 0) + 1
    if len(orphans):
        raise flaw(f"nodes[{orphans[0]}]", int(orphans[0]), "the child of a node")
    if (np.diff(parent) < 0).any():
        raise flaw("nodes", "another order", "breadth-first order")
    nodes = Nodes(test, parent, counts, np.zeros(size, np.int64), first_branch, np.array(branches, np.int32), fallback)
    nodes = replace(nodes, otherwise=otherwise, probabilities=leaves.read_probabilities(entries, counts, parent))
    _check_sums(nodes)
    if sum(counts[0].tolist()) * max(1, schema.loss_table.largest) > LARGEST_EXACT:
        raise flaw("nodes[0].counts", counts[0].tolist(), "at most 2^53 units, also when multiplied by a loss")
    due = charges(test, parent, schema.costs)
    if otherwise is None:
        return replace(nodes, paid=paid_on_arrival(nodes, due, schema.n_outcomes))
    return replace(nodes, paid=spending(nodes, due, schema.n_outcomes).paid)


def _read_otherwise(entries: list[Any]) -> NDArray[np.int32] | None:
    if not any("otherwise" in entry or "probabilities" in entry or "model" in entry for entry in entries):
        return None
    otherwise, last = np.full(len(entries), NO_BRANCH, dtype=np.int32), len(entries) - 1
    for node, entry in enumerate(entries):
        child = entry.get("otherwise")
        if (child is not None) != ("test" in entry):
            raise flaw(f"nodes[{node}].otherwise", child, "one where a node has a test, and none in leaves")
        if child is not None:
            if not node < child <= last:
                raise flaw(f"nodes[{node}].otherwise", child, f"a node after this one, up to {last}")
            otherwise[node] = child
    return otherwise


def _read_branches(node: int, branches: list[Any], n_outcomes: int, size: int) -> list[int]:
    if len(branches) != n_outcomes or all(child is None for child in branches):
        shape = f"{counted(n_outcomes, 'branch', 'branches')}, one per outcome of its test (null: never seen)"
        raise flaw(f"nodes[{node}].branches", branches, shape)
    for child in branches:
        if child is not None and not node < child < size:
            raise flaw(f"nodes[{node}].branches", child, f"null or a node after this one, up to {size - 1}")
    return [NO_BRANCH if child is None else int(child) for child in branches]


def _check_sums(nodes: Nodes) -> None:
    below = np.zeros_like(nodes.counts)
    np.add.at(below, nodes.parent[1:], nodes.counts[1:])
    # In a tree for new cases some stop at a node, and no known case may come to another.
    is_wrong = below != nodes.counts if nodes.otherwise is None else below > nodes.counts
    for node in np.flatnonzero(~nodes.is_leaf & is_wrong.any(axis=1)).tolist():
        raise flaw(f"nodes[{node}].counts", nodes.counts[node].tolist(), "the sum of its children's")
    for node in np.flatnonzero(~nodes.counts[: None if nodes.otherwise is None else 1].any(axis=1)).tolist():
        raise flaw(f"nodes[{node}].counts", nodes.counts[node].tolist(), "at least one case")
