"""Stages: where cases stop, and trees in which no case pays for what changes nothing."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import budgetree as bt
from budgetree.learn.predictive.points import FittedPoints, Line, PointsTable, isotonic
from budgetree.learn.predictive.ridge import Models
from budgetree.learn.predictive.sample import Cases
from budgetree.learn.predictive.stages import (
    MAX_STAGES,
    MIN_CONFIDENCE,
    MIN_STOPPED,
    NONE,
    Chain,
    Stages,
    StopRule,
    _stops_up_to,
    find_stages,
    prefix_costs,
    with_rules,
)
from budgetree.learn.predictive.staging import GO_ON, Settled, first_score, model_split, points_tree
from budgetree.problem import LossTable
from budgetree.problem.losses import Losses
from budgetree.services.clock import Clock
from budgetree.tree.leaves import softmax

from .tables import any_codes, pathway_of, random_instance, random_prices, seeds

REFER = Losses({"a": 1, "b": 4}, answers={"refer": {"a": 0.3, "b": 0.5}})


def random_losses(seed: int, n_classes: int) -> LossTable:
    if n_classes > 2 or seed % 3 == 0:
        return LossTable.plain(range(n_classes))
    if seed % 3 == 1:
        return Losses({"a": 1, "b": 5}).bind(("a", "b"))
    return REFER.bind(("a", "b"))


def random_chain(seed: int, n_classes: int = 2, n_cases: int = 150, confidence: float | None = None) -> Chain:
    """Probabilities that grow surer from prefix to prefix, and prices of all sizes."""
    rng = np.random.default_rng(seed)
    n_tests = int(rng.integers(1, 8))
    steps = rng.normal(scale=rng.uniform(0.2, 1.5), size=(n_tests + 1, n_cases, n_classes))
    scores = np.cumsum(steps, axis=0)
    probabilities = [softmax((each * 1e6).astype(np.int64)) for each in scores]
    costs = np.concatenate([[0.0], np.cumsum(rng.choice([1.0, 5.0, 50.0], n_tests))])
    return Chain(probabilities, costs, random_losses(seed, n_classes), rng.integers(1, 4, n_cases) * 1.0, confidence)


@given(seeds, st.sampled_from([2, 3]))
def test_stops_lose_no_more_than_they_promise(seed: int, n_classes: int) -> None:
    chain = random_chain(seed, n_classes)
    stages = find_stages(chain)
    at, lost = chain.stopped_at(stages), 0.0
    for end in stages.ends[:-1]:
        stopped = at == end
        regret = (chain.weights * chain.regrets(end))[stopped].sum()
        assert regret <= chain.bound * chain.weights[stopped].sum() + 1e-9
        lost += regret
    assert lost <= (chain.bound + 1e-12) * chain.weights.sum()


@given(seeds, st.sampled_from([2, 3]))
def test_stages_are_few_and_end_before_something_costly(seed: int, n_classes: int) -> None:
    chain = random_chain(seed, n_classes)
    stages = find_stages(chain)
    assert len(stages.ends) <= MAX_STAGES
    assert stages.ends[-1] == chain.n_tests
    now = chain.mean_cost(stages)
    for end in stages.ends[:-1]:
        assert chain.costs[end + 1] - chain.costs[end] >= 0.05 * chain.costs[-1]
        without = with_rules(chain, [each for each in stages.ends if each != end])
        assert chain.mean_cost(without) - now >= 0.05 * chain.costs[-1]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), min_size=1, max_size=60), st.integers(0, 8))
def test_the_rising_fit_of_the_regret_says_who_stops(members: list[tuple[int, int]], bound: int) -> None:
    rank, regret = np.array(members, dtype=float).T
    distinct = np.unique(rank)
    mass = np.array([(rank == each).sum() for each in distinct], dtype=float)
    mean = np.array([regret[rank == each].mean() for each in distinct])
    within = np.flatnonzero(isotonic(mean, mass) <= bound + 1e-9)
    expected = NONE if not len(within) or mass[: within[-1] + 1].sum() < MIN_STOPPED else distinct[within[-1]]
    assert _stops_up_to(rank, regret, np.ones(len(rank)), float(bound)) == expected


def test_a_confidence_that_is_given_is_taken_as_it_is() -> None:
    chain = random_chain(7, confidence=0.9)
    stages = with_rules(chain, range(1, chain.n_tests + 1))
    at = chain.stopped_at(stages)
    assert (chain.probabilities[1].max(axis=1)[at == 1] >= 0.9).all()
    assert (chain.probabilities[1].max(axis=1)[at > 1] < 0.9).all()


@given(seeds)
def test_of_more_than_two_classes_only_fairly_sure_cases_stop(seed: int) -> None:
    chain = random_chain(seed, n_classes=4)
    stages = find_stages(chain)
    assert all(rule.high >= MIN_CONFIDENCE for rule in stages.rules)
    assert all(rule.low == NONE for rule in stages.rules)


def test_prefix_costs_are_what_known_cases_pay() -> None:
    prices = bt.Prices({"a": {"0": 1, "1": 3}, "b": 2}, shared={"fee": (10, ["a", "b"])})
    instance = bt.Instance([[0, 0], [1, 0], [1, 1], [1, 1]], [0, 1, 0, 1], prices=prices, test_names=["a", "b"])
    assert prefix_costs(instance, [0, 1]).tolist() == [0, 12.5, 14.5]


@st.composite
def points_problems(draw: st.DrawFn) -> tuple[bt.Instance, FittedPoints, Stages]:
    """A chain of nominal tests with points, lines and stopping rules of any kind, and every case that there can be."""
    n_tests = draw(st.integers(1, 4))
    own = [(0, *draw(st.lists(st.integers(0, 6), min_size=1, max_size=2))) for _ in range(n_tests)]
    otherwise = tuple(draw(st.sampled_from(points)) for points in own)
    table = PointsTable(tuple(range(n_tests)), tuple(np.arange(len(each)) for each in own), tuple(own), otherwise)
    number = st.integers(-20, 20)
    lines = tuple(Line(draw(number) / 4, draw(st.integers(0, 8)) / 8) for _ in range(n_tests + 1))
    losses = draw(st.sampled_from([None, {"a": 1, "b": 5}, REFER]))
    codes = np.array(list(product(*(range(len(each)) for each in own))), dtype=np.uint8)
    labels = np.arange(len(codes)) % 2
    instance = bt.Instance(
        codes, labels, losses=losses, class_names=["a", "b"], test_names=[f"t{k}" for k in range(n_tests)]
    )
    ends = sorted({*draw(st.lists(st.integers(1, n_tests), max_size=2)), n_tests})
    low, high = st.sampled_from([NONE, 0.1, 0.3, 0.6]), st.sampled_from([0.3, 0.6, 0.9, -NONE])
    rules = [StopRule(draw(low), draw(high)) for _ in ends[:-1]]
    return instance, FittedPoints(table, lines, ()), Stages(tuple(ends), tuple(rules))


def answers_without_settling(
    instance: bt.Instance, fitted: FittedPoints, stages: Stages, codes: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Stage by stage, everything in it bought: the answer of each case, and how many tests it bought."""
    losses, running = instance.schema.loss_table, fitted.table.add_up(codes)
    answers, bought = np.full(len(codes), GO_ON), np.zeros(len(codes), dtype=np.int64)
    for number, end in enumerate(stages.ends):
        chances = fitted.chances(end)[running[end]]
        is_last = number == len(stages.rules)
        stops = np.ones(len(codes), dtype=bool) if is_last else stages.rules[number].stops(chances)
        bought[answers == GO_ON] = end
        answers = np.where((answers == GO_ON) & stops, losses.best(chances), answers)
    return answers, bought


