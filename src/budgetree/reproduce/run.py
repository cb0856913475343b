"""reproduce: all that the paper shows in one go, as tables, pictures, one page and the document docs/paper.md."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from budgetree.reproduce import evidence
from budgetree.reproduce.claims import TRIALS, Claim, tried
from budgetree.reproduce.evidence import BaselineRow, Evidence, Panel, SetSize, ToyColumn
from budgetree.services.files import write_text
from budgetree.services.progress import progress_bar
from budgetree.services.words import show_number
from budgetree.show.frontier_view import Steps
from budgetree.show.plots import draw_frontier, draw_steps, finish, new_axes
from budgetree.show.tables import TextTable, csv_text, html_table, markdown_table

COLOURS = ("#56B4E9", "#009E73", "#CC79A7", "#E69F00", "#D55E00")
EXACT = "#1A1A1A"
CAPTION = "Shaded: no tree can be there. Black: exact search; a filled point is proven, a hollow one the best so far."


def toy_table(toy: list[ToyColumn]) -> TextTable:
    """Figure 1's computation, one column per impurity."""
    tests = ("t1", "t2")
    rows = [("F(G)", *(str(column.whole) for column in toy))]
    for test, outcome in ((test, outcome) for test in tests for outcome in (0, 1)):
        rows.append((f"F of {test} = {outcome}", *(str(column.parts[test][outcome]) for column in toy)))
    rows += [(f"R({test})", *(str(column.ratios[test]) for column in toy)) for test in tests]
    rows.append(("taken", *(column.chosen for column in toy)))
    return TextTable(("", *(column.name for column in toy)), tuple(rows))


def sets_table(sets: list[SetSize]) -> TextTable:
    def cell(paper: int | None, ours: int) -> str:
        return str(ours) if paper == ours else f"{ours} (not given)" if paper is None else f"{ours} (paper: {paper})"

    rows = ((size.name, *(cell(*pair) for pair in size.numbers.values()), str(size.n_classes)) for size in sets)
    return TextTable(("data set", *sets[0].numbers, "classes"), tuple(rows))


def baselines_table(rows: list[BaselineRow]) -> TextTable:
    """Every method on every set; what an unfinished search has found is left open."""
    shown = []
    for row in rows:
        costs = ("open", "open") if row.is_open else (show_number(row.max_cost), f"{row.mean_cost:.2f}")
        shown.append((row.data, row.method, *costs, *map(show_number, row.errors)))
    head = ("data set", "method", "max-cost without errors", "mean cost")
    return TextTable((*head, *(f"errors at {budget}" for budget in evidence.SMALL_BUDGETS)), tuple(shown))


def curves_table(panel: Panel) -> TextTable:
    """The points of every curve of a panel, and of its frontier with the lower bounds."""
    rows = [(name, *map(show_number, point), "") for name, points in panel.curves.items() for point in points]
    for point in panel.exact:
        numbers = (point.max_cost, point.errors, point.lower_bound)
        rows.append(("optimum" if point.proven else "best found", *map(show_number, numbers)))
    return TextTable(("curve", "max_cost", "errors", "lower_bound"), tuple(rows))


def draw_panel(panel: Panel, axes: Any = None, *, legend: bool = True) -> Any:
    """The paper's curves, and in the same axes exact search and where no tree can be; the axes."""
    axes = new_axes(6.4, 4.4) if axes is None else axes
    n, right = panel.instance.n_objects, panel.longest * 1.03
    for colour, (name, points) in zip(COLOURS, panel.curves.items(), strict=False):
        draw_steps(axes, Steps(tuple(points), right).divided(n), color=colour, linewidth=1.4, label=name, zorder=2)
    draw_frontier(axes, panel.exact, right, EXACT, "optimum" if panel.exact.complete else "exact search, ended early")
    finish(axes, "max-cost", "error", percents=False)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set_title(f"{panel.name}: {n} cases, {panel.instance.n_tests} tests", fontsize=10)
    axes.set_xlim(0, right)
    axes.xaxis.get_major_locator().set_params(integer=True)
    if legend:
        axes.legend(frameon=False, fontsize=8)
    return axes


