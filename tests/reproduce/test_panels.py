"""Panels: no curve passes exact search, and what a panel calls proven is the optimum."""

from __future__ import annotations

from dataclasses import replace

import budgetree as bt
from budgetree.reproduce import Reproduction


def test_no_curve_passes_the_optimum(hasty: Reproduction) -> None:
    for panel in hasty.evidence.panels:
        for points in panel.curves.values():
            for cost, errors in points:
                assert errors >= panel.least(cost)


def test_what_is_proven_is_the_optimum(small: Reproduction) -> None:
    panel = small.evidence.panels[0]
    for budget in (0, 1, 2.5, 3):
        assert panel.is_proven(budget)
        assert panel.least(budget) == bt.optimal(panel.instance, budget=budget).errors


def test_nothing_is_proven_where_the_search_has_proven_nothing(small: Reproduction) -> None:
    panel = small.evidence.panels[0]
    points = tuple(replace(point, proven=False, lower_bound=0) for point in panel.exact)
    begun = replace(panel, exact=replace(panel.exact, points=points, complete=False, n_searched=0))
    assert not any(begun.is_proven(budget) for budget in (0, 1, 2, 3))
