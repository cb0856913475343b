"""Points: groups, round cuts, totals and chances."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

import budgetree as bt
from budgetree.data.column import Column
from budgetree.data.encoders import BlankPlan, FineLevels, round_between
from budgetree.learn.predictive.basis import make_basis
from budgetree.learn.predictive.points import (
    MAX_POINTS,
    MIN_CASES,
    MIN_SHARE,
    FittedPoints,
    Line,
    fit_line,
    fit_points,
    isotonic,
    least_squares_cuts,
    make_table,
    roundness,
)
from budgetree.learn.predictive.ridge import Models
from budgetree.learn.predictive.sample import Cases
from budgetree.learn.validation import deal
from budgetree.services.clock import Clock
from budgetree.show.stages import stage_records

from .tables import instance_of, pathway_of, random_instance, seeds

halves = st.integers(-8, 8).map(lambda number: number / 2)
small_weights = st.integers(1, 6).map(float)


def squared_error(values: NDArray[np.float64], weights: NDArray[np.float64], cuts: tuple[int, ...]) -> float:
    error = 0.0
    for group in np.split(np.arange(len(values)), list(cuts)):
        mean = np.average(values[group], weights=weights[group])
        error += float((weights[group] * (values[group] - mean) ** 2).sum())
    return error


@given(st.lists(st.tuples(halves, small_weights), min_size=2, max_size=8), st.integers(1, 8), halves.map(abs))
def test_groups_are_the_best_of_all_groupings(members: list[tuple[float, float]], least: int, tolerance: float) -> None:
    values, weights = np.array(members).T
    best = {0: (squared_error(values, weights, ()), ())}  # by number of cuts
    for n_cuts in range(1, 5):
        for cuts in combinations(range(1, len(values)), n_cuts):
            parts = np.split(weights, list(cuts))
            if min(part.sum() for part in parts) >= least:
                best[n_cuts] = min(best.get(n_cuts, (np.inf, ())), (squared_error(values, weights, cuts), cuts))
    found = tuple(least_squares_cuts(values, weights, least, tolerance))
    within = [n for n, (error, _) in best.items() if error <= tolerance * weights.sum() + 1e-9]
    expected = within[0] if within else min(best, key=lambda n: (round(best[n][0], 9), n))
    assert len(found) == expected
    assert squared_error(values, weights, found) == pytest.approx(best[expected][0], abs=1e-9)
    assert not found or min(part.sum() for part in np.split(weights, list(found))) >= least


@given(st.lists(st.tuples(halves, small_weights), min_size=1, max_size=30))
def test_isotonic_agrees_with_scikit_learn(members: list[tuple[float, float]]) -> None:
    values, weights = np.array(members).T
    expected = IsotonicRegression().fit_transform(np.arange(len(values)), values, sample_weight=weights)
    assert isotonic(values, weights) == pytest.approx(expected)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e3))
def test_a_round_number_is_in_its_gap_and_none_there_is_rounder(below: float, gap: float) -> None:
    above = below + gap
    assume(below < above)
    found = round_between(below, above)
    assert below < found <= above
    if found != 0:
        step = roundness(found)
        for rounder in (2 * step, 2.5 * step, 5 * step, 10 * step):
            if roundness(rounder) == rounder:
                multiple, slack = np.floor(above / rounder) * rounder, 1e-9 * max(abs(below), abs(above))
                assert not below + slack < multiple <= above - slack


def fitted(instance: bt.Instance, tests: list[int], n_folds: int = 4) -> FittedPoints:
    folds = deal(instance.labels, n_folds, instance.case_ranks)
    return fit_points(instance, tests, Models(Cases.of(instance), Clock(None)), folds)


@given(seeds)
def test_levels_that_begin_at_round_numbers_leave_every_code_as_it_is(seed: int) -> None:
    rounded = random_instance(seed, n_classes=2)
    assert rounded.source is not None
    encoded = rounded.schema.encode(rounded.source.tests, range(rounded.n_tests))
    assert np.array_equal(encoded[rounded.row_order], rounded.codes)
    few = rounded.schema.encoders[rounded.test_names.index("few")]  # type: ignore[index]
    assert set(few.thresholds) <= set(few.values)  # type: ignore[union-attr]


@given(seeds)
def test_the_group_of_a_number_follows_from_the_cuts(seed: int) -> None:
    instance = random_instance(seed, n_cases=150, n_classes=2)
    table = fitted(instance, list(range(5))).table
    numbers = np.random.default_rng(seed).normal(scale=2, size=200)
    for test, group in zip(table.tests, table.groups, strict=True):
        encoder = instance.schema.encoder(test)
        if isinstance(encoder, FineLevels):
            levels = group[: encoder.levels]
            cuts = [encoder.thresholds[k - 1] for k in np.flatnonzero(np.diff(levels)) + 1]
            codes = encoder.encode(Column(encoder.name, "float", numbers=numbers))
            assert np.array_equal(levels[codes], np.searchsorted(cuts, numbers, side="right"))


@given(seeds)
def test_points_are_few_and_groups_are_large_enough(seed: int) -> None:
    instance = random_instance(seed, n_cases=150, n_classes=2)
    table = fitted(instance, list(range(5))).table
    for test, groups, points in zip(table.tests, table.groups, table.points, strict=True):
        assert min(points) == 0
        assert max(points) <= MAX_POINTS
        assert len(points) <= 5
        sizes = np.bincount(groups[instance.codes[:, test]] + 1, minlength=len(points) + 1)[1:]
        assert len(points) == 1 or sizes.min() >= max(MIN_CASES, MIN_SHARE * instance.n_objects)


@given(seeds)
def test_a_higher_total_never_has_a_lower_chance(seed: int) -> None:
    found = fitted(random_instance(seed, n_cases=80, n_classes=2), [0, 1, 2, 3])
    for n_bought in range(5):
        assert (np.diff(found.chances(n_bought)[:, found.table.target]) >= 0).all()
        assert found.out_of_fold[n_bought].sum(axis=1) == pytest.approx(1)


def test_a_missing_result_has_the_mean_points_of_the_known_cases_unless_blanks_are_results() -> None:
    instance = random_instance(3, n_cases=400, n_classes=2)
    smooth = instance.test_names.index("smooth")
    folds = deal(instance.labels, 4, instance.case_ranks)
    models = Models(Cases.of(instance), Clock(None))
    table = fit_points(instance, [smooth], models, folds).table
    missing = int(instance.schema.n_outcomes[smooth]) - 1
    points = table.by_outcome(0)
    known = instance.codes[:, smooth] != missing
    assert table.groups[0][missing] == -1
    assert points[missing] == points[-1] == round(points[instance.codes[known, smooth]].mean())
    instance.schema = replace(instance.schema, blanks=BlankPlan("result"))
    as_result = fit_points(instance, [smooth], Models(Cases.of(instance), Clock(None)), folds).table
    assert as_result.groups[0][missing] == len(as_result.points[0]) - 1


@given(seeds, st.integers(2, 4))
def test_a_weight_counts_as_equal_rows(seed: int, times: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (60, 2)).astype(np.uint8)
    of_target = (codes[:, 0] + rng.integers(0, 4, 60) > 3).astype(np.float64)
    parts = [rng.normal(size=4), np.sort(rng.normal(size=4))]
    kinds = [make_basis(np.ones(4), None), make_basis(np.ones(4), np.arange(4.0))]
    weighted = make_table([0, 1], kinds, parts, codes, of_target, np.full(60, float(times)))
    repeated = make_table(
        [0, 1], kinds, parts, np.repeat(codes, times, axis=0), np.repeat(of_target, times), np.ones(60 * times)
    )
    assert weighted.points == repeated.points
    assert all(map(np.array_equal, weighted.groups, repeated.groups))


def test_a_line_goes_through_the_shares() -> None:
    totals = np.repeat([0, 1, 2], 1000)
    of_target = np.concatenate([np.arange(1000) < share for share in (119, 269, 500)]).astype(float)
    line = fit_line(totals, of_target, np.ones(3000))
    assert line.chances(np.arange(3), 1)[:, 1] == pytest.approx([0.119, 0.269, 0.5], abs=0.005)
    falling = fit_line(2 - totals, of_target, np.ones(3000))
    assert falling.slope == 0


def test_points_count_for_the_class_that_costs_most_to_miss_and_else_for_the_rarer() -> None:
    codes, labels = [[0], [1], [1]] * 4, ["a", "b", "b"] * 4
    assert fitted(bt.Instance(codes, labels), [0]).table.target == 0
    assert fitted(bt.Instance(codes, labels, losses={"b": 5, "a": 1}), [0]).table.target == 1


def test_a_line_is_the_same_for_each_target() -> None:
    assert np.array_equal(Line(-1.0, 0.5).chances(np.arange(5), 0), Line(-1.0, 0.5).chances(np.arange(5), 1)[:, ::-1])


def is_in(number: float, name: str) -> bool:
    """Whether a person would say that a number is in a range of the chart."""
    if name == "any":
        return True
    if name.startswith("below "):
        return number < float(name.removeprefix("below "))
    if name.endswith(" or more"):
        return number >= float(name.removesuffix(" or more"))
    low, high = map(float, name.split(" to "))
    return low <= number < high


def is_total(total: int, name: str) -> bool:
    """Whether a total is in a range of the chart: "3" or "0-2"."""
    low, _, high = name.partition("-")
    return int(low) <= total <= int(high or low)


@given(seeds)
def test_points_added_by_hand_from_the_chart_give_the_predicted_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 200)
    columns = [
        Column("age", "float", numbers=np.round(50 + 8 * labels + 10 * rng.normal(size=200))),
        Column("level", "float", numbers=labels + rng.normal(size=200)),
        Column("scan", "float", numbers=3 * labels + 2 * rng.normal(size=200)),
        Column("class", "text", values=["no" if label == 0 else "yes" for label in labels]),
    ]
    tree = pathway_of(instance_of(columns, "class", prices={"age": 1, "level": 1, "scan": 10}), leaves="points")
    chart = stage_records(tree)
    new = {"age": rng.normal(55, 20, 50), "level": rng.normal(0, 2, 50), "scan": rng.normal(1, 4, 50)}
    new["age"][0] = np.nan
    predicted = tree.predict(pd.DataFrame(new))
    for case in range(50):
        total, answer, number = 0, None if chart else int(tree.nodes.label[0]), 1
        while answer is None:
            stage = chart[number - 1]
            for test in stage.tests:
                result = float(new[tree.test_names[test.test]][case])
                own = [points for names, points in test.groups if any(is_in(result, name) for name in names)]
                total += test.otherwise if np.isnan(result) else own[0]  # type: ignore[operator]
                assert np.isnan(result) or len(own) == 1
            (ending,) = (e for e in stage.endings if any(is_total(total, name) for name in e.names))
            answer, number = ending.answer, ending.goes_to or 0
        assert tree.class_names[answer] == predicted[case]
