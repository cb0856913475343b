"""Pictures by matplotlib, which is an extra: pip install 'budgetree[plot]'."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np

from budgetree.errors import SettingError
from budgetree.impurity import HingedPairs, Impurity, Powers
from budgetree.learn import Frontier, tradeoff
from budgetree.services.words import visible
from budgetree.show.drawing import MAX_LEAVES, Box, Drawing, Stroke
from budgetree.show.frontier_view import IMPOSSIBLE, Steps, frontier_steps, key_of, new_means, shown_steps
from budgetree.tree import Tree

LARGE_TABLE = 1_000_000  # cases × tests; beyond it a curve would take longer than anyone waits for a picture
BEHIND = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00")
POINTS_PER_INCH = 72
ANCHORS = {"start": "left", "middle": "center", "end": "right"}
LINE, SHADE, NEW, THIN = "#0072B2", "#D9D9D9", "#B3400A", "#737373"


def plot_frontier(frontier: Frontier, *, ax: Any = None, impurities: Any = None) -> Any:
    """Draw errors against worst-case cost.

    Filled points are proven to be the best there is, hollow ones are the best found; in the shaded region no tree can
    be. Bars show the error on new cases, ± its standard error, where the frontier has it. Behind the frontier stand
    the trade-off curves of single impurities. Of trees for new cases the line is their error on new cases, above a thin
    one for the known ones, without curves. Where losses are given, the mean loss stands in place of the error.

    Parameters
    ----------
    frontier : Frontier
        What to draw.
    ax : matplotlib axes, optional
        Axes to draw in; by default those of a new figure.
    impurities : sequence, optional
        Whose curves to draw; by default Powers(2) and HingedPairs; none on large data and of trees for new cases.
        () draws none.

    Returns
    -------
    matplotlib axes
        The axes drawn in.

    Raises
    ------
    ValueError
        If it is not a frontier.
    ImportError
        Where matplotlib is not installed.

    Examples
    --------
    >>> import budgetree as bt
    >>> axes = bt.plot_frontier(bt.frontier(bt.datasets.load("figure1"), folds=0, objective="known"))
    >>> axes.get_xlabel()
    'budget: what no case exceeds'
    """
    _check_kind("frontier", frontier, Frontier, "see budgetree.frontier")
    means = new_means(frontier)
    if impurities is None:  # whose curves are about known cases
        is_large = frontier.instance.codes.size > LARGE_TABLE
        impurities = () if means or is_large else (Powers(2), HingedPairs)
    if isinstance(impurities, (Impurity, type)):
        impurities = (impurities,)
    ax = new_axes(7.5, 4.6) if ax is None else ax
    right = 1.06 * frontier.points[-1].budget or 1
    for position, impurity in enumerate(impurities):
        name = impurity.__name__ if isinstance(impurity, type) else repr(impurity)
        style = {"color": BEHIND[position % len(BEHIND)], "linewidth": 1.2, "zorder": 2}
        curve = tradeoff(frontier.instance, impurity, progress=False)
        points = [(point.max_cost, float(point.tree.loss if frontier.has_losses else point.errors)) for point in curve]
        steps = Steps.falling(points, right).divided(float(frontier.instance.weights.sum()))
        draw_steps(ax, steps, label=f"{name} alone", **style)
    if means:
        known = frontier_steps(frontier, right).loss.divided(float(frontier.instance.weights.sum()))
        draw_steps(ax, known, color=THIN, linewidth=1, label="the same trees on the known cases", zorder=3)
        draw_steps(ax, shown_steps(frontier, right).loss, color=LINE, linewidth=2, label="new cases", zorder=4)
    else:
        draw_frontier(ax, frontier, right, LINE, "frontier")
    _draw_new_means(ax, frontier)
    cases = "cases" if frontier[0].estimate is not None else "known cases"
    unit = frontier.instance.schema.wording.unit_name
    budget = visible(f"budget ({unit})") if unit else "budget"
    finish(
        ax,
        f"{budget}: what no case exceeds",
        f"mean loss of the {cases}" if frontier.has_losses else f"{cases} it gets wrong",
        percents=not frontier.has_losses,
    )
    ax.set_xlim(-0.01 * right, right)
    ax.legend(frameon=False)
    return ax


def finish(ax: Any, across: str, upright: str, *, percents: bool = True) -> None:
    """What both axes are called, and where they begin."""
    from matplotlib.ticker import PercentFormatter

    ax.set_ylim(bottom=0)
    ax.set_xlabel(across, parse_math=False)  # a dollar is a dollar
    ax.set_ylabel(upright)
    ax.spines[["top", "right"]].set_visible(False)
    if percents:
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0 if ax.get_ylim()[1] > 0.05 else None))


def draw_frontier(ax: Any, frontier: Frontier, right: float, colour: str, name: str) -> None:
    """The frontier's line and points over the region where no tree can be."""
    total = float(frontier.instance.weights.sum())
    steps, words = frontier_steps(frontier, right), key_of(frontier)
    loss, bound = steps.loss.divided(total), steps.bound.divided(total)
    if any(share > 0 for _, share in bound.starts):
        x, y = zip(*bound.corners, strict=True)
        ax.fill_between(x, y, color=SHADE, linewidth=0, label=IMPOSSIBLE, zorder=1)
    draw_steps(ax, loss, color=colour, linewidth=2, label=name, zorder=3)
    for proven, fill, name_of_kind in ((True, colour, words.proven), (False, "white", words.found)):
        chosen = [start for start, point in zip(loss.starts, frontier, strict=True) if point.proven is proven]
        if chosen:
            style = {"markerfacecolor": fill, "markeredgecolor": colour, "markersize": 6, "clip_on": False}
            ax.plot(*zip(*chosen, strict=True), "o", label=name_of_kind, zorder=4, **style)


