"""The solver: exact search for one budget after another, with a clock and the best trees so far.

A question is first put to the search for a moment, which settles most. For a longer one good trees are looked for in
narrow passes (a few tests at each set) before the search goes on; a really long one takes all threads, and a bound that
rises while it lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from budgetree.learn.exact.search import ANY_TEST, NEVER, Layout, Pass, Search
from budgetree.learn.greedy.frontier import grow_frontier
from budgetree.learn.points import Candidates, candidate_of, leaf_candidate
from budgetree.learn.settings import FitRequest
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport, no_report
from budgetree.tree import Nodes, Tree
from budgetree.tree.builder import grown_tree
from budgetree.tree.changes import trimmed
from budgetree.tree.provenance import Method, Origin

if TYPE_CHECKING:
    from budgetree._core import Answer

# Passes that find good trees early: so many tests at each set, and rollouts.
ROLLOUT = Pass(1, is_wide_first=True)
LARGE_ROLLOUT = Pass(1, is_wide_first=True, max_pair_work=5_000_000)  # on tables whose pairs would take too long
QUICK, BROADER = (Pass(1), Pass(2), Pass(3)), (ROLLOUT, Pass(5), Pass(8), Pass(13))
NEVER_AGAIN = NEVER // 8  # budgets beyond it come from adding to "never"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BudgetResult:
    """What is known of the errors within a budget."""

    budget: int
    lower_bound: int  # no tree within the budget has fewer errors
    proven: bool  # as far as the question went: the best tree reaches the bound, or none is below the cutoff
    changes: int  # the least budget at which the bound may no longer hold; only if proven
    first_test: int = ANY_TEST  # of the canonical tree, where the search found it by first tests


class Solver:
    """Answers for the budgets of one instance up to the request's budget, and keeps the best trees.

    Where every budget's tree is wanted, not one budget's, good trees of the larger ones are looked for before the first
    long search, which may take all the time.
    """

    def __init__(
        self,
        instance: Instance,
        request: FitRequest,
        clock: Clock,
        report: ProgressReport = no_report,
    ) -> None:
        self.limit, self.clock, self._plan = request.budget, clock, clock.plan
        self.layout = Layout(instance, request.budget, request.min_cases)
        self.least_budget = instance.schema.costs.within_units(request.budget).least_budget
        self.trees = Candidates([leaf_candidate(instance)])
        self._instance, self._request, self._report = instance, request, report
        limits_work = clock.counts_work and clock.seconds_left is not None
        self._search = Search(self.layout, request.cache_bytes, request.threads, limits_work=limits_work)
        self._larger: Iterator[int] | None = None  # budgets of which good trees are still to be looked for
        self._has_looked, self._must_grow = False, bool(request.impurities)
        self._proven: dict[int, int] = {}  # per budget a lower bound on the errors, where a question was settled

    @property
    def unavoidable(self) -> int:
        """The errors that every tree makes."""
        return self.layout.unavoidable_loss

    def lower_bound(self, budget: int) -> int:
        """No tree within the budget has fewer errors: what was proven for it, or for a larger one."""
        return max([self.unavoidable, *(bound for asked, bound in self._proven.items() if asked >= budget)])

    def decide(self, budget: int, cutoff: int) -> BudgetResult:
        """The fewest errors within the budget, if below the cutoff; the trees on the way are kept.

        Most questions are answered at once, and a few take nearly all the time. So each gets more time step by step;
        better trees are looked for in between, because the search leaves out whatever cannot beat the best tree:

            search 0.2 s ──► greedy trees, ──► search 1.5 s ──► broader ──► in turns, each twice as long as the last:
                 │           narrow passes,         │           passes      larger budgets, a bound that rises,
                 ▼           once                   ▼                       search with all threads
              answer                             answer                     ──► answer, or a lower bound

        What a stopped search has learned stays: the next one does not begin from scratch. The order is the same for any
        limit, which only ends it: with more time nothing comes out worse.
        """
        if self.clock.is_over:
            self.start_from_greedy()  # what is returned must not be worse
            return self._undecided(budget)
        cutoff = min(cutoff, self.trees.best(budget).loss + 1)
        answer = self._ask(budget, cutoff, self._plan.moment)
        if answer is None:
            if not self._has_looked:  # once: many such questions would wait for it
                self._has_looked = True
                self.start_from_greedy()  # first: on large data a narrow pass may find nothing in the time left
                self.look(budget, self._plan.quick_seconds, QUICK)
            answer = self._ask(budget, cutoff, self._plan.long)
        if answer is None:
            return self._decide_long(budget, cutoff)
        return self._settled(budget, cutoff, answer)

    def look(self, budget: int, seconds: float | None, passes: Sequence[Pass] = QUICK + BROADER) -> None:
        """Narrow passes for good trees; they prove nothing."""
        clock = self._watch(budget, seconds)
        for by in passes:
            best = self.trees.best(budget)
            if clock.is_over or best.loss == self.unavoidable:
                return
            answer = self._unless_stopped(partial(self._search.search, budget, best.loss, clock, by=by))
            if answer is not None and answer.value < best.loss:
                self._keep_tree_of(by, budget, clock)

    def roll_out(self, seconds: float | None) -> None:
        """A rollout for each budget at which something may be had, cheapest first, as long as there is time."""
        clock = self.clock.share(seconds)
        budgets = self._larger_budgets(-1)
        for index, budget in enumerate(budgets):
            if clock.is_over:
                return
            self.look(budget, clock.seconds_of(1 / (len(budgets) - index)), (LARGE_ROLLOUT,))

    def look_ahead(self, budget: int) -> None:
        """A rollout for one budget, however long it takes."""
        self._keep_tree_of(LARGE_ROLLOUT, budget, Clock(None))

    def _keep_tree_of(self, by: Pass, budget: int, clock: Clock) -> None:
        """The tree of a narrow pass; one of a rollout, which looks again at every node, only if there is time."""
        if not by.is_wide_first:
            self._keep_nodes(self._search.tree(budget, Clock(None), by=by), f"search, breadth {by.breadth}")
            return
        rolled = self._unless_stopped(partial(self._search.tree, budget, clock, by=by))
        if rolled is not None:
            self._keep_nodes(rolled, "lookahead", Method.LOOKAHEAD)

    def start_from_greedy(self) -> None:
        """Adds the greedy trees of the request's impurities, once; one of them even if the time is over."""
        if self._must_grow:
            self._must_grow = False
            self.trees.add(*grow_frontier(self._instance, self._request, self.clock, self._report))

    def canonical(self, result: BudgetResult) -> Tree | None:
        """The tree of a proven budget, the same whatever was searched before; None if the time is over first."""
        # Where one search settled the question, its tree takes about as long: the clock does not stop it.
        clock = Clock(None) if result.first_test == ANY_TEST else self._watch(result.budget, None)
        find = partial(self._search.tree, result.budget, clock, first_test=result.first_test, is_canonical=True)
        nodes = self._unless_stopped(find)
        return None if nodes is None else self._tree(nodes)

    def _ask(self, budget: int, cutoff: int, seconds: float) -> Answer | None:
        return self._unless_stopped(partial(self._search.search, budget, cutoff, self._watch(budget, seconds)))

    def _decide_long(self, budget: int, cutoff: int) -> BudgetResult:
        """With everything there is: good trees first, then a bound and all threads in turns."""
        self.look(budget, self._plan.broader_seconds)
        turn, bound, for_bound = self._plan.turn, self.unavoidable, 0.0
        if self._larger is None:
            self._larger = iter(self._larger_budgets(budget) if self._request.every_budget else [])
        while True:
            self._sweep(turn)
            cutoff = min(cutoff, self.trees.best(budget).loss + 1)
            seconds = min(turn, self._plan.bound_work - for_bound) if self.clock.counts_work else turn
            for_bound += seconds
            ask = partial(self._search.search_long, budget, cutoff, self._watch(budget, 2 * turn), seconds, bound)
            if (ended := self._unless_stopped(ask)) is None:
                return self._undecided(budget)
            found, nodes = ended
            if nodes is not None:
                self._keep_nodes(nodes, "exact search")
            if found.answer is not None:
                break
            bound = max(bound, found.lower_bound)
            self._proven[budget] = bound
            if self.clock.is_over:
                return BudgetResult(budget, bound, False, budget)
            turn *= 2
        value = min(found.answer.value, cutoff)
        if value < cutoff:
            self._must_reach(budget, value)
        self._proven[budget] = value
        first = found.answer.test if value < self.layout.leaf_loss else ANY_TEST
        return BudgetResult(budget, value, True, found.answer.changes, first)

    def _sweep(self, seconds: float) -> None:
        """Looks for good trees at the larger budgets, before the proof of this one takes all the time."""
        clock = self.clock.share(seconds)
        while self._larger is not None and not clock.is_over and (larger := next(self._larger, None)) is not None:
            self.look(larger, min(self._plan.seconds_per_budget, seconds))
            if self.trees.best(larger).loss == self.unavoidable:
                self._larger = iter([])

    def _larger_budgets(self, budget: int) -> list[int]:
        """Where something may be had: where the trees known so far have their points, or each price."""
        needs = {found.required_budget for found in self.trees}
        if self.layout.costs.one_price:
            needs |= set(range(budget, max(needs) + 1, self.layout.costs.one_price))
        return sorted(need for need in needs if budget < need <= self.limit)

    def _settled(self, budget: int, cutoff: int, answer: Answer) -> BudgetResult:
        """What the search's answer means; its tree is kept if it is a better one."""
        if answer.value < min(cutoff, self.trees.best(budget).loss):
            nodes = self._search.tree(budget, Clock(None), first_test=answer.test)
            self._keep_nodes(nodes, "exact search")
            if nodes is None:
                return self._undecided(budget)
            self._must_reach(budget, answer.value)
        self._proven[budget] = min(answer.value, cutoff)
        return BudgetResult(budget, min(answer.value, cutoff), True, answer.changes)

    def _undecided(self, budget: int) -> BudgetResult:
        return BudgetResult(budget, self.unavoidable, False, budget)

    def _must_reach(self, budget: int, errors: int) -> None:
        """A value without its tree would be a mistake in this program, and nothing may be called proven then."""
        if self.trees.best(budget).loss > errors:
            raise AssertionError(f"exact search claims {errors} errors within {budget} units, but has no such tree")

    def _watch(self, budget: int, seconds: float | None) -> Clock:
        """A share of the clock that tells how far the question is."""
        return self.clock.share(seconds, partial(self._tell, budget))

    def _tell(self, budget: int, done: int, total: int) -> None:
        schema = self._instance.schema
        best, least = (float(schema.loss(of)) for of in (self.trees.best(budget).loss, self.lower_bound(budget)))
        words = f"budget {schema.costs.amount(budget)}: best {best:g}, at least {least:g}, gap {best - least:g}"
        self._report(done, total or 1, words)

    def _unless_stopped(self, job: Callable[[], T]) -> T | None:
        """What the job answers; None where Ctrl-C ends it."""
        try:
            return job()
        except KeyboardInterrupt:
            self.clock.interrupt()
            return None

    def _keep_nodes(self, nodes: Nodes | None, source: str, method: Method = Method.EXACT) -> None:
        if nodes is None:  # Ctrl-C came just now, on a clock without a limit
            self.clock.interrupt()
        else:
            self.trees.add(candidate_of(self._tree(nodes, method), source))

    def _tree(self, nodes: Nodes, method: Method = Method.EXACT) -> Tree:
        """The tree that was found, without tests on which no answer depends."""
        instance = self._instance
        origin = Origin(method, min_cases=self._request.min_cases, table=instance.fingerprint)
        return grown_tree(instance.schema, trimmed(nodes), instance.n_objects, origin)
