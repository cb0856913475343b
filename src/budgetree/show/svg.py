"""Drawings as SVG: names are shown, never read as markup; what XML cannot hold is escaped before."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from budgetree.services.words import visible
from budgetree.show.drawing import PAPER, Box, Drawing, Shape, Stroke, draw
from budgetree.tree.tree import Tree

FONTS = "DejaVu Sans, Verdana, Geneva, sans-serif"  # as wide as the layout assumes

LEAVES, MAX_LETTERS = (40, 24, 12, 6, 3, 1), 55_000  # of a notebook's picture
# A notebook's own switch, and the reader's: what is light becomes dark, and hues stay.
SWITCH = "{filter:invert(.92) hue-rotate(180deg)}"
DARK = (
    f"@media (prefers-color-scheme:dark){{:root:not([data-jp-theme-light=true]) .budgetree>svg{SWITCH}}}"
    f"[data-jp-theme-light=false] .budgetree>svg{SWITCH}"
)


def to_svg(tree: Tree, **limits: Any) -> str:
    """One SVG element; the limits are those of `draw`."""
    return svg_of([draw(tree, **limits)])


def to_html(tree: Tree) -> str:
    """The picture for a notebook, light or dark, in less than 60 kB: of a large tree what most cases pass."""
    pictures = (to_svg(tree, max_leaves=max_leaves) for max_leaves in LEAVES)
    picture = next((picture for picture in pictures if len(picture) < MAX_LETTERS), "")
    return f'<div class="budgetree" style="overflow-x: auto"><style>{DARK}</style>{picture}</div>'


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
