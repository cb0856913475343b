"""The slow oracle for losses itself: examples worked out by hand, and its answers against every tree there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from random import Random

import pytest

from reference_losses import (
    Cases,
    Problem,
    Tree,
    errors_of,
    follows_rules,
    frontier,
    greedy_tree,
    least_loss,
    loss_of,
    need_of,
    random_problem,
    zero_one,
)

F = Fraction


def money(*amounts: float | F) -> tuple[F, ...]:
    return tuple(map(F, amounts))


TWO_STEPS = Problem(
    # The class is 1 where both tests show 1: the second test is worth doing only after outcome 1 of the first.
    rows=((0, 0), (0, 1), (1, 0), (1, 1)),
    classes=(0, 0, 0, 1),
    prices=(money(1, 2), money(3, 4)),
    losses=zero_one(2),
)
BOTH: Tree = ("test", 0, {0: ("leaf", 0), 1: ("test", 1, {0: ("leaf", 0), 1: ("leaf", 1)})})


def test_a_tree_of_two_tests_needs_both_costliest_prices() -> None:
    assert need_of(TWO_STEPS, BOTH) == 6
    assert (loss_of(TWO_STEPS, BOTH), errors_of(TWO_STEPS, BOTH)) == (0, 0)
    assert follows_rules(TWO_STEPS, BOTH, F(6)) == []
    assert frontier(TWO_STEPS) == [(0, 1), (6, 0)]  # in either order
    assert (least_loss(TWO_STEPS, F(6)), least_loss(TWO_STEPS, F(23, 4))) == (0, 1)


def test_the_price_of_the_outcome_taken_counts_below() -> None:
    # Outcome 1 of the first test costs 0, outcome 0 costs 5: the second test comes to 4, the first alone to 5.
    problem = replace(TWO_STEPS, prices=(money(5, 0), money(3, 4)))
    assert frontier(problem) == [(0, 1), (5, 0)]


def test_an_outcome_that_no_case_shows_counts_for_the_budget() -> None:
    problem = replace(TWO_STEPS, prices=(money(1, 2), money(3, 4, 9)))
    assert frontier(problem) == [(0, 1), (9, 0)]
    # Test 0 takes 2 and then 9 are at stake. In the other order the first step stakes 9 but takes 4 at most, and the
    # second ends at 4 + 2 = 6.
    swapped: Tree = ("test", 1, {0: ("leaf", 0), 1: ("test", 0, {0: ("leaf", 0), 1: ("leaf", 1)})})
    assert (need_of(problem, BOTH), need_of(problem, swapped)) == (11, 9)


def test_a_shared_fee_is_paid_once_on_a_path() -> None:
    shared = replace(TWO_STEPS, fees=money(10), needs=(frozenset({0}), frozenset({0})))
    assert frontier(shared) == [(0, 1), (16, 0)]
    apart = replace(TWO_STEPS, fees=money(10, 7), needs=(frozenset({0}), frozenset({1})))
    assert frontier(apart) == [(0, 1), (23, 0)]


def test_free_tests_are_done_at_budget_zero() -> None:
    assert frontier(replace(TWO_STEPS, prices=(money(0, 0), money(0, 0)))) == [(0, 0)]


def test_a_leaf_weighs_losses_and_takes_the_first_of_equals() -> None:
    # Missing class 1 costs 5, a false alarm 1: the single leaf answers 1 and loses 3. Referring costs 3/4 each: a tie.
    problem = replace(TWO_STEPS, losses=(money(0, 1, F(3, 4)), money(5, 0, F(3, 4))))
    assert problem.best_answer(problem.known) == 1
    # After the first test, outcome 1: answer 1 loses 1, referring loses 3/2.
    assert frontier(problem) == [(0, 3), (2, 1), (6, 0)]
    refer: Tree = ("leaf", 2)
    assert (loss_of(problem, refer), errors_of(problem, refer), errors_of(problem, ("leaf", 1))) == (3, 0, 3)
    assert follows_rules(problem, refer, F(0)) == [
        "At the root: the leaf answers 2, but 1 is the first answer of least loss."
    ]


def test_cases_of_weight_zero_are_not_there() -> None:
    problem = replace(TWO_STEPS, weights=money(1, 1, 0, F(1, 3)))
    # Without case 2 the first test alone tells the classes apart.
    assert frontier(problem) == [(0, F(1, 3)), (2, 0)]
    assert errors_of(problem, ("leaf", 1)) == 2
    assert follows_rules(problem, BOTH, F(6)) == [
        "At test 0 = 1: test 1 splits nothing: the cases show [1].",
        "At test 0 = 1: test 1 has children for [0, 1], but the cases show [1].",
        # No case arrives at this leaf, so every answer loses nothing and the first one, 0, is no fault of it.
        "At test 0 = 1, test 1 = 0: the leaf has 0 cases, but at least 1 are due.",
    ]


def test_min_cases_counts_rows_and_not_weights() -> None:
    problem = replace(TWO_STEPS, min_cases=2, weights=money(1, 1, 1, 100))
    assert frontier(problem) == [(0, 3), (2, 1)]
    assert follows_rules(problem, BOTH, F(6)) == [
        "At test 0 = 1: only 1 cases show 0 of test 1, 2 are due.",
        "At test 0 = 1: only 1 cases show 1 of test 1, 2 are due.",
        "At test 0 = 1, test 1 = 0: the leaf has 1 cases, but at least 2 are due.",
        "At test 0 = 1, test 1 = 1: the leaf has 1 cases, but at least 2 are due.",
    ]
    assert frontier(replace(problem, min_cases=3)) == [(0, 3)]


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        (("leaf", 2), "At the root: answer 2 does not exist."),
        (("test", 2, {}), "At the root: test 2 does not exist."),
        (("test", 0, {0: ("leaf", 0)}), "At the root: test 0 has children for [0], but the cases show [0, 1]."),
        (
            ("test", 0, {0: ("leaf", 0), 1: ("test", 0, {1: ("leaf", 0)})}),
            "At test 0 = 1: test 0 has been done before on this path.",
        ),
        (BOTH, "At test 0 = 1: test 1 may bring the path to 6, above the budget of 5."),
    ],
)
def test_what_is_broken_is_said(tree: Tree, sentence: str) -> None:
    assert sentence in follows_rules(TWO_STEPS, tree, F(5))


def test_greedy_takes_the_smallest_ratio() -> None:
    # Pairs: F = 3·1 = 3. Either test leaves 0 after outcome 0 (gain 3) and 1 after outcome 1 (gain 2).
    # Ratios: test 0 max(1/3, 2/2) = 1, test 1 max(3/3, 4/2) = 2.
    assert greedy_tree(TWO_STEPS, F(6), money(1, 1)) == BOTH
    # Within 4 the second step is too dear, within 1 the first is. A leaf with one case of each class answers 0.
    assert greedy_tree(TWO_STEPS, F(4), money(1, 1)) == ("test", 0, {0: ("leaf", 0), 1: ("leaf", 0)})
    assert greedy_tree(TWO_STEPS, F(1), money(1, 1)) == ("leaf", 0)
    # A class without weight leaves no pairs to tell apart.
    assert greedy_tree(TWO_STEPS, F(6), money(1, 0)) == ("leaf", 0)
    equal = replace(TWO_STEPS, prices=(money(1, 1), money(1, 1)))
    assert greedy_tree(equal, F(2), money(1, 1)) == BOTH


def test_greedy_counts_fees_until_they_are_paid() -> None:
    # A fee of 10 on test 0 alone: ratios max(11/3, 12/2) = 6 and 2. Afterwards it is still due: 4 + 10 + 2 = 16.
    own = replace(TWO_STEPS, fees=money(10), needs=(frozenset({0}), frozenset()))
    swapped: Tree = ("test", 1, {0: ("leaf", 0), 1: ("test", 0, {0: ("leaf", 0), 1: ("leaf", 1)})})
    assert greedy_tree(own, F(16), money(1, 1)) == swapped
    assert greedy_tree(own, F(15), money(1, 1)) == ("test", 1, {0: ("leaf", 0), 1: ("leaf", 0)})
    # On both tests: ratios 6 and max(13/3, 14/2) = 7. Afterwards it is paid: 12 + 4 = 16.
    shared = replace(own, needs=(frozenset({0}), frozenset({0})))
    assert greedy_tree(shared, F(16), money(1, 1)) == BOTH
    assert greedy_tree(shared, F(15), money(1, 1)) == ("test", 0, {0: ("leaf", 0), 1: ("leaf", 0)})


def test_class_weights_change_what_greedy_takes() -> None:
    # Test 0 parts class 2 from 0 and 1, test 1 parts class 0 from 1 and 2; two cases of class 0, one of each other.
    problem = Problem(
        rows=((0, 0), (0, 0), (0, 1), (1, 1)), classes=(0, 0, 1, 2), prices=(money(2, 2),) * 2, losses=zero_one(3)
    )
    # F = 2·1 + 2·1 + 1 = 5. Test 0 leaves at most 2 (gain 3), test 1 at most 1 (gain 4).
    assert greedy_tree(problem, F(2), money(1, 1, 1))[1] == 1
    # Class 0 at 1/4 has weight 1/2: F = 2. Test 0 leaves at most 1/2 (gain 3/2), test 1 at most 1 (gain 1).
    assert greedy_tree(problem, F(2), money(F(1, 4), 1, 1))[1] == 0


def test_greedy_stops_where_an_outcome_gains_nothing() -> None:
    # The test splits off class 0 alone. Where that class has no weight, the other part keeps all pairs.
    problem = Problem(rows=((0,), (1,), (1,)), classes=(0, 1, 2), prices=(money(1, 1),), losses=zero_one(3))
    assert greedy_tree(problem, F(1), money(0, 1, 1)) == ("leaf", 0)
    assert greedy_tree(problem, F(1), money(1, 1, 1)) == ("test", 0, {0: ("leaf", 0), 1: ("leaf", 1)})


def every_tree(problem: Problem, cases: Cases) -> Iterator[Tree]:
    """All trees that split, whatever they cost and however small their leaves."""
    yield ("leaf", problem.best_answer(cases))
    for test in range(len(problem.prices)):
        parts = problem.split(cases, test)
        if len(parts) > 1:
            for children in product(*(list(every_tree(problem, part)) for part in parts.values())):
                yield ("test", test, dict(zip(parts, children, strict=True)))


@pytest.mark.parametrize("seed", range(150))
def test_both_answers_agree_with_every_tree(seed: int) -> None:
    problem = random_problem(Random(seed), max_cases=6, max_tests=3)
    stairs = frontier(problem)
    assert stairs[0][0] == 0
    fair = [tree for tree in every_tree(problem, problem.known) if not follows_rules(problem, tree, F(10**6))]
    scored = [(need_of(problem, tree), loss_of(problem, tree)) for tree in fair]
    for budget in {need + step for need, _ in scored for step in (F(0), F(-1, 1000)) if need + step >= 0}:
        least = min(loss for need, loss in scored if need <= budget)
        assert least_loss(problem, budget) == least
        assert [loss for need, loss in stairs if need <= budget][-1] == least
    assert {need for need, _ in stairs} <= {need for need, _ in scored}


@pytest.mark.parametrize("seed", range(60))
def test_larger_problems_agree_and_greedy_follows_the_rules(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng, denominators=(1, 3, 10))
    stairs = frontier(problem)
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(stairs))
    for (need, loss), before in zip(stairs, [None, *stairs], strict=False):
        assert least_loss(problem, need) == loss
        assert before is None or least_loss(problem, need - F(1, 10**6)) == before[1]
        tree = greedy_tree(problem, need, [F(rng.randint(0, 3)) for _ in range(problem.n_classes)])
        assert follows_rules(problem, tree, need) == []
        assert loss_of(problem, tree) >= loss
    assert least_loss(problem, F(10**6)) == stairs[-1][1]


def test_random_problems_have_what_was_asked_for() -> None:
    plain = [
        random_problem(
            Random(seed),
            weights=False,
            fees=False,
            prices_per_outcome=False,
            losses=False,
            extra_answers=False,
            duplicates=False,
            max_min_cases=1,
        )
        for seed in range(50)
    ]
    for problem in plain:
        assert set(problem.weights) == {1}
        assert (problem.fees, problem.min_cases, problem.losses) == ((), 1, zero_one(problem.n_classes))
        assert all(len(set(prices)) == 1 for prices in problem.prices)
        assert len(set(problem.rows)) == len(problem.rows)
    mixed = [random_problem(Random(seed)) for seed in range(200)]
    assert all(set(p.classes) == set(range(p.n_classes)) and any(p.weights) for p in mixed)
    assert any(0 in p.weights for p in mixed)
    assert any(p.n_answers > p.n_classes for p in mixed)
    assert any(p.losses[0][0] > 0 for p in mixed)
    assert any(
        p.rows[i] == p.rows[j] and p.classes[i] != p.classes[j]
        for p in mixed
        for i in range(len(p.rows))
        for j in range(i)
    )
    assert {p.min_cases for p in mixed} == {1, 2, 3}
    assert max(len(p.rows) for p in mixed) <= 9
