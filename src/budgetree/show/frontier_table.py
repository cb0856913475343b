"""A frontier for people: a table with a sparkline, and a table with a step plot for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from budgetree.problem.units import show_number

BARS = "▁▂▃▄▅▆▇█"
MAX_ROWS_IN_HTML = 60
WIDTH, HEIGHT, MARGIN = 420, 220, 46


def render_text(points: Sequence[Any], complete: bool, method: str) -> str:
    """The table, headed by a sparkline of the errors."""
    lines = [
        f"frontier of {len(points)} points, errors {sparkline([float(point.errors) for point in points])}"
        + (f"; {method}" if method else "")
        + ("" if complete else " (ended early)"),
        f"{'max-cost':>10} {'errors':>8} {'error rate':>11} {'at least':>9}  by",
    ]
    lines += [
        f"{show_number(point.max_cost):>10} {show_number(point.errors):>8} {point.error_rate:>11.2%} "
        f"{'proven' if point.proven else show_number(point.lower_bound):>9}  {point.source}"
        for point in points
    ]
    return "\n".join(lines)


def sparkline(values: Sequence[float]) -> str:
    """One bar per value, the largest full."""
    top = max(values, default=0) or 1
    return "".join(BARS[round(value / top * (len(BARS) - 1))] for value in values)


def render_html(points: Sequence[Any], complete: bool, method: str) -> str:
    """A step plot over a table; readable on light and dark pages."""
    rows = "".join(
        f"<tr><td>{show_number(p.max_cost)}</td><td>{show_number(p.errors)}</td><td>{p.error_rate:.2%}</td>"
        f"<td>{'proven' if p.proven else show_number(p.lower_bound)}</td>"
        f"<td style='text-align:left'>{escape(p.source)}</td></tr>"
        for p in points[:MAX_ROWS_IN_HTML]
    )
    more = len(points) - MAX_ROWS_IN_HTML
    rest = f"<tr><td colspan=5>… and {more} more points</td></tr>" if more > 0 else ""
    note = f"<p>{escape(method)}{'' if complete else ' (ended early)'}</p>"
    return (
        f"{_step_plot(points)}{note}<table><thead><tr><th>max-cost</th><th>errors</th><th>error rate</th>"
        f"<th>at least</th><th>by</th></tr></thead><tbody>{rows}{rest}</tbody></table>"
    )


def _step_plot(points: Sequence[Any]) -> str:
    right = max((float(p.max_cost) for p in points), default=0) or 1.0
    top = max((float(p.errors) for p in points), default=0) or 1.0

    def place(cost: float, errors: float) -> tuple[float, float]:
        x = MARGIN + (WIDTH - 2 * MARGIN) * cost / right
        return round(x, 1), round(HEIGHT - MARGIN - (HEIGHT - 1.5 * MARGIN) * errors / top, 1)

    path, level = "", 0.0
    for index, p in enumerate(points):
        x, y = place(float(p.max_cost), float(p.errors))
        path += f"M{x} {y}" if index == 0 else f"L{x} {level}L{x} {y}"
        level = y
    dots = "".join(
        f"<circle cx='{x}' cy='{y}' r='3'><title>{show_number(p.errors)} errors at {show_number(p.max_cost)}</title>"
        "</circle>"
        for p in points
        for x, y in [place(float(p.max_cost), float(p.errors))]
    )
    base, axis = HEIGHT - MARGIN, MARGIN
    return (
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' role='img' "
        "aria-label='errors against max-cost' font-size='11' fill='currentColor' stroke='none'>"
        f"<path d='M{axis} {MARGIN / 2}V{base}H{WIDTH - MARGIN}' fill='none' stroke='currentColor' opacity='.5'/>"
        f"<path d='{path}' fill='none' stroke='#2a78c8' stroke-width='2'/><g fill='#2a78c8'>{dots}</g>"
        f"<text x='{axis - 5}' y='{MARGIN / 2 + 8}' text-anchor='end'>{show_number(top)}</text>"
        f"<text x='{axis - 5}' y='{base}' text-anchor='end'>0</text>"
        f"<text x='{WIDTH - MARGIN}' y='{base + 15}' text-anchor='end'>{show_number(right)}</text>"
        f"<text x='{WIDTH / 2}' y='{base + 30}' text-anchor='middle'>max-cost</text>"
        f"<text x='{axis}' y='{MARGIN / 2 - 8}'>errors</text></svg>"
    )
