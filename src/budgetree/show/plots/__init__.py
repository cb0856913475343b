"""Pictures by matplotlib, which is an extra: pip install 'budgetree[plot]'."""

from __future__ import annotations

from typing import Any

import numpy as np

from budgetree.errors import SettingError
from budgetree.impurity import HingedPairs, Impurity, Powers
from budgetree.learn import Frontier, tradeoff
from budgetree.services.words import visible
from budgetree.show.drawing import Box, Drawing, Stroke
from budgetree.show.frontier_view import IMPOSSIBLE, Steps, frontier_steps, key_of
from budgetree.tree import Tree
from budgetree.tree.shown import MAX_LEAVES

LARGE_TABLE = 1_000_000  # cases × tests; beyond it a curve would take longer than anyone waits for a picture
BEHIND = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00")
POINTS_PER_INCH = 72
LINE, SHADE, NEW = "#0072B2", "#D9D9D9", "#B3400A"


def plot_frontier(frontier: Frontier, *, ax: Any = None, impurities: Any = None) -> Any:
    """Draw errors against worst-case cost.

    Filled points are proven to be the best there is, hollow ones are the best found; in the shaded region no tree can
    be. Bars show the error on new cases, ± its standard error, where the frontier has it. Behind the frontier stand
    the trade-off curves of single impurities. Where losses are given, the mean loss stands in place of the error.

    Parameters
    ----------
    frontier : Frontier
        What to draw.
    ax : matplotlib axes, optional
        Axes to draw in; by default those of a new figure.
    impurities : sequence, optional
        Whose curves to draw; by default Powers(2) and HingedPairs, and none on large data. () draws none.

    Returns
    -------
    matplotlib axes
        The axes drawn in.

    Raises
    ------
    ValueError
        Where it is no frontier.
    ImportError
        Where matplotlib is not installed.

    Examples
    --------
    >>> import budgetree as bt
    >>> axes = bt.plot_frontier(bt.frontier(bt.datasets.load("figure1"), folds=0))
    >>> axes.get_xlabel()
    'budget: what no case exceeds'
    """
    if not isinstance(frontier, Frontier):
        raise SettingError(
            f"frontier: expected a Frontier, but got {type(frontier).__name__}; see budgetree.frontier.",
            subject="frontier",
            found=frontier,
        )
    if impurities is None:
        is_large = frontier.instance.codes.size > LARGE_TABLE
        impurities = () if is_large else (Powers(2), HingedPairs)
    if isinstance(impurities, (Impurity, type)):
        impurities = (impurities,)
    ax = new_axes(7.5, 4.6) if ax is None else ax
    right = 1.06 * frontier.points[-1].max_cost or 1
    for place, impurity in enumerate(impurities):
        name = impurity.__name__ if isinstance(impurity, type) else repr(impurity)
        steps = _single_steps(frontier, impurity, right)
        draw_steps(ax, steps, color=BEHIND[place % len(BEHIND)], linewidth=1.2, label=f"{name} alone", zorder=2)
    draw_frontier(ax, frontier, right, LINE, "frontier")
    _draw_new_means(ax, frontier)
    cases = "cases" if frontier[0].expected is not None else "known cases"
    unit = frontier.instance.schema.wording.unit_name
    _finish(ax, right, unit, f"mean loss of the {cases}" if frontier.has_losses else f"{cases} it gets wrong")
    if not frontier.has_losses:
        _write_percents(ax)
    return ax


def draw_frontier(ax: Any, frontier: Frontier, right: float, colour: str, name: str) -> None:
    """The frontier's line and points over the region where no tree can be."""
    total = float(frontier.instance.weights.sum())
    steps, words = frontier_steps(frontier, right).divided(total), key_of(frontier)
    if any(share > 0 for _, share in steps.bound.starts):
        x, y = zip(*steps.bound.corners, strict=True)
        ax.fill_between(x, y, color=SHADE, linewidth=0, label=IMPOSSIBLE, zorder=1)
    draw_steps(ax, steps.loss, color=colour, linewidth=2, label=name, zorder=3)
    for proven, fill, name_of_kind in ((True, colour, words.proven), (False, "white", words.found)):
        chosen = [start for start, point in zip(steps.loss.starts, frontier, strict=True) if point.proven is proven]
        if chosen:
            style = {"markerfacecolor": fill, "markeredgecolor": colour, "markersize": 6, "clip_on": False}
            ax.plot(*zip(*chosen, strict=True), "o", label=name_of_kind, zorder=4, **style)


def _draw_new_means(ax: Any, frontier: Frontier) -> None:
    """A bar for each point, where the error (the loss, with losses) on new cases is known."""
    known = [
        (point.max_cost, point.new_loss, point.new_loss_se)
        if frontier.has_losses
        else (point.max_cost, point.new_error, point.new_error_se)
        for point in frontier
        if point.expected is not None
    ]
    if known:
        budgets, means, errors = zip(*known, strict=True)
        ax.errorbar(
            budgets,
            means,
            yerr=errors,
            fmt="_",
            color=NEW,
            capsize=3,
            markersize=8,
            label="new cases, ± standard error",
            zorder=5,
        )


