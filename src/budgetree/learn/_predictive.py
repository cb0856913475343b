"""predictive: the tree that does best on new cases, within a budget that none of them exceeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from budgetree.learn.found import found_leaf, found_tree
from budgetree.learn.points import FOR_NEW, Frontier, make_point
from budgetree.learn.predictive.fit import SURE, Fitter, Leaves, careful, check_sure, fine_instance
from budgetree.learn.predictive.tree_making import to_tree
from budgetree.learn.settings import check_instance, check_threads, check_time_limit
from budgetree.problem import Instance
from budgetree.problem.units import as_fraction, is_unlimited, plain_number
from budgetree.services.clock import DEFAULT_PLAN, Clock, Ended, OutOfTimeError
from budgetree.services.progress import progress_bar
from budgetree.tree import Origin, Tree
from budgetree.tree.provenance import Method

MAX_POINTS = 8  # beyond so many budgets a frontier of this kind says nothing more


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
    fitted to. Numbers are not rounded to the instance's levels, and equal rows are not merged. Where the instance has
    losses, a case is given the answer of least expected loss.

    Parameters
    ----------
    cases : Instance
        The known cases.
    budget : number or None
        No case, known or new, pays more than this, whatever its outcomes; None for no limit.
    sure : float or None, optional
        A case stops where its likeliest class has this probability; None to buy all that helps on average. Where losses
        differ, the probability is raised so that stopping risks no more.
    leaves : {'model', 'count'}, default 'model'
        "model": a case is answered by a model of all that it paid; "count": a plain tree that can be printed.
    time_limit : float, optional
        Seconds after which the best so far is returned.
    progress : bool, optional
        Whether to show the bar; by default it shows on a terminal.
    threads : int, optional
        None means one for each processor; the tree does not depend on it.

    Returns
    -------
    Tree
        The tree, whose leaves are models unless `leaves` is "count".

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
    trees = PredictiveTrees(cases, sure=sure, leaves=leaves, threads=threads, clock=clock)
    return trees.tree(budget, time_limit=clock.seconds_left, progress=progress)


class PredictiveTrees:
    """The trees for new cases of one table: what was fitted for one budget serves the next."""

    def __init__(
        self,
        cases: Instance,
        *,
        sure: float | None,
        leaves: Leaves,
        threads: int | None = None,
        clock: Clock | None = None,
        needs_tree: bool = True,  # however short the time; otherwise OutOfTimeError is an answer too
    ) -> None:
        check_instance(cases)
        limit, n_threads = careful(check_sure(sure), cases.schema.loss_table), check_threads(threads)
        self.is_coarse = False  # whether there was no time for fine levels: with more, other trees are found
        try:
            self.cases = fine_instance(cases, clock)  # not rounded, not merged
        except OutOfTimeError:
            if not needs_tree:
                raise
            self.cases, self.is_coarse = cases, True  # rounded and merged as they are
        self._plan = DEFAULT_PLAN if clock is None else clock.plan
        self._fitter = Fitter(self.cases, limit, leaves, n_threads, self._plan)

    def tree(self, budget: Any, *, time_limit: float | None = None, progress: bool | None = None) -> Tree:
        """The tree that predictive finds for this budget."""
        units = self.cases.schema.costs.budget_units(budget)
        with progress_bar("new cases", progress) as report:
            clock = Clock(check_time_limit(time_limit), report, plan=self._plan)
            with clock.listening():
                (policy,) = self._fitter.policies([units], clock)
        tree = to_tree(policy, self.cases, predictive_origin(budget, self._fitter.sure, self._fitter.leaves))
        return replace(tree, ended=clock.ended(complete=not (clock.ended_work or self.is_coarse)))


def predictive_origin(budget: Any, sure: float | None, leaves: Leaves) -> Origin:
    """What a tree's origin says about these settings."""
    return Origin(
        Method.PREDICTIVE,
        budget=None if is_unlimited(budget) else as_fraction(budget),
        leaves=leaves,
        sure=None if sure is None else Fraction(str(sure)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class NewSearch:
    """What is asked for, apart from the cases; see bt.predictive for sure and leaves."""

    budgets: Sequence[Any]
    sure: float | None
    leaves: Leaves

    def search(self, instance: Instance, clock: Clock, progress: bool | None) -> Frontier:
        """A point for each budget that buys something else than the one before."""
        trees = self._trees_of(instance, clock, needs_tree=True)
        fine = trees.cases  # every row is a case, as these trees count them, if there was time
        made = list(self._each_tree(trees, clock, progress))
        # Of trees that cost the same the one for the larger budget.
        best = {found.need: found for found in (found_leaf(fine), *(found_tree(tree, FOR_NEW) for tree in made))}
        points = tuple(make_point(fine, best[need], fine.irreducible.units, for_new=True) for need in sorted(best))
        ended_early = len(made) < len(self.budgets) or any(tree.ended is not Ended.COMPLETE for tree in made)
        return Frontier(points, fine, not ended_early, Method.PREDICTIVE)

    def again(self, found: Frontier) -> Callable[[Instance, Clock], Callable[[Any], Tree]]:
        """The same for some of the rows; every budget has an equal share of the time."""

        def learn(part: Instance, clock: Clock) -> Callable[[Any], Tree]:
            trees = self._trees_of(part, clock, needs_tree=False)
            seconds = clock.seconds_of(1 / len(found))

            def tree_for(budget: Any) -> Tree:
                if not as_fraction(budget):
                    return found_leaf(part).tree()
                return trees.tree(budget, time_limit=seconds, progress=False)

            return tree_for

        return learn

    def _trees_of(self, instance: Instance, clock: Clock, *, needs_tree: bool) -> PredictiveTrees:
        return PredictiveTrees(instance, sure=self.sure, leaves=self.leaves, clock=clock, needs_tree=needs_tree)

    def _each_tree(self, trees: PredictiveTrees, clock: Clock, progress: bool | None) -> Iterable[Tree]:
        with progress_bar("new cases", progress) as report:
            for index, budget in enumerate(self.budgets):
                if index and clock.is_over:
                    break
                report(index, len(self.budgets), f"budget {budget}")
                seconds = clock.seconds_of(1 / (len(self.budgets) - index))
                yield trees.tree(budget, time_limit=seconds, progress=False)


def budgets_up_to(instance: Instance, max_budget: Any) -> list[int | float]:
    """Budgets worth a look: what one test costs, and what the cheapest two, three, … do; at most MAX_POINTS of them."""
    table = instance.schema.costs
    limit = table.budget_units(max_budget, "max_budget")
    single = sorted(_single_prices(instance))
    units = sorted({need for need in (*single, *accumulate(single)) if 0 < need <= limit})
    if max_budget is not None and units and sum(single) > limit > units[-1]:
        units.append(limit)
    n_kept = min(MAX_POINTS, len(units))
    kept = {units[round(index * (len(units) - 1) / max(n_kept - 1, 1))] for index in range(n_kept)}
    return [plain_number(Fraction(need) / table.scale) for need in sorted(kept)]


def price_of_all(instance: Instance) -> int | float:
    """A budget that buys every test, whatever its outcome."""
    return instance.schema.costs.amount(sum(_single_prices(instance)))


def _single_prices(instance: Instance) -> list[int]:
    """What each test costs at most where it is the only one, in price units."""
    costs = instance.schema.costs
    return list(map(int, costs.prices(costs.start)))
