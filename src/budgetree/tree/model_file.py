"""The model file: a tree as JSON. Reading checks everything and runs nothing."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from budgetree.problem import Prices, Schema
from budgetree.problem.encoding import MAX_OUTCOMES
from budgetree.problem.files import write_text
from budgetree.problem.prices import OutcomePrices
from budgetree.problem.schema import distinct_names
from budgetree.problem.units import LARGEST, SMALLEST
from budgetree.tree.nodes import LEAF, NO_BRANCH, Charges, Nodes, charges

FORMAT = "budgetree"
VERSION = 1
MOST_UNITS = 2**53
# A decimal or p/q, short enough that nothing can be hidden in it.
NUMBER = re.compile(r"\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?|\d{1,120}/\d{1,120}")


class ModelFileError(ValueError):
    """A model file that cannot be read; the message says where and why."""


def write(path: str | PathLike[str], schema: Schema, nodes: Nodes, n_objects: int, origin: str) -> None:
    """Write the whole file; an old one stays until the new one is complete."""
    content = json.dumps(_to_content(schema, nodes, n_objects, origin), ensure_ascii=False, separators=(",", ":"))
    write_text(Path(path), content)


def read(path: str | PathLike[str]) -> tuple[Schema, Nodes, int, str]:
    """What a Tree is made of; ModelFileError when the file is not a valid model."""
    text = Path(path).read_bytes()
    try:
        content = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path}: not valid JSON ({error}); the file may be truncated or not a model.") from error
    try:
        return _from_content(content)
    except ValueError as error:  # also names or prices that do not fit
        raise ModelFileError(f"{path}: {error}") from error


def _to_content(schema: Schema, nodes: Nodes, n_objects: int, origin: str) -> dict[str, Any]:
    for name in schema.class_names:
        if not isinstance(name, (str, int, float, bool)):
            raise ValueError(
                f"class {name!r} is a {type(name).__name__}; a model file holds classes that are texts, numbers or "
                "booleans. Convert the labels before growing."
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
        entries.append(entry)
    return {
        "format": FORMAT,
        "version": VERSION,
        "origin": origin,
        "n_objects": n_objects,
        "units_per_object": _exact(schema.weight_scale),
        "classes": list(schema.class_names),
        "tests": [
            {"name": name, "outcomes": list(outcomes)}
            for name, outcomes in zip(schema.test_names, schema.outcome_names, strict=True)
        ],
        "prices": _prices_content(schema.prices),
        "nodes": entries,
    }


def _prices_content(prices: Prices) -> dict[str, Any]:
    def amount(price: OutcomePrices) -> Any:
        if isinstance(price, Fraction):
            return _exact(price)
        return {outcome: _exact(each) for outcome, each in price.items()}

    return {
        "tests": {name: amount(price) for name, price in prices.tests.items()},
        "default": None if prices.default is None else _exact(prices.default),
        "shared": {
            name: {"fee": _exact(entry.fee), "tests": list(entry.tests)} for name, entry in prices.shared.items()
        },
    }


def _exact(number: Fraction) -> int | float | str:
    """A JSON number where it reads back as the same value, else "p/q"."""
    if number.denominator == 1:
        return int(number)
    return float(number) if Fraction(str(float(number))) == number else str(number)


def _from_content(content: Any) -> tuple[Schema, Nodes, int, str]:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError('this is not a budgetree model; expected an object with "format": "budgetree".')
    version = content.get("version")
    if version is None or not _is_whole(version, 1):
        raise ModelFileError(f"version is {version!r}; expected a whole number.")
    if version > VERSION:
        raise ModelFileError(
            f"format version {version} was written by a later budgetree; this one reads up to {VERSION}. Upgrade it."
        )
    n_objects = _entry(content, "n_objects", int)
    tests = _entry(content, "tests", list)
    for index, test in enumerate(tests):
        if not isinstance(test, dict) or not _are_texts(test.get("outcomes")) or not isinstance(test.get("name"), str):
            raise ModelFileError(f'test {index} must have a "name" and a list of "outcomes".')
        if len(test["outcomes"]) > MAX_OUTCOMES:
            raise ModelFileError(f"test {index} has {len(test['outcomes'])} outcomes; at most {MAX_OUTCOMES} fit.")
    classes = _entry(content, "classes", list)
    if not classes or not all(isinstance(name, (str, int, float, bool)) for name in classes):
        raise ModelFileError("classes must be a list of at least one text, number or boolean.")
    if len({(type(name), name) for name in classes}) < len(classes):
        raise ModelFileError("classes must differ from each other.")
    schema = Schema(
        test_names=distinct_names([test["name"] for test in tests], "tests"),
        outcome_names=tuple(distinct_names(test["outcomes"], f"test {test['name']!r}") for test in tests),
        class_names=tuple(classes),
        prices=_read_prices(_entry(content, "prices", dict)),
        weight_scale=_fraction(content.get("units_per_object"), "units_per_object"),
    )
    if not SMALLEST <= schema.weight_scale <= LARGEST:
        raise ModelFileError("units_per_object must be above 0, and between 1e-100 and 1e100.")
    nodes = _read_nodes(_entry(content, "nodes", list), schema)
    return schema, nodes, n_objects, _entry(content, "origin", str)


def _read_prices(content: dict[str, Any]) -> Prices:
    def amount(price: Any, what: str) -> Any:
        if isinstance(price, dict):
            return {outcome: _fraction(each, f"{what}, outcome {outcome!r},") for outcome, each in price.items()}
        return _fraction(price, what)

    tests, shared, default = content.get("tests"), content.get("shared"), content.get("default")
    if not isinstance(tests, dict) or not isinstance(shared, dict):
        raise ModelFileError('prices must have the tables "tests" and "shared".')
    fees = {}
    for name, entry in shared.items():
        if not isinstance(entry, dict) or not _are_texts(entry.get("tests")):
            raise ModelFileError(f'shared fee {name!r} must have a "fee" and a list of "tests".')
        fees[name] = (_fraction(entry.get("fee"), f"the fee {name!r}"), entry["tests"])
    return Prices(
        {name: amount(price, f"the price of test {name!r}") for name, price in tests.items()},
        shared=fees,
        default=None if default is None else _fraction(default, "the default price"),
    )


def _read_nodes(entries: list[Any], schema: Schema) -> Nodes:
    size = len(entries)
    if size == 0:
        raise ModelFileError("there are no nodes; expected at least the root.")
    test = np.full(size, LEAF, dtype=np.int32)
    parent = np.full(size, -1, dtype=np.int32)
    counts = np.zeros((size, len(schema.class_names)), dtype=np.int64)
    first_branch = np.full(size, -1, dtype=np.int64)
    fallback = np.zeros(size, dtype=bool)
    branches: list[int] = []
    for node, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise ModelFileError(f"node {node} is {entry!r}; expected an object.")
        counts[node] = _read_counts(node, entry.get("counts"), len(schema.class_names))
        if "test" not in entry:
            continue
        if not _is_whole(entry["test"], 0) or entry["test"] >= len(schema.test_names):
            raise ModelFileError(
                f"node {node} has the test {entry['test']!r}; expected 0 to {len(schema.test_names) - 1}."
            )
        test[node] = entry["test"]
        fallback[node] = entry.get("fallback", False) is True
        first_branch[node] = len(branches)
        below = _read_branches(node, entry.get("branches"), int(schema.n_outcomes[test[node]]), size)
        for child in dict.fromkeys(below):
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
    known = Nodes(test, parent, counts, np.zeros(size, np.int64), first_branch, np.array(branches, np.int32), fallback)
    _check_sums(known)
    if not counts[0].any():
        raise ModelFileError("the root counts no objects.")
    due = charges(test, parent, schema.table)
    return Nodes(test, parent, counts, _paid(known, due, schema), first_branch, known.branches, fallback)


def _read_counts(node: int, counts: Any, n_classes: int) -> list[int]:
    valid = isinstance(counts, list) and len(counts) == n_classes
    if not valid or not all(_is_whole(count, 0) and count <= MOST_UNITS for count in counts):
        raise ModelFileError(
            f"node {node} has the counts {counts!r}; expected {n_classes} whole numbers of at least 0."
        )
    return list(counts)


def _read_branches(node: int, branches: Any, n_outcomes: int, size: int) -> list[int]:
    if not isinstance(branches, list) or len(branches) != n_outcomes or all(child is None for child in branches):
        raise ModelFileError(
            f"node {node} must have {n_outcomes} branches, one per outcome of its test (null: never seen)."
        )
    for child in branches:
        if child is None:
            continue
        if not _is_whole(child, 0) or child >= size:
            raise ModelFileError(f"node {node} has the child {child!r}; there are nodes 0 to {size - 1}.")
        if child <= node:
            raise ModelFileError(
                f"node {node} has the child {child}, which points back; children come after their parent."
            )
    return [NO_BRANCH if child is None else child for child in branches]


def _check_sums(nodes: Nodes) -> None:
    below = np.zeros_like(nodes.counts)
    np.add.at(below, nodes.parent[1:], nodes.counts[1:])
    wrong = np.flatnonzero(~nodes.is_leaf & (below != nodes.counts).any(axis=1))
    if len(wrong):
        raise ModelFileError(f"the counts of node {wrong[0]} are not the sum of its children's.")


def _paid(nodes: Nodes, due: Charges, schema: Schema) -> np.ndarray[Any, np.dtype[np.int64]]:
    paid = np.zeros(len(nodes), dtype=np.int64)
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        test = nodes.test[node]
        for outcome, child in enumerate(nodes.children(node, int(schema.n_outcomes[test]))):
            if child != NO_BRANCH:
                own = 0 if due.repeated[node] else schema.table.own[test, outcome]
                paid[child] = max(paid[child], paid[node] + due.fees_due[node] + own)
    return paid


def _entry(content: dict[str, Any], name: str, kind: type[Any]) -> Any:
    value = content.get(name)
    if not isinstance(value, kind) or isinstance(value, bool) or (kind is int and value < 0):
        raise ModelFileError(f"{name!r} is {'missing' if value is None else 'not valid'}; expected {kind.__name__}.")
    return value


def _fraction(value: Any, what: str) -> Fraction:
    text = "" if isinstance(value, bool) or not isinstance(value, (int, float, str)) else str(value)
    if not NUMBER.fullmatch(text):
        raise ModelFileError(f"{what} is {value!r:.60}; expected a number of at least 0.")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ModelFileError(f"{what} is {text}; expected a number of at least 0.") from None


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)
