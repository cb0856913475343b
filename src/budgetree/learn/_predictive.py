"""predictive: the tree that does best on new cases, within a budget that none of them exceeds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from budgetree.learn.predictive import SURE, fine_instance, fit_policy
from budgetree.learn.predictive.fit import Leaves
from budgetree.learn.predictive.stop import check_sure
from budgetree.learn.predictive.tree_making import to_tree
from budgetree.learn.settings import check_instance, check_threads, check_time_limit
from budgetree.problem import Instance
from budgetree.problem.units import as_fraction, is_unlimited
from budgetree.services.clock import Clock
from budgetree.services.progress import progress_bar
from budgetree.tree import Origin, Tree


def predictive(
    cases: Instance,
    *,
    budget: Any,
    sure: float | None = SURE,
    leaves: Leaves = "model",
    time_limit: float | None = None,
    progress: bool | None = None,
    threads: int | None = None,
) -> Tree:
    """The tree for new cases: the lowest error to expect on cases like the known ones, where none may pay more.

    Which test to buy next is chosen by how well a model of everything paid so far answers cases that it was not
    fitted to. Numbers are not rounded to the instance's levels, and equal rows are not merged.

    budget      no case, known or new, pays more than this, whatever its outcomes; None for no limit
    sure        a case stops where its likeliest class has this probability; None to buy all that helps on average
    leaves      "model": a case is answered by a model of all that it paid; "count": a plain tree that can be printed
    time_limit  seconds after which the best so far is returned
    progress    True or False to show or hide the bar; by default it shows on a terminal
    threads     None for all cores; the tree does not depend on it

    >>> import budgetree as bt
    >>> tree = bt.predictive(bt.datasets.load("pima"), budget=2)
    >>> tree.max_cost, sorted(tree.test_names[test] for test in tree.tests_used)
    (2, ['age', 'mass'])
    """
    check_instance(cases)
    limit = check_sure(sure)
    n_threads = check_threads(threads)
    fine = fine_instance(cases)
    units = fine.schema.table.budget_units(budget)
    with progress_bar("new cases", progress) as report:
        clock = Clock(check_time_limit(time_limit), report)
        policy = fit_policy(fine, budget_units=units, sure=limit, leaves=leaves, clock=clock, threads=n_threads)
    return to_tree(policy, fine, predictive_origin(budget, limit, leaves))


def predictive_origin(budget: Any, sure: float | None, leaves: Leaves) -> Origin:
    """What a tree's origin says about these settings."""
    return Origin(
        "predictive",
        budget=None if is_unlimited(budget) else as_fraction(budget),
        leaves=leaves,
        sure=None if sure is None else Fraction(str(sure)),
    )