@given(points_problems())
def test_leaving_out_what_changes_nothing_changes_no_answer(problem: tuple[bt.Instance, FittedPoints, Stages]) -> None:
    instance, fitted, stages = problem
    tree = points_tree(instance, fitted, stages)
    codes = np.vstack([instance.codes, np.full((1, instance.n_tests), 255, dtype=np.uint8)])
    expected, bought = answers_without_settling(instance, fitted, stages, codes)
    walk = tree.walk_codes(codes)
    assert walk.answers.tolist() == expected.tolist()
    assert (walk.spent <= bought).all()  # each test costs 1


@given(points_problems())
def test_whoever_buys_can_still_get_two_answers(problem: tuple[bt.Instance, FittedPoints, Stages]) -> None:
    instance, fitted, stages = problem
    tree = points_tree(instance, fitted, stages)
    answers, leaf = tree.walk_codes(instance.codes).answers, tree.walk_codes(instance.codes).leaf
    actions = Settled(fitted, stages, instance.schema.loss_table).actions
    running = fitted.table.add_up(instance.codes)
    for node in np.flatnonzero(tree.nodes.is_buy).tolist():
        n_bought = int(tree.nodes.n_bought[node])
        below = [k for k in range(len(leaf)) if node in tree.nodes.path(int(leaf[k]))]
        by_total: dict[int, set[int]] = {}
        for case in below:
            by_total.setdefault(int(running[n_bought][case]), set()).add(int(answers[case]))
        assert all(actions[n_bought][total] == GO_ON for total in by_total)
        # Cases with every listed result are there; what an unlisted one gives is one of its points.
        assert all(len(found) > 1 for found in by_total.values())