def draw_figure5(panels: list[Panel]) -> Any:
    """All panels in a grid of three columns, with one legend; the figure."""
    from matplotlib import pyplot

    n_rows = -(-len(panels) // 3)
    figure, grid = pyplot.subplots(n_rows, 3, figsize=(13.5, 3.6 * n_rows + 0.4), layout="constrained", squeeze=False)
    handles: dict[str, Any] = {}  # by label
    for axes, panel in zip(grid.ravel(), panels, strict=False):
        drawn, labels = draw_panel(panel, axes, legend=False).get_legend_handles_labels()
        handles = handles | {label: handle for handle, label in zip(drawn, labels, strict=True) if label not in handles}
    for axes in grid.ravel()[len(panels) :]:
        axes.axis("off")
    columns = -(-len(handles) // 2)
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns, frameon=False)
    return figure


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """All that was computed, before anything is drawn."""

    evidence: Evidence
    baselines: list[BaselineRow]
    claims: list[Claim]

    @property
    def tables(self) -> list[tuple[str, TextTable, str]]:
        """Heading, table, and the name of its CSV file."""
        methods = TextTable(
            ("method", "whose"), tuple((name, whose) for name, (whose, _) in evidence.BASELINES.items())
        )
        return [
            ("Figure 1, computed", toy_table(self.evidence.toy), "figure1.csv"),
            ("The data sets", sets_table(self.evidence.sets), "data_sets.csv"),
            ("The baselines that the paper names", methods, "methods.csv"),
            ("What they do", baselines_table(self.baselines), "baselines.csv"),
        ]

    @property
    def document(self) -> str:
        parts = [
            f"## {claim.where}\n\n> {claim.quote}\n\n**Says:** {claim.says}\n\n**Found:** {claim.result}\n\n"
            f"**{claim.verdict.value.capitalize()}.**\n"
            for claim in self.claims
        ]
        parts += ["\n".join([f"## {heading}\n", *markdown_table(table), ""]) for heading, table, _ in self.tables]
        return _filled("document.md", "\n".join(parts)).rstrip() + "\n"

    def page(self, figure5: str, synthetic: str) -> str:
        """One HTML page with everything, the pictures (SVG) inside of it; tables that are too wide scroll."""
        pictures = {"Figure 5: error against max-cost": figure5, "Figure 4: the synthetic example": synthetic}
        caption = f"<figcaption>{CAPTION}</figcaption>"
        sections = {
            heading: f'<figure><div class="paper">{svg[svg.index("<svg") :]}</div>{caption}</figure>'
            for heading, svg in pictures.items()
        }
        sections |= {heading: f'<div class="scroll">{html_table(table)}</div>' for heading, table, _ in self.tables}
        sections["Claim by claim"] = "".join(
            f"<h3>{escape(claim.where)}</h3><blockquote>{escape(claim.quote)}</blockquote><p>{escape(claim.says)}</p><p>{escape(claim.result)}</p>"
            f'<p class="verdict">{claim.verdict.value}</p>'
            for claim in self.claims
        )
        return _filled("page.html", "\n".join(f"<h2>{heading}</h2>\n{body}" for heading, body in sections.items()))

    def write(self, out: str | Path) -> list[str]:
        """Pictures as PNG and SVG, curves and tables as CSV, the document, and one page with everything; the paths."""
        folder, found = Path(out), self.evidence
        folder.mkdir(parents=True, exist_ok=True)
        synthetic = _save(draw_panel(found.synthetic).figure, folder / "synthetic")
        figure5 = _save(draw_figure5(found.panels), folder / "figure5")
        for panel in found.panels:
            _save(draw_panel(panel).figure, folder / f"figure5_{panel.name}")
        for panel in (*found.panels, found.synthetic):
            write_text(folder / f"curves_{panel.name}.csv", csv_text(curves_table(panel)))
        for _, table, name in self.tables:
            write_text(folder / name, csv_text(table))
        write_text(folder / "paper.md", self.document)
        write_text(folder / "index.html", self.page(figure5, synthetic))
        return sorted(str(path) for path in folder.iterdir())


def _filled(template: str, body: str) -> str:
    return Path(__file__).with_name(template).read_text(encoding="utf-8").replace("{{ body }}", body)


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
    *, names: Sequence[str] = tuple(evidence.PAPER), hard_seconds: float | None = None, progress: bool | None = None
) -> Reproduction:
    """Compute everything; dna's exact part stops after hard_seconds, by default after counted work."""
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
