"""The slow oracle for losses: least loss at every budget, with weights, fees, prices per outcome and least leaf sizes.

Two answers to one question, written apart: `least_loss` asks every tree of one budget, `frontier` collects every
(need, loss) worth having. Plain Python and exact fractions; nothing here is fast, and nothing here may import the
library. Cases of weight 0 are ignored altogether. A tree is ("leaf", answer) or ("test", t, {outcome: subtree}).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, NamedTuple

Cases = frozenset[int]
Fees = frozenset[int]
Tree = tuple[Any, ...]
Point = tuple[Fraction, Fraction]
ZERO = Fraction(0)


def zero_one(n_classes: int) -> tuple[tuple[Fraction, ...], ...]:
    """The usual losses: a right answer costs 0, a wrong one 1, and there are no other answers."""
    return tuple(tuple(Fraction(c != a) for a in range(n_classes)) for c in range(n_classes))


@dataclass(frozen=True)
class Problem:
    """Known cases, what tests cost and what answers cost; outcomes, classes, answers, tests and fees count from 0."""

    rows: tuple[tuple[int, ...], ...]
    """rows[case][test] is an outcome."""
    classes: tuple[int, ...]
    prices: tuple[tuple[Fraction, ...], ...]
    """prices[test][outcome], with every outcome that the test has, also those that no case shows."""
    losses: tuple[tuple[Fraction, ...], ...]
    """losses[class][answer]; the first answers are the classes. `zero_one(n)` is the usual choice."""
    weights: tuple[Fraction, ...] = ()
    """One per case; left empty, all are 1."""
    fees: tuple[Fraction, ...] = ()
    needs: tuple[Fees, ...] = ()
    """The fees that each test needs; left empty, none."""
    min_cases: int = 1

    def __post_init__(self) -> None:
        # A frozen dataclass fills its own defaults through object.__setattr__.
        object.__setattr__(self, "weights", self.weights or (Fraction(1),) * len(self.rows))
        object.__setattr__(self, "needs", self.needs or (frozenset(),) * len(self.prices))

    @property
    def n_classes(self) -> int:
        return len(self.losses)

    @property
    def n_answers(self) -> int:
        return len(self.losses[0])

    @property
    def known(self) -> Cases:
        """The cases that count: those with a weight above 0."""
        return frozenset(case for case, weight in enumerate(self.weights) if weight > 0)

    def due(self, test: int, paid: Fees) -> Fraction:
        """The fees of a test that the path has not paid yet."""
        return sum((self.fees[fee] for fee in self.needs[test] - paid), ZERO)

    def split(self, cases: Cases, test: int) -> dict[int, Cases]:
        """The cases of each outcome shown, in the order of the outcomes."""
        shown = sorted({self.rows[case][test] for case in cases})
        return {o: frozenset(case for case in cases if self.rows[case][test] == o) for o in shown}

    def splits(self, cases: Cases) -> Iterator[tuple[int, dict[int, Cases]]]:
        """The tests available at a node, whatever they cost. A test done before on the path splits nothing here."""
        for test in range(len(self.prices)):
            parts = self.split(cases, test)
            if len(parts) >= 2 and all(len(part) >= self.min_cases for part in parts.values()):
                yield test, parts

    def loss_of_answer(self, cases: Cases, answer: int) -> Fraction:
        return sum((self.weights[case] * self.losses[self.classes[case]][answer] for case in cases), ZERO)

    def best_answer(self, cases: Cases) -> int:
        """The answer of a leaf: least loss, ties to the first (min returns the first of equals)."""
        return min(range(self.n_answers), key=lambda answer: self.loss_of_answer(cases, answer))

    def leaf_loss(self, cases: Cases) -> Fraction:
        return self.loss_of_answer(cases, self.best_answer(cases))


def least_loss(problem: Problem, budget: Fraction) -> Fraction:
    """The least loss of any tree within the budget."""
    memo: dict[tuple[Cases, Fees, Fraction], Fraction] = {}

    def solve(cases: Cases, paid: Fees, left: Fraction) -> Fraction:
        key = (cases, paid, left)
        if key not in memo:
            choices = [problem.leaf_loss(cases)]
            for test, parts in problem.splits(cases):
                due, prices = problem.due(test, paid), problem.prices[test]
                if due + max(prices) <= left:
                    after = paid | problem.needs[test]
                    choices.append(sum((solve(part, after, left - due - prices[o]) for o, part in parts.items()), ZERO))
            memo[key] = min(choices)
        return memo[key]

    return solve(problem.known, frozenset(), Fraction(budget))


def pareto(points: set[Point]) -> list[Point]:
    """The points that no other point beats: needs rise and losses fall, both strictly."""
    kept: list[Point] = []
    for need, loss in sorted(points):
        if not kept or loss < kept[-1][1]:
            kept.append((need, loss))
    return kept


def frontier(problem: Problem) -> list[Point]:
    """(need, loss) from need 0 on: the least budget of each loss that is the least one at some budget."""
    memo: dict[tuple[Cases, Fees], list[Point]] = {}

    def collect(cases: Cases, paid: Fees) -> list[Point]:
        """All (need from here on, loss) worth having. A worse subtree never makes a better tree: needs only enter
        by a maximum and losses by a sum."""
        key = (cases, paid)
        if key not in memo:
            points = {(ZERO, problem.leaf_loss(cases))}
            for test, parts in problem.splits(cases):
                due, prices = problem.due(test, paid), problem.prices[test]
                after = paid | problem.needs[test]
                for chosen in product(*(collect(part, after) for part in parts.values())):
                    below = [due + prices[o] + need for o, (need, _) in zip(parts, chosen, strict=True)]
                    points.add((max(due + max(prices), *below), sum((loss for _, loss in chosen), ZERO)))
            memo[key] = pareto(points)
        return memo[key]

    return collect(problem.known, frozenset())


class Visit(NamedTuple):
    """A node of a given tree: which cases arrive, what the path has paid, and which fees and tests it has seen."""

    node: Tree
    cases: Cases
    spent: Fraction
    paid: Fees
    path: tuple[tuple[int, int], ...]


def visits(problem: Problem, tree: Tree) -> Iterator[Visit]:
    """All nodes of a tree, from the root on, also those that break rules. Below a test that the problem lacks, and
    below an outcome that the test lacks, there is nothing to say about costs: such subtrees are left out."""
    waiting = [Visit(tree, problem.known, ZERO, frozenset(), ())]
    while waiting:
        visit = waiting.pop(0)
        yield visit
        if visit.node[0] == "test" and visit.node[1] in range(len(problem.prices)):
            _, test, children = visit.node
            # A test done again on a path costs again here; follows_rules forbids it.
            due = problem.due(test, visit.paid)
            for outcome, child in sorted(children.items()):
                if outcome in range(len(problem.prices[test])):
                    arrive = frozenset(case for case in visit.cases if problem.rows[case][test] == outcome)
                    spent = visit.spent + due + problem.prices[test][outcome]
                    paid = visit.paid | problem.needs[test]
                    waiting.append(Visit(child, arrive, spent, paid, (*visit.path, (test, outcome))))


def loss_of(problem: Problem, tree: Tree) -> Fraction:
    """The loss of the answers that the tree gives, be they the best or not."""
    leaves = (visit for visit in visits(problem, tree) if visit.node[0] == "leaf")
    return sum((problem.loss_of_answer(leaf.cases, leaf.node[1]) for leaf in leaves), ZERO)


def errors_of(problem: Problem, tree: Tree) -> Fraction:
    """The weight of the cases whose answer is a class and not theirs; other answers are not errors."""
    return sum(
        (
            problem.weights[case]
            for node, cases, *_ in visits(problem, tree)
            if node[0] == "leaf" and node[1] < problem.n_classes
            for case in cases
            if problem.classes[case] != node[1]
        ),
        ZERO,
    )


def at_stake(problem: Problem, visit: Visit) -> Fraction:
    """What a path may have paid, at worst, once the test of this node is done."""
    test = visit.node[1]
    return visit.spent + problem.due(test, visit.paid) + max(problem.prices[test])


def need_of(problem: Problem, tree: Tree) -> Fraction:
    """The least budget at which all tests of the tree are allowed; 0 for a single leaf."""
    return max((at_stake(problem, visit) for visit in visits(problem, tree) if visit.node[0] == "test"), default=ZERO)


def follows_rules(problem: Problem, tree: Tree, budget: Fraction) -> list[str]:
    """What is broken, in words, one sentence per rule and node; an empty list is a tree that follows every rule."""
    broken: list[str] = []
    for visit in visits(problem, tree):
        at = "At " + (", ".join(f"test {t} = {o}" for t, o in visit.path) or "the root") + ": "
        # A leaf at the root stays allowed: where the whole table is too small there is no other tree.
        if visit.node[0] == "leaf":
            answer = visit.node[1]
            if answer not in range(problem.n_answers):
                broken.append(f"{at}answer {answer} does not exist.")
            elif answer != (best := problem.best_answer(visit.cases)):
                broken.append(f"{at}the leaf answers {answer}, but {best} is the first answer of least loss.")
            if visit.path and len(visit.cases) < problem.min_cases:
                broken.append(f"{at}the leaf has {len(visit.cases)} cases, but at least {problem.min_cases} are due.")
            continue
        _, test, children = visit.node
        if test not in range(len(problem.prices)):
            broken.append(f"{at}test {test} does not exist.")
            continue
        if test in [t for t, _ in visit.path]:
            broken.append(f"{at}test {test} has been done before on this path.")
        parts = problem.split(visit.cases, test)
        if len(parts) < 2:
            broken.append(f"{at}test {test} splits nothing: the cases show {list(parts)}.")
        if sorted(children) != list(parts):
            broken.append(f"{at}test {test} has children for {sorted(children)}, but the cases show {list(parts)}.")
        for outcome, part in parts.items():
            if len(part) < problem.min_cases:
                broken.append(f"{at}only {len(part)} cases show {outcome} of test {test}, {problem.min_cases} are due.")
        if (stake := at_stake(problem, visit)) > budget:
            broken.append(f"{at}test {test} may bring the path to {stake}, above the budget of {budget}.")
    return broken


def greedy_tree(problem: Problem, budget: Fraction, class_weights: Sequence[Fraction]) -> Tree:
    """The plain greedy tree of the impurity "Pairs", with case weights multiplied by the weight of their class.

    Of equal ratios the test wins that leaves the least weight outside the largest class of its parts, then the first.
    """

    def totals_of(cases: Cases) -> list[Fraction]:
        totals = [ZERO] * problem.n_classes
        for case in cases:
            totals[problem.classes[case]] += problem.weights[case] * class_weights[problem.classes[case]]
        return totals

    def outside(cases: Cases) -> Fraction:
        totals = totals_of(cases)
        return sum(totals, ZERO) - max(totals)

    def pairs(cases: Cases) -> Fraction:
        totals = totals_of(cases)
        whole = sum(totals, ZERO)
        return (whole * whole - sum((total * total for total in totals), ZERO)) / 2

    def grow(cases: Cases, paid: Fees, left: Fraction) -> Tree:
        value = pairs(cases)
        rated: list[tuple[Fraction, Fraction, int]] = []
        for test, parts in problem.splits(cases) if value > 0 else ():
            due, prices = problem.due(test, paid), problem.prices[test]
            gains = {o: value - pairs(part) for o, part in parts.items()}
            # An outcome without gain makes the ratio infinite, and a test of infinite ratio is never chosen.
            if due + max(prices) <= left and min(gains.values()) > 0:
                ratio = max((due + prices[o]) / gain for o, gain in gains.items())
                rated.append((ratio, sum(map(outside, parts.values()), ZERO), test))
        if not rated:
            return ("leaf", problem.best_answer(cases))
        _, _, test = min(rated)
        due, after = problem.due(test, paid), paid | problem.needs[test]
        parts = problem.split(cases, test)
        return ("test", test, {o: grow(p, after, left - due - problem.prices[test][o]) for o, p in parts.items()})

    return grow(problem.known, frozenset(), Fraction(budget))


def random_problem(
    rng: Random,
    *,
    max_cases: int = 9,
    max_tests: int = 4,
    weights: bool | None = None,
    fees: bool | None = None,
    prices_per_outcome: bool | None = None,
    losses: bool | None = None,
    extra_answers: bool | None = None,
    duplicates: bool | None = None,
    max_min_cases: int = 3,
    denominators: Sequence[int] = (1, 2, 4),
) -> Problem:
    """A small random problem. Each option may be had (True), kept out (False) or left to a coin (None).

    Every class has a row, though perhaps only rows of weight 0; some outcomes may have none. Prices may be 0.
    `extra_answers` come with random losses of their own, also over zero-one losses. Without `duplicates` all rows
    differ. The denominators are those that floats hold exactly: pass (1, 3, 10) to test with others.
    """

    def chosen(option: bool | None) -> bool:
        return rng.random() < 0.5 if option is None else option

    def amount(most: int, least: int = 0) -> Fraction:
        return Fraction(rng.randint(least, most), rng.choice(denominators))

    n_tests = rng.randint(1, max_tests)
    n_outcomes = [rng.randint(2, 3) for _ in range(n_tests)]
    n_cases = max(rng.randint(2, max_cases), rng.randint(2, max_cases))  # few cases make dull staircases
    rows = [tuple(rng.randrange(n) for n in n_outcomes) for _ in range(n_cases)]
    if chosen(duplicates):
        rows = [rng.choice(rows) if rng.random() < 0.4 else row for row in rows]
    else:
        rows = list(dict.fromkeys(rows))
    if len(rows) == 1:  # two classes need two rows; these two differ
        rows.append(tuple((outcome + 1) % n for outcome, n in zip(rows[0], n_outcomes, strict=True)))
    n_classes = rng.randint(2, min(4, len(rows)))
    classes = [*range(n_classes), *(rng.randrange(n_classes) for _ in rows[n_classes:])]
    rng.shuffle(classes)

    case_weights = [Fraction(1)] * len(rows)
    if chosen(weights):
        case_weights = [amount(4) for _ in rows]
        case_weights[rng.randrange(len(rows))] = amount(4, least=1)  # some case has to count
    by_outcome = chosen(prices_per_outcome)
    prices = [[amount(4) for _ in range(n)] if by_outcome else [amount(4)] * n for n in n_outcomes]
    n_fees = rng.randint(1, 2) if chosen(fees) else 0
    needs = [frozenset(fee for fee in range(n_fees) if rng.random() < 0.6) for _ in range(n_tests)]
    matrix = [list(row) for row in zero_one(n_classes)]
    if chosen(losses):
        # Zeros anywhere, and on the diagonal mostly: a right answer may cost something, too.
        matrix = [[amount(1 if c == a else 5) for a in range(n_classes)] for c in range(n_classes)]
    if chosen(extra_answers):
        extra = rng.randint(1, 2)
        matrix = [row + [amount(3) for _ in range(extra)] for row in matrix]
    return Problem(
        rows=tuple(rows),
        classes=tuple(classes),
        prices=tuple(map(tuple, prices)),
        losses=tuple(map(tuple, matrix)),
        weights=tuple(case_weights),
        fees=tuple(amount(4) for _ in range(n_fees)),
        needs=tuple(needs),
        min_cases=rng.choice((1, rng.randint(1, max_min_cases))),  # mostly 1: larger ones leave few tests
    )
