"""NewSearch: for a few budgets the tree with the lowest error to expect on new cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any

from budgetree.learn._predictive import PredictiveTrees
from budgetree.learn.found import Found, found_leaf, given
from budgetree.learn.points import FOR_NEW, Frontier, make_point
from budgetree.learn.predictive.fit import Leaves
from budgetree.problem import Instance
from budgetree.problem.units import as_fraction, plain_number
from budgetree.services.clock import Clock, Ended
from budgetree.services.progress import progress_bar
from budgetree.tree import Tree
from budgetree.tree.provenance import Method

MAX_POINTS = 8  # beyond so many budgets a frontier of this kind says nothing more


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
        leaf = found_leaf(fine)
        best = {leaf.need: leaf}
        made = list(self._each_tree(trees, clock, progress))
        for tree in made:
            best[tree.need] = _found(tree)  # of trees that cost the same the one for the larger budget
        found = [best[need] for need in sorted(best)]
        points = tuple(make_point(fine, tree, fine.irreducible.units, for_new=True) for tree in found)
        ended_early = len(made) < len(self.budgets) or any(tree.ended is not Ended.COMPLETE for tree in made)
        return Frontier(points, fine, not ended_early, Method.PREDICTIVE)

    def again(self, found: Frontier) -> Callable[[Instance, Clock], Callable[[Any], Tree]]:
        """The same for some of the rows; every budget has an equal share of the time."""

        def learn(part: Instance, clock: Clock) -> Callable[[Any], Tree]:
            trees = self._trees_of(part, clock, needs_tree=False)
            seconds = None if clock.seconds_left is None else clock.seconds_left / len(found)

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
                left = clock.seconds_left
                seconds = None if left is None else left / (len(self.budgets) - index)
                yield trees.tree(budget, time_limit=seconds, progress=False)


def budgets_up_to(instance: Instance, max_budget: Any) -> list[int | float]:
    """Budgets worth a look: what one test costs, and what the cheapest two, three, … do; at most MAX_POINTS of them."""
    table = instance.schema.table
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
    return instance.schema.table.amount(sum(_single_prices(instance)))


def _single_prices(instance: Instance) -> list[int]:
    """What each test costs at most where it is the only one, in price units."""
    table = instance.schema.table
    fees = [sum(int(table.fees[fee]) for fee in table.fees_in(int(mask))) for mask in table.fee_mask.tolist()]
    return [own + fee for own, fee in zip(table.costliest.tolist(), fees, strict=True)]


def _found(tree: Tree) -> Found:
    loss = round(tree.exact_loss * tree.schema.weight_scale * tree.schema.loss_table.scale)
    return Found(loss, tree.need, FOR_NEW, partial(given, tree))
