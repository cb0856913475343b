"""A frontier drawn with letters, for terminals."""

from __future__ import annotations

from budgetree.learn import Frontier
from budgetree.services.words import show_number, visible
from budgetree.show.steps import IMPOSSIBLE as NO_TREE
from budgetree.show.steps import frontier_steps, key_of

WIDTH, HEIGHT = 60, 12
LINE, CORNER, DROP, POINT, OPEN_POINT, IMPOSSIBLE = "─", "┐", "│", "●", "○", "░"


def draw_frontier(frontier: Frontier, width: int = WIDTH, height: int = HEIGHT) -> str:
    """Errors, or loss, against budget as steps: ● proven, ○ the best found, ░ where no tree can be."""
    steps = frontier_steps(frontier)
    right = steps.loss.right or 1.0
    top = steps.loss.starts[0][1] or 1.0

    def row_of(loss: float) -> int:
        return round((1 - loss / top) * (height - 1))

    grid = [[" "] * width for _ in range(height)]
    above = row_of(steps.loss.starts[0][1])
    for column in range(width):
        budget = (column + 0.5) / (width - 1) * right  # half a column more: a point is in the column where it lies
        row, least = row_of(steps.loss.at(budget)), steps.bound.at(budget)
        if least > 0:
            for below in range(row_of(least) + 1, height):
                grid[below][column] = IMPOSSIBLE
        for between in range(above, row):
            grid[between][column] = CORNER if between == above else DROP
        grid[row][column] = LINE
        above = row
    for point, (budget, loss) in zip(frontier, steps.loss.starts, strict=True):
        grid[row_of(loss)][round(budget / right * (width - 1))] = POINT if point.proven else OPEN_POINT
    names = {0: show_number(top), height - 1: "0"}
    margin = max(map(len, names.values()))
    lines = [f"{names.get(number, ''):>{margin}} ┤{''.join(row).rstrip()}" for number, row in enumerate(grid)]
    axis = f"{'':>{margin}} └{'─' * width}"
    end = visible(frontier.instance.schema.wording.amount(right))
    legend = f"{'':>{margin}}  0{'budget':^{width - 2 - len(end)}}{end}"
    words = key_of(frontier)
    key = f"{words.axis}; {POINT} {words.proven}, {OPEN_POINT} {words.found}, {IMPOSSIBLE} {NO_TREE}"
    return "\n".join([key, *lines, axis, legend])
