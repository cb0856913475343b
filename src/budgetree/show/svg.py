"""Drawings as SVG: names are shown, never read as markup; what XML cannot hold is escaped before."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from budgetree.services.words import visible
from budgetree.show.drawing import PAPER, Box, Drawing, Shape, Stroke, draw
from budgetree.tree.tree import Tree

FONTS = "DejaVu Sans, Verdana, Geneva, sans-serif"  # as wide as the layout assumes


def to_svg(tree: Tree, **limits: Any) -> str:
    """One SVG element; the limits are those of `draw`."""
    return svg_of([draw(tree, **limits)])


def svg_of(pages: Sequence[Drawing]) -> str:
    """Drawings of one width, each below the one before."""
    width, height = pages[0].width, sum(page.height for page in pages)
    parts, y = [], 0.0
    for page in pages:
        body = "\n".join(map(_paint, page.shapes))
        parts.append(body if len(pages) == 1 else f'<g transform="translate(0 {y:.1f})">\n{body}\n</g>')
        y += page.height
    size = f'width="{width:.1f}pt" height="{height:.1f}pt"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.1f} {height:.1f}" '
        f'font-family="{FONTS}" role="img">\n<rect width="100%" height="100%" fill="{PAPER}"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _paint(shape: Shape) -> str:
    if isinstance(shape, Stroke):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        line = f'fill="none" stroke="{shape.colour}" stroke-width="{shape.width}" stroke-linejoin="round"'
        return f'<polyline points="{points}" {line}/>'
    if isinstance(shape, Box):
        dashes = ' stroke-dasharray="3 2"' if shape.dashed else ""
        return (
            f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" rx="4" '
            f'fill="{shape.fill}" stroke="{shape.edge}"{dashes}><title>{escape(visible(shape.hint))}</title></rect>'
        )
    weight = ' font-weight="bold"' if shape.bold else ""
    anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
    # A fixed offset from the baseline rather than dominant-baseline, which not every viewer knows.
    return (
        f'<text x="{shape.x:.1f}" y="{shape.y + 0.35 * shape.size:.1f}" font-size="{shape.size}" '
        f'fill="{shape.colour}"{weight}{anchor} pointer-events="none">{escape(visible(shape.text))}</text>'
    )
