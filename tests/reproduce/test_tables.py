"""The tables: only a proven point of a frontier is the optimum, and an unfinished search's costs are open."""

from __future__ import annotations

from budgetree.reproduce import Reproduction
from budgetree.reproduce.tables import baselines_table, curves_table


def test_only_proven_points_are_called_the_optimum(hasty: Reproduction) -> None:
    for panel in hasty.evidence.panels:
        table = curves_table(panel)
        exact = [row for row in table.rows if row[0] in ("optimum", "best found")]
        assert [row[0] == "optimum" for row in exact] == [point.proven for point in panel.exact]
        assert all(row[3] for row in exact)  # its lower bound
        assert {row[0] for row in table.rows} - {"optimum", "best found"} == set(panel.curves)


def test_what_an_unfinished_search_would_cost_is_open(hasty: Reproduction) -> None:
    rows = {row[0]: row for row in baselines_table(hasty.baselines).rows if row[1].startswith("exact search")}
    assert rows["dna"][2:4] == ("open", "open")
    assert "open" not in rows["house_votes"]
