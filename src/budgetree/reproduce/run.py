"""reproduce: everything that the paper shows, in one go."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from budgetree.reproduce import evidence, pages
from budgetree.reproduce.claims import TRIALS, Claim, tried
from budgetree.reproduce.evidence import PAPER, BaselineRow, Evidence
from budgetree.services.files import write_text
from budgetree.services.progress import progress_bar
from budgetree.show.tables import TextTable, csv_text

HARD_SECONDS = 20.0  # for dna's frontier
CAPTION = "Shaded: no tree can be there. Black: exact search; a filled point is proven, a hollow one the best so far."


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """All that was computed, before anything is drawn."""

    evidence: Evidence
    baselines: list[BaselineRow]
    claims: list[Claim]

    @property
    def document(self) -> str:
        """docs/paper.md."""
        return pages.markdown(self.claims, [(heading, table) for heading, table, _ in self._tables])

    @property
    def _tables(self) -> list[tuple[str, TextTable, str]]:
        """Heading, table, and the name of its CSV file."""
        return [
            ("Figure 1, computed", pages.toy_table(self.evidence.toy), "figure1.csv"),
            ("The data sets", pages.sets_table(self.evidence.sets), "data_sets.csv"),
            ("The baselines that the paper names", pages.methods_table(), "methods.csv"),
            ("What they do", pages.baselines_table(self.baselines), "baselines.csv"),
        ]

    def write(self, out: str | Path) -> list[str]:
        """Pictures as PNG and SVG, curves and tables as CSV, the document, and one page with everything; the paths."""
        folder, found = Path(out), self.evidence
        folder.mkdir(parents=True, exist_ok=True)
        synthetic = _save(pages.draw_panel(found.synthetic).figure, folder / "synthetic")
        figure5 = _save(pages.draw_figure5(found.panels), folder / "figure5")
        for panel in found.panels:
            _save(pages.draw_panel(panel).figure, folder / f"figure5_{panel.name}")
        tables = [(table, name) for _, table, name in self._tables]
        tables += [
            (pages.curves_table(panel), f"curves_{panel.name}.csv") for panel in (*found.panels, found.synthetic)
        ]
        for table, name in tables:
            write_text(folder / name, csv_text(table))
        write_text(folder / "paper.md", self.document)
        sections = [
            ("Figure 5: error against max-cost", pages.html_picture(figure5, CAPTION)),
            ("Figure 4: the synthetic example", pages.html_picture(synthetic, CAPTION)),
            *((heading, pages.html_scrolling(table)) for heading, table, _ in self._tables),
            ("Claim by claim", pages.html_claims(self.claims)),
        ]
        write_text(folder / "index.html", pages.html_page(sections))
        return sorted(str(path) for path in folder.iterdir())


def _save(figure: Any, path: Path) -> str:
    """PNG and SVG; the SVG's text."""
    from matplotlib import pyplot

    figure.savefig(path.with_suffix(".png"), dpi=120)
    text = io.StringIO()
    figure.savefig(text, format="svg")
    pyplot.close(figure)
    write_text(path.with_suffix(".svg"), text.getvalue())
    return text.getvalue()


def reproduce(
    *, names: Sequence[str] = tuple(PAPER), hard_seconds: float = HARD_SECONDS, progress: bool | None = None
) -> Reproduction:
    """Compute everything; dna's exact part stops after hard_seconds."""
    with progress_bar("reproduce", progress) as bar:
        total = len(names) + 3
        panels = []
        for done, name in enumerate(names):
            bar(done, total, name)
            panels.append(evidence.figure5_panel(name, hard_seconds))
        bar(total - 3, total, "synthetic example")
        found = Evidence(evidence.toy_columns(), evidence.set_sizes(), evidence.synthetic_panel(), panels)
        bar(total - 2, total, "claims")
        claims = [tried(trial, found) for trial in TRIALS]
        bar(total - 1, total, "baselines")
        return Reproduction(found, evidence.baseline_rows(panels), claims)
