"""The nodes of a tree as entries of the model file (model.schema.json), and back by TreeBuilder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import BudgetreeError, ModelFileError, Where
from budgetree.problem import Schema
from budgetree.tree.builder import Facts, OpenEnd, TreeBuilder
from budgetree.tree.leaves import Ensemble, Fixed, Leaf, Majority, Model, Points, Totals
from budgetree.tree.model.encoding import flaw
from budgetree.tree.nodes import Branch, Buy, Nodes, Split

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

OF_INNER = ("cut", "by_equal", "default_left", "missing")  # what the nodes of small trees have that are not ends


@contextmanager
def in_entry(entry: str) -> Iterator[None]:
    """What is refused in here is an error about this entry, unless it says more."""
    try:
        yield
    except BudgetreeError as error:
        raise ModelFileError.of(error, Where(entry=entry)) from error


def nodes_content(nodes: Nodes) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The entries "totals" and "nodes"."""
    numbers: dict[Totals, int] = {}
    entries: list[dict[str, Any]] = []
    by_points: dict[Points, int] = {}  # the first leaf of each

    def number(totals: Totals | None) -> int:
        assert totals is not None
        return numbers.setdefault(totals, len(numbers))

    for node, record in enumerate(nodes):
        entry: dict[str, Any]
        match record:
            case Buy(test=test, child=child, shown=shown):
                entry = {"buy": test, "child": child, "shown": shown.tolist()}
                entry |= {"fallback": True} if nodes.fallback[node] else {}
            case Branch(split=Split(totals=None) as split, children=children):
                entry = {"branch": {"test": split.test, "children": [children[side] for side in split.sides]}}
            case Branch(split=split, children=children):
                by: dict[str, Any] = {"scores" if split.is_score else "cuts": list(split.cuts)}
                by = by if split.confidence is None else {"confidence": split.confidence}
                entry = {"branch": {"totals": number(split.totals), **by, "children": list(children)}}
            case Fixed(chances=chances, answer=answer):
                entry = {"leaf": "fixed", "chances": list(chances)} | ({} if answer is None else {"answer": answer})
            case Points(totals=totals) if by_points.setdefault(record, node) == node:
                entry = {"leaf": "points", "totals": number(totals), "cuts": list(record.cuts)}
                entry |= {"chances": list(map(list, record.chances))}
            case Points():
                entry = {"leaf": "points", "as": by_points[record]}
            case Model(totals=totals):
                entry = {"leaf": "model", "totals": number(totals)}
            case Majority():
                entry = {"leaf": "majority"}
        given = {"given": nodes.given[node].tolist()} if node in nodes.given else {}
        entries.append(entry | {"counts": nodes.counts[node].tolist()} | given)
    return list(map(_totals_content, numbers)), entries


