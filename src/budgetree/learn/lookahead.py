"""Lookahead: a tree whose tests are judged by the trees below them, one step ahead.

    at a node     test a ──► parts ──► each part: the tests that look best, one after another,  ──►  loses 12
                  test b ──► parts ──►            and the last two, or the last, found exactly   ──►  loses  9  ◄ done
                  …

and then the same at each part of the test that is done. (A rollout; the pilot method.)
"""

from __future__ import annotations

from budgetree.learn.exact.solver import Solver
from budgetree.learn.found import found_tree
from budgetree.learn.greedy.portfolio import CACHE_BYTES
from budgetree.learn.greedy.settings import Settings
from budgetree.learn.settings import Request
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.tree import Tree


def look_ahead(grown: Tree, instance: Instance, settings: Settings) -> Tree:
    """The better of both trees: this one, grown without looking ahead, and the rollout within the same budget."""
    request = Request(instance, settings.budget, (), CACHE_BYTES, min_cases=settings.min_cases)
    solver = Solver(request, Clock(None))
    solver.trees.add(found_tree(grown, "greedy"))
    solver.look_ahead(settings.budget)
    return solver.trees.best(settings.budget).tree()
