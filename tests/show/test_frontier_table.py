"""A frontier as a table: text with a sparkline, and HTML with a step plot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import budgetree as bt
from budgetree.show.frontier_view import MAX_ROWS_IN_HTML, points_table, render_html, sparkline, verdict
from losing import losing_frontier


def test_the_text_is_a_table_with_a_sparkline() -> None:
    frontier = bt.frontier(bt.datasets.load("synthetic"), method="greedy", folds=0)
    lines = repr(frontier).splitlines()
    assert lines[0] == "frontier of 4 points, errors █▆▁▁; greedy"
    assert lines[1].split() == ["max-cost", "errors", "error", "rate", "at", "least", "by"]
    assert lines[4].split()[:4] == ["2", "4", "0.39%", "0"]
    assert "proven" in lines[5]
    assert sparkline([0, 0]) == "▁▁"


def test_a_notebook_shows_a_plot_and_escapes_names() -> None:
    class Named(bt.Impurity):
        exact = True

        def value(self, counts: Any) -> Any:
            return counts.sum(axis=-1) ** 2 - (counts**2).sum(axis=-1)

        def __repr__(self) -> str:
            return "<script>alert(1)</script>"

    html = bt.frontier(bt.datasets.load("house_votes"), impurities=[Named()], folds=0)._repr_html_()
    assert "<svg" in html
    assert "<script>" not in html


def test_a_long_table_is_cut_in_html_and_says_so() -> None:
    frontier = bt.frontier(bt.datasets.load("figure1"), folds=0)
    long = replace(frontier, points=frontier.points[:1] * (MAX_ROWS_IN_HTML + 1))
    assert points_table(long, MAX_ROWS_IN_HTML).note == "… and 1 more point"
    assert "… and 1 more point<" in render_html(long)
    assert points_table(long).note == ""


def test_only_proven_points_are_called_proven_and_filled() -> None:
    frontier = bt.frontier(bt.datasets.load("figure1"), folds=0)
    assert all(point.proven for point in frontier)
    open_points = tuple(replace(point, proven=False, lower_bound=0) for point in frontier)
    unproven = replace(frontier, points=open_points, complete=False, n_searched=0)
    assert "0 of 2 points proven" in unproven.to_text()
    assert not any("proven" in line for line in unproven.to_text().splitlines()[1:])
    assert unproven._repr_html_().count("proven") == 1  # in the heading
    assert unproven._repr_html_().count("fill='white'") == len(frontier)
    assert "fill='white'" not in frontier._repr_html_()
    assert "(ended early)" in unproven.to_text()


def test_new_errors_have_a_column_and_overfitting_is_told() -> None:
    frontier = bt.frontier(bt.datasets.load("soybean"))
    lines = frontier.to_text().splitlines()
    assert lines[1].split() == ["max-cost", "errors", "error", "rate", "new", "error", "±", "se", "at", "least", "by"]
    assert len({line.index("exact search") for line in lines[2:8]}) == 1
    assert [line.count("!") for line in lines[2:8]] == [int(point.overfitted) for point in frontier]
    assert lines[8:] == [
        "error on new cases: cross-validated, 5 of 5 folds",
        "recommended: a budget of 3, new cases 21.8 % ± 3.5 wrong, among these trees for known cases",
        "3 of 6 points are overfitted (!); at 5: known cases 0.0 % wrong, new cases about 46 % ± 4: overfitted; "
        "objective='new', fewer levels or a smaller budget help",
    ]
    html = frontier._repr_html_()
    assert "<th>new error ± se</th>" in html
    assert "recommended: a budget of 3" in html


def test_with_losses_the_table_is_one_of_loss() -> None:
    frontier = losing_frontier()
    lines = frontier.to_text().splitlines()
    assert f"frontier of {len(frontier)} points, loss █" in lines[0]
    assert lines[1].split() == ["max-cost", "loss", "errors", "referred", "mean", "loss", "at", "least", "by"]
    rows = [line.split() for line in lines[2:]]
    assert [[float(cell) for cell in row[:4]] for row in rows] == [
        [point.max_cost, point.loss, point.errors, point.referred] for point in frontier
    ]
    html = frontier._repr_html_()
    assert "loss against max-cost" in html
    assert f"<title>loss {frontier[-1].loss:g} (" in html
    assert ">errors</text>" not in html


def test_without_referrals_there_is_no_column_for_them() -> None:
    instance = bt.datasets.load("house_votes").with_losses({"republican": 3})
    frontier = bt.frontier(instance, method="greedy", max_budget=2, folds=0)
    assert points_table(frontier).head == ("max-cost", "loss", "errors", "mean loss", "at least", "by")


def test_with_losses_new_cases_are_judged_by_their_loss() -> None:
    frontier = losing_frontier(folds=5)
    table = points_table(frontier)
    assert table.head[-3:] == ("new loss ± se", "at least", "by")
    new = [row[table.head.index("new loss ± se")] for row in table.rows]
    assert [float(cell.split()[0]) for cell in new] == [float(f"{point.new_loss:.3g}") for point in frontier]
    assert [cell.endswith(" !") for cell in new] == [point.overfitted for point in frontier]
    last = frontier[-1]
    assert last.overfitted
    assert verdict(last).startswith(f"a known case loses {last.mean_loss:.3g}, a new one about ")
    assert f"new cases {frontier.recommended.expected_loss}, " in frontier.to_text()
