"""A tree as a Python function that needs nothing but Python; one with points or models is a loop over tables."""

from __future__ import annotations

import builtins
import keyword
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from budgetree.errors import SettingError, TreeError
from budgetree.services.words import visible
from budgetree.show.export.conditions import Condition, condition, label_notes, n_levels, raw_values, visits
from budgetree.show.export.program import (
    Answer,
    ByPoints,
    ByResult,
    ByScores,
    BySure,
    Instruction,
    Pay,
    Program,
    has_totals,
    program_of,
    totals_content,
)
from budgetree.show.text import summary_line
from budgetree.tree.model.node_entries import short
from budgetree.tree.nodes import Kind
from budgetree.tree.tree import Tree

MAX_DEPTH = 40  # Python refuses a hundred levels of indentation; what is deeper goes into a function of its own
DEEPEST = 20_000  # branches on a path: 500 functions that call each other, of which Python allows a thousand
NAN = "float('nan')"


def to_python(tree: Tree, name: str = "predict", *, full: bool = False) -> str:
    """The source of `name(case)`, where case[test] is a raw value; None and NaN are missing ones."""
    if not name.isidentifier() or keyword.iskeyword(name) or hasattr(builtins, name):
        expected = "a name for a Python function that Python does not use itself"
        raise SettingError(f"name is {name!r}; expected {expected}.", subject="name", found=name, expected=expected)
    if full or has_totals(tree):
        return _loop(tree, program_of(tree), name, full)
    if (depth := n_levels(tree)) > DEEPEST:
        found = f"this tree has {depth:,} branches on a path; Python can follow {DEEPEST:,}"
        message = f"python: {found}. Predict with the model itself, or cut the tree: tree.cut(budget)."
        raise TreeError(message, subject="depth", found=depth, expected=DEEPEST)
    return _branches(tree, name)


def _branches(tree: Tree, name: str) -> str:
    """The source of `name(case)` as branches within branches."""
    schema, nodes, words = tree.schema, tree.nodes, tree.words
    again, known = _branched_again(tree), list[tuple[int, int]]()  # known: depth and test of those read on this path
    unfinished = [[f"def {name}(case):", f'    """{_summary(tree)}; case[name of a test] is its raw value."""']]
    functions: list[list[str]] = []  # the innermost first
    for visit in visits(tree):
        node, depth, kind = visit.node, visit.depth, visit.kind
        test, above = int(nodes.test[node]), int(nodes.parent[node])
        if kind in ("buy", "open", "answer") and depth and depth % MAX_DEPTH == 0:
            indent = "    " * (1 + MAX_DEPTH)
        else:
            indent = "    " * (1 + depth % MAX_DEPTH)
        if kind == "buy":
            child = int(nodes.below(node)[0])
            if nodes.kind[child] != Kind.BY_RESULT or nodes.test[child] != test:
                unfinished[-1].append(
                    f"{indent}# buy {visible(schema.wording.tests[test])}: {visible(words.price([node]))}"
                )
        elif kind == "open":
            if len(indent) > 4 * MAX_DEPTH:
                given = ", ".join(["case", *(f"value_{of}" for at, of in known if at < depth)])
                unfinished[-1].append(f"{indent}return _{name}_{node}({given})")
                unfinished.append([f"def _{name}_{node}({given}):"])
                indent = "    "
            known = [(at, of) for at, of in known if at < depth]
            if test in (of for _, of in known):
                continue
            value = "value"
            if test in again:
                value = f"value_{test}"
                known.append((depth, test))
            at_once = above >= 0 and nodes.is_buy[above] and nodes.test[above] == test
            price = visible(words.price([above] if at_once else []))
            unfinished[-1].append(f"{indent}{value} = case[{schema.test_names[test]!r}]  # {price}")
            if raw_values(schema, test).thresholds is not None:
                # NaN is in no range. A float, since others are not compared with one as encode does.
                unfinished[-1].append(f"{indent}{value} = {NAN} if {value} is None else float({value})")
        elif kind == "when":
            taken = condition(schema, test, visit.results)
            unfinished[-1].append(f"{indent}if {_condition(taken, f'value_{test}' if test in again else 'value')}:")
        elif kind == "others":
            unfinished[-1].append(f"{indent}else:")
        elif kind == "answer":
            unfinished[-1].append(f"{indent}return {literal(tree.answer_names[nodes.label[node]])}")
        elif depth and depth % MAX_DEPTH == 0:
            functions.append(unfinished.pop())
    body = "\n\n\n".join("\n".join(function) for function in (*unfinished, *reversed(functions)))
    imports = _imports(body)
    notes = "".join(f"# {note}\n" for note in label_notes(tree))
    return (f"{imports}\n\n" if imports else "") + f"{notes}{body}\n"


