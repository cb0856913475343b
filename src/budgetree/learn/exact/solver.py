"""The solver: exact search for one budget after another, with a clock, threads and the best trees so far.

A question is first put to one searcher for a moment, which settles most. For a longer one good trees are looked for in
narrow passes (a few tests at each set) before the search goes on; a really long one is split by its first test among
all threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from budgetree.learn.clock import Clock
from budgetree.learn.exact.answer import ANY_TEST, Answer
from budgetree.learn.exact.layout import Layout
from budgetree.learn.exact.searcher import NO_LIMIT, Searcher
from budgetree.learn.found import Found, found_tree
from budgetree.learn.progress import Report
from budgetree.problem import Instance
from budgetree.tree import LEAF, Nodes, Tree

MOMENT = 200_000_000  # nanoseconds, about, after which good trees are looked for before the search goes on
LONG = 20  # moments after which a search counts as long
QUICK, BROADER = (1, 2, 3), (5, 8, 13)  # tests to try at each set, in passes that find good trees early
HURRY = 5.0  # seconds: with less time left, greedy trees are grown before the search goes on
QUICK_SECONDS, BROADER_SECONDS = 0.3, 2.0
POLL = 0.05  # seconds between looks at the clock
N_THREADS = 2
NEVER_AGAIN = NO_LIMIT // 8  # budgets beyond it come from adding to "never"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of the errors within a budget."""

    budget: int
    lower_bound: int  # no tree within the budget has fewer errors
    proven: bool  # as far as the question went: the best tree reaches the bound, or none is below the cutoff
    changes: int  # the least budget at which the bound may no longer hold; only if proven
    first_test: int = ANY_TEST  # of the canonical tree, where the search found it by first tests


@dataclass
class _Race:
    """What the threads of a long search share."""

    tests: Iterator[int]
    best: int
    lock: Lock = field(default_factory=Lock)
    answers: dict[int, Answer] = field(default_factory=dict)


