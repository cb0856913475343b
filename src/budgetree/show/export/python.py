"""A tree as a Python function that needs nothing but Python."""

from __future__ import annotations

import builtins
import keyword
from typing import Any

from budgetree.services.words import visible
from budgetree.show.export.conditions import Condition, condition, is_numeric
from budgetree.show.export.literals import literal
from budgetree.show.export.models import models_to_python
from budgetree.show.export.notes import in_docstring, label_notes
from budgetree.show.outline import Branch, Group, Visit
from budgetree.show.text import summary_line
from budgetree.tree.tree import Tree

MAX_DEPTH = 40  # Python refuses a hundred levels of indentation; what is deeper goes into a function of its own
DEEPEST = 20_000  # tests on a path: 500 functions that call each other, of which Python allows a thousand
MISSING = "value is None or value != value"
NAN = "float('nan')"


def to_python(tree: Tree, name: str) -> str:
    """The source of `name(case)`, where case[test] is a raw value; None and NaN are missing ones."""
    if not name.isidentifier() or keyword.iskeyword(name) or hasattr(builtins, name):
        raise ValueError(f"name is {name!r}; expected a name for a Python function that Python does not use itself.")
    if tree.models is not None:
        return models_to_python(tree, name)
    if tree.depth > DEEPEST:
        raise ValueError(
            f"to_python: this tree has {tree.depth:,} tests on a path; Python can follow {DEEPEST:,}. Predict with the "
            "model itself, or cut the tree: tree.cut(budget)."
        )
    return _Writer(tree, name).source()


class _Writer:
    def __init__(self, tree: Tree, name: str) -> None:
        self.tree = tree
        self.outline = tree.outline
        self.name = name
        self.open: list[list[str]] = []  # the functions being written, innermost last
        self.closed: list[list[str]] = []

    def source(self) -> str:
        for visit in self.outline.walk(unknown_last=True):
            if visit.kind == "enter":
                self._enter(visit)
            elif visit.branch is not None and self.outline.takes_unknown(visit.group, visit.branch):
                self._write(visit.depth, "if True:" if self._is_only(visit.group, visit.branch) else "else:")
            elif visit.branch is not None:
                test = int(self.tree.nodes.test[visit.group[0]])
                taken = _condition(condition(self.tree.schema, test, visit.branch.outcomes))
                self._write(visit.depth, f"if {taken}:")
            else:
                self._leave(visit)
        body = "\n\n\n".join("\n".join(function) for function in reversed(self.closed))
        modules = [f"import {module}\n" for module in ("datetime", "decimal") if f"{module}." in body]
        head = "".join(modules) + ("\n\n" if modules else "")
        notes = "".join(f"# {note}\n" for note in label_notes(self.tree))
        return f"{head}{notes}{body}\n"

    def _enter(self, visit: Visit) -> None:
        schema, nodes, node = self.tree.schema, self.tree.nodes, visit.group[0]
        if visit.depth % MAX_DEPTH == 0:
            name = self.name if visit.depth == 0 else f"_{self.name}_{node}"
            if visit.depth:
                self._write(visit.depth, f"return {name}(case)", within=visit.depth - 1)
            self.open.append([f"def {name}(case):"])
            if visit.depth == 0:
                self._write(0, f'"""{in_docstring(summary_line(self.tree))}; case[name of a test] is its raw value."""')
        if self.outline.is_leaf(visit.group):
            self._write(visit.depth, f"return {literal(self._label(node))}")
            if visit.depth % MAX_DEPTH == 0:
                self.closed.append(self.open.pop())
            return
        test = int(nodes.test[node])
        price = self.tree.words.price(node)
        if self.outline.is_purchase(visit.group):
            self._write(visit.depth, f"# {visible(self.tree.words.question(visit.group))} {visible(price)}")
            return
        self._write(visit.depth, f"value = case[{schema.test_names[test]!r}]  # {visible(price)}")
        if is_numeric(schema, test):
            # NaN is in no range. A float, since others are not compared with one as encode does.
            self._write(visit.depth, f"value = {NAN} if value is None else float(value)")

    def _leave(self, visit: Visit) -> None:
        if self.tree.nodes.otherwise is None:
            self._write(visit.depth, f"return {literal(self._label(visit.group[0]))}")
        if visit.depth % MAX_DEPTH == 0:
            self.closed.append(self.open.pop())

    def _is_only(self, group: Group, branch: Branch) -> bool:
        return len(branch.outcomes) == int(self.tree.schema.n_outcomes[self.tree.nodes.test[group[0]]])

    def _label(self, node: int) -> Any:
        return self.tree.answer_names[self.tree.nodes.label[node]]

    def _write(self, depth: int, line: str, within: int | None = None) -> None:
        """A line at the depth of a node, in the function that the node (or its parent, `within`) belongs to."""
        base = depth if within is None else within
        indent = 1 + depth - base // MAX_DEPTH * MAX_DEPTH
        self.open[-1].append("    " * indent + line)


def _condition(taken: Condition) -> str:
    parts = [MISSING] if taken.missing else []
    for span in taken.ranges:
        low = "" if span.low is None else f"{span.low!r} <= "
        high = "" if span.high is None else f" < {span.high!r}"
        parts.append(f"{low}value{high}" if low or high else "value == value")
    if len(taken.values) == 1:
        parts.append(f"value == {literal(taken.values[0])}")
    elif taken.values:
        parts.append(f"value in ({', '.join(map(literal, taken.values))})")
    return " or ".join(parts) if parts else "False"
