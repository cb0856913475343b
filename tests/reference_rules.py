"""The slow oracle for rules of pathways: every policy on a small problem, each path charged from its own history.

A history is the set of (test, result) pairs that a path has seen. What it has paid, what it may buy and whether its
beginning is complete are worked out of that set alone, each time anew: there are no flags, states or bounds. A panel is
one purchase here, whose results all come back at once. Whole numbers only, and nothing may import the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations, product
from random import Random

Amounts = tuple[int, ...]  # one number per resource; the first is the budget's
History = frozenset[tuple[int, int]]
NO_TREE = 10**9
KINDS = ("fees", "by outcome", "after", "after outcomes", "panels", "first")


@dataclass(frozen=True)
class RuleProblem:
    """Cases, and everything that a path must keep to."""

    codes: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]
    weights: tuple[int, ...]
    losses: tuple[tuple[int, ...], ...]  # class × answer
    n_outcomes: tuple[int, ...]
    own: tuple[tuple[Amounts, ...], ...]  # test × outcome; nothing for tests of a panel
    fees: tuple[tuple[Amounts, frozenset[int]], ...] = ()  # once per path, with the first of the tests
    panels: tuple[tuple[Amounts, frozenset[int]], ...] = ()
    after: dict[int, tuple[tuple[int, frozenset[int] | None], ...]] = field(default_factory=dict)
    first: tuple[int, ...] = ()
    limits: Amounts = ()  # of the resources from 1 on
    min_cases: int = 1  # a test is not done where it shows a result in fewer cases; nor is then what needs it

    @property
    def n_tests(self) -> int:
        return len(self.n_outcomes)

    @property
    def n_resources(self) -> int:
        return len(self.own[0][0])

    def together(self, test: int) -> tuple[int, ...]:
        """The tests that come with it, and itself."""
        return next((tuple(sorted(tests)) for _, tests in self.panels if test in tests), (test,))

    def loss_of(self, cases: tuple[int, ...], answer: int) -> int:
        return sum(self.weights[case] * self.losses[self.labels[case]][answer] for case in cases)

    def leaf(self, cases: tuple[int, ...]) -> int:
        return min(self.loss_of(cases, answer) for answer in range(len(self.losses[0])))

    def done(self, history: History) -> set[int]:
        """The tests that a path has bought; of a panel it may have looked at some only."""
        return {each for test, _ in history for each in self.together(test)}

    # ── rules, of histories ──────────────────────────────────────────────────────────────────────────────────────────
    def charged(self, history: History) -> Amounts:
        """What a path with this history has paid of each resource."""
        done = {test for test, _ in history}
        bills = [self.own[test][result] for test, result in history]
        bills += [amounts for amounts, tests in (*self.fees, *self.panels) if tests & done]
        return tuple(map(sum, zip(*bills, strict=True))) if bills else (0,) * self.n_resources

    def is_in_order(self, history: History, test: int) -> bool:
        """Whether the order allows to buy the test now; what it costs is another matter."""
        done, bought = self.done(history), set(self.together(test))
        for beginning in self.first:
            if beginning in bought:
                break
            if beginning not in done:
                return False
        for needed, shown in chain.from_iterable(self.after.get(each, ()) for each in bought):
            if needed in bought:
                continue
            results = {result for t, result in history if t == needed}
            if needed not in done if shown is None else not results & shown:
                return False
        return True

    def worst(self, history: History, test: int) -> Amounts:
        """The most of each resource that a path may have paid after buying the test, whatever it shows."""
        bought = self.together(test)
        results = product(*(range(self.n_outcomes[each]) for each in bought))
        totals = [self.charged(history | set(zip(bought, shown, strict=True))) for shown in results]
        return tuple(map(max, zip(*totals, strict=True)))

    def has_enough(self, cases: tuple[int, ...], test: int) -> bool:
        """Whether every result that some of the cases show is shown by enough of them."""
        shown = [self.codes[case][test] for case in cases]
        return all(shown.count(result) >= self.min_cases for result in set(shown))

    def is_complete(self, history: History) -> bool:
        """Whether the path may end: what every path begins with was done."""
        return set(self.first) <= self.done(history)


def least_losses(problem: RuleProblem, most: int, *, known_only: bool = False) -> list[int | None]:
    """Per budget from 0 to `most`, the least loss of any policy; None where not even the beginning is affordable.

    known_only: the budget holds for the known cases alone; all limits hold for whatever a case may show.
    """
    known: dict[tuple[tuple[int, ...], History], list[int]] = {}

    def best(cases: tuple[int, ...], history: History) -> list[int]:
        if (cases, history) in known:
            return known[cases, history]
        if known_only and not cases:
            return [0] * (most + 1)  # what is left of the beginning fits all limits, and no case pays for it
        # With min_cases the rest of the beginning may be bought for nothing but to have it, which always fits.
        may_end = problem.min_cases > 1 or problem.is_complete(history)
        found = [problem.leaf(cases) if may_end else NO_TREE] * (most + 1)
        done = {test for test, _ in history}
        purchases = {
            problem.together(test) if problem.min_cases == 1 else (test,)  # of a panel each result is looked at or not
            for test in range(problem.n_tests)
            if test not in done
        }
        for bought in sorted(purchases) if found[0] > 0 else ():
            if not is_paid(bought[0], done) and not problem.is_in_order(history, bought[0]):
                continue
            if not problem.has_enough(cases, bought[0]):
                continue
            budget, *others = problem.worst(history, bought[0])
            budget = 0 if known_only else budget
            if budget > most or any(a > b for a, b in zip(others, problem.limits, strict=True)):
                continue
            total = [0] * (most + 1)
            for shown in product(*(range(problem.n_outcomes[each]) for each in bought)):
                results = set(zip(bought, shown, strict=True))
                part = tuple(case for case in cases if all(problem.codes[case][t] == r for t, r in results))
                below = best(part, history | results)
                if known_only and part:
                    paid = problem.charged(history | results)[0]
                    below = [NO_TREE] * min(paid, most + 1) + below[paid:]
                total = [min(a + b, NO_TREE) for a, b in zip(total, below, strict=True)]
            found = [min(a, b) if at >= budget else a for at, (a, b) in enumerate(zip(found, total, strict=True))]
        known[cases, history] = found
        return found

    def is_paid(test: int, done: set[int]) -> bool:
        return not done.isdisjoint(problem.together(test))

    losses = best(tuple(range(len(problem.codes))), frozenset())
    return [None if loss >= NO_TREE else loss for loss in losses]


@dataclass(frozen=True)
class Found:
    """A tree to judge: a test and what follows each result that some case shows; a leaf has no test."""

    test: int | None = None
    below: dict[int, Found] = field(default_factory=dict)


class BrokenRuleError(AssertionError):
    """A path of a tree does what it may not."""


def judge(problem: RuleProblem, tree: Found, budget: int) -> int:
    """What the tree loses; every path is charged and checked here, also for results that no case shows."""
    limits = (budget, *problem.limits)

    def walk(node: Found, cases: tuple[int, ...], history: History) -> int:
        if node.test is None:
            return problem.leaf(cases)
        seen = [test for test, _ in history]
        if node.test in seen:
            raise BrokenRuleError(f"test {node.test} is done twice")
        bought = problem.together(node.test)
        is_known = any(test in bought for test in seen)  # its panel was bought before
        if not is_known and not problem.is_in_order(history, node.test):
            raise BrokenRuleError(f"test {node.test} is out of order after {sorted(history)}")
        for result in range(problem.n_outcomes[node.test]):
            charged = problem.charged(history | {(node.test, result)})
            if any(a > b for a, b in zip(charged, limits, strict=True)):
                raise BrokenRuleError(f"{charged} exceeds {limits} after {sorted(history)}")
        parts = {r: tuple(c for c in cases if problem.codes[c][node.test] == r) for r in node.below}
        if sum(map(len, parts.values())) != len(cases):
            raise BrokenRuleError("a result that cases show leads nowhere")
        return sum(walk(node.below[r], part, history | {(node.test, r)}) for r, part in parts.items())

    return walk(tree, tuple(range(len(problem.codes))), frozenset())


def combinations_of_rules() -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(KINDS, n) for n in range(len(KINDS) + 1))


def draw_problem(random: Random, kinds: tuple[str, ...], n_resources: int, n_outcomes: int = 3) -> RuleProblem:
    """A small problem with these kinds of rules, at random."""
    n_tests, n_classes = random.choice((3, 4, 4, 5)), random.choice((2, 2, 3))
    outcomes = tuple(random.choice((2, 2, n_outcomes) if n_tests < 5 else (2,)) for _ in range(n_tests))
    rigid = {test for test in range(n_tests) if random.random() < 0.35}  # they show the same on nearly all cases
    n_cases = random.randint(4, 13)

    def amounts(low: int, high: int) -> Amounts:
        return tuple(random.randint(low, high) for _ in range(n_resources))

    def result(test: int) -> int:
        return 0 if test in rigid and random.random() < 0.85 else random.randrange(outcomes[test])

    codes = tuple(tuple(result(test) for test in range(n_tests)) for _ in range(n_cases))
    panels: tuple[tuple[Amounts, frozenset[int]], ...] = ()
    if "panels" in kinds:
        panels = ((amounts(1, 5), frozenset(random.sample(range(n_tests), random.choice((2, 2, 3))))),)
    in_panel = frozenset(chain.from_iterable(tests for _, tests in panels))
    lowest, own = random.choice((0, 1, 1)), []
    for test in range(n_tests):
        one = (0,) * n_resources if test in in_panel else amounts(lowest, 4)
        varies = "by outcome" in kinds and test not in in_panel
        own.append(tuple(amounts(lowest, 4) if varies else one for _ in range(outcomes[test])))
    alone = [test for test in range(n_tests) if test not in in_panel]
    fees = []
    for _ in range(random.choice((1, 2)) if "fees" in kinds else 0):
        fees.append((amounts(0, 3), frozenset(test for test in alone if random.random() < 0.6)))
    drawn = random.sample(range(n_tests), n_tests)
    panel_at = min((drawn.index(test) for test in in_panel), default=0)
    order = sorted(drawn, key=lambda test: panel_at if test in in_panel else drawn.index(test))
    after: dict[int, tuple[tuple[int, frozenset[int] | None], ...]] = {}
    for position in range(1, n_tests if {"after", "after outcomes"} & set(kinds) else 1):
        rules: list[tuple[int, frozenset[int] | None]] = []
        for earlier in order[:position]:
            if {order[position], earlier} <= in_panel or random.random() > 1.2 / position:
                continue
            by_result = "after outcomes" in kinds and ("after" not in kinds or random.random() < 0.6)
            shown = frozenset(r for r in range(outcomes[earlier]) if random.random() < 0.6) or frozenset([0])
            rules.append((earlier, shown if by_result else None))
        if rules and random.random() < 0.8:
            after[order[position]] = tuple(rules)
    first: tuple[int, ...] = ()
    if "first" in kinds:
        first = tuple(random.sample(range(n_tests), random.choice((1, 1, 2))))
        waiting = set(first).union(*(tests for _, tests in panels if tests & set(first)))
        after = {test: rules for test, rules in after.items() if test not in waiting}  # else nothing could begin
    losses = tuple(tuple(int(c != a) for a in range(n_classes)) for c in range(n_classes))
    if random.random() < 0.3:
        losses = tuple(tuple(0 if c == a else random.randint(1, 4) for a in range(n_classes)) for c in range(n_classes))
    weighted = random.random() < 0.3
    return RuleProblem(
        codes=codes,
        labels=tuple(random.randrange(n_classes) for _ in range(n_cases)),
        weights=tuple(random.choice((1, 1, 2, 3)) if weighted else 1 for _ in range(n_cases)),
        losses=losses,
        n_outcomes=outcomes,
        own=tuple(own),
        fees=tuple(fees),
        panels=panels,
        after=after,
        first=first,
        limits=tuple(random.randint(2, 11) for _ in range(n_resources - 1)),
    )
