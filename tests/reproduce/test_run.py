"""budgetree reproduce: its tables and pictures, what it writes and prints, and that docs/paper.md is of its making."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib import pyplot

from budgetree.cli import main
from budgetree.reproduce import Reproduction, Verdict, reproduce
from budgetree.reproduce.claims import Claim
from budgetree.reproduce.run import baselines_table, curves_table, draw_figure5, draw_panel

mpl.use("Agg")
PAPER = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")
CLAIM = Claim("Lemma <1>", "a <= b", "a < b", "it is & was", Verdict.IN_PART, {})


def test_only_proven_points_are_called_the_optimum(hasty: Reproduction) -> None:
    for panel in hasty.evidence.panels:
        table = curves_table(panel)
        exact = [row for row in table.rows if row[0] in ("optimum", "best found")]
        assert [row[0] == "optimum" for row in exact] == [point.proven for point in panel.exact]
        assert all(row[3] for row in exact)  # its lower bound
        assert {row[0] for row in table.rows} - {"optimum", "best found"} == set(panel.curves)


def test_what_an_unfinished_search_would_cost_is_open(hasty: Reproduction) -> None:
    for row, cells in zip(hasty.baselines, baselines_table(hasty.baselines).rows, strict=True):
        assert (cells[2:4] == ("open", "open")) is row.is_open
        assert ("open" in cells) is row.is_open


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


def test_texts_are_no_markup(small: Reproduction) -> None:
    page = replace(small, claims=[CLAIM]).page("<?xml?><svg></svg>", "<svg></svg>")
    assert page.count('<figure><div class="paper"><svg></svg></div>') == 2  # inside the page
    assert "<h3>Lemma &lt;1&gt;</h3><blockquote>a &lt;= b</blockquote><p>a &lt; b</p><p>it is &amp; was</p>" in page


def test_the_document_has_every_claim_and_table(small: Reproduction) -> None:
    text = replace(small, claims=[CLAIM]).document
    assert "## Lemma <1>\n\n> a <= b\n\n**Says:** a < b\n\n**Found:** it is & was\n\n**Holds in part.**\n" in text
    assert "## The data sets\n\n| data set | rows |" in text


def test_all_nine_sets_give_the_document_and_its_verdicts() -> None:
    """But for what depends on how far the search for dna's frontier gets; here it hardly begins."""
    whole = reproduce(hard_seconds=0.01, progress=False)
    written, kept = whole.document.splitlines(), PAPER.splitlines()
    different = [(ours, theirs) for ours, theirs in zip(written, kept, strict=True) if ours != theirs]
    verdicts = ("**Not settled.**", "**Holds in part.**")  # of the first trend, which waits for dna
    assert all(("dna" in ours and "dna" in theirs) or (ours, theirs) == verdicts for ours, theirs in different)
    by_verdict: dict[Verdict, set[str]] = {}
    for claim in whole.claims:
        by_verdict.setdefault(claim.verdict, set()).add(claim.where)
    assert Verdict.FAILS not in by_verdict
    assert by_verdict[Verdict.IN_PART] == {
        "Section 2, prices by outcome",
        "Section 3, choice of the impurity",
        "Appendix, data sets",
        "Section 5, second trend, large budgets",
    }
    assert by_verdict[Verdict.NOT_SETTLED] == {"Section 5, first trend"}


def test_everything_is_written(tmp_path: Path, small: Reproduction) -> None:
    files = small.write(tmp_path / "out")
    names = {Path(path).name for path in files}
    expected = {"index.html", "paper.md", "baselines.csv", "data_sets.csv", "figure1.csv", "methods.csv"}
    expected |= {f"figure5{which}.{kind}" for which in ("", "_mammographic", "_house_votes") for kind in ("png", "svg")}
    expected |= {"synthetic.png", "synthetic.svg", "curves_mammographic.csv", "curves_synthetic.csv"}
    assert expected <= names
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    for claim in small.claims:
        assert claim.where in page
    assert page.count("<svg") == 2
    assert not re.search(r"(src|href)=[\"']?https?://", page.replace("http://www.w3.org", ""))
    ElementTree.parse(tmp_path / "out" / "figure5.svg")


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, small: Reproduction
) -> None:
    monkeypatch.setattr("budgetree.reproduce.reproduce", lambda **_: small)
    monkeypatch.setattr(Reproduction, "write", lambda _, out: [f"{out}/index.html"])
    assert main(["reproduce", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "Theorem 2.2: holds" in printed
    assert "index.html in a browser" in printed
    assert main(["reproduce"]) == 0
    assert "--out DIR writes" in capsys.readouterr().out
