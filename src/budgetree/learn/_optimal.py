"""optimal: the best tree that a budget can buy, and the proof that there is no better one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.portfolio import CACHE_BYTES, DEFAULT_IMPURITIES
from budgetree.learn.settings import (
    Request,
    check_cache_bytes,
    check_instance,
    check_min_cases,
    check_threads,
    check_time_limit,
)
from budgetree.problem import Instance
from budgetree.problem.units import as_fraction, is_unlimited, plain_number
from budgetree.services.clock import Clock
from budgetree.services.progress import progress_bar
from budgetree.services.words import counted, show_number
from budgetree.tree import Tree
from budgetree.tree.proven import Asked, Proven
from budgetree.tree.provenance import Method


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Solution:
    """The best tree found within a budget, and how far any other could do better.

    `optimal` makes one.

    Attributes
    ----------
    tree : Tree
        The tree.
    errors : number
        Known cases that the tree gives another class than theirs, by weight.
    loss : number
        What its wrong answers cost; the errors, where no losses are given.
    lower_bound : number
        No tree within the budget loses less.
    proven : bool
        Whether no tree within the budget loses less than this one.
    complete : bool
        Whether the search ended by itself: then no tree that loses as little is cheaper.
    budget : number or None
        As it was given; None for no limit.

    Examples
    --------
    >>> import budgetree as bt
    >>> solution = bt.optimal(bt.datasets.load("figure1"), budget=1)
    >>> solution.errors, solution.proven, solution.gap
    (10, True, 0)
    """

    tree: Tree
    errors: int | float
    loss: int | float
    lower_bound: int | float
    proven: bool
    complete: bool
    budget: Any

    @property
    def max_cost(self) -> int | float:
        """The least budget that buys the tree: no case, known or new, costs more."""
        return self.tree.max_cost

    @property
    def gap(self) -> int | float:
        """How much less a better tree could lose at most; without losses, how many errors fewer it could make."""
        return plain_number(as_fraction(self.loss) - as_fraction(self.lower_bound))

    def __repr__(self) -> str:
        amount = self.tree.schema.wording.amount
        limit = "any budget" if self.budget is None else amount(self.budget)
        has_losses = self.tree.schema.losses is not None
        found = f"loss {show_number(self.loss)}" if has_losses else counted(self.errors, "error")
        within = f"{found} within {limit}"
        if self.proven:
            least = "the least budget for that" if self.complete else "perhaps less would do"
            return f"Solution({within}, proven; worst case {amount(self.max_cost)}, {least})"
        return f"Solution({within}, at least {show_number(self.lower_bound)}; worst case {amount(self.max_cost)})"


def optimal(
    instance: Instance,
    *,
    budget: Any,
    time_limit: float | None = None,
    progress: bool | None = None,
    cache_bytes: int = CACHE_BYTES,
    threads: int | None = None,
    min_cases: int = 1,
) -> Solution:
    """The tree with the fewest errors, or the least loss, among all whose every path costs at most the budget.

    Of trees that lose as little it is one with the least worst case; and then at every node it does the cheapest test
    that reaches the least loss, and no test on which no answer depends. With a time limit, or after Ctrl-C, it is the
    best tree found so far, and `lower_bound` says how much better another could be.

    Parameters
    ----------
    instance : Instance
        The known cases.
    budget : number or None
        No path may cost more than this, whatever its outcomes; None for no limit.
    time_limit : float, optional
        Seconds after which the best so far is returned.
    progress : bool, optional
        Whether to show the bar; by default it shows on a terminal.
    cache_bytes : int, optional
        Memory for what the search has learned about sets of cases.
    threads : int, optional
        For searches that take longer than a moment; None means one for each processor. The tree does not depend on it.
    min_cases : int, default 1
        No leaf has fewer known cases: a test is not done where it shows an outcome in fewer, so that coarse levels
        leave more tests to do than fine ones.

    Returns
    -------
    Solution
        The tree, its errors, and what is proven of them.

    Raises
    ------
    ValueError
        Where a setting is not what was expected, or the table is beyond what exact search can hold.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.optimal(bt.datasets.load("house_votes"), budget=5)
    Solution(0 errors within 5, proven; worst case 5, the least budget for that)
    """
    check_instance(instance)
    check_cache_bytes(cache_bytes)
    limit, n_threads = instance.schema.costs.budget_units(budget), check_threads(threads)
    request = Request(instance, limit, DEFAULT_IMPURITIES, cache_bytes, n_threads, check_min_cases(min_cases))
    return find_optimal(request, budget, Clock(check_time_limit(time_limit)), progress)


def find_optimal(request: Request, budget: Any, clock: Clock, progress: bool | None = False) -> Solution:
    """The same by a request, whose limit is the budget in price units, and by a clock with its plan."""
    limit = request.limit
    with clock.listening(), progress_bar("exact search", progress) as report:
        solver = Solver(request, clock, report)
        try:
            tree, lower_bound, complete = _solve(solver)
        except KeyboardInterrupt:
            tree, lower_bound, complete = solver.trees.best(limit).tree(), solver.lower_bound(limit), False
    least = request.instance.schema.loss(lower_bound)
    is_best = tree.exact_loss == least
    complete = complete or (is_best and tree.max_cost == 0)
    asked = None if is_unlimited(budget) else as_fraction(budget)
    least_cost = tree.exact_max_cost if complete and is_best else Fraction(0)
    proven = Proven(Asked.BUDGET, asked, Method.EXACT, asked, least, least_cost, request.min_cases)
    return Solution(
        tree=replace(tree, proven=proven, ended=clock.ended(complete=complete)),
        errors=tree.errors,
        loss=tree.loss,
        lower_bound=plain_number(least),
        proven=is_best,
        complete=complete,
        budget=None if asked is None else budget,
    )


def _solve(solver: Solver) -> tuple[Tree, int, bool]:
    """The tree, a lower bound on the errors in units, and whether every question was answered."""
    limit, trees = solver.limit, solver.trees
    result = solver.decide(limit, solver.layout.leaf_loss + 1)
    if not result.proven:
        return trees.best(limit).tree(), result.lower_bound, False
    fewest = result.lower_bound
    # Where less money makes as few errors, less money it is: is there such a tree below the cheapest known one?
    need = trees.best(limit).need
    while need > 0:
        below = solver.decide(need - 1, fewest + 1)
        if not below.proven:
            return trees.best(limit).tree(), fewest, False
        if below.lower_bound > fewest:
            break
        need = trees.best(limit).need
    if need != result.budget:
        result = solver.decide(need, fewest + 1)
    tree = solver.canonical(result) if result.proven else None
    return tree or trees.best(limit).tree(), fewest, tree is not None
