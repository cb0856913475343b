"""The panels as pictures: the paper's curves, and in the same axes exact search and where no tree can be."""

from __future__ import annotations

from typing import Any

from budgetree.reproduce.panels import Panel
from budgetree.show.plots._frontier import draw_frontier, draw_steps
from budgetree.show.plots.figures import new_axes
from budgetree.show.steps import Steps

COLOURS = ("#56B4E9", "#009E73", "#CC79A7", "#E69F00", "#D55E00")
EXACT = "#1A1A1A"


def draw_panel(panel: Panel, axes: Any = None, *, legend: bool = True) -> Any:
    """One panel; the axes."""
    axes = new_axes(6.4, 4.4) if axes is None else axes
    n, right = panel.instance.n_objects, panel.longest * 1.03
    for colour, (name, points) in zip(COLOURS, panel.curves.items(), strict=False):
        draw_steps(axes, Steps(tuple(points), right).divided(n), color=colour, linewidth=1.4, label=name, zorder=2)
    draw_frontier(axes, panel.exact, right, EXACT, "optimum" if panel.exact.complete else "exact search, ended early")
    axes.set_title(f"{panel.name}: {n} cases, {panel.instance.n_tests} tests", fontsize=10)
    axes.set_xlim(0, right)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("max-cost")
    axes.set_ylabel("error")
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(frameon=False, fontsize=8)
    return axes


def draw_figure5(panels: list[Panel]) -> Any:
    """All panels in a grid of three columns; the figure."""
    from matplotlib import pyplot

    rows = -(-len(panels) // 3)
    figure, grid = pyplot.subplots(rows, 3, figsize=(13.5, 3.6 * rows + 0.4), layout="constrained", squeeze=False)
    for axes, panel in zip(grid.ravel(), panels, strict=False):
        draw_panel(panel, axes, legend=False)
    for axes in grid.ravel()[len(panels) :]:
        axes.axis("off")
    handles, labels = [], []
    for axes in grid.ravel()[: len(panels)]:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    figure.legend(handles, labels, loc="outside lower center", ncols=-(-len(labels) // 2), frameon=False)
    return figure
