"""A tree in Graphviz' language: `dot -Tsvg tree.dot`."""

from __future__ import annotations

from budgetree.services.words import visible
from budgetree.show.drawing import answer_colours, tint
from budgetree.show.outline import Group
from budgetree.tree.tree import Tree

HEAD = [
    "digraph tree {",
    "  rankdir=LR;",
    '  node [shape=box, style="rounded,filled", fillcolor="white", fontname="Helvetica"];',
    '  edge [fontname="Helvetica", fontsize=11];',
]


def to_dot(tree: Tree) -> str:
    """One statement per node and branch."""
    outline, words, schema, nodes = tree.outline, tree.words, tree.schema, tree.nodes
    colours = answer_colours(len(schema.class_names), len(schema.answer_names))
    lines = list(HEAD)
    for visit in outline.walk():
        node = visit.group[0]
        if visit.branch is not None:
            below = visit.branch.group
            spent = f"spent {words.amount(nodes.paid[below[0]])}"
            lines.append(
                f"  {_id(visit.group)} -> {_id(below)} [label={_text(' | '.join(visit.branch.names), spent)}];"
            )
        elif visit.kind == "enter" and outline.is_leaf(visit.group):
            label = int(nodes.label[node])
            counted = words.counts(outline.counts(visit.group))
            text = _text(words.label(visit.group), counted)
            lines.append(
                f'  {_id(visit.group)} [label={text}, color="{colours[label]}", fillcolor="{tint(colours[label])}"];'
            )
        elif visit.kind == "enter":
            mark = "?" if tree.may_stop[node] and not outline.is_purchase(visit.group) else ""
            text = _text(f"{words.request(visit.group)}{mark}", words.price(node))
            lines.append(f"  {_id(visit.group)} [label={text}];")
    return "\n".join([*lines, "}", ""])


def _id(group: Group) -> str:
    return f"n{group[0]}"


def _text(*lines: str) -> str:
    """A quoted string; backslashes, quotes and & of names stay what they are: dot knows \\N and &lt; in labels."""
    shown = (visible(line).replace("&", "&amp;") for line in lines)
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in shown)
    return '"' + "\\n".join(escaped) + '"'
