"""plot_frontier: what every budget buys, what no tree can, and how single impurities fall behind."""

from __future__ import annotations

from typing import Any

from budgetree.impurity import HingedPairs, Impurity, Powers
from budgetree.learn import Frontier, tradeoff
from budgetree.show.plots.figures import new_axes

LARGE_TABLE = 1_000_000  # objects × tests; beyond it a curve would take longer than anyone waits for a picture
BEHIND = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00")
LINE, IMPOSSIBLE = "#0072B2", "#D9D9D9"


def plot_frontier(frontier: Frontier, *, ax: Any = None, impurities: Any = None) -> Any:
    """Draw errors against worst-case cost and return the matplotlib axes.

    Filled points are proven to be the best there is, hollow ones are the best found; in the shaded region no tree can
    be. Behind the frontier stand the trade-off curves of single impurities.

    ax          axes to draw in; by default those of a new figure
    impurities  whose curves to draw; by default Powers(2) and HingedPairs, and none on large data; () draws none
    """
    if not isinstance(frontier, Frontier):
        raise ValueError(f"frontier: expected a Frontier, but got {type(frontier).__name__}; see budgetree.frontier.")
    if impurities is None:
        is_large = frontier.instance.codes.size > LARGE_TABLE
        impurities = () if is_large else (Powers(2), HingedPairs)
    if isinstance(impurities, (Impurity, type)):
        impurities = (impurities,)
    ax = new_axes(7.5, 4.6) if ax is None else ax
    last = frontier.points[-1].max_cost
    right = 1.06 * last or 1
    total = float(frontier.instance.weights.sum())
    shade_impossible(ax, frontier, right, total)
    for place, impurity in enumerate(impurities):
        curve = [(p.max_cost, p.errors / total) for p in tradeoff(frontier.instance, impurity, progress=False)]
        steps = _falling([point for point in curve if point[0] <= right])
        name = impurity.__name__ if isinstance(impurity, type) else repr(impurity)
        colour = BEHIND[place % len(BEHIND)]
        step_line(ax, steps, right, color=colour, linewidth=1.2, label=f"{name} alone", zorder=2)
    steps = [(point.max_cost, point.error_rate) for point in frontier.points]
    step_line(ax, steps, right, color=LINE, linewidth=2, label="frontier", zorder=3)
    for proven, fill, word in ((True, LINE, "proven to be the fewest"), (False, "white", "the fewest found")):
        chosen = [(point.max_cost, point.error_rate) for point in frontier.points if point.proven is proven]
        if chosen:
            x, y = zip(*chosen, strict=True)
            ax.plot(
                x, y, "o", markerfacecolor=fill, markeredgecolor=LINE, markersize=6, label=word, zorder=4, clip_on=False
            )
    _finish(ax, right)
    return ax


def shade_impossible(ax: Any, frontier: Frontier, right: float, total: float) -> None:
    """Where no tree can be; beyond the last point only as far as that is the end of all errors."""
    steps = [(budget, errors / total) for budget, errors in frontier.bounds]
    if frontier.points[-1].errors <= frontier.points[-1].lower_bound:
        steps.append((right, steps[-1][1]))
    if any(share > 0 for _, share in steps):
        x, y = zip(*steps, strict=True)
        ax.fill_between(x, y, step="post", color=IMPOSSIBLE, linewidth=0, label="no tree can be here", zorder=1)


def _falling(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Of a curve's points, cheapest first, those that make fewer errors than all cheaper ones."""
    found: list[tuple[float, float]] = []
    for point in sorted(points):
        if not found or point[1] < found[-1][1]:
            found.append(point)
    return found


def step_line(ax: Any, steps: list[tuple[float, float]], right: float, **style: Any) -> None:
    """A falling line of steps, the last one drawn to the edge."""
    ax.step([x for x, _ in steps] + [right], [y for _, y in steps] + [steps[-1][1]], where="post", **style)


def _finish(ax: Any, right: float) -> None:
    from matplotlib.ticker import PercentFormatter

    ax.set_xlim(-0.01 * right, right)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=None))
    ax.set_xlabel("budget: what no case exceeds")
    ax.set_ylabel("known cases it gets wrong")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
