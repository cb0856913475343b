"""Tables, pictures, the page and the document: texts are only shown, and only what is proven is called the optimum."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib import pyplot

from budgetree.reproduce import Reproduction, Verdict
from budgetree.reproduce.claims import Claim
from budgetree.reproduce.evidence import Kind
from budgetree.reproduce.pages import (
    baselines_table,
    curves_table,
    draw_figure5,
    draw_panel,
    html_claims,
    html_page,
    html_picture,
    html_scrolling,
    markdown,
)
from budgetree.show.tables import TextTable

mpl.use("Agg")
CLAIM = Claim("Lemma <1>", "a < b", "it is & was", Verdict.IN_PART, {})
TABLE = TextTable(("a",), (("<x>",),))


def test_only_proven_points_are_called_the_optimum(hasty: Reproduction) -> None:
    for panel in hasty.evidence.panels:
        table = curves_table(panel)
        exact = [row for row in table.rows if row[0] in ("optimum", "best found")]
        assert [row[0] == "optimum" for row in exact] == [point.proven for point in panel.exact]
        assert all(row[3] for row in exact)  # its lower bound
        assert {row[0] for row in table.rows} - {"optimum", "best found"} == set(panel.curves)


def test_what_an_unfinished_search_would_cost_is_open(hasty: Reproduction) -> None:
    for row, cells in zip(hasty.baselines, baselines_table(hasty.baselines).rows, strict=True):
        assert (cells[2:4] == ("open", "open")) is (row.kind is Kind.ENDED_EARLY)
        assert ("open" in cells) is (row.kind is Kind.ENDED_EARLY)


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


def test_texts_are_no_markup() -> None:
    page = html_page([("<heading>", html_claims([CLAIM]) + html_scrolling(TABLE))])
    assert "&lt;heading&gt;" in page
    assert "<p>a &lt; b</p><p>it is &amp; was</p>" in page
    assert "<td>&lt;x&gt;</td>" in page


def test_a_picture_is_inside_the_page() -> None:
    assert html_picture("<?xml?><svg></svg>", "a & b").startswith('<figure><div class="paper"><svg></svg></div>')


def test_the_document_has_every_claim_and_table() -> None:
    text = markdown([CLAIM], [("Sizes", TABLE)])
    assert "## Lemma <1>\n\n**Says:** a < b\n\n**Found:** it is & was\n\n**Holds in part.**\n" in text
    assert "## Sizes\n\n| a |\n| --- |\n| &lt;x> |\n" in text
