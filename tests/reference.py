"""The slow oracle: the greedy rule of Nan, Wang and Saligrama (AISTATS 2015), read aloud.

Plain Python and exact fractions, so that a disagreement with the library is the library's to
explain. Nothing here is fast, and nothing here may import the library.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import prod

Counts = tuple[Fraction, ...]
Impurity = Callable[[Counts], "Fraction | Decimal"]


@dataclass(frozen=True)
class Problem:
    """Objects with known outcomes and labels; objects of weight 0 count as absent."""

    codes: tuple[tuple[int, ...], ...]  # codes[object][test] is an outcome
    labels: tuple[int, ...]
    n_classes: int
    n_outcomes: tuple[int, ...]
    prices: tuple[tuple[Fraction, ...], ...]  # prices[test][outcome], without shared fees
    fees: tuple[tuple[Fraction, frozenset[int]], ...]  # paid once per path, with its first test
    weights: tuple[Fraction, ...]


@dataclass(frozen=True)
class Node:
    """A node of a grown tree; a leaf has no test and no children."""

    counts: Counts  # weighted objects of each class
    test: int | None = None
    children: dict[int, Node] = field(default_factory=dict)  # only the outcomes present here
    fallback: bool = False  # every R was infinite, so Pairs chose the test


def total(values: Iterable[Fraction]) -> Fraction:
    """A sum that is a Fraction even when there is nothing to add."""
    return sum(values, Fraction(0))


# Impurities: functions of the class counts. Gini and entropy are not admissible.


def pairs(counts: Counts) -> Fraction:
    """Unordered pairs of objects of different classes."""
    return total(a * b for a, b in combinations(counts, 2))


def powers(l: int) -> Impurity:  # noqa: E741 - the paper's l
    """The l-th power of the total, less the l-th powers of the classes."""
    return lambda counts: total(counts) ** l - total(n**l for n in counts)


def polynomial(terms: list[tuple[Fraction, tuple[int, ...]]]) -> Impurity:
    """The sum of coefficient * product of counts to the exponents."""
    return lambda counts: total(
        gamma * prod(n**p for n, p in zip(counts, exponents, strict=True)) for gamma, exponents in terms
    )


def hinged_pairs(alpha: Fraction) -> Impurity:
    """The paper's P_alpha as printed, with its -alpha^2, over ordered pairs."""
    return lambda counts: total(
        max(max(a - alpha, 0) * max(b - alpha, 0) - alpha**2, 0) for a, b in permutations(counts, 2)
    )


def hinged_product(alpha: Fraction) -> Impurity:
    """What the paper's Figure 1 computes: no -alpha^2. Over ordered pairs."""
    return lambda counts: total(max(a - alpha, 0) * max(b - alpha, 0) for a, b in permutations(counts, 2))


def gini(counts: Counts) -> Fraction:
    """n times the Gini index."""
    n = total(counts)
    return n - total(c * c for c in counts) / n if n else n


def entropy(counts: Counts) -> Decimal:
    """n times the entropy in nats, to 60 digits: the one impurity that is not rational."""
    n = total(counts)
    with localcontext() as context:
        context.prec = 60
        decimal = [Decimal(c.numerator) / c.denominator for c in (n, *counts)]
        # 0 log 0 = 0; and the log of c / c is exactly 0, so a pure node has exactly 0.
        return sum((c * (decimal[0] / c).ln() for c in decimal[1:] if c), Decimal(0))


# Growth


@dataclass(frozen=True)
class _Split:
    """A test as seen from one node: outcome -> what it holds, present outcomes only."""

    test: int
    objects: dict[int, list[int]]
    counts: dict[int, Counts]
    prices: dict[int, Fraction]  # unpaid fees included

    def misclassified(self) -> Fraction:
        return total(total(c) - max(c) for c in self.counts.values())


