"""Frontiers for people: steps, table, and plots of letters and in HTML."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from _support.points import open_point
from budgetree.messages import held_out_sentence
from budgetree.show.frontier_view import (
    CLI_REMEDY,
    MAX_ROWS_IN_HTML,
    OPEN_POINT,
    POINT,
    SHADE,
    Steps,
    draw_in_letters,
    frontier_steps,
    key_of,
    overfitted_words,
    points_table,
    render_html,
    sparkline,
    verdict,
)
from budgetree.tree.provenance import NewError
from losing import losing_frontier


def test_the_text_is_a_table_with_a_sparkline() -> None:
    frontier = bt.frontier(bt.datasets.load("synthetic"), method="greedy", folds=0)
    title, cases, *lines = repr(frontier).splitlines()
    assert title == "objective: known cases (method is about them)"
    assert cases == "cases: every row counts; outcomes as given"
    assert lines[0] == "frontier of 4 points, errors █▆▁▁; greedy"
    assert lines[1].split() == ["max-cost", "errors", "error", "rate", "at", "least", "by"]
    assert lines[4].split()[:4] == ["2", "4", "0.39%", "-"]
    assert "proven" in lines[5]
    assert sparkline([0, 0]) == "▁▁"


def test_a_notebook_shows_a_plot_and_escapes_names() -> None:
    class Named(bt.Impurity):
        exact = True

        def value(self, counts: Any) -> Any:
            return counts.sum(axis=-1) ** 2 - (counts**2).sum(axis=-1)

        def __repr__(self) -> str:
            return "<script>alert(1)</script>"

    html = bt.frontier(bt.datasets.load("house_votes"), impurities=[Named()], method="greedy", folds=0)._repr_html_()
    assert "<svg" in html
    assert "<script>" not in html


def test_a_long_table_is_cut_in_html_and_says_so() -> None:
    frontier = bt.frontier(bt.datasets.load("figure1"), folds=0, objective="known")
    long = replace(frontier, points=frontier.points[:1] * (MAX_ROWS_IN_HTML + 1))
    assert points_table(long).cut(MAX_ROWS_IN_HTML).note == "… and 1 more"
    assert "… and 1 more<" in render_html(long)
    assert points_table(long).note == ""


def test_only_proven_points_are_called_proven_and_filled() -> None:
    frontier = bt.frontier(bt.datasets.load("figure1"), folds=0, objective="known")
    assert all(point.proven for point in frontier)
    open_points = tuple(open_point(point, 0) for point in frontier)
    unproven = replace(frontier, points=open_points, complete=False, n_searched=0)
    assert "0 of 2 points proven" in unproven.to_text()
    assert not any("proven" in line for line in unproven.to_text().splitlines()[3:])
    assert unproven._repr_html_().count("proven") == 1  # in the heading
    assert unproven._repr_html_().count("fill='white'") == len(frontier)
    assert "fill='white'" not in frontier._repr_html_()
    assert "(ended early)" in unproven.to_text()


def test_new_errors_have_a_column_and_overfitting_is_told() -> None:
    frontier = bt.frontier(bt.datasets.load("soybean"), objective="known")
    lines = frontier.to_text().splitlines()[2:]
    new = ["new", "error", "±", "se", "mean", "cost", "found"]
    assert lines[1].split() == ["max-cost", "errors", "error", "rate", *new, "at", "least", "by"]
    assert len({line.index("exact search") for line in lines[2:8]}) == 1
    assert [line.count("!") for line in lines[2:8]] == [int(point.overfitted) for point in frontier]
    assert lines[8:] == [
        "error on new cases: cross-validated, 5 of 5 folds",
        "on the same rows: mean cost, and the least share found of a class",
        "recommended: a budget of 3, new cases 15.8 % ± 3.2 wrong, among these trees for known cases",
        "no evidence that more than 3 helps",
        "2 of 6 points are overfitted (!); at 5: known cases 0.0 % wrong, new cases about 42 % ± 4: overfitted; "
        "objective='new', fewer levels or a smaller budget help",
    ]
    html = frontier._repr_html_()
    assert "<th>new error ± se</th>" in html
    assert "recommended: a budget of 3" in html


def test_with_losses_the_table_is_one_of_loss() -> None:
    frontier = losing_frontier()
    lines = frontier.to_text().splitlines()[2:]
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
    frontier = losing_frontier(folds=3)
    table = points_table(frontier)
    assert table.head[-5:] == ("new loss ± se", "mean cost", "found", "at least", "by")
    new = [row[table.head.index("new loss ± se")] for row in table.rows]
    assert [float(cell.split()[0]) for cell in new] == [float(f"{point.new_loss:.3g}") for point in frontier]
    assert [cell.endswith(" !") for cell in new] == [point.overfitted for point in frontier]
    last = frontier[-1]
    assert last.overfitted
    assert verdict(last).startswith(f"a known case loses {last.mean_loss:.3g}, a new one about ")
    assert frontier.recommended is None
    assert "recommended: none, as no budget is significantly better on new cases than no test" in frontier.to_text()


POINTS = st.dictionaries(st.integers(0, 20), st.integers(0, 20), min_size=1).map(lambda points: sorted(points.items()))


@given(POINTS, st.integers(0, 5))
def test_the_pen_goes_right_and_down_or_up_at_each_start(points: list[tuple[int, int]], beyond: int) -> None:
    steps = Steps(tuple(points), points[-1][0] + beyond)
    corners = steps.corners
    assert corners[0] == points[0]
    assert corners[-1] == (steps.right, points[-1][1])
    assert set(points) <= set(corners)
    for (x, y), (next_x, next_y) in pairwise(corners):
        assert (next_x > x and next_y == y) or next_x == x
    for budget in range(points[0][0], points[-1][0] + beyond + 1):
        assert steps.at(budget) == [value for start, value in points if start <= budget][-1]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1), st.integers(20, 25))
def test_falling_steps_are_the_least_of_all_cheaper_points(points: list[tuple[int, int]], right: int) -> None:
    steps = Steps.falling(points, right)
    for budget in range(min(start for start, _ in points), right):
        assert steps.at(budget) == min(value for start, value in points if start <= budget)


def test_the_picture_of_the_docstring() -> None:
    assert Steps(((0, 3), (2, 1)), 5).corners == ((0, 3), (2, 3), (2, 1), (5, 1))
    assert Steps(((0, 3), (2, 1)), 2).corners == ((0, 3), (2, 3), (2, 1))
    assert Steps(((0, 3),), 0).corners == ((0, 3),)
    assert Steps(((0, 3), (2, 1)), 5).divided(4).starts == ((0, 0.75), (2, 0.25))


@pytest.mark.parametrize("seed", range(20))
def test_both_lines_agree_where_a_frontier_is_proven(seed: int) -> None:
    instance = to_instance(reference.random_problem(random.Random(seed)))
    frontier = bt.frontier(instance, method="exact", folds=0)
    steps = frontier_steps(frontier, frontier[-1].max_cost + 5)
    assert steps.loss == steps.bound


@pytest.mark.parametrize("method", ["exact", "greedy"])
def test_beyond_the_last_point_only_unavoidable_errors_are_a_bound(method: str) -> None:
    """A larger budget than the search was allowed buys fewer errors, so nothing may be ruled out there."""
    instance = bt.datasets.load("pima")
    frontier = bt.frontier(instance, method=method, max_budget=4, folds=0, objective="known")
    last = frontier[-1]
    more = bt.optimal(instance, budget=5)
    steps = frontier_steps(frontier, 5)
    assert more.errors < last.errors
    assert steps.bound.at(5) <= more.errors
    for point in frontier:
        assert steps.bound.at(point.max_cost) <= point.errors


def test_an_open_frontier_has_a_lower_bound_of_its_own() -> None:
    frontier = bt.frontier(bt.datasets.load("house_votes"), method="exact", folds=0)
    open_points = tuple(open_point(point, 1) for point in frontier)
    steps = frontier_steps(replace(frontier, points=open_points, n_searched=0))
    assert {value for _, value in steps.bound.starts[:-1]} == {1}
    assert [value for _, value in steps.loss.starts] == [point.errors for point in frontier]


@pytest.mark.parametrize("losses", [None, {"pos": 2}])
def test_what_was_found_for_new_cases_is_not_called_the_fewest(losses: dict[str, int] | None) -> None:
    cases = bt.datasets.load("pima").with_losses(losses)
    known, new = (bt.frontier(cases, objective=which, max_budget=1, folds=0) for which in ("known", "new"))
    assert key_of(known).found == ("the fewest found" if losses is None else "the least found")
    assert key_of(new).found == "of the best found for new cases"
    assert "○ of the best found for new cases" in draw_in_letters(new)


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
    points = tuple(open_point(point, 0) for point in frontier)
    chart = draw_in_letters(replace(frontier, points=points, n_searched=0)).splitlines()[1:]
    assert "".join(chart).count(OPEN_POINT) == len(frontier)
    assert SHADE not in "".join(chart)


def test_a_frontier_of_one_point_fits() -> None:
    lines = draw_in_letters(
        bt.frontier(bt.Instance([[0], [0]], [1, 1]), folds=0, objective="known"), width=20, height=4
    ).splitlines()
    assert len(lines) == 1 + 4 + 2
    assert all(len(line) <= 30 for line in lines[1:])


def test_with_losses_the_chart_is_one_of_loss() -> None:
    frontier = losing_frontier()
    key, top, *_ = draw_in_letters(frontier).splitlines()
    assert key.startswith(f"loss; {POINT} proven to be the least, {OPEN_POINT} the least found")
    assert top.startswith(f"{frontier[0].loss:g} ┤")


def test_overfitted_in_plain_words_with_the_remedy() -> None:
    words = overfitted_words(0.0, NewError(0.47, 0.04), CLI_REMEDY)
    assert words == (
        "known cases 0.0 % wrong, new cases about 47 % ± 4: overfitted; "
        "use --objective new, fewer levels or a smaller budget"
    )
    assert overfitted_words(0.4, NewError(0.47, 0.04)) == ""
    assert "about 1.5 % ± 0.2" in overfitted_words(0.0, NewError(0.015, 0.002))


def test_a_frontier_says_what_rows_held_out_cost_and_how_many_of_each_class_are_found() -> None:
    frontier = bt.frontier(bt.datasets.load("pima"), budgets=[2])
    table = points_table(frontier)
    assert "by" not in table.head  # all are for new cases
    assert [row[table.head.index("sens.")] for row in table.rows] == [
        f"{100 * point.new_recalls[1]:.0f} %" for point in frontier
    ]
    assert [row[table.head.index("mean cost")] for row in table.rows] == ["0", f"{frontier[1].new_cost:.3g}"]
    wrong = sum(
        count * (1 - recall) for count, recall in zip([500, 268], frontier[1].new_recalls, strict=True)
    )  # of 768 rows
    assert wrong / 768 == pytest.approx(frontier[1].new_error)
    assert "on the same rows: mean cost, sensitivity of pos, specificity of neg" in frontier.to_text()
    assert held_out_sentence(frontier[1].estimate, frontier[1].tree.schema, 1).endswith("(pos), specificity 82 %")
    several = bt.frontier(bt.datasets.load("dna"), budgets=[2])
    assert "on the same rows: mean cost, and the share found of ei, ie, n" in several.to_text()
    found = held_out_sentence(several[1].estimate, several[1].tree.schema, 0)
    assert found == "on the rows held out: mean cost 2, share found: ei 86 %, ie 80 %, n 74 %"
