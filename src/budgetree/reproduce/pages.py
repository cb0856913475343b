"""What was reproduced as tables, as pictures, as one HTML page and as the document docs/paper.md."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from budgetree.reproduce.claims import Claim
from budgetree.reproduce.evidence import BASELINES, SMALL_BUDGETS, BaselineRow, Kind, Panel, SetSize, ToyColumn
from budgetree.services.words import show_number
from budgetree.show.frontier_view import Steps
from budgetree.show.plots import draw_frontier, draw_steps, finish, new_axes
from budgetree.show.tables import TextTable, html_table, markdown_table

COLOURS = ("#56B4E9", "#009E73", "#CC79A7", "#E69F00", "#D55E00")
EXACT = "#1A1A1A"
FOLDER = Path(__file__).parent


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
    """The paper's sizes beside ours."""

    def cell(paper: int | None, ours: int) -> str:
        return str(ours) if paper == ours else f"{ours} (not given)" if paper is None else f"{ours} (paper: {paper})"

    rows = ((size.name, *(cell(*pair) for pair in size.numbers.values()), str(size.n_classes)) for size in sets)
    return TextTable(("data set", *sets[0].numbers, "classes"), tuple(rows))


def methods_table() -> TextTable:
    """Whose idea each baseline is."""
    return TextTable(("method", "whose"), tuple((name, whose) for name, (whose, _) in BASELINES.items()))


def baselines_table(rows: list[BaselineRow]) -> TextTable:
    """Every method on every set; what an unfinished search has found is left open."""
    shown = []
    for row in rows:
        is_open = row.kind is Kind.ENDED_EARLY
        costs = ("open", "open") if is_open else (show_number(row.max_cost), f"{row.mean_cost:.2f}")
        shown.append((row.data, row.method, *costs, *map(show_number, row.errors)))
    head = ("data set", "method", "max-cost without errors", "mean cost")
    return TextTable((*head, *(f"errors at {budget}" for budget in SMALL_BUDGETS)), tuple(shown))


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


def html_page(sections: list[tuple[str, str]]) -> str:
    """A page of headings and bodies that are HTML already."""
    return _filled("page.html", "\n".join(f"<h2>{escape(heading)}</h2>\n{content}" for heading, content in sections))


def html_scrolling(table: TextTable) -> str:
    """A table that scrolls by itself where it is too wide."""
    return f'<div class="scroll">{html_table(table)}</div>'


def html_claims(claims: list[Claim]) -> str:
    """Claim by claim."""
    return "".join(
        f"<h3>{escape(claim.where)}</h3><p>{escape(claim.says)}</p><p>{escape(claim.result)}</p>"
        f'<p class="verdict">{claim.verdict.value}</p>'
        for claim in claims
    )


def html_picture(svg: str, caption: str) -> str:
    """An SVG inside the page, so that the page is one file."""
    drawing = svg[svg.index("<svg") :]
    return f'<figure><div class="paper">{drawing}</div><figcaption>{escape(caption)}</figcaption></figure>'


def markdown(claims: list[Claim], tables: list[tuple[str, TextTable]]) -> str:
    """The document docs/paper.md."""
    parts = [
        f"## {claim.where}\n\n**Says:** {claim.says}\n\n**Found:** {claim.result}\n\n"
        f"**{claim.verdict.value.capitalize()}.**\n"
        for claim in claims
    ]
    parts += ["\n".join([f"## {heading}\n", *markdown_table(table), ""]) for heading, table in tables]
    return _filled("document.md", "\n".join(parts)).rstrip() + "\n"


def _filled(template: str, body: str) -> str:
    return (FOLDER / template).read_text(encoding="utf-8").replace("{{ body }}", body)
