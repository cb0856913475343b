"""A drawing as SVG, for notebooks and web pages; needs nothing but a browser."""

from __future__ import annotations

from html import escape

from budgetree.services.words import visible
from budgetree.show.drawing import PAPER, Box, Drawing, Stroke, Text

FONTS = "DejaVu Sans, Verdana, Geneva, sans-serif"  # as wide as the layout assumes


def to_svg(drawing: Drawing) -> str:
    """One SVG element."""
    size = f'width="{drawing.width:.1f}pt" height="{drawing.height:.1f}pt"'
    body = "\n".join(_paint(shape) for shape in drawing.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {drawing.width:.1f} {drawing.height:.1f}" '
        f'font-family="{FONTS}" role="img">\n<rect width="100%" height="100%" fill="{PAPER}"/>\n{body}\n</svg>\n'
    )


def _paint(shape: Stroke | Box | Text) -> str:
    if isinstance(shape, Stroke):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        return (
            f'<polyline points="{points}" fill="none" stroke="{shape.colour}" stroke-width="{shape.width}" '
            'stroke-linejoin="round"/>'
        )
    if isinstance(shape, Box):
        dashes = ' stroke-dasharray="3 2"' if shape.dashed else ""
        return (
            f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" rx="5" '
            f'fill="{shape.fill}" stroke="{shape.edge}"{dashes}><title>{_clean(shape.hint)}</title></rect>'
        )
    weight = ' font-weight="bold"' if shape.bold else ""
    anchor = ' text-anchor="middle"' if shape.anchor == "middle" else ""
    # A fixed offset from the baseline rather than dominant-baseline, which not every viewer knows.
    return (
        f'<text x="{shape.x:.1f}" y="{shape.y + 0.35 * shape.size:.1f}" font-size="{shape.size}" '
        f'fill="{shape.colour}"{weight}{anchor} pointer-events="none">{_clean(shape.text)}</text>'
    )


def _clean(text: str) -> str:
    """Names are shown, never read as markup; what XML cannot hold is escaped before."""
    return escape(visible(text))
