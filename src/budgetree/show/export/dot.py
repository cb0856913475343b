"""A tree in Graphviz' language: `dot -Tsvg tree.dot`."""

from __future__ import annotations

from budgetree.services.words import visible
from budgetree.show.drawing import answer_colours, tint
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
        group, node = visit.group, visit.group[0]
        if visit.branch is not None and visit.above is not None:
            text = _text(" | ".join(visit.branch.names), f"spent {words.spent(node)}")
            lines.append(f"  n{visit.above[0]} -> n{node} [label={text}];")
        if outline.is_leaf(group):
            colour, text = colours[nodes.label[node]], _text(words.label(group), words.counts(outline.counts(group)))
            lines.append(f'  n{node} [label={text}, color="{colour}", fillcolor="{tint(colour)}"];')
        else:
            asked, *rest = words.request(group)
            lines.append(f"  n{node} [label={_text(asked[:-1], *rest)}];")
    for number, table in enumerate(outline.tables):
        lines.append(f"  points{number} [shape=note, label={_text(*words.points_lines(table))}];")
    return "\n".join([*lines, "}", ""])


def _text(*lines: str) -> str:
    """A quoted string; backslashes, quotes and & of names stay what they are: dot knows \\N and &lt; in labels."""
    shown = (visible(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(shown) + '"'