def _branched_again(tree: Tree) -> set[int]:
    """The tests by which some path branches twice: their value is kept, since a test is read once."""
    nodes, found = tree.nodes, set[int]()
    for node in np.flatnonzero(nodes.kind == Kind.BY_RESULT).tolist():
        test, above = int(nodes.test[node]), int(nodes.parent[node])
        while not (nodes.is_buy[above] and nodes.test[above] == test):
            if nodes.test[above] == test:
                found.add(test)
                break
            above = int(nodes.parent[above])
    return found


def _condition(taken: Condition, value: str) -> str:
    parts = [f"{value} is None or {value} != {value}"] if taken.missing else []
    for span in taken.ranges:
        low = "" if span.low is None else f"{span.low!r} <= "
        high = "" if span.high is None else f" < {span.high!r}"
        parts.append(f"{low}{value}{high}" if low or high else f"{value} == {value}")
    if len(taken.values) == 1:
        parts.append(f"{value} == {literal(taken.values[0])}")
    elif taken.values:
        parts.append(f"{value} in ({', '.join(map(literal, taken.values))})")
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


# A case goes from instruction to instruction. Only what the tree needs is written.
LOOP = """def {name}(case):
    \"\"\"{summary}; case[name of a test] is its raw value.\"\"\"
    {begin}
    while True:
        kind, number, *others = _{name}_STEPS[at]
        if kind == "buy":
            codes[number] = _{name}_code(number, case[_{name}_TESTS[number][0]])
{pay}        elif kind == "result":
            (children,) = others
            at = children if isinstance(children, int) else children[min(codes[number], len(children) - 1)]
        elif kind == "answer":
            return {answer}
{by_totals}

def _{name}_code(test, value):
    _, thresholds, values, missing = _{name}_TESTS[test]
    if value is None or value != value:
        return missing
    if thresholds is not None:
        return bisect.bisect_right(thresholds, float(value))
    return values.get(value, 255)
"""
BUY = """            (at,) = others
"""
PAY = """            at, charges = others
            for resource, of in enumerate(charges):
                spent[resource] += of if isinstance(of, int) else of[min(codes[number], len(of) - 1)]
"""
TOTALS = """        else:
            intercept, tables, (starts, nodes, values) = _{name}_TOTALS[number]
            added = [table[min(codes[test], len(table) - 1)] for test, table in tables]
            for node in starts:
                while not isinstance(nodes[node], int):
                    test, cut, by_equal, is_left, missing, right = nodes[node]
                    if codes[test] not in (255, missing):
                        is_left = codes[test] == cut if by_equal else codes[test] <= cut
                    node = node + 1 if is_left else right
                added.append(values[nodes[node]])
            totals = [sum(parts) for parts in zip(intercept, *added)]
"""
POINTS = """            if kind == "points":
                cuts, children = others
                at = children[bisect.bisect_right(cuts, totals[0])]
                continue
"""
SCORES = """            scores = totals if len(totals) > 1 else [0, totals[0]]
"""
DIFFERENCE = """            if kind == "sure":
                difference, children = others
                at = children[0 if abs(scores[0] - scores[1]) >= difference else 1]
"""
SHARES = """            shares = _{name}_shares(scores)
"""
CONFIDENCE = """            if kind == "sure":
                confidence, children = others
                at = children[0 if max(shares) >= confidence else 1]
"""
HIGHEST = """            if kind == "scores":
                number = scores.index(max(scores))
                return {answer}
"""
# Of answers that lose the same the first is given.
LEAST_LOSS = """            if kind == "scores":
                losses = [0.0] * len(_{name}_ANSWERS)
                for share, row in zip(shares, _{name}_LOSSES):
                    losses = [loss + share * units for loss, units in zip(losses, row)]
                number = losses.index(min(losses))
                return {answer}
"""
# By the steps of core/base/elementary.hpp, so that every machine gets the same digits; sum() would round otherwise.
SOFTMAX = """

def _{name}_shares(scores):
    raised, total = [_{name}_power((score - max(scores)) * 1e-06) for score in scores], 0.0
    for part in raised:
        total += part
    return [part / total for part in raised]


def _{name}_power(x):
    if x < -700:
        return 0.0
    halvings = round(x * 1.4426950408889634)
    rest = x - halvings * 0.6931471803691238 - halvings * 1.9082149292705877e-10
    power = 0.0
    for n in range(13, -1, -1):
        power = power * rest + 1 / math.factorial(n)
    return math.ldexp(power, halvings)
"""
FOUND = """

def _{name}_found(answer, shares, spent, tests):
    return {{
        "answer": _{name}_ANSWERS[answer],
        "probabilities": dict(zip(_{name}_ANSWERS, shares)),
        "cost": spent[0] / {scale},{costs}
        "tests": [_{name}_TESTS[test][0] for test in tests],
    }}
"""


