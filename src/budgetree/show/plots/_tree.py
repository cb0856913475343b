"""plot_tree: a tree's drawing, painted by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from budgetree.show.drawing import Box, Drawing, Stroke
from budgetree.show.plots.figures import new_axes
from budgetree.tree import Tree
from budgetree.tree.shown import MAX_LEAVES

POINTS_PER_INCH = 72


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
        raise ValueError(f"tree: expected a Tree, but got {type(tree).__name__}; a classifier's is its tree_.")
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
