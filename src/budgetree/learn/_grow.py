"""grow: the paper's GreedyTree, as a user calls it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import SettingError
from budgetree.impurity import Impurity, Pairs
from budgetree.learn.candidates import candidate_of
from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.levels import greedy_origin, grow_nodes
from budgetree.learn.greedy.rule import RuleName, Settings, check_settings
from budgetree.learn.settings import FitRequest, check_cases, check_min_cases, check_threads
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.services.progress import progress_bar
from budgetree.tree import Tree
from budgetree.tree.builder import grown_tree

_PAIRS = Pairs()


def grow(
    instance: AnyCases,
    impurity: Impurity = _PAIRS,
    *,
    delta: Any = 0,
    budget: Any = None,
    rule: RuleName = "worst",
    threads: int | None = None,
    min_cases: int = 1,
    lookahead: int = 0,
    progress: bool | None = None,
) -> Tree:
    """Grow a tree greedily: at each node the test whose worst outcome buys the most purity for its price.

    Cases in shards (those of `budgetree.dask`, say) are counted where they are, level by level.

    Where the instance has losses, leaves give the answer of least loss; the rule itself knows only the cases.

    Parameters
    ----------
    instance : Instance or Shards
        The known cases.
    impurity : Impurity, default Pairs()
        How mixed a node still is. With an admissible one the worst case is within O(log n) of the best.
    delta : number, default 0
        Stop where the impurity is at most this (the paper's δ).
    budget : number, optional
        No path may cost more than this; a path that costs exactly this is allowed.
    rule : {'worst', 'expected'}, default 'worst'
        Tests are judged by their worst outcome, as in the paper, or by the weighted mean price over the weighted mean
        reduction.
    threads : int, optional
        For large tables; None means one for each processor. The tree does not depend on it.
    min_cases : int, default 1
        No leaf has fewer known cases: a test is not done where it shows an outcome in fewer, so that coarse levels
        leave more tests to do than fine ones.
    lookahead : {0, 1}, default 0
        1: each test is judged by the errors (the loss) of the trees below it within the budget that is left, and the
        tree never loses more than without; impurity, delta and rule are then as they are by default.
    progress : bool, optional
        Show a bar while cases in shards are counted; by default, when stderr is a terminal.

    Returns
    -------
    Tree
        The tree.

    Raises
    ------
    ValueError
        Where a setting is not what was expected.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.grow(bt.datasets.load("synthetic"), budget=2)
    Tree(1024 cases, 4 leaves; worst case 2, mean 2; 4 errors (0.4%))
    """
    check_cases(instance)
    n_threads = check_threads(threads)
    least = check_min_cases(min_cases)
    if isinstance(lookahead, bool) or lookahead not in (0, 1):
        message = f"lookahead is {lookahead!r}; expected 0, or 1 to judge each test by the trees below it."
        raise SettingError(message, subject="lookahead", found=lookahead, expected=(0, 1))
    if lookahead and (impurity != _PAIRS or delta != 0 or rule != "worst"):
        raise SettingError(
            "lookahead: tests are judged by what is lost below them, not by an impurity; leave impurity, delta and "
            "rule out, or lookahead.",
            subject="lookahead",
        )
    if lookahead and isinstance(instance, DistributedCases):
        message = "lookahead: it needs the cases in memory, and these are in shards; expected 0."
        raise SettingError(message, subject="lookahead", found=lookahead, expected=0)
    settings = replace(check_settings(instance, impurity, delta, budget, rule), min_cases=least)
    with progress_bar("growing", progress if isinstance(instance, DistributedCases) else False) as report:
        nodes = grow_nodes(instance, settings, n_threads, report=report)
    origin = replace(greedy_origin(impurity, settings.delta, budget, rule), min_cases=least)
    tree = grown_tree(instance.schema, nodes, instance.n_objects, origin)
    return tree if isinstance(instance, DistributedCases) or not lookahead else _look_ahead(tree, instance, settings)


def _look_ahead(grown: Tree, instance: Instance, settings: Settings) -> Tree:
    """The better of two trees: this one, and one whose tests are judged by the trees below them, one step ahead.

        at a node   test a ──► parts ──► each part: the tests that look best, one after another,  ──►  loses 12
                    test b ──► parts ──►            and the last two, or the last, found exactly   ──►  loses  9  ◄ done
                    …

    and then the same at each part of the test that is done. (A rollout; the pilot method.)
    """
    request = FitRequest(budget=settings.budget, min_cases=settings.min_cases)
    solver = Solver(instance, request, Clock(None))
    solver.trees.add(candidate_of(grown, "greedy"))
    solver.look_ahead(settings.budget)
    return solver.trees.best(settings.budget).make()
