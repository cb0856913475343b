"""A tree as a Python function that needs nothing but Python; one with models adds up tables and takes softmax."""

from __future__ import annotations

import builtins
import keyword
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from budgetree.errors import SettingError, TreeError
from budgetree.services.words import visible
from budgetree.show.export.conditions import Condition, children, condition, label_notes, leaf_models, raw_values, short
from budgetree.show.outline import Visit
from budgetree.show.text import summary_line
from budgetree.tree.nodes import LEAF
from budgetree.tree.tree import Tree

MAX_DEPTH = 40  # Python refuses a hundred levels of indentation; what is deeper goes into a function of its own
DEEPEST = 20_000  # tests on a path: 500 functions that call each other, of which Python allows a thousand
MISSING = "value is None or value != value"
NAN = "float('nan')"


def to_python(tree: Tree, name: str) -> str:
    """The source of `name(case)`, where case[test] is a raw value; None and NaN are missing ones."""
    if not name.isidentifier() or keyword.iskeyword(name) or hasattr(builtins, name):
        expected = "a name for a Python function that Python does not use itself"
        raise SettingError(f"name is {name!r}; expected {expected}.", subject="name", found=name, expected=expected)
    if tree.models is not None:
        return _models_to_python(tree, name)
    if tree.depth > DEEPEST:
        found = f"this tree has {tree.depth:,} tests on a path; Python can follow {DEEPEST:,}"
        message = f"to_python: {found}. Predict with the model itself, or cut the tree: tree.cut(budget)."
        raise TreeError(message, subject="depth", found=tree.depth, expected=DEEPEST)
    return _branches_to_python(tree, name)


def _branches_to_python(tree: Tree, name: str) -> str:
    """The source of `name(case)` as branches within branches."""
    outline, schema, nodes, words = tree.outline, tree.schema, tree.nodes, tree.words
    unfinished: list[list[str]] = []  # the functions being written, innermost last
    functions: list[list[str]] = []

    def write(depth: int, line: str) -> None:
        unfinished[-1].append("    " * (1 + depth % MAX_DEPTH) + line)

    def write_answer(visit: Visit) -> None:
        write(visit.depth, f"return {literal(tree.answer_names[nodes.label[visit.group[0]]])}")

    for visit in outline.walk(unknown_last=True):
        group, depth, branch = visit.group, visit.depth, visit.branch
        is_leaf, test = outline.is_leaf(group), int(nodes.test[group[0]])
        if visit.kind == "enter" and depth % MAX_DEPTH == 0:
            function = f"_{name}_{group[0]}" if depth else name
            if depth:
                unfinished[-1].append("    " * (1 + MAX_DEPTH) + f"return {function}(case)")
            unfinished.append([f"def {function}(case):"])
            if not depth:
                write(0, f'"""{_summary(tree)}; case[name of a test] is its raw value."""')
        if branch is not None and outline.takes_unknown(group, branch):
            write(depth, "if True:" if outline.takes_all(group, branch) else "else:")
        elif branch is not None:
            write(depth, f"if {_condition(condition(schema, test, branch.outcomes))}:")
        elif is_leaf:
            write_answer(visit)
        elif visit.kind == "leave":
            if nodes.otherwise is None:
                write_answer(visit)
        elif outline.is_purchase(group):
            write(depth, f"# {visible(words.question(group))} {visible(words.price(group[0]))}")
        else:
            write(depth, f"value = case[{schema.test_names[test]!r}]  # {visible(words.price(group[0]))}")
            if raw_values(schema, test).thresholds is not None:
                # NaN is in no range. A float, since others are not compared with one as encode does.
                write(depth, f"value = {NAN} if value is None else float(value)")
        if depth % MAX_DEPTH == 0 and (visit.kind == "leave" or is_leaf):
            functions.append(unfinished.pop())
    body = "\n\n\n".join("\n".join(function) for function in reversed(functions))
    imports = _imports(body)
    notes = "".join(f"# {note}\n" for note in label_notes(tree))
    return (f"{imports}\n\n" if imports else "") + f"{notes}{body}\n"


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


def _imports(source: str, *modules: str) -> str:
    used = (*modules, *(module for module in ("datetime", "decimal") if f"{module}." in source))
    return "".join(f"import {module}\n" for module in sorted(used))


def _summary(tree: Tree) -> str:
    """A text that cannot end the docstring in which it stands."""
    return visible(summary_line(tree)).replace("\\", "\\\\").replace('"', "'")


