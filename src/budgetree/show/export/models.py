"""A tree with models as a Python function that needs nothing but Python: tables that are added up, and softmax."""

from __future__ import annotations

from typing import Any

from budgetree.data.encoders import NumberEncoder
from budgetree.show.export.literals import literal
from budgetree.show.export.notes import in_docstring, label_notes
from budgetree.show.text import summary_line
from budgetree.tree.leaf_models import LeafModels
from budgetree.tree.nodes import LEAF
from budgetree.tree.tree import Tree

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


def models_to_python(tree: Tree, name: str) -> str:
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
        *(f"    {_model(tree.models, number)}," for number in range(len(tree.models.models))),
        "]",
        "# Per node: its test, whether it buys it, where each outcome leads (the last: the unknown), its model.",
        f"_{name}_NODES = [",
        *(f"    {_node(tree, node)}," for node in range(len(tree.nodes))),
        "]",
    ]
    answer = (LIKELIEST if table.is_plain else LEAST_LOSS).format(name=name)
    body = FUNCTION.format(name=name, summary=in_docstring(summary_line(tree)), answer=answer)
    tables = "\n".join(lines)
    modules = ["bisect", "math", *(module for module in ("datetime", "decimal") if f"{module}." in tables)]
    imports = "\n".join(f"import {module}" for module in sorted(modules))
    return f"{imports}\n\n{tables}\n\n\n{body}"


def _test(tree: Tree, test: int) -> str:
    schema = tree.schema
    if schema.encoders is None:
        values = {code: code for code in range(int(schema.n_outcomes[test]))}
        return f"({schema.test_names[test]!r}, None, {values!r}, 255)"
    encoder = schema.encoders[test]
    if isinstance(encoder, NumberEncoder):
        missing = encoder.levels if encoder.has_missing else 255
        return f"({encoder.name!r}, [{', '.join(map(literal, encoder.thresholds))}], None, {missing})"
    known = ", ".join(f"{literal(value)}: {code}" for code, value in enumerate(encoder.values))
    return f"({encoder.name!r}, None, {{{known}}}, {len(encoder.values) if encoder.has_missing else 255})"


def _model(models: LeafModels, number: int) -> str:
    model, tables = models.models[number], models.contributions[number]
    listed: list[tuple[int, Any]] = [(test, table.tolist()) for test, table in zip(model.tests, tables, strict=True)]
    return f"({model.intercept.tolist()!r}, {listed!r})"


def _node(tree: Tree, node: int) -> str:
    nodes, models = tree.nodes, tree.models
    assert models is not None
    test = int(nodes.test[node])
    if test == LEAF:
        return f"(None, False, None, {int(models.of_node[node])})"
    assert nodes.otherwise is not None
    children = [*nodes.children(node, int(tree.schema.n_outcomes[test])).tolist(), int(nodes.otherwise[node])]
    goes = children[0] if len(set(children)) == 1 else children
    return f"({test}, {bool(tree.may_stop[node])}, {goes!r}, {int(models.of_node[node])})"
