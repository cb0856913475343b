"""predictive: the tree that does best on new cases, within a budget that none of them exceeds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from budgetree.distributed import AnyCases
from budgetree.learn.predictive.fit import Fitter, fine_instance
from budgetree.learn.settings import (
    Leaves,
    check_cases,
    check_confidence,
    check_leaves,
    check_threads,
    check_time_limit,
)
from budgetree.learn.validation import Groups, KnownRows, group_numbers
from budgetree.problem import Instance
from budgetree.problem.units import as_fraction, is_unlimited
from budgetree.services.clock import DEFAULT_PLAN, Clock, OutOfTimeError
from budgetree.services.progress import progress_bar
from budgetree.tree import Origin, Tree
from budgetree.tree.changes import join_levels
from budgetree.tree.provenance import Method


def predictive(
    cases: AnyCases,
    *,
    budget: Any,
    confidence: float | None = None,
    leaves: Leaves = "auto",
    time_limit: float | None = None,
    progress: bool | None = None,
    threads: int | None = None,
    groups: Any = None,
) -> Tree:
    """Learn the tree with the lowest expected error on new cases within a budget.

    Which test to buy next is chosen by how well forests of everything paid so far answer cases that they were not
    grown from. Numbers are not rounded to the instance's levels, and equal rows are not merged. Where the instance has
    losses, a case gets the answer of least expected loss. Of more than 250,000 rows, that many are sampled by a hash of
    their content: leaves are fitted to four fifths of them, and the other fifth is for the estimate of `fit`.

    Parameters
    ----------
    cases : Instance or Shards
        The known cases.
    budget : number or None
        The most that any case, known or new, may cost; None for no limit.
    confidence : float, optional
        A case stops exactly when its likeliest class has this probability, also with losses. None: it stops when
        further tests would hardly change its answer.
    leaves : {'auto', 'tree', 'points', 'model'}, default 'auto'
        "tree": a plain tree of at most eight leaves, or an exact one; "points": whole points that are added up, for two
        classes; "model": a model of all results bought. "auto": the first of these that is as good as the best, within
        half a standard error of the Brier score on cases held out.
    time_limit : float, optional
        Seconds after which the best so far is returned.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.
    threads : int, optional
        None means one for each processor; the tree does not depend on it.
    groups : sequence, optional
        One value per row, where several rows belong together (a patient's): what branches and refits are judged on
        keeps them together. By default rows that are exact copies of each other do, as `fit` says. Rows in shards have
        no others.

    Returns
    -------
    Tree
        The tree; `origin.leaves` is the kind of its leaves, and `origin.choice` how they compare.

    Raises
    ------
    ValueError
        Where a setting is not what was expected.

    Examples
    --------
    >>> import budgetree as bt
    >>> tree = bt.predictive(bt.datasets.load("pima"), budget=2)
    >>> tree.max_cost, sorted(tree.test_names[test] for test in tree.tests_used)
    (2, ['age', 'mass'])
    """
    clock = Clock(check_time_limit(time_limit))  # from now on: fine levels take a while
    check_cases(cases)
    known = KnownRows.of(cases, groups=groups).learned_from()
    trees = PredictiveTrees(
        known.instance, confidence=confidence, leaves=leaves, threads=threads, clock=clock, groups=known.groups
    )
    return trees.tree(budget, time_limit=clock.seconds_left, progress=progress)


class PredictiveTrees:
    """The trees for new cases of one table: what was fitted for one budget serves the next."""

    def __init__(
        self,
        cases: Instance,
        *,
        confidence: float | None,
        leaves: Leaves,
        threads: int | None = None,
        clock: Clock | None = None,
        needs_tree: bool = True,  # however short the time; otherwise OutOfTimeError is an answer too
        groups: Groups | None = None,
    ) -> None:
        n_threads = check_threads(threads)
        self.is_coarse = False  # whether there was no time for fine levels: with more, other trees are found
        try:
            self.cases = fine_instance(cases, clock)  # not rounded, not merged
        except OutOfTimeError:
            if not needs_tree:
                raise
            self.cases, self.is_coarse = cases, True  # rounded and merged as they are
        self._plan = DEFAULT_PLAN if clock is None else clock.plan
        numbers = None
        if groups is not None and self.cases.n_objects == cases.n_rows:  # merged rows have no group
            numbers = group_numbers(groups, cases.row_ranks)[cases.row_order]
        kind = check_leaves(leaves, cases.n_classes)
        self._fitter = Fitter(self.cases, kind, check_confidence(confidence), n_threads, numbers)

    def budgets(self, limit: int, n_budgets: int, clock: Clock) -> list[int | float]:
        """So many budgets up to a limit in price units that are worth a tree each, smallest first."""
        costs = self.cases.schema.costs
        return [costs.amount(units) for units in self._fitter.budgets(min(limit, costs.price_of_all), n_budgets, clock)]

    def tree(self, budget: Any, *, time_limit: float | None = None, progress: bool | None = None) -> Tree:
        """The tree that predictive finds for this budget."""
        units = self.cases.schema.costs.budget_units(budget)
        with progress_bar("new cases", progress) as report:
            clock = Clock(check_time_limit(time_limit), report, plan=self._plan)
            with clock.listening():
                origin = replace(predictive_origin(budget, self._fitter.confidence), table=self.cases.fingerprint)
                found = self._fitter.tree(units, clock, origin)
        complete = not (clock.ended_work or self.is_coarse)
        return replace(join_levels(found), ended=clock.ended(complete=complete))


def predictive_origin(budget: Any, confidence: float | None) -> Origin:
    """What a tree's origin says about these settings."""
    return Origin(
        Method.PREDICTIVE,
        budget=None if is_unlimited(budget) else as_fraction(budget),
        confidence=None if confidence is None else Fraction(str(confidence)),
    )