def literal(value: Any) -> str:
    """The source of a value; datetime and decimal are modules there."""
    if isinstance(value, float) and math.isinf(value):
        return f"float('{value}')"
    if isinstance(value, Decimal):
        return f"decimal.Decimal('{value}')"
    if isinstance(value, timedelta):
        return f"datetime.timedelta(microseconds={value // timedelta(microseconds=1)})"
    for kind in (datetime, date, time):  # a datetime is also a date
        # Python's own kinds know no nanoseconds, of which a text has nine digits.
        if isinstance(value, kind) and not getattr(value, "nanosecond", 0):
            return f"datetime.{kind.__name__}.fromisoformat('{value.isoformat()}')"
    if type(value) not in (str, bytes, bool, int, float):
        raise TreeError(f"{value!r:.60} is a {type(value).__name__}, which cannot be written as Python.", found=value)
    return repr(value)


# A case goes from node to node; where nothing is left to buy, or a class is likely enough, the model answers.
FUNCTION = """def {name}(case):
    \"\"\"{summary}; case[name of a test] is its raw value.\"\"\"
    codes, node = {{}}, 0
    while True:
        test, buys, children, model = _{name}_NODES[node]
        if test is None or (buys and _{name}_SURE is not None):
            intercept, tables = _{name}_MODELS[model]
            scores = list(intercept)
            for asked, table in tables:
                row = table[min(codes[asked], len(table) - 1)]
                scores = [score + added for score, added in zip(scores, row)]
            top = max(scores)
            raised = [math.exp(score - top) for score in scores]
            if test is None or max(raised) / sum(raised) >= _{name}_SURE:
                {answer}
        if test not in codes:
            codes[test] = _{name}_code(test, case[_{name}_TESTS[test][0]])
        node = children if isinstance(children, int) else children[min(codes[test], len(children) - 1)]


def _{name}_code(test, value):
    _, thresholds, values, missing = _{name}_TESTS[test]
    if value is None or value != value:
        return missing
    if thresholds is not None:
        return bisect.bisect_right(thresholds, float(value))
    return values.get(value, 255)
"""


LIKELIEST = "return _{name}_ANSWERS[scores.index(top)]"
# Of answers that lose the same the first is given.
LEAST_LOSS = """total, losses = sum(raised), [0.0] * len(_{name}_ANSWERS)
                for amount, row in zip(raised, _{name}_LOSSES):
                    losses = [loss + amount / total * units for loss, units in zip(losses, row)]
                return _{name}_ANSWERS[losses.index(min(losses))]"""


def _models_to_python(tree: Tree, name: str) -> str:
    """The source of `name(case)`, with its tables above it."""
    assert tree.models is not None
    table = tree.schema.loss_table
    lines = [
        *(f"# {note}" for note in label_notes(tree)),
        f"_{name}_SURE = {tree.models.sure!r}  # a case stops where its likeliest class has this probability",
        f"_{name}_ANSWERS = [{', '.join(map(literal, tree.answer_names))}]",
        *([] if table.is_plain else [f"_{name}_LOSSES = {table.units.tolist()!r}  # class by answer"]),
        "# Per test: its name, where its levels begin, the outcome of each value, the outcome of a missing one.",
        f"_{name}_TESTS = {{",
        *(f"    {test}: {_test(tree, test)}," for test in sorted(tree.tests_used)),
        "}",
        "# Per model: the scores it starts with, and per test what each outcome adds (the last row: the unknown).",
        f"_{name}_MODELS = [",
        *(f"    {model!r}," for model in leaf_models(tree)),
        "]",
        "# Per node: its test, whether it buys it, where each outcome leads (the last: the unknown), its model.",
        f"_{name}_NODES = [",
        *(f"    {_node(tree, node)}," for node in range(len(tree.nodes))),
        "]",
    ]
    answer = (LIKELIEST if table.is_plain else LEAST_LOSS).format(name=name)
    body = FUNCTION.format(name=name, summary=_summary(tree), answer=answer)
    tables = "\n".join(lines)
    return f"{_imports(tables, 'bisect', 'math')}\n{tables}\n\n\n{body}"


def _test(tree: Tree, test: int) -> str:
    raw = raw_values(tree.schema, test)
    levels, known = "None", "None"
    if raw.thresholds is None:
        known = "{" + ", ".join(f"{literal(value)}: {code}" for code, value in enumerate(raw.values)) + "}"
    else:
        levels = f"[{', '.join(map(literal, raw.thresholds))}]"
    return f"({tree.test_names[test]!r}, {levels}, {known}, {raw.missing})"


def _node(tree: Tree, node: int) -> str:
    assert tree.models is not None
    test, model = int(tree.nodes.test[node]), int(tree.models.of_node[node])
    if test == LEAF:
        return f"(None, False, None, {model})"
    return f"({test}, {bool(tree.may_stop[node])}, {short(children(tree, node))}, {model})"