def _totals_content(totals: Totals) -> dict[str, Any]:
    """All that is added up in the largest unit that makes it whole: half a thousandth is "unit": 500, and 1 for 500."""
    trees, unit = totals.trees, totals.unit
    points = [(table // unit).ravel().tolist() if table.any() else [] for table in totals.points]
    entry = {"tests": list(totals.tests), "intercept": (totals.intercept // unit).tolist(), "points": points}
    entry |= {"unit": unit} if unit > 1 else {}
    return entry if trees is None else entry | {"trees": _trees_content(trees, unit)}


def _trees_content(trees: Ensemble, unit: int) -> dict[str, Any]:
    """The nodes of all trees, left before right, so that the file need not say where children are.

    0: test 3 ─┬─ 1: 700                   "test": [3, -1, 0, -1, -1], "cut": [5, 2], …, "value": [700, -20, 9]
               └─ 2: test 0 ─┬─ 3: -20
                             └─ 4: 9

    A number instead of a list stands for as many of it as there are tests.
    """
    is_end = trees.test < 0
    inner = {name: short(getattr(trees, name)[~is_end].astype(int).tolist()) for name in OF_INNER}
    return {"test": trees.test.tolist(), **inner, "value": (trees.value[is_end] // unit).ravel().tolist()}


def short(entries: list[int]) -> int | list[int]:
    """One entry instead of many that are the same."""
    return entries[0] if len(set(entries)) == 1 else entries


def read_tree(content: dict[str, Any], schema: Schema, **record: Any) -> Tree:
    """The tree of a file; ModelFileError where an entry does not fit."""
    totals = [_read_totals(given, f"totals[{k}]", schema) for k, given in enumerate(content["totals"])]
    entries, builder = content["nodes"], TreeBuilder(schema)
    ends: dict[int, OpenEnd] = {0: builder.root}
    last = 0
    for node, entry in enumerate(entries):
        where = f"nodes[{node}]"
        if node not in ends:
            raise flaw(where, node, "the child of a node")
        if (first := entry.get("as")) is not None:
            earlier = entries[first] if isinstance(first, int) and first < node else {}
            if entry.get("leaf") != "points" or "chances" not in earlier or earlier.get("leaf") != "points":
                raise flaw(f"{where}.as", first, "the position of an earlier leaf with points")
            entry = {key: earlier[key] for key in ("totals", "cuts", "chances")} | entry
        with in_entry(where):
            end = ends.pop(node)
            children, below = _read_step(entry, where, builder, end, totals)
            for child, opened in zip(children, below, strict=True):
                if child != last + 1 or child >= len(entries):
                    raise flaw(where, child, "children in breadth-first order, each of one node")
                ends[child], last = opened, child
            builder.note(end, _read_facts(entry, where, schema))
    tree, n_cases = builder.build(**record), int(content["n_objects"])
    _check_sums(tree.nodes, schema, n_cases)
    return replace(tree, n_objects=n_cases)


def _read_step(
    entry: dict[str, Any], where: str, builder: TreeBuilder, end: OpenEnd, totals: list[Totals]
) -> tuple[list[int], list[OpenEnd]]:
    """What the entry says, done at an open end; its different children and where they are built."""
    if "buy" in entry:
        return [entry["child"]], [builder.buy_alone(end, _position(entry["buy"], f"{where}.buy"))]
    if "leaf" in entry:
        leaf: Leaf = Majority()
        if entry["leaf"] == "fixed":
            leaf = Fixed(entry["chances"], entry.get("answer"))
        elif entry["leaf"] != "majority":
            rows = _totals_of(entry, where, totals)
            leaf = Model(rows) if entry["leaf"] == "model" else Points(rows, entry["cuts"], entry["chances"])
        builder.leaf(end, leaf)
        return [], []
    given = entry["branch"]
    children = given["children"]
    if "test" in given:
        different, test = sorted(set(children)), _position(given["test"], f"{where}.branch.test")
        return different, builder.branch(end, Split.by_result(test, [different.index(child) for child in children]))
    rows = _totals_of(given, f"{where}.branch", totals)
    if "confidence" in given:
        split = Split.by_confidence(Model(rows), given["confidence"])
    elif "scores" in given:
        split = Split.by_score(Model(rows), given["scores"])
    else:
        split = Split.by_points(rows, given["cuts"])
    if len(children) != split.n_sides:
        raise flaw(f"{where}.branch.children", children, f"{split.n_sides} children, one per side")
    return children, builder.branch(end, split)


def _position(number: Any, entry: str) -> int:
    """1.0 is an integer to JSON's schemas, but nothing that Python counts by."""
    if not isinstance(number, int):
        raise flaw(entry, number, "a whole number")
    return number


def _totals_of(entry: dict[str, Any], where: str, totals: list[Totals]) -> Totals:
    number = _position(entry["totals"], f"{where}.totals")
    if number >= len(totals):
        raise flaw(f"{where}.totals", number, f"a position in totals, of which there are {len(totals)}")
    return totals[number]


def _read_totals(given: dict[str, Any], entry: str, schema: Schema) -> Totals:
    tests, intercept = given["tests"], given["intercept"]
    is_known = all(isinstance(test, int) and 0 <= test < len(schema.test_names) for test in tests)
    if not is_known or list(tests) != sorted(set(tests)):
        raise flaw(f"{entry}.tests", tests, "positions of tests, ascending")
    sizes = [(int(schema.n_outcomes[test]) + 1) * len(intercept) for test in tests]
    flat = [table or [0] * size for table, size in zip(given["points"], sizes, strict=False)]
    if [len(table) for table in flat] != sizes or len(given["points"]) != len(sizes):
        found = [len(table) for table in given["points"]]
        raise flaw(f"{entry}.points", found, f"lists of {sizes} numbers: per outcome and one more, one for each total")
    unit = _position(given.get("unit", 1), f"{entry}.unit")
    trees = _read_trees(given["trees"], f"{entry}.trees", len(intercept), unit) if "trees" in given else None
    with in_entry(entry if trees is None else f"{entry}.trees"):
        tables = tuple(_times(table, unit).reshape(-1, len(intercept)) for table in flat)
        return Totals(tuple(tests), tables, _times(intercept, unit), trees)


def _times(numbers: list[Any], unit: int) -> NDArray[Any]:
    """Of numbers and a unit that the file's schema holds below 2^31."""
    return np.array(numbers, dtype=np.int64) * unit


def _read_trees(given: dict[str, Any], entry: str, n_totals: int, unit: int) -> Ensemble:
    test = [_position(position, f"{entry}.test") for position in given["test"]]
    is_end = np.array(test) < 0
    n_inner = int((~is_end).sum())
    given = given | {name: [given[name]] * n_inner for name in OF_INNER if isinstance(given[name], int)}
    for name in (*OF_INNER, "value"):
        size = int(is_end.sum()) * n_totals if name == "value" else n_inner
        if not isinstance(given[name], list) or len(given[name]) != size:
            raise flaw(f"{entry}.{name}", given[name], f"{size} numbers for {len(test)} nodes")
    arrays: dict[str, Any] = {name: np.zeros(len(test), dtype=np.int64) for name in ("left", "right", *OF_INNER)}
    arrays["value"] = np.zeros((len(test), n_totals), dtype=np.int64)
    for name in OF_INNER:
        arrays[name][~is_end] = given[name]
    arrays["value"][is_end] = _times(given["value"], unit).reshape(-1, n_totals)
    arrays["left"][is_end] = arrays["right"][is_end] = -1
    roots: list[int] = []  # of the subtrees that begin behind a node, the nearest last
    for node in range(len(test) - 1, -1, -1):
        if test[node] >= 0:
            if len(roots) < 2:
                raise flaw(f"{entry}.test", test[node], "two subtrees behind each test")
            arrays["left"][node], arrays["right"][node] = roots.pop(), roots.pop()
        roots.append(node)
    with in_entry(entry):
        return Ensemble(start=np.array(roots[::-1]), test=np.array(test), **arrays)


def _read_facts(entry: dict[str, Any], where: str, schema: Schema) -> Facts:
    n_classes, n_answers = len(schema.class_names), len(schema.answer_names)
    if len(entry["counts"]) != n_classes:
        raise flaw(f"{where}.counts", entry["counts"], f"{n_classes} numbers, one per class")
    facts = Facts(np.array(entry["counts"], dtype=np.int64), fallback=entry.get("fallback", False))
    if "buy" in entry:
        if len(entry["shown"]) != int(schema.n_outcomes[entry["buy"]]) + 1:
            raise flaw(f"{where}.shown", entry["shown"], "a number per outcome of the test, and one more")
        facts.shown = np.array(entry["shown"], dtype=np.int64)
    by_model = not {"confidence", "scores"}.isdisjoint(entry.get("branch", {}))
    needs_given = entry.get("leaf") in ("model", "points") or by_model
    given = entry.get("given")
    if (given is not None) != needs_given:
        raise flaw(f"{where}.given", given, "what was answered where totals decide an answer, and nowhere else")
    if given is not None:
        table = np.array(given, dtype=np.int64) if {len(row) for row in given} == {n_classes} else np.empty(0)
        if table.shape != (n_answers, n_classes) or (table.sum(axis=0) != facts.counts).any():
            raise flaw(f"{where}.given", given, "a row per answer, which add up to the counts of each class")
        facts.given = table
    return facts


def _check_sums(nodes: Nodes, schema: Schema, n_cases: int) -> None:
    below = np.zeros_like(nodes.counts)
    np.add.at(below, nodes.parent[1:], nodes.counts[1:])
    for node in np.flatnonzero(~nodes.is_leaf & (below != nodes.counts).any(axis=1)).tolist():
        raise flaw(f"nodes[{node}].counts", nodes.counts[node].tolist(), "the sum of its children's")
    if n_cases > 0 and not nodes.counts[0].any():
        raise flaw("nodes[0].counts", nodes.counts[0].tolist(), "at least one case")
    if sum(nodes.counts[0].tolist()) * max(1, schema.loss_table.largest) > LARGEST_EXACT:
        raise flaw("nodes[0].counts", nodes.counts[0].tolist(), "at most 2^53 units, also when multiplied by a loss")
    for node in np.flatnonzero(nodes.is_buy).tolist():
        shown, branch = nodes.shown[nodes.results(node)], int(nodes.below(node)[0])
        if shown.sum() != nodes.counts[node].sum():
            raise flaw(f"nodes[{node}].shown", shown.tolist(), "numbers that add up to the cases that come there")
        record = nodes[branch]
        if isinstance(record, Branch) and record.split.test == nodes.test[node]:
            for side, child in enumerate(record.children):
                if shown[np.array(record.split.sides) == side].sum() != nodes.counts[child].sum():
                    raise flaw(f"nodes[{node}].shown", shown.tolist(), f"what comes to node {child} of the branch")