def grow(
    problem: Problem,
    impurity: Impurity,
    *,
    delta: Fraction = Fraction(0),  # the paper's δ
    budget: Fraction | None = None,
    rule: str = "worst",
    tolerance: Fraction | float = 0,
) -> Node:
    """Grow the greedy tree. A tolerance above 0 is for gini and entropy only."""
    if rule not in ("worst", "expected"):
        raise ValueError(f"rule: expected 'worst' or 'expected', got {rule!r}; pass one of them")

    def grow_node(objects: list[int], done: frozenset[int], spent: Fraction) -> Node:
        counts = _counts(problem, objects)
        if Fraction(impurity(counts)) <= delta * (1 + tolerance) or sum(c > 0 for c in counts) <= 1:
            return Node(counts)
        splits = []
        for test, own in enumerate(problem.prices):
            groups = _groups(problem, objects, test)
            if test in done or len(groups) < 2:
                continue
            unpaid = total(f for f, tests in problem.fees if test in tests and not tests & done)
            # A new object may have any outcome, so the costliest one counts even if absent here.
            if budget is not None and spent + max(own) + unpaid > budget:
                continue
            held = {i: _counts(problem, group) for i, group in groups.items()}
            splits.append(_Split(test, groups, held, {i: own[i] + unpaid for i in groups}))
        if not splits:
            return Node(counts)
        best = _choose(splits, counts, impurity, rule, Fraction(tolerance))
        fallback = best is None
        if best is None:
            # Pairs falls with every object taken from an impure node: it always has an answer.
            best = _choose(splits, counts, pairs, rule, Fraction(0))
            assert best is not None
        children = {
            i: grow_node(group, done | {best.test}, spent + best.prices[i]) for i, group in best.objects.items()
        }
        return Node(counts, best.test, children, fallback)

    return grow_node(_present(problem), frozenset(), Fraction(0))


def _choose(splits: list[_Split], counts: Counts, impurity: Impurity, rule: str, tolerance: Fraction) -> _Split | None:
    """Smallest R; on ties fewest misclassified, then first column. None: all are infinite."""
    rated = [(_ratio(s, counts, impurity, rule, tolerance), s) for s in splits]
    finite = [(ratio, s) for ratio, s in rated if ratio is not None]
    if not finite:
        return None
    limit = min(ratio for ratio, _ in finite) * (1 + tolerance)
    tied = [s for ratio, s in finite if ratio <= limit]
    return min(tied, key=lambda s: (s.misclassified(), s.test))


def _ratio(split: _Split, counts: Counts, impurity: Impurity, rule: str, tolerance: Fraction) -> Fraction | None:
    """The paper's R(t), or its expected-cost form; None stands for infinity."""
    whole = Fraction(impurity(counts))  # exact for a Decimal too, and then the types mix
    gains = {i: whole - Fraction(impurity(part)) for i, part in split.counts.items()}
    if rule == "worst":
        # Asked before dividing: a free test that keeps all of F is infinite too, not 0/0.
        if any(gain <= tolerance * whole for gain in gains.values()):
            return None
        return max(split.prices[i] / gains[i] for i in gains)
    shares = {i: total(part) / total(counts) for i, part in split.counts.items()}
    mean_gain = total(shares[i] * gains[i] for i in gains)
    if mean_gain <= tolerance * whole:
        return None
    return total(shares[i] * split.prices[i] for i in gains) / mean_gain


def _present(problem: Problem) -> list[int]:
    return [s for s, weight in enumerate(problem.weights) if weight > 0]


def _counts(problem: Problem, objects: Iterable[int]) -> Counts:
    counts = [Fraction(0)] * problem.n_classes
    for s in objects:
        counts[problem.labels[s]] += problem.weights[s]
    return tuple(counts)


def _groups(problem: Problem, objects: Iterable[int], test: int) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for s in objects:
        groups.setdefault(problem.codes[s][test], []).append(s)
    return groups


# Scoring: nothing here uses what grow worked out, except the tree itself.


def _walks(problem: Problem, node: Node) -> Iterator[tuple[int, Fraction, Node]]:
    """Every object of positive weight, with what it pays and the leaf it reaches."""
    for s, codes in enumerate(problem.codes):
        if problem.weights[s] > 0:
            at, asked = node, set()
            while at.test is not None:
                asked.add(at.test)  # a set: a test already done costs nothing again
                at = at.children[codes[at.test]]
            own = total(problem.prices[t][codes[t]] for t in asked)
            yield s, own + total(fee for fee, tests in problem.fees if asked & tests), at


