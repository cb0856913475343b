"""Steps: the corners are those of the step function, and the bound is never above what a tree reaches."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from budgetree.show.frontier_view import Steps, draw_in_letters, frontier_steps, key_of

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
    frontier = bt.frontier(instance, method=method, max_budget=4, folds=0)
    last = frontier[-1]
    more = bt.optimal(instance, budget=5)
    steps = frontier_steps(frontier, 5)
    assert more.errors < last.errors
    assert steps.bound.at(5) <= more.errors
    for point in frontier:
        assert steps.bound.at(point.max_cost) <= point.errors


def test_an_open_frontier_has_a_lower_bound_of_its_own() -> None:
    frontier = bt.frontier(bt.datasets.load("house_votes"), method="exact", folds=0)
    open_points = tuple(replace(point, proven=False, lower_bound=1) for point in frontier)
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
