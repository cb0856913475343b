"""Formulas as MathML, which browsers draw themselves: the pages need no network, and no script."""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def setup(app):
    def inline(writer, node):
        writer.body.append(tex2mathml(node.astext()))
        raise nodes.SkipNode

    def block(writer, node):
        writer.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
        raise nodes.SkipNode

    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
