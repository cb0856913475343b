"""python -m tests.campaign.rules [N]: N problems for each combination of rules, 1 to 3 resources, two or more outcomes.

Brute force (reference_rules) beside exact search in the core: budgets in any order, with cutoffs and narrow passes,
with and without counts of pairs and a cache, in one thread and in several; every tree is read, charged and judged.
Every eighth problem goes through the library as well: optimal and greedy trees, walked by every case there could be.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "core")]  # what tests share

from test_rules import MOST, check_problem  # noqa: E402

import budgetree as bt  # noqa: E402
from reference_rules import RuleProblem, combinations_of_rules, draw_problem, least_losses  # noqa: E402
from ruled import instance_of, judge_tree  # noqa: E402


def check_trees(problem: RuleProblem, budget: int) -> None:
    """What users get."""
    least = least_losses(problem, budget)[budget]
    if least is None:
        return
    instance = instance_of(problem)
    found = bt.optimal(instance, budget=budget)
    assert found.proven
    assert judge_tree(problem, found.tree, budget) == found.tree.exact_loss == least
    for impurity in (bt.Pairs(), bt.Powers(3)):
        tree = bt.grow(instance, impurity=impurity, budget=budget)
        assert judge_tree(problem, tree, budget) == tree.exact_loss >= least


def main() -> int:
    n_each = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    n_problems = n_budgets = n_wrong = 0
    began = time.process_time()
    warnings.filterwarnings("ignore", "prices: no path can buy")
    for kinds in combinations_of_rules():
        for n_resources in (1, 2, 3):
            for n_outcomes in (2, 3):
                for number in range(n_each):
                    seed = f"{kinds} {n_resources} {n_outcomes == 2} {number}"
                    random = Random(seed)
                    problem = draw_problem(random, kinds, n_resources, n_outcomes)
                    n_problems += 1
                    try:
                        n_budgets += check_problem(problem, random)
                        if n_problems % 8 == 0:
                            check_trees(problem, random.randint(1, MOST))
                    except AssertionError as error:
                        n_wrong += 1
                        print(f"differs: {seed}: {error}")
    seconds = time.process_time() - began
    print(f"{n_problems:,} problems, {n_budgets:,} budgets, {n_wrong} differ; {seconds:.0f} s")
    return int(n_wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