def max_cost(problem: Problem, node: Node) -> Fraction:
    """The costliest path that some object takes."""
    return max((cost for _, cost, _ in _walks(problem, node)), default=Fraction(0))


def mean_cost(problem: Problem, node: Node) -> Fraction:
    """What an object pays on average, by weight."""
    paid = total(problem.weights[s] * cost for s, cost, _ in _walks(problem, node))
    return paid / total(problem.weights)


def errors(problem: Problem, node: Node) -> Fraction:
    """The weight of the objects whose leaf's largest (on ties, first) class is not theirs."""
    return total(
        problem.weights[s]
        for s, _, leaf in _walks(problem, node)
        if problem.labels[s] != leaf.counts.index(max(leaf.counts))
    )


def cheapest_error_free(problem: Problem) -> Fraction | None:
    """The smallest max-cost of any tree with pure leaves, by exhaustion; None if there are no such trees."""
    label_of: dict[tuple[int, ...], int] = {}
    for s in _present(problem):
        if label_of.setdefault(problem.codes[s], problem.labels[s]) != problem.labels[s]:
            return None

    @cache
    def cheapest(objects: frozenset[int], paid: frozenset[int]) -> Fraction:
        if len({problem.labels[s] for s in objects}) <= 1:
            return Fraction(0)
        options = []
        for test, own in enumerate(problem.prices):
            groups = _groups(problem, objects, test)
            if len(groups) < 2:
                continue  # splits nothing and costs at least 0: no tree needs it
            due = {f for f, (_, tests) in enumerate(problem.fees) if test in tests} - paid
            rest = [own[i] + cheapest(frozenset(g), paid | due) for i, g in groups.items()]
            options.append(total(problem.fees[f][0] for f in due) + max(rest))
        return min(options)

    return cheapest(frozenset(_present(problem)), frozenset())


def random_problem(
    rng: random.Random,
    *,
    max_objects: int = 12,
    max_tests: int = 5,
    max_outcomes: int = 4,
    max_classes: int = 4,
) -> Problem:
    """A small problem, often awkward: ties, free tests, fees, duplicates, objects of weight 0."""
    n, n_tests = rng.randint(1, max_objects), rng.randint(1, max_tests)
    n_classes = rng.randint(min(2, max_classes), max_classes)
    n_outcomes = tuple(rng.randint(min(2, max_outcomes), max_outcomes) for _ in range(n_tests))
    columns = [[rng.randrange(k) for _ in range(n)] for k in n_outcomes]
    if rng.randrange(4) == 0:
        constant = rng.randrange(n_tests)
        columns[constant] = [rng.randrange(n_outcomes[constant])] * n
    rows = list(zip(*columns, strict=True))
    if rng.randrange(4) == 0:  # duplicates, whose labels are drawn apart and so may differ
        rows[rng.randrange(n)] = rows[rng.randrange(n)]
    labels = tuple(rng.randrange(n_classes) for _ in range(n))

    unit = lambda: Fraction(1)  # noqa: E731 - one of several ways to draw a number
    price = rng.choice([
        unit,
        lambda: Fraction(rng.randint(0, 5)),
        lambda: Fraction(rng.randint(0, 500), 100),
        lambda: Fraction(rng.choice([10, 20, 30]), 100),  # sums that floats get wrong
    ])  # fmt: skip
    by_outcome = rng.randrange(3) == 0
    prices = tuple(tuple(price() for _ in range(k)) if by_outcome else (price(),) * k for k in n_outcomes)
    n_fees = rng.choice([0, 0, 1, 2])
    sets = [rng.sample(range(n_tests), rng.randint(1, n_tests)) for _ in range(n_fees)]
    fees = tuple((price(), frozenset(tests)) for tests in sets)  # two sets may overlap

    weight = rng.choice([
        unit,
        lambda: Fraction(rng.randint(1, 4)),
        lambda: Fraction(rng.randint(0, 2)),
        lambda: Fraction(rng.randint(1, 6), rng.choice([2, 10])),
    ])  # fmt: skip
    weights = [weight() for _ in range(n)]
    if not any(weights):
        weights[0] = Fraction(1)  # a problem without objects has no mean
    return Problem(tuple(rows), labels, n_classes, n_outcomes, prices, fees, tuple(weights))