class Solver:
    """Answers for the budgets of one instance, and keeps the best trees."""

    def __init__(
        self,
        instance: Instance,
        budget: int,
        clock: Clock,
        cache_bytes: int,
        report: Report,
        n_threads: int = N_THREADS,
    ) -> None:
        self.layout = Layout(instance, budget)
        self.clock = clock
        self._report = report
        self._instance = instance
        self._n_threads = n_threads
        self._cache_bytes = cache_bytes // n_threads
        self._searchers = [Searcher(self.layout, self._cache_bytes)]
        self._searchers[0].search(0, 0)  # compiles, the first time ever, and that shall not count as searching
        clock.restart()
        self._found: list[Found] = []
        self._has_looked = False
        self.proven: dict[int, int] = {}  # per budget a lower bound on the errors, where a question was settled
        # For a question that takes long: greedy trees to start from, and what else to look at before.
        self.greedy: Callable[[], list[Found]] = list
        self.when_long: Callable[[int], None] = _do_nothing
        self.keep(_single_leaf(instance), "single leaf")

    @property
    def unavoidable(self) -> int:
        return self.layout.unavoidable_errors

    @property
    def found(self) -> list[Found]:
        """The trees that no other beats, cheapest first."""
        return self._found

    def best(self, budget: int) -> Found:
        """The best tree so far within a budget."""
        return [found for found in self._found if found.need <= budget][-1]

    def add(self, new: Found) -> None:
        """Keeps a tree unless another is at least as good and no dearer."""
        if any(old.errors <= new.errors and old.need <= new.need for old in self._found):
            return
        kept = [old for old in self._found if old.errors < new.errors or old.need < new.need]
        self._found = sorted([*kept, new], key=lambda found: found.need)

    def decide(self, budget: int, cutoff: int) -> Verdict:
        """The fewest errors within the budget, if below the cutoff; the trees on the way are kept."""
        if self.clock.is_over:
            return Verdict(budget, self.unavoidable, False, budget)
        best = self.best(budget)
        cutoff = min(cutoff, best.errors + 1)
        first = self._searchers[0]
        answer = first.search(budget, cutoff, most_work=min(MOMENT, self.clock.nanoseconds_left // 4))
        if answer is None:
            if not self._has_looked:  # once: of many such questions each would be held up
                self._has_looked = True
                self.look(budget, QUICK_SECONDS, QUICK)
                if (self.clock.seconds_left or HURRY) < HURRY:
                    self._start_from_greedy()
            longer = partial(first.search, budget, cutoff, most_work=LONG * MOMENT)
            answer = self._watch([longer], self.clock, budget)[0]
        if answer is None:
            ranking = first.ranking()
            self._start_from_greedy()
            when_long, self.when_long = self.when_long, _do_nothing
            when_long(budget)
            self.look(budget, BROADER_SECONDS)
            return self._race(budget, min(cutoff, self.best(budget).errors + 1), ranking)
        return self._settled(budget, cutoff, answer)

    def _settled(self, budget: int, cutoff: int, answer: Answer) -> Verdict:
        """What the first searcher's answer means; its tree is kept if it is a better one."""
        if answer.value < min(cutoff, self.best(budget).errors):
            self._keep_nodes(self._searchers[0].tree(budget, first_test=answer.test), "exact search")
            self._must_reach(budget, answer.value)
        self.proven[budget] = min(answer.value, cutoff)
        return Verdict(budget, min(answer.value, cutoff), True, answer.changes)

    def _must_reach(self, budget: int, errors: int) -> None:
        """A value without its tree would be a mistake in this program, and nothing may be called proven then."""
        if self.best(budget).errors > errors:
            raise AssertionError(f"exact search claims {errors} errors within {budget} units, but has no such tree")

    def _start_from_greedy(self) -> None:
        if self.clock.is_over:
            return
        greedy, self.greedy = self.greedy, list
        for found in greedy():
            self.add(found)

    def look(self, budget: int, seconds: float, breadths: Sequence[int] = QUICK + BROADER) -> None:
        """Narrow passes for good trees; they prove nothing."""
        clock = self.clock.share(seconds)
        searcher = self._searchers[0]
        for breadth in breadths:
            best = self.best(budget)
            if clock.is_over or best.errors == self.unavoidable:
                return
            job = partial(searcher.search, budget, best.errors, breadth=breadth)
            answer = self._watch([job], clock, budget)[0]
            if answer is not None and answer.value < best.errors:
                nodes = searcher.tree(budget, breadth=breadth)
                self._keep_nodes(nodes, f"search, breadth {breadth}")

    def canonical(self, verdict: Verdict) -> Tree | None:
        """The tree of a proven budget, the same whatever was searched before; None if the time is over first."""
        searcher = self._searchers[0]
        job = partial(searcher.tree, verdict.budget, first_test=verdict.first_test, canonical=True)
        nodes = job() if verdict.first_test == ANY_TEST else self._watch([job], self.clock, verdict.budget)[0]
        return None if nodes is None else self._tree(nodes, "exact")

    def _race(self, budget: int, cutoff: int, ranking: list[int]) -> Verdict:
        """The whole search, split by the first test; in one piece where the whole is a matter of two tests."""
        if not ranking:
            answer = self._watch([partial(self._searchers[0].search, budget, cutoff)], self.clock, budget)[0]
            if answer is None:
                return Verdict(budget, self.unavoidable, False, budget)
            return self._settled(budget, cutoff, answer)
        while len(self._searchers) < self._n_threads:
            self._searchers.append(Searcher(self.layout, self._cache_bytes))
        race = _Race(iter(ranking), cutoff)
        jobs = [partial(self._run, searcher, race, budget) for searcher in self._searchers]
        self._watch(jobs, self.clock, budget, race, len(ranking))
        answers = race.answers
        if len(answers) < len(ranking):
            return Verdict(budget, self.unavoidable, False, budget)
        value = min([cutoff, self.layout.leaf_errors, *(answer.value for answer in answers.values())])
        changes = min(answer.changes for answer in answers.values())
        if value < cutoff:
            self._must_reach(budget, value)
        self.proven[budget] = value
        best_first = next((test for test in ranking if answers[test].value == value), ANY_TEST)
        return Verdict(budget, value, True, changes, best_first if value < self.layout.leaf_errors else ANY_TEST)

    def _run(self, searcher: Searcher, race: _Race, budget: int) -> None:
        while True:
            with race.lock:
                test = next(race.tests, None)
                cutoff = race.best
            if test is None:
                return
            answer = searcher.search(budget, cutoff, only=test)
            if answer is None:
                return
            nodes = searcher.tree(budget, first_test=test) if answer.value < cutoff else None
            with race.lock:
                race.answers[test] = answer
                # One above the best: a tie is wanted too, so that the first of the ranking may be taken.
                race.best = min(race.best, answer.value + 1)
                if nodes is not None:
                    self._keep_nodes(nodes, "exact search")

    def _watch(
        self, jobs: Sequence[Callable[[], Any]], clock: Clock, budget: int, race: _Race | None = None, total: int = 1
    ) -> list[Any]:
        """Runs the jobs in threads, shows progress, and stops all of them when the time is over."""
        with ThreadPoolExecutor(len(jobs)) as pool:
            futures: list[Future[Any]] = [pool.submit(job) for job in jobs]
            while not all(future.done() for future in futures):
                try:
                    wait(futures, timeout=POLL, return_when=FIRST_COMPLETED)
                    self._tell(budget, race, total)
                except KeyboardInterrupt:
                    self.clock.interrupted = True
                if clock.is_over:
                    for searcher in self._searchers:
                        searcher.stop()
        for searcher in self._searchers:
            searcher.go()
        return [future.result() for future in futures]

    def _tell(self, budget: int, race: _Race | None, total: int) -> None:
        schema = self._instance.schema
        best, least = (float(units / schema.weight_scale) for units in (self.best(budget).errors, self.unavoidable))
        words = f"budget {schema.table.amount(budget)}: best {best:g}, at least {least:g}, gap {best - least:g}"
        self._report(len(race.answers) if race else 0, total, words)

    def _keep_nodes(self, nodes: Nodes | None, source: str) -> None:
        assert nodes is not None, "an extraction that nothing stops"
        self.keep(self._tree(nodes, source), source)

    def keep(self, tree: Tree, source: str) -> None:
        self.add(found_tree(tree, source))

    def _tree(self, nodes: Nodes, origin: str) -> Tree:
        return Tree(self._instance.schema, nodes, self._instance.n_objects, origin)


def _do_nothing(budget: int) -> None:
    pass


def _single_leaf(instance: Instance) -> Tree:
    counts = instance.class_order.counts[None, :].copy()
    nodes = Nodes(
        test=np.array([LEAF], dtype=np.int32),
        parent=np.array([-1], dtype=np.int32),
        counts=counts,
        paid=np.zeros(1, dtype=np.int64),
        first_branch=np.array([-1], dtype=np.int64),
        branches=np.empty(0, dtype=np.int32),
        fallback=np.zeros(1, dtype=bool),
    )
    return Tree(instance.schema, nodes, instance.n_objects, "single leaf")
