"""Rules of pathways: every combination of them in turn, 1 to 3 resources, two or more outcomes.

Brute force (reference_rules) beside exact search in the core: budgets in any order, with cutoffs and narrow passes,
with and without counts of pairs and a cache, in one thread and in several; every tree is read, charged and judged. The
library's own trees too, which no order of rows may change; and learned trees with points, models and stages, in which
cases with any results must break no rule.
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))

from test_rules import MOST, check_problem

import budgetree as bt
from _support.rules import TESTS, check_rules, random_problem
from budgetree.errors import SettingError
from reference_rules import RuleProblem, combinations_of_rules, draw_problem, least_losses
from ruled import instance_of, judge_tree

from .checks import file_of, same

COMBINATIONS = list(combinations_of_rules())
LEAVES = ("auto", "tree", "points", "model")


def run(seed: int, end: float) -> bool:
    """Whether nothing differs until then."""
    made: Counter[str] = Counter()
    wrong = 0
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "prices: no path can buy")
        for number in count():
            try:
                compare(Random(f"{seed} {number}"), number, made)
            except Exception:
                wrong += 1
                print(f"\nseed {seed}, number {number} differs:\n{traceback.format_exc(limit=-5)}", flush=True)
            if time.monotonic() > end:
                break
    print(", ".join(f"{times:,} {what}" for what, times in made.items()) + f"; {wrong} differ.", flush=True)
    return not wrong


def compare(random: Random, number: int, made: Counter[str]) -> None:
    """One problem with the combination of rules whose turn it is."""
    kinds, n_resources, n_outcomes = (
        COMBINATIONS[number % len(COMBINATIONS)],
        random.randint(1, 3),
        random.choice((2, 3)),
    )
    problem = draw_problem(random, kinds, n_resources, n_outcomes)
    made["problems"] += 1
    made["budgets"] += check_problem(problem, random)
    if number % 4 == 0:
        made["trees"] += check_trees(problem, shuffled(problem, random), random.randint(1, MOST))
    if number % 4 == 1:
        made["trees with min_cases"] += check_min_cases(problem, random.randint(2, 4), random.randint(1, MOST))
    if number % 16 == 0:
        made["learned trees"] += check_learned(
            random.randrange(10**9), random.choice(LEAVES), random.choice((None, 14))
        )


def check_trees(problem: RuleProblem, other: RuleProblem, budget: int) -> int:
    """What users get, whatever the order of rows and tests."""
    least = least_losses(problem, budget)[budget]
    if least is None:
        return 0
    instance, permuted = instance_of(problem), instance_of(other)
    found = bt.optimal(instance, budget=budget)
    assert found.proven
    assert judge_tree(problem, found.tree, budget) == found.tree.exact_loss == least
    same("the best tree of shuffled rows", file_of(bt.optimal(permuted, budget=budget).tree), file_of(found.tree))
    with tempfile.TemporaryDirectory() as folder:
        shards = bt.Shards.from_instance(permuted, Path(folder) / "shards", max_rows=3)
        for impurity in (bt.Pairs(), bt.Powers(3)):
            tree = bt.grow(instance, impurity=impurity, budget=budget)
            assert judge_tree(problem, tree, budget) == tree.exact_loss >= least
            same("shuffled rows", file_of(bt.grow(permuted, impurity=impurity, budget=budget)), file_of(tree))
            unnamed = replace(tree, origin=replace(tree.origin, table=None))  # shards have no fingerprint of all cases
            same("shards", file_of(bt.grow(shards, impurity=impurity, budget=budget)), file_of(unnamed))
    return 3


def check_min_cases(problem: RuleProblem, least_cases: int, budget: int) -> int:
    """No leaf has fewer cases; exact search finds the least loss, and growth nothing better."""
    problem = replace(problem, weights=(1,) * len(problem.codes), min_cases=least_cases)
    if least_losses(replace(problem, min_cases=1), budget)[budget] is None:
        return 0
    least, instance = least_losses(problem, budget)[budget], instance_of(problem)
    for method in ("exact", "greedy"):
        found = bt.fit(instance, budget=budget, objective="known", method=method, min_cases=least_cases, folds=0)
        assert judge_tree(problem, found.tree, budget) == found.tree.exact_loss >= least
        nodes = found.tree.nodes
        n_cases = nodes.counts[nodes.is_leaf].sum(axis=1)
        assert len(nodes) == 1 or all(n == 0 or n >= min(least_cases, len(problem.codes)) for n in n_cases.tolist())
        assert method == "greedy" or (found.proven and found.tree.exact_loss == least)
    return 2


def shuffled(problem: RuleProblem, random: Random) -> RuleProblem:
    """The same cases in another order, and the same fees and panels."""
    rows = random.sample(range(len(problem.codes)), len(problem.codes))
    codes, labels, weights = (
        tuple(given[row] for row in rows) for given in (problem.codes, problem.labels, problem.weights)
    )
    return replace(problem, codes=codes, labels=labels, weights=weights)


def check_learned(seed: int, leaves: str, budget: int | None) -> int:
    """A tree for new cases under limits, with an order: no case breaks a rule, and no shuffling changes the tree."""
    rng, problem = np.random.default_rng(seed), random_problem(seed)
    codes = np.column_stack([rng.integers(0, len(names), 120) for names in problem.outcomes])
    labels = (codes[:, 0] + codes[:, 2] * codes[:, 5] + codes[:, 1] * codes[:, 3] + (rng.random(120) < 0.2)) % 2
    trees = []
    for rows, tests in ((np.arange(120), np.arange(len(TESTS))), (rng.permutation(120), rng.permutation(len(TESTS)))):
        cases = bt.Instance(
            codes[rows][:, tests],
            labels[rows],
            test_names=[TESTS[test] for test in tests],
            outcome_names=[problem.outcomes[test] for test in tests],
            prices=problem.prices,
        )
        try:
            trees.append(bt.predictive(cases, budget=budget, leaves=leaves))  # type: ignore[arg-type]
        except SettingError as error:
            if "every path begins with" in str(error):  # which takes more
                return 0
            raise
    check_rules(trees[0], rng, 60)
    same("the learned tree of shuffled rows and tests", *map(file_of, trees))
    return 1
