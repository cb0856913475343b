"""A frontier drawn with letters, for terminals."""

from __future__ import annotations

from bisect import bisect_right

from budgetree.learn import Frontier
from budgetree.problem.units import show_number

WIDTH, HEIGHT = 60, 12
LINE, CORNER, DROP, POINT, OPEN_POINT, IMPOSSIBLE = "─", "┐", "│", "●", "○", "░"


def draw_frontier(frontier: Frontier, width: int = WIDTH, height: int = HEIGHT) -> str:
    """Errors against budget as steps: ● proven, ○ the best found, ░ where no tree can be."""
    right = float(frontier[-1].max_cost) or 1.0
    top = float(frontier[0].errors) or 1.0
    costs = [float(point.max_cost) for point in frontier]
    bounds = [float(least) for _, least in frontier.bounds]

    def row_of(errors: float) -> int:
        return round((1 - errors / top) * (height - 1))

    grid = [[" "] * width for _ in range(height)]
    above = row_of(float(frontier[0].errors))
    for column in range(width):
        # Half a column more: a point is drawn in the column where it lies.
        place = max(bisect_right(costs, (column + 0.5) / (width - 1) * right) - 1, 0)
        row = row_of(float(frontier[place].errors))
        if bounds[place] > 0:
            for below in range(row_of(bounds[place]) + 1, height):
                grid[below][column] = IMPOSSIBLE
        for between in range(above, row):
            grid[between][column] = CORNER if between == above else DROP
        grid[row][column] = LINE
        above = row
    for point, cost in zip(frontier, costs, strict=True):
        grid[row_of(float(point.errors))][round(cost / right * (width - 1))] = POINT if point.proven else OPEN_POINT
    names = {0: show_number(top), height - 1: "0"}
    margin = max(map(len, names.values()))
    lines = [f"{names.get(number, ''):>{margin}} ┤{''.join(row).rstrip()}" for number, row in enumerate(grid)]
    axis = f"{'':>{margin}} └{'─' * width}"
    legend = f"{'':>{margin}}  0{'budget':^{width - 2 - len(show_number(right))}}{show_number(right)}"
    key = f"errors; {POINT} proven to be the fewest, {OPEN_POINT} the fewest found, {IMPOSSIBLE} no tree can be here"
    return "\n".join([key, *lines, axis, legend])
