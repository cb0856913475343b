"""The chart in letters: proven and open points, the steps between them, and only what is proven is shaded."""

from __future__ import annotations

from dataclasses import replace

import budgetree as bt
from budgetree.show.frontier_view import OPEN_POINT, POINT, SHADE, draw_in_letters
from losing import losing_frontier


def test_every_point_is_drawn_and_what_is_proven_is_filled() -> None:
    frontier = bt.frontier(bt.datasets.load("house_votes"), method="exact", folds=0)
    chart = draw_in_letters(frontier).splitlines()[1:]
    assert "".join(chart).count(POINT) == len(frontier)
    assert OPEN_POINT not in "".join(chart)
    assert SHADE in chart[5]
    assert chart[0].startswith(f"{frontier[0].errors} ┤{POINT}")
    assert chart[-1].rstrip().endswith(str(frontier[-1].max_cost))


def test_nothing_is_shaded_where_nothing_is_proven() -> None:
    frontier = bt.frontier(bt.datasets.load("house_votes"), method="exact", folds=0)
    points = tuple(replace(point, proven=False, lower_bound=0) for point in frontier)
    chart = draw_in_letters(replace(frontier, points=points, n_searched=0)).splitlines()[1:]
    assert "".join(chart).count(OPEN_POINT) == len(frontier)
    assert SHADE not in "".join(chart)


def test_a_frontier_of_one_point_fits() -> None:
    lines = draw_in_letters(bt.frontier(bt.Instance([[0], [0]], [1, 1]), folds=0), width=20, height=4).splitlines()
    assert len(lines) == 1 + 4 + 2
    assert all(len(line) <= 30 for line in lines[1:])


def test_with_losses_the_chart_is_one_of_loss() -> None:
    frontier = losing_frontier()
    key, top, *_ = draw_in_letters(frontier).splitlines()
    assert key.startswith(f"loss; {POINT} proven to be the least, {OPEN_POINT} the least found")
    assert top.startswith(f"{frontier[0].loss:g} ┤")
