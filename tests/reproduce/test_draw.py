"""The panels' pictures: a frontier that is not proven is not called the optimum."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib import pyplot

from budgetree.reproduce import Reproduction
from budgetree.reproduce.draw import draw_figure5, draw_panel

mpl.use("Agg")


def test_the_legend_says_what_is_proven(hasty: Reproduction) -> None:
    for panel in hasty.evidence.panels:
        labels = draw_panel(panel).get_legend_handles_labels()[1]
        assert ("optimum" in labels) is panel.exact.complete
        assert ("the fewest found" in labels) is not all(point.proven for point in panel.exact)
        assert set(panel.curves) <= set(labels)
    assert [panel.exact.complete for panel in hasty.evidence.panels] == [True, True, False]
    pyplot.close("all")


def test_one_legend_serves_all_panels_and_is_on_the_paper(hasty: Reproduction) -> None:
    figure = draw_figure5(hasty.evidence.panels)
    figure.canvas.draw()
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert len(set(names)) == len(names)
    box = legend.get_window_extent()
    assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert sum(axes.has_data() for axes in figure.axes) == 3
    pyplot.close("all")