def _loop(tree: Tree, program: Program, name: str, full: bool) -> str:
    """The source of `name(case)` as a loop over instructions, with its tables above it."""
    is_plain, kinds = tree.schema.loss_table.is_plain, {type(step) for step in program.instructions}
    resources = tree.schema.costs.resources
    by_difference = len(tree.class_names) == 2
    has_scores = not kinds.isdisjoint((BySure, ByScores))
    shares = has_scores and (full or not by_difference or not is_plain)
    parts = [TOTALS] if has_totals(tree) else []
    parts += [POINTS] if ByPoints in kinds else []
    parts += [SCORES] if has_scores else []
    parts += [DIFFERENCE] if BySure in kinds and by_difference else []
    parts += [SHARES] if shares else []
    parts += [CONFIDENCE] if BySure in kinds and not by_difference else []
    parts += [HIGHEST if is_plain else LEAST_LOSS] if ByScores in kinds else []
    answered = f"_{name}_ANSWERS[number]"
    at_scores = f"_{name}_found(number, shares, spent, codes)" if full else answered
    by_totals = "".join(parts).format(name=name, answer=at_scores)
    lines = [
        *(f"# {note}" for note in label_notes(tree)),
        f"_{name}_ANSWERS = [{', '.join(map(literal, tree.answer_names))}]",
        *([] if is_plain else [f"_{name}_LOSSES = {tree.schema.loss_table.units.tolist()!r}  # class by answer"]),
        "# Per test: its name, where its levels begin, the outcome of each value, the outcome of a missing one.",
        f"_{name}_TESTS = {{",
        *(f"    {test}: {_test(tree, test)}," for test in sorted(tree.tests_used)),
        "}",
        "# What totals begin with, per test what each outcome adds (the last row: any other result), and small trees:",
        "# where they start, their nodes (test, cut, by equal, default left, missing, right; or the number of an end)",
        "# and what ends add. Those of classes are in millionths.",
        f"_{name}_TOTALS = [",
        *(f"    {tuple(totals_content(totals).values())!r}," for totals in program.totals),
        "]",
        "# What to do: buy a test, go where its result leads (the last: any other), go where totals lead, or answer.",
        f"_{name}_STEPS = [",
        *(f"    {_step(step, full)!r}," for step in program.instructions),
        "]",
    ]
    body = LOOP.format(
        name=name,
        summary=_summary(tree),
        by_totals=by_totals,
        begin=f"codes, spent, at = {{}}, {[0] * len(resources)}, 0" if full else "codes, at = {}, 0",
        pay=PAY if full else BUY,
        answer=f"_{name}_found(number, *others, spent, codes)" if full else answered,
    )
    body += SOFTMAX.format(name=name) if shares else ""
    each = [f"{of.name!r}: spent[{at}] / {float(of.scale)!r}" for at, of in enumerate(resources)]
    costs = f'\n        "costs": {{{", ".join(each)}}},' if len(each) > 1 else ""
    body += FOUND.format(name=name, scale=float(resources[0].scale), costs=costs) if full else ""
    tables = "\n".join(lines)
    return f"{_imports(tables, 'bisect', *(['math'] if shares else []))}\n{tables}\n\n\n{body}"


def _test(tree: Tree, test: int) -> str:
    raw = raw_values(tree.schema, test)
    levels, known = "None", "None"
    if raw.thresholds is None:
        known = "{" + ", ".join(f"{literal(value)}: {code}" for code, value in enumerate(raw.values)) + "}"
    else:
        levels = f"[{', '.join(map(literal, raw.thresholds))}]"
    return f"({tree.test_names[test]!r}, {levels}, {known}, {raw.missing})"


def _step(step: Instruction, full: bool) -> tuple[Any, ...]:
    match step:
        case Pay(test=test, child=child, charges=charges):
            return ("buy", test, child, list(map(short, charges))) if full else ("buy", test, child)
        case ByResult(test=test, children=children):
            return "result", test, short(children)
        case ByPoints(totals=totals, cuts=cuts, children=children):
            return "points", totals, cuts, children
        case BySure(totals=totals, confidence=confidence, difference=difference, children=children):
            return "sure", totals, confidence if difference is None else difference, children
        case Answer(answer=answer, shares=shares):
            return ("answer", answer, shares) if full else ("answer", answer)
        case ByScores(totals=totals):
            return "scores", totals
