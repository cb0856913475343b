"""A second opinion on optimal trees under two limits: an integer program, solved by HiGHS.

    buy[h, t]      at the end h of a path (what it has seen, in order) the test t is bought
    answer[h, a]   the path ends there with the answer a

A path that is reached goes on or ends; what it may have taken, at the costliest result of its last test, is within both
limits wherever it buys.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import lil_matrix

import budgetree as bt
from reference_rules import RuleProblem, draw_problem
from ruled import instance_of

pytestmark = pytest.mark.filterwarnings("ignore:prices. no path can buy")


def least_loss(problem: RuleProblem, budget: int) -> int:
    paths: list[tuple[tuple[int, int], ...]] = [()]
    for path in paths:  # grows while it is read
        done = [test for test, _ in path]
        for test in range(problem.n_tests):
            if test not in done:
                paths += [(*path, (test, result)) for result in range(problem.n_outcomes[test])]
    number = {path: at for at, path in enumerate(paths)}
    n_answers = len(problem.losses[0])
    width = problem.n_tests + n_answers  # variables of each path
    costs = np.zeros(len(paths) * width)
    limits = (budget, *problem.limits)
    flow = lil_matrix((len(paths), len(paths) * width))
    takes = lil_matrix((len(paths) * problem.n_tests * 2, len(paths) * width))
    most = np.zeros(takes.shape[0])
    for path, at in number.items():
        cases = tuple(c for c, row in enumerate(problem.codes) if all(row[t] == r for t, r in path))
        flow[at, at * width : (at + 1) * width] = 1
        if path:
            flow[at, number[path[:-1]] * width + path[-1][0]] = -1
        for answer in range(n_answers):
            costs[at * width + problem.n_tests + answer] = problem.loss_of(cases, answer)
        for test in range(problem.n_tests):
            worst = problem.worst(frozenset(path), test) if test not in [t for t, _ in path] else (10**6,) * 2
            for resource in (0, 1):
                row = (at * problem.n_tests + test) * 2 + resource
                takes[row, at * width + test], most[row] = worst[resource], limits[resource]
    reached = np.zeros(len(paths))
    reached[0] = 1
    found = milp(
        costs,
        integrality=np.ones(len(costs)),
        bounds=(0, 1),
        constraints=[LinearConstraint(flow.tocsr(), reached, reached), LinearConstraint(takes.tocsr(), ub=most)],
    )
    assert found.status == 0
    return round(found.fun)


def test_an_integer_program_agrees_under_two_limits() -> None:
    n_compared = 0
    for number in range(200):
        random = Random(f"integer program {number}")
        problem = draw_problem(random, ("fees", "by outcome")[: number % 3], 2, 2)
        if problem.n_tests > 4:
            continue
        budget = random.randint(3, 9)
        found = bt.optimal(instance_of(problem), budget=budget)
        assert found.proven
        assert found.tree.exact_loss == least_loss(problem, budget), number
        n_compared += 1
        if n_compared == 50:
            return
    raise AssertionError(f"only {n_compared} of 50 problems are small enough")
