"""Everything as tables of text: for the page, the document and the CSV files."""

from __future__ import annotations

from budgetree.reproduce.baselines import BASELINES, SMALL_BUDGETS, BaselineRow
from budgetree.reproduce.panels import Panel
from budgetree.reproduce.sets import SetSize
from budgetree.reproduce.toy import ToyColumn
from budgetree.services.words import show_number
from budgetree.show.tables import TextTable


def toy_table(toy: list[ToyColumn]) -> TextTable:
    """Figure 1's computation, one column per impurity."""
    tests = ("t1", "t2")
    rows = [("F(G)", *(str(column.whole) for column in toy))]
    for test in tests:
        for outcome in (0, 1):
            rows.append((f"F of {test} = {outcome}", *(str(column.parts[test][outcome]) for column in toy)))
    rows += [(f"R({test})", *(str(column.ratios[test]) for column in toy)) for test in tests]
    rows.append(("taken", *(column.chosen for column in toy)))
    return TextTable(("", *(column.name for column in toy)), tuple(rows))


def sets_table(sets: list[SetSize]) -> TextTable:
    """The paper's sizes beside ours."""

    def cell(theirs: int | None, mine: int) -> str:
        return str(mine) if theirs == mine else f"{mine} (not given)" if theirs is None else f"{mine} (paper: {theirs})"

    rows = tuple(
        (size.name, *(cell(*pair) for pair in zip(size.paper, size.ours, strict=True)), str(size.n_classes))
        for size in sets
    )
    return TextTable(("data set", "rows", "unique objects", "tests", "classes"), rows)


def baselines_table(rows: list[BaselineRow]) -> TextTable:
    """Every method on every set; what an unfinished search has found is left open."""
    shown = []
    for row in rows:
        costs = ("open", "open") if row.ended_early else (show_number(row.max_cost), f"{row.mean_cost:.2f}")
        shown.append((row.data, row.method, *costs, *map(show_number, row.errors)))
    head = ("data set", "method", "max-cost without errors", "mean cost")
    return TextTable((*head, *(f"errors at {budget}" for budget in SMALL_BUDGETS)), tuple(shown))


def methods_table() -> TextTable:
    """Whose idea each baseline is."""
    return TextTable(("method", "whose"), tuple((baseline.name, baseline.whose) for baseline in BASELINES))


def curves_table(panel: Panel) -> TextTable:
    """The points of every curve of a panel, and of its frontier with the lower bounds."""
    rows = [
        (name, show_number(cost), show_number(errors), "")
        for name, points in panel.curves.items()
        for cost, errors in points
    ]
    rows += [
        (
            "optimum" if point.proven else "best found",
            show_number(point.max_cost),
            show_number(point.errors),
            show_number(point.lower_bound),
        )
        for point in panel.exact
    ]
    return TextTable(("curve", "max_cost", "errors", "lower_bound"), tuple(rows))