def _draw_new_means(ax: Any, frontier: Frontier) -> None:
    """A bar for each point, where the error (the loss, with losses) on new cases is known."""
    known = [point for point in frontier if point.estimate is not None]
    if known:
        means = [point.new_loss if frontier.has_losses else point.new_error for point in known]
        errors = [point.new_loss_se if frontier.has_losses else point.new_error_se for point in known]
        style = {"fmt": "_", "color": NEW, "capsize": 3, "markersize": 8, "zorder": 5}
        budgets = [point.budget for point in known]
        label = "± standard error" if new_means(frontier) else "new cases, ± standard error"
        ax.errorbar(budgets, means, yerr=errors, label=label, **style)


def draw_steps(ax: Any, steps: Steps, **style: Any) -> None:
    """A line of steps to the right end."""
    ax.plot(*zip(*steps.corners, strict=True), **style)


def plot_tree(tree: Tree, *, ax: Any = None, max_leaves: int = MAX_LEAVES, max_depth: int | None = None) -> Any:
    """Draw a tree as boxes of 180 mm, one below the other.

    A box has the tests that are bought one after the other, their price, and what then happens: outcomes with the same
    subtree share a line, answers have their class's colour, and the costliest path is red.

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
        If it is not a tree, or a limit is not a whole number.
    ImportError
        Where matplotlib is not installed.

    Examples
    --------
    >>> import budgetree as bt
    >>> axes = bt.plot_tree(bt.grow(bt.datasets.load("figure1")))
    >>> axes.texts[2].get_text()
    '1 t2'
    """
    _check_kind("tree", tree, Tree, "a classifier's is its tree_")
    drawing = tree.draw(max_leaves=max_leaves, max_depth=max_depth)
    return _paint(_whole_figure(drawing) if ax is None else ax, drawing)


def to_pdf(pages: Sequence[Drawing]) -> bytes:
    """A PDF with a page for each drawing; its letters are embedded, and nothing in it says when it was made."""
    need_matplotlib()
    from matplotlib import pyplot, rc_context
    from matplotlib.backends.backend_pdf import PdfPages

    content = BytesIO()
    with rc_context({"pdf.fonttype": 42}), PdfPages(content, metadata={"CreationDate": None}) as file:
        for page in pages:
            figure = _paint(_whole_figure(page), page).figure
            file.savefig(figure)
            pyplot.close(figure)
    return content.getvalue()


def picture_of(frontier: Frontier, form: str) -> bytes:
    """What plot_frontier draws, as a file: svg, png or pdf; 180 mm wide."""
    ax = new_axes(7.08, 4.4)
    plot_frontier(frontier, ax=ax)
    from matplotlib import pyplot, rc_context

    content = BytesIO()
    with rc_context({"pdf.fonttype": 42, "svg.hashsalt": "budgetree"}):
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        ax.figure.savefig(content, format=form, dpi=300, metadata=metadata)
    pyplot.close(ax.figure)
    return content.getvalue()


def _whole_figure(drawing: Drawing) -> Any:
    """Axes of a new figure that is as large as the drawing, which has margins of its own."""
    ax = new_axes(drawing.width / POINTS_PER_INCH, drawing.height / POINTS_PER_INCH)
    ax.figure.set_layout_engine("none")
    ax.set_position((0, 0, 1, 1))
    return ax


def _paint(ax: Any, drawing: Drawing) -> Any:
    from matplotlib.patches import FancyBboxPatch

    ax.set_xlim(0, drawing.width)
    ax.set_ylim(drawing.height, 0)
    ax.set_aspect("equal", adjustable="box")
    ax.axis("off")
    box, points = ax.get_window_extent(), POINTS_PER_INCH / ax.figure.dpi
    # How much smaller than planned the drawing is, in axes that someone else made.
    scale = float(min(box.width * points / drawing.width, box.height * points / drawing.height))
    style: dict[str, Any]
    for layer, shape in enumerate(drawing.shapes):
        if isinstance(shape, Stroke):
            style = {"color": shape.colour, "linewidth": shape.width * scale, "solid_joinstyle": "round"}
            ax.plot(*np.array(shape.points).T, zorder=layer, **style)
        elif isinstance(shape, Box):
            style = {"facecolor": shape.fill, "edgecolor": shape.edge, "linestyle": "--" if shape.dashed else "-"}
            style |= {"boxstyle": "round,pad=0,rounding_size=5", "linewidth": scale, "zorder": layer}
            ax.add_patch(FancyBboxPatch((shape.x, shape.y), shape.width, shape.height, **style))
        else:
            style = {"fontsize": shape.size * scale, "fontweight": "bold" if shape.bold else "normal"}
            style |= {"ha": ANCHORS[shape.anchor], "va": "center_baseline"}
            ax.text(shape.x, shape.y, shape.text, color=shape.colour, parse_math=False, zorder=layer, **style)
    return ax


def _check_kind(name: str, given: object, kind: type, hint: str) -> None:
    if not isinstance(given, kind):
        message = f"{name}: expected a {kind.__name__}, but got {type(given).__name__}; {hint}."
        raise SettingError(message, subject=name, found=given)


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
