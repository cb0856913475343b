"""The model file: a tree as JSON. Reading checks everything and runs nothing."""

from __future__ import annotations

import math
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from budgetree._version import __version__
from budgetree.errors import BudgetreeError, ModelFileError, TreeError, Where
from budgetree.problem import Schema
from budgetree.problem.schema import distinct_names
from budgetree.problem.units import LARGEST, SMALLEST
from budgetree.services.clock import Ended
from budgetree.services.files import check_schema, json_text, read_json, write_text
from budgetree.tree.leaves import Majority
from budgetree.tree.model import encoding, history
from budgetree.tree.model.encoding import exact, flaw, read_number
from budgetree.tree.model.node_entries import in_entry, nodes_content, read_tree
from budgetree.tree.nodes import Branch, Buy

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

FORMAT, VERSION = "budgetree", 1
SCHEMA_FILE = "model.schema.json"


def write(path: str | PathLike[str], tree: Tree) -> None:
    """Write the whole file; an old one stays until the new one is complete."""
    write_text(Path(path), model_text(tree))


def model_text(tree: Tree) -> str:
    """What the file of a tree says."""
    return json_text(_to_content(tree))


def read(path: str | PathLike[str]) -> Tree:
    """The tree in a file; ModelFileError when the file is not a valid model."""
    where = Where(str(path))
    content = read_json(path, ModelFileError)
    try:
        return _from_content(content)
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
    """What Tree.to_dict returns.

    Where outcomes share a subtree, it stands at the first of them, and "same" says {other outcome: first}: written at
    all of them, three tests of 255 levels would take gigabytes.
    """
    nodes, schema = tree.nodes, tree.schema
    counts = [schema.plain_cases(row) for row in nodes.counts.tolist()]
    entries: list[dict[str, Any]] = [
        {"counts": counts[node], "label": schema.answer_names[nodes.label[node]]} for node in range(len(nodes))
    ]
    for node in range(len(nodes) - 1, -1, -1):  # children come after their parents
        record, entry = nodes[node], entries[node]
        if isinstance(record, Buy):
            below, name = entries[record.child], schema.test_names[record.test]
            if below.get("branch") == name:  # bought and branched on at once
                del below["branch"]
                entries[node] = {"test": name, **below}
            else:
                entries[node] = {"buy": name, **entry, "then": below}
        elif not isinstance(record, Branch):
            entries[node] |= {} if isinstance(record, Majority) else {"by": type(record).__name__.lower()}
        elif (totals := (split := record.split).totals) is None:
            nested: dict[str, Any] = {"branch": schema.test_names[split.test], **entry, "children": {}}
            first: dict[int, str] = {}
            for name, side in zip(schema.outcome_names[split.test], split.sides, strict=False):
                child = record.children[side]
                if not nodes.counts[child].any() and isinstance(nodes[child], Majority):
                    continue  # never seen
                if first.setdefault(side, name) == name:
                    nested["children"][name] = entries[child]
                else:
                    nested.setdefault("same", {})[name] = first[side]
            entries[node] = nested
        else:
            sides = [entries[child] for child in record.children]
            if split.confidence is not None:
                entries[node] = {"confidence": split.confidence, **entry, "sure": sides[0], "else": sides[1]}
            elif split.is_score:
                entries[node] = {"chances": list(split.chances), **entry, "sides": sides}
            else:
                tables = zip(totals.tests, totals.points, strict=True)
                points = {schema.test_names[test]: table[:, 0].tolist() for test, table in tables}
                entries[node] = {"points": points, "cuts": list(split.cuts), **entry, "sides": sides}
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
    totals, entries = nodes_content(nodes)
    tests: list[dict[str, Any]] = []
    for test, (name, outcomes) in enumerate(zip(schema.test_names, schema.outcome_names, strict=True)):
        encoder = schema.encoder(test)
        named = {} if encoder is not None and encoder.outcome_names == outcomes else {"outcomes": list(outcomes)}
        encoded = {} if encoder is None else {"encoding": encoding.encoding_content(encoder)}
        tests.append({"name": name} | named | encoded)
    return {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"budgetree {__version__}",
        "origin": history.origin_content(tree.origin),
        "bounds": history.bounds_content(tree.bounds, schema),
        "estimate": history.estimate_content(tree.estimate),
        "n_objects": tree.n_objects,
        "units_per_object": exact(schema.weight_scale),
        "classes": list(schema.class_names),
        "tests": tests,
        "input_columns": list(schema.input_columns),
        "prices": encoding.prices_content(schema.prices),
        "losses": encoding.losses_content(schema),
        "labels": encoding.labels_content(schema),
        "totals": totals,
        "nodes": entries,
    } | ({} if tree.ended is Ended.COMPLETE else {"ended": tree.ended.value})


def _from_content(content: Any) -> Tree:
    check_shape(content)
    schema = _read_schema(content)
    tree = read_tree(content, schema, origin=history.read_origin(content["origin"]))
    bounds = history.read_bounds(content["bounds"], tree)
    estimate = history.read_estimate(content["estimate"], len(schema.class_names))
    ended = Ended(content.get("ended", Ended.COMPLETE.value))
    return replace(tree, bounds=bounds, estimate=estimate, ended=ended)


def _read_schema(content: dict[str, Any]) -> Schema:
    tests, classes = content["tests"], content["classes"]
    if any(map(_is_unwritten, classes)):
        raise flaw("classes", classes, "texts, booleans or finite numbers")
    if len({(type(name), name) for name in classes}) < len(classes):
        raise flaw("classes", classes, "names that differ")
    encoded = ["encoding" in test for test in tests]
    if any(encoded) and not all(encoded):
        raise flaw(f"tests[{encoded.index(False)}].encoding", None, "one, as other tests have; all or none must")
    encoders = tuple(encoding.read_encoding(test, f"tests[{k}].encoding") for k, test in enumerate(tests) if encoded[k])
    given_names = [test.get("outcomes") or encoders[k].outcome_names for k, test in enumerate(tests)]
    with in_entry("tests"):
        names = distinct_names([test["name"] for test in tests], "tests")
        outcomes = tuple(distinct_names(own, f"test {name!r}") for own, name in zip(given_names, names, strict=True))
    scale = read_number(content["units_per_object"], "units_per_object")
    if not SMALLEST <= scale <= LARGEST:
        raise flaw("units_per_object", content["units_per_object"], "a number between 1e-100 and 1e100")
    with in_entry("prices"):
        prices = encoding.read_prices(content["prices"])
    with in_entry("losses"):
        losses = encoding.read_losses(content["losses"], len(classes))
    columns = tuple(content.get("input_columns", names))
    if sorted(columns) != sorted(names):
        raise flaw("input_columns", list(columns), "the name of each test once")
    given = (prices, scale, encoders or None, losses)
    schema = Schema(names, outcomes, tuple(classes), *given, input_columns=columns)
    for entry, read_table in (("prices", lambda: schema.costs), ("losses", lambda: schema.loss_table)):
        with in_entry(entry):
            read_table()  # refuses what does not fit the tests and classes
    with in_entry("labels"):
        return encoding.read_labels(content["labels"], schema)
