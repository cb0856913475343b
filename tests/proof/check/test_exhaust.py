"""The checker's own search, against brute force."""

import random
from fractions import Fraction

import pytest

import reference_losses
from budgetree.proof.check.exhaust import Search
from budgetree.proof.check.facts import Facts, LossFacts, Whole
from honest_certificates import brute, make_facts


@pytest.mark.parametrize("seed", range(40))
def test_the_search_agrees_with_brute_force_whatever_was_asked_before(seed):
    """One search keeps its memory from limit to limit; a bound remembered too high would show."""
    draw = random.Random(seed)
    facts = make_facts(seed, objects=14, tests=4, outcomes=2, classes=draw.choice([2, 3]))
    prices = [draw.choice([0, 1, 1, 2]) for _ in range(4)]
    fees = [(draw.randint(0, 2), frozenset(draw.sample(range(4), 2)))] if seed % 2 else []
    flat = [[Fraction(price)] * 2 for price in prices]
    facts = Facts(**{**facts.__dict__, "prices": flat, "shared": [(Fraction(fee), tests) for fee, tests in fees]})
    whole = Whole(facts)
    search = Search(whole)
    for budget in (4, 2, 3, 1, 0):
        right = brute(facts, Fraction(budget), flat=True)[0]
        for limit in range(10):
            found = search.least(int(budget / (whole.unit or 1)), limit)
            assert found == right if right <= limit else limit < found <= right


@pytest.mark.parametrize("seed", range(30))
def test_the_least_loss_is_that_of_brute_force(seed):
    problem = reference_losses.random_problem(
        random.Random(seed), max_min_cases=1, prices_per_outcome=False, losses=True, denominators=(1,)
    )
    rows = sorted(problem.known)
    fees = [
        (int(fee), frozenset(test for test, needed in enumerate(problem.needs) if number in needed))
        for number, fee in enumerate(problem.fees)
    ]
    n_tests, n_classes, n_answers = len(problem.prices), len(problem.losses), len(problem.losses[0])
    answers = [str(answer) for answer in range(n_answers)]
    facts = Facts(
        [problem.rows[row] for row in rows],
        [problem.classes[row] for row in rows],
        [Fraction(problem.weights[row]) for row in rows],
        [str(test) for test in range(n_tests)],
        answers[:n_classes],
        [[str(outcome) for outcome in range(len(prices))] for prices in problem.prices],
        [[Fraction(price) for price in prices] for prices in problem.prices],
        [(Fraction(fee), tests) for fee, tests in fees],
        LossFacts(answers, [[Fraction(loss) for loss in losses] for losses in problem.losses]),
    )
    whole = Whole(facts)
    search = Search(whole)
    for budget in (5, 3, 2, 0):
        right = reference_losses.least_loss(problem, Fraction(budget))
        for limit in (0, 1, 2, 4, 8, 16, 99):
            found = whole.measure * search.least(int(budget / (whole.unit or 1)), int(limit / whole.measure))
            assert found == right if right <= limit else limit < found <= right