def draw_steps(ax: Any, steps: Steps, **style: Any) -> None:
    """A line of steps to the right end."""
    ax.plot(*zip(*steps.corners, strict=True), **style)


def _single_steps(frontier: Frontier, impurity: Any, right: float) -> Steps:
    curve = tradeoff(frontier.instance, impurity, progress=False)
    points = [(point.max_cost, float(point.tree.loss if frontier.has_losses else point.errors)) for point in curve]
    steps = Steps.falling(points, right)
    return steps.divided(float(frontier.instance.weights.sum()))


def _write_percents(ax: Any) -> None:
    from matplotlib.ticker import PercentFormatter

    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=None))


def _finish(ax: Any, right: float, unit: str, what: str) -> None:
    ax.set_xlim(-0.01 * right, right)
    ax.set_ylim(bottom=0)
    budget = visible(f"budget ({unit})") if unit else "budget"
    ax.set_xlabel(f"{budget}: what no case exceeds", parse_math=False)  # a dollar is a dollar
    ax.set_ylabel(what)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)


def plot_tree(tree: Tree, *, ax: Any = None, max_leaves: int = MAX_LEAVES, max_depth: int | None = None) -> Any:
    """Draw a tree from left to right.

    On each branch stand its outcomes, the price of the test and what was spent so far; outcomes with the same subtree
    share a branch; leaves have their class's colour, and the costliest path is dark red.

    Parameters
    ----------
    tree : Tree
        What to draw.
    ax : matplotlib axes, optional
        Axes to draw in; by default those of a new figure, as large as the tree needs.
    max_leaves : int, default 40
        A larger tree is folded where the fewest cases pass, so that it stays readable.
    max_depth : int, optional
        No more tests than this on a path are drawn.

    Returns
    -------
    matplotlib axes
        The axes drawn in.

    Raises
    ------
    ValueError
        Where it is no tree, or a limit is no whole number.
    ImportError
        Where matplotlib is not installed.

    Examples
    --------
    >>> import budgetree as bt
    >>> axes = bt.plot_tree(bt.grow(bt.datasets.load("figure1")))
    >>> axes.texts[0].get_text()
    '1'
    """
    if not isinstance(tree, Tree):
        raise SettingError(
            f"tree: expected a Tree, but got {type(tree).__name__}; a classifier's is its tree_.",
            subject="tree",
            found=tree,
        )
    drawing = tree.draw(max_leaves=max_leaves, max_depth=max_depth)
    if ax is None:
        ax = new_axes(drawing.width / POINTS_PER_INCH, drawing.height / POINTS_PER_INCH)
        ax.figure.set_layout_engine("none")
        ax.set_position((0, 0, 1, 1))  # the drawing has margins of its own
    ax.set_xlim(0, drawing.width)
    ax.set_ylim(drawing.height, 0)
    ax.set_aspect("equal", adjustable="box")
    ax.axis("off")
    _paint(ax, drawing)
    return ax


def _paint(ax: Any, drawing: Drawing) -> None:
    from matplotlib.patches import FancyBboxPatch

    scale = _points_per_unit(ax, drawing)
    for layer, shape in enumerate(drawing.shapes):
        if isinstance(shape, Stroke):
            ax.plot(
                *np.array(shape.points).T,
                color=shape.colour,
                linewidth=shape.width * scale,
                solid_joinstyle="round",
                zorder=layer,
            )
        elif isinstance(shape, Box):
            ax.add_patch(
                FancyBboxPatch(
                    (shape.x, shape.y),
                    shape.width,
                    shape.height,
                    boxstyle="round,pad=0,rounding_size=5",
                    facecolor=shape.fill,
                    edgecolor=shape.edge,
                    linewidth=scale,
                    linestyle="--" if shape.dashed else "-",
                    zorder=layer,
                )
            )
        else:
            ax.text(
                shape.x,
                shape.y,
                shape.text,
                fontsize=shape.size * scale,
                color=shape.colour,
                fontweight="bold" if shape.bold else "normal",
                ha="center" if shape.anchor == "middle" else "left",
                va="center_baseline",
                parse_math=False,  # a dollar in a name is a dollar
                zorder=layer,
            )


def _points_per_unit(ax: Any, drawing: Drawing) -> float:
    """How much smaller than planned the drawing is, in axes that someone else made."""
    box = ax.get_window_extent()
    points = POINTS_PER_INCH / ax.figure.dpi
    return float(min(box.width * points / drawing.width, box.height * points / drawing.height))


def need_matplotlib() -> None:
    """An error that names the extra where matplotlib is missing."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'budgetree[plot]'.") from error


def new_axes(width: float, height: float) -> Any:
    """Axes of a new figure of this many inches."""
    need_matplotlib()
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
