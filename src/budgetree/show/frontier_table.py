"""A frontier for people: a table with a sparkline, and a table with a step plot for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from budgetree.learn import Frontier
from budgetree.problem.units import show_number
from budgetree.show.steps import Corner, frontier_steps
from budgetree.show.tables import TextTable, html_table
from budgetree.show.text import counted

BARS = "▁▂▃▄▅▆▇█"
HEAD = ("max-cost", "errors", "error rate", "at least", "by")
WIDTHS = (10, 8, 11, 9)  # of the columns of numbers, in letters
MAX_ROWS_IN_HTML = 60
WIDTH, HEIGHT, MARGIN = 420, 220, 46
LINE, PAPER, IMPOSSIBLE_OPACITY = "#2a78c8", "white", 0.15


def points_table(frontier: Frontier, max_rows: int | None = None) -> TextTable:
    """One row per point: what it costs, what it gets wrong, what is proven, and what found it."""
    rows = tuple(
        (
            show_number(point.max_cost),
            show_number(point.errors),
            f"{point.error_rate:.2%}",
            "proven" if point.proven else show_number(point.lower_bound),
            point.source,
        )
        for point in frontier.points[:max_rows]
    )
    n_more = len(frontier) - len(rows)
    return TextTable(HEAD, rows, f"… and {counted(n_more, 'more point', 'more points')}" if n_more else "")


def render_text(frontier: Frontier) -> str:
    """The table, headed by a sparkline of the errors."""
    bars = sparkline([float(point.errors) for point in frontier])
    method = f"; {frontier.method}" if frontier.method else ""
    table = points_table(frontier)

    def line(cells: tuple[str, ...]) -> str:
        numbers = (f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=False))
        return f"{' '.join(numbers)}  {cells[-1]}"

    size = counted(len(frontier), "point", "points")
    return "\n".join([f"frontier of {size}, errors {bars}{method}{_ended(frontier)}", *map(line, (HEAD, *table.rows))])


def sparkline(values: Sequence[float]) -> str:
    """One bar per value, the largest full."""
    top = max(values, default=0) or 1
    return "".join(BARS[round(value / top * (len(BARS) - 1))] for value in values)


def render_html(frontier: Frontier) -> str:
    """A step plot over a table; readable on light and dark pages."""
    note = f"<p>{escape(frontier.method)}{_ended(frontier)}</p>"
    table = html_table(points_table(frontier, MAX_ROWS_IN_HTML), left=(len(HEAD) - 1,))
    return f"{_step_plot(frontier)}{note}{table}"


def _ended(frontier: Frontier) -> str:
    return "" if frontier.complete else " (ended early)"


def _step_plot(frontier: Frontier) -> str:
    steps = frontier_steps(frontier)
    right = steps.errors.right or 1.0
    top = max(errors for _, errors in steps.errors.starts) or 1.0

    def place(corner: Corner) -> tuple[float, float]:
        budget, errors = corner
        x = MARGIN + (WIDTH - 2 * MARGIN) * budget / right
        return round(x, 1), round(HEIGHT - MARGIN - (HEIGHT - 1.5 * MARGIN) * errors / top, 1)

    def path(corners: Iterable[Corner]) -> str:
        return "M" + "L".join(f"{x} {y}" for x, y in map(place, corners))

    dots = "".join(
        f"<circle cx='{x}' cy='{y}' r='3' fill='{LINE if point.proven else PAPER}'><title>"
        f"{counted(point.errors, 'error', 'errors')} at {show_number(point.max_cost)}</title></circle>"
        for point, (x, y) in zip(frontier, map(place, steps.errors.starts), strict=True)
    )
    base, axis = HEIGHT - MARGIN, MARGIN
    shade = path([(0, 0), *steps.bound.corners, (steps.bound.right, 0)])
    return (
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' role='img' "
        "aria-label='errors against max-cost' font-size='11' fill='currentColor' stroke='none'>"
        f"<path d='{shade}Z' opacity='{IMPOSSIBLE_OPACITY}'><title>no tree can be here</title></path>"
        f"<path d='M{axis} {MARGIN / 2}V{base}H{WIDTH - MARGIN}' fill='none' stroke='currentColor' opacity='.5'/>"
        f"<path d='{path(steps.errors.corners)}' fill='none' stroke='{LINE}' stroke-width='2'/>"
        f"<g stroke='{LINE}' stroke-width='1.5'>{dots}</g>"
        f"<text x='{axis - 5}' y='{MARGIN / 2 + 8}' text-anchor='end'>{show_number(top)}</text>"
        f"<text x='{axis - 5}' y='{base}' text-anchor='end'>0</text>"
        f"<text x='{WIDTH - MARGIN}' y='{base + 15}' text-anchor='end'>{show_number(right)}</text>"
        f"<text x='{WIDTH / 2}' y='{base + 30}' text-anchor='middle'>max-cost</text>"
        f"<text x='{axis}' y='{MARGIN / 2 - 8}'>errors</text></svg>"
    )