@given(st.floats(0.001, 0.499), st.floats(0.5, 0.999), st.integers(-4_000_000, 4_000_000))
def test_cuts_in_log_odds_say_what_the_rule_says(low: float, high: float, score: int) -> None:
    rule = StopRule(low, high)
    cuts = [first_score(low, is_included=False), first_score(high)]
    totals = np.array([score, *(cut + step for cut in cuts for step in (-1, 0, 1)), -30_000_000, 30_000_000])
    probabilities = softmax(np.column_stack([np.zeros_like(totals), totals]))
    sides = np.searchsorted(cuts, totals, side="right")
    assert np.array([True, False, True])[sides].tolist() == rule.stops(probabilities).tolist()


@pytest.mark.parametrize(("rule", "n_sides", "going"), [((NONE, 0.9), 2, 0), ((0.1, -NONE), 2, 1), ((0.1, 0.9), 3, 1)])
def test_a_model_of_two_classes_stops_at_either_end(rule: tuple[float, float], n_sides: int, going: int) -> None:
    model = Models(Cases.of(random_instance(5, n_classes=2)), Clock(None)).model([0, 3])
    found = model_split(model, StopRule(*rule), 2)
    assert found is not None
    assert (found[0].n_sides, found[1]) == (n_sides, going)
    assert model_split(model, StopRule(), 2) is None


@given(seeds, st.sampled_from(["tree", "points", "model"]))
@settings(max_examples=30)
def test_no_case_exceeds_the_budget(seed: int, leaves: str) -> None:
    instance = random_instance(seed, prices=random_prices(seed), n_classes=2, n_cases=80)
    rng = np.random.default_rng(seed)
    costs, tests = instance.schema.costs, list[int]()
    budget = int(rng.integers(0, costs.highest_price * 3))
    limited, state = costs.within(costs.amount(budget)), costs.start
    for test in rng.permutation(instance.n_tests).tolist():
        if limited.refusal(state, test) is None:
            tests.append(test)
            state = limited.after_buying(state, test)
    tree = pathway_of(instance, tests, budget=budget, leaves=leaves)  # type: ignore[arg-type]
    assert tree.walk_codes(any_codes(seed, instance)).spent.max() <= budget
    assert tree.tests_used <= set(tests)
