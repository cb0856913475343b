"""reproduce: everything that the paper shows, in one go."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from budgetree.reproduce import observations, theory
from budgetree.reproduce.baselines import BaselineRow, baseline_rows
from budgetree.reproduce.claims import Claim, Evidence
from budgetree.reproduce.draw import draw_figure5, draw_panel
from budgetree.reproduce.pages import html_claims, html_page, html_picture, html_scrolling, markdown
from budgetree.reproduce.panels import NINE, all_panels, synthetic_panel
from budgetree.reproduce.sets import set_sizes
from budgetree.reproduce.tables import baselines_table, curves_table, methods_table, sets_table, toy_table
from budgetree.reproduce.toy import toy_columns
from budgetree.services.files import write_text
from budgetree.services.progress import progress_bar
from budgetree.show.tables import TextTable, csv_text

HARD_SECONDS = 20.0  # for dna's frontier
STAGES = len(NINE) + 6


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """All that was computed, before anything is drawn."""

    evidence: Evidence
    baselines: list[BaselineRow]
    claims: list[Claim]

    @property
    def document(self) -> str:
        """docs/paper.md."""
        return markdown(self.claims, [(heading, table) for heading, table, _ in self._tables])

    @property
    def _tables(self) -> list[tuple[str, TextTable, str]]:
        """Heading, table, and the name of its CSV file."""
        return [
            ("Figure 1, computed", toy_table(self.evidence.toy), "figure1.csv"),
            ("The data sets", sets_table(self.evidence.sets), "data_sets.csv"),
            ("The baselines that the paper names", methods_table(), "methods.csv"),
            ("What they do", baselines_table(self.baselines), "baselines.csv"),
        ]

    def write(self, out: str | Path, report: Callable[[str], None] = lambda _: None) -> list[str]:
        """Pictures as PNG and SVG, curves and tables as CSV, the document, and one page with everything; the paths."""
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        report("drawing")
        words = (
            "Shaded: no tree can be there. Black: exact search; a filled point is proven, a hollow one the best so far."
        )
        synthetic = _save(draw_panel(self.evidence.synthetic).figure, folder, "synthetic")
        figure5 = _save(draw_figure5(self.evidence.panels), folder, "figure5")
        for panel in self.evidence.panels:
            _save(draw_panel(panel).figure, folder, f"figure5_{panel.name}")
        for panel in (*self.evidence.panels, self.evidence.synthetic):
            write_text(folder / f"curves_{panel.name}.csv", csv_text(curves_table(panel)))
        for _, table, name in self._tables:
            write_text(folder / name, csv_text(table))
        write_text(folder / "paper.md", self.document)
        sections = [
            ("Figure 5: error against max-cost", html_picture(figure5, words)),
            ("Figure 4: the synthetic example", html_picture(synthetic, words)),
            *((heading, html_scrolling(table)) for heading, table, _ in self._tables),
            ("Claim by claim", html_claims(self.claims)),
        ]
        write_text(folder / "index.html", html_page(sections))
        return sorted(str(path) for path in folder.iterdir())


def reproduce(
    *, names: Sequence[str] = NINE, hard_seconds: float = HARD_SECONDS, progress: bool | None = None
) -> Reproduction:
    """Compute everything; dna's exact part stops after hard_seconds."""
    with progress_bar("reproduce", progress) as bar:
        done = 0

        def report(words: str) -> None:
            nonlocal done
            bar(done, STAGES, words)
            done += 1

        found = all_panels(names, hard_seconds, report)
        report("synthetic example")
        evidence = Evidence(toy_columns(), set_sizes(), synthetic_panel(), found)
        report("claims: theorems")
        claims = [
            theory.log_factor(evidence),
            theory.lower_bound(evidence),
            theory.outcome_prices(),
            theory.admissible(),
            theory.pairs_are_powers(evidence),
            theory.not_admissible(),
            theory.figure1(evidence.toy),
            theory.early_stopping(evidence),
            theory.error_bound(evidence),
            theory.embedding(evidence),
            theory.hinged_factor(evidence),
        ]
        report("claims: experiments")
        claims += [
            observations.synthetic(evidence.synthetic),
            observations.data_sets(evidence.sets),
            observations.few_tests(evidence),
            *observations.two_trends(evidence),
            observations.portfolio(evidence),
        ]
        report("baselines")
        return Reproduction(evidence, baseline_rows(found), claims)


def _save(figure: Any, folder: Path, name: str) -> str:
    """PNG and SVG; the SVG's text."""
    from matplotlib import pyplot

    figure.savefig(folder / f"{name}.png", dpi=120)
    text = io.StringIO()
    figure.savefig(text, format="svg")
    pyplot.close(figure)
    write_text(folder / f"{name}.svg", text.getvalue())
    return text.getvalue()
