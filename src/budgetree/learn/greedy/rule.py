"""The greedy rule, in NumPy and exact: which test to do at a node. The core's choice.cpp gives the same answers.

R(t) = max over the outcomes i present of c(t, i) / (F(G) − F(G_i)); the smallest R wins. Ties go to the test that
leaves the fewest misclassified cases, then to the first column. Where every R is infinite, Pairs chooses. With several
resources c(t, i) is the largest share of a limit. A test that needs others first is offered together with those of them
that show the same on all of the node, as one purchase; if it is the best, the first of these is done.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from budgetree.distributed import AnyCases
from budgetree.errors import ImpurityError, SettingError
from budgetree.impurity import Form, Impurity, Pairs
from budgetree.problem import CostModel, Instance, PathState, Schema
from budgetree.problem.units import non_negative

RuleName = Literal["worst", "expected"]

LARGEST_INT64 = 2**62
SCREEN = 1e-12  # far above the error of a float quotient of exact numbers, so no winner is screened out
FLOAT_TIE = 1e-9  # functions computed in floats tie when their R differ by less than this, relatively


@dataclass(frozen=True, slots=True)
class Settings:
    """The impurity in whole numbers, the paper's δ, the budget in price units, the rule, and the cases of a leaf."""

    form: Form
    delta: Fraction
    budget: int
    rule: RuleName
    min_cases: int = 1


def check_settings(instance: AnyCases, impurity: Any, delta: Any, budget: Any, rule: Any) -> Settings:
    """Settings, or an error that says what was expected."""
    if not isinstance(impurity, Impurity):
        is_class = isinstance(impurity, type) and issubclass(impurity, Impurity)
        name = impurity.__name__ if is_class else ""
        expected = f"an object such as {name}(…)" if is_class else "an Impurity such as Pairs() or HingedPairs(5)"
        message = f"impurity is {f'the class {name}' if is_class else repr(impurity)}; expected {expected}."
        raise SettingError(message, subject="impurity", found=impurity)
    if rule not in ("worst", "expected"):
        raise SettingError.refusing("rule", rule, "'worst' or 'expected'")
    return Settings(
        form=impurity.form(instance.schema.weight_scale, instance.n_classes),
        # In the impurity's own units, of which thousands of cases to a high power make many.
        delta=non_negative(delta, "delta", "delta must be a number of at least 0", max_exponent=100),
        budget=instance.schema.costs.budget_units(budget),
        rule=rule,
    )


def ratios(instance: Instance, rows: Any = None, impurity: Impurity | None = None) -> dict[str, Any]:
    """The paper's R(t) of every test at a node: its price per unit of impurity removed, in the worst outcome.

    Parameters
    ----------
    instance : Instance
        The known cases; several resources have no single price, and are refused.
    rows : sequence of int or bool, optional
        The cases at the node, as positions in `instance.codes`; by default all of them.
    impurity : Impurity, optional
        The function F; by default Pairs.

    Returns
    -------
    dict
        Per test, R(t) = max over its outcomes i of c(t, i) / (F(G) - F(G_i)) as if nothing was bought before; infinity
        where an outcome removes nothing. An exact impurity gives fractions.

    Raises
    ------
    ValueError
        If tests take several resources, or the impurity is not one.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.ratios(bt.datasets.load("figure1"))
    {'t1': Fraction(1, 600), 't2': Fraction(1, 675)}
    """
    settings = check_settings(instance, Pairs() if impurity is None else impurity, 0, None, "worst")
    form, schema, costs = settings.form, instance.schema, instance.schema.costs
    if len(costs.resources) > 1:
        message = "ratios: the tests take several resources; expected prices alone."
        raise SettingError(message, subject="instance", found=len(costs.resources), expected=1)
    at = np.arange(len(instance.codes)) if rows is None else np.arange(len(instance.codes))[rows]

    def value(counts: NDArray[np.int64]) -> Any:
        found = form.value(counts.astype(object) if form.exact else counts)
        return Fraction(found) / form.stretch if form.exact else float(found) / float(form.stretch)

    found: dict[str, Any] = {}
    for test, name in enumerate(schema.test_names):
        counts = np.zeros((schema.n_outcomes[test], instance.n_classes), dtype=np.int64)
        np.add.at(counts, (instance.codes[at, test], instance.labels[at]), instance.weight_units[at])
        shown, whole = np.flatnonzero(counts.any(axis=1)).tolist(), value(counts.sum(axis=0))
        prices, removed = costs.charge(costs.start, test)[0].tolist(), [whole - value(counts[i]) for i in shown]
        amounts = [Fraction(prices[i]) / costs.scale for i in shown]
        kind = Fraction if form.exact else float
        pairs = zip(amounts, removed, strict=True)
        per_outcome = (kind(paid) / less if less > 0 else math.inf for paid, less in pairs)
        found[name] = max(per_outcome, default=math.inf)
    return found


@dataclass(frozen=True, slots=True)
class Choice:
    """The test to do, and whether Pairs had to choose it."""

    test: int
    fallback: bool


@dataclass(frozen=True, slots=True, eq=False)
class LevelNodes:
    """Some nodes of a level, with the states of their paths."""

    class_counts: NDArray[np.int64]  # node × class
    spent: NDArray[np.int64]  # node × resource
    flags: NDArray[np.uint64]


class PythonRule:
    """The rule for all nodes of a level. Counts are node × cell × class: the outcomes of all tests in a row."""

    def __init__(self, schema: Schema, settings: Settings) -> None:
        self._settings, self._n_outcomes = settings, schema.n_outcomes
        self._costs = schema.costs.within_units(settings.budget)
        test = np.repeat(np.arange(len(self._n_outcomes)), self._n_outcomes)
        outcome = np.arange(len(test)) - (np.cumsum(self._n_outcomes) - self._n_outcomes)[test]
        self._cell = (test, outcome)

    def stops(self, nodes: LevelNodes) -> NDArray[np.bool_]:
        """Per node, whether it is a leaf whatever the tests show."""
        costs, settings = self._costs, self._settings
        flags, which = np.unique(nodes.flags, return_inverse=True)
        cheapest = np.array([costs.prices(replace(costs.start, flags=each)).min() for each in flags.tolist()])
        is_poor: NDArray[np.bool_] = nodes.spent[:, 0] + cheapest[which] > settings.budget
        return is_poor | stops(nodes.class_counts, settings.form, settings.delta)

    def choose(
        self, nodes: LevelNodes, counts: NDArray[np.int64], cases: NDArray[np.int64] | None
    ) -> list[Choice | None]:
        """The test to do, per node that does not stop; `cases` counts cases, where leaves need several."""
        paths = zip(nodes.spent.tolist(), nodes.flags.tolist(), strict=True)
        states = (PathState(tuple(spent), flags, ()) for spent, flags in paths)
        by_case = [None] * len(counts) if cases is None else map(self._square, cases)
        every = zip(map(self._square, counts), states, by_case, strict=True)
        return [decide(table, self._costs, state, self._settings, shown) for table, state, shown in every]

    def _square(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Test × outcome × class, filled up with 0."""
        square = np.zeros((len(self._n_outcomes), int(self._n_outcomes.max()), cells.shape[1]), dtype=np.int64)
        square[self._cell] = cells
        return square


def decide(
    counts: NDArray[np.int64],
    costs: CostModel,
    state: PathState,
    settings: Settings,
    cases: NDArray[np.int64] | None = None,
) -> Choice | None:
    """The rule's choice at a node that does not stop, or None for a leaf.

    counts   weight units per test × outcome × class
    costs    within the budget
    state    of the path, on arrival
    cases    the same as counts in cases, where these are not the same and leaves need several
    """
    if costs.is_plain:
        offers, offered = None, state.spent[0] + costs.prices(state) <= settings.budget
        prices = costs.amounts[0] + costs.surcharge(state.flags)[:, None]
    else:
        offers = _offers(counts.sum(axis=2), costs, state)
        offered, prices = np.array([offer is not None for offer in offers]), np.zeros_like(costs.amounts[0])
        for test, offer in enumerate(offers):
            if offer is not None:
                before = np.array(offer.state.spent) - state.spent
                charge = (costs.charge(offer.state, test) + before[:, None]).T[:-1]
                prices[test, : len(charge)] = [costs.price(amounts) for amounts in charge.tolist()]
    if settings.min_cases > 1:
        shown = (counts if cases is None else cases).sum(axis=2)
        offered = offered & ((shown == 0) | (shown >= settings.min_cases)).all(axis=1)
    choice = choose(counts, prices, offered, settings.form, settings.rule)
    if choice is None or offers is None or (chosen := offers[choice.test]) is None:
        return choice
    return replace(choice, test=chosen.first)


@dataclass(frozen=True, slots=True)
class _Offer:
    """What to do first for a test to be had, and the state in which it is bought itself."""

    first: int
    state: PathState


def _offers(shown: NDArray[np.int64], costs: CostModel, state: PathState) -> list[_Offer | None]:
    """Per test, how a node can have it within all limits; None where it cannot."""
    present = shown > 0
    only = np.where(present.sum(axis=1) == 1, present.argmax(axis=1), -1)  # the one outcome that all cases show

    def unlocked(test: int, path: list[tuple[int, int]], state: PathState, depth: int = 0) -> PathState | None:
        """The state in which the test may be bought, once those that it needs are done; they are added to the path."""
        while missing := int(costs.needs[test]) & ~state.flags:
            sets = costs.sets[np.arange(len(only)), np.maximum(only, 0)] & missing
            unlocking = np.flatnonzero((sets != 0) & (only >= 0)).tolist()
            before = unlocked(unlocking[0], path, state, depth + 1) if unlocking and depth <= len(only) else None
            if before is None:
                return None
            path.append((unlocking[0], int(only[unlocking[0]])))
            state = costs.after_result(before, *path[-1])
        worst = np.array(state.spent) + costs.charge(state, test).max(axis=1)
        return state if (worst <= np.array(costs.limits)).all() else None

    offers: list[_Offer | None] = []
    for test in range(len(shown)):
        path: list[tuple[int, int]] = []
        then = unlocked(test, path, state)
        offers.append(None if then is None else _Offer(path[0][0] if path else test, then))
    return offers


def choose(
    counts: NDArray[np.int64], prices: NDArray[np.int64], offered: NDArray[np.bool_], form: Form, rule: RuleName
) -> Choice | None:
    """The rule's test for a node, or None when no offered test splits it.

    counts   weight units per test × outcome × class
    prices   units per test × outcome, in the state of the path
    offered  per test, whether the budget allows it
    """
    totals = counts.sum(axis=2)
    tests = np.flatnonzero(offered & ((totals > 0).sum(axis=1) >= 2))
    if not len(tests):
        return None
    counts, prices, totals = counts[tests], prices[tests], totals[tests]
    misclassified = (totals - counts.max(axis=2)).sum(axis=1)
    winner = _best(counts, prices, totals, misclassified, form, rule)
    if has_none := winner is None:
        winner = _best(counts, prices, totals, misclassified, Pairs().form(Fraction(1), counts.shape[2]), rule)
    assert winner is not None  # splitting an impure node always separates some pair
    return Choice(int(tests[winner]), fallback=has_none)


def stops(class_counts: NDArray[np.int64], form: Form, delta: Fraction) -> NDArray[np.bool_]:
    """Per vector of class counts, whether the node is pure, or its impurity is no more than δ."""
    is_pure = np.count_nonzero(class_counts, axis=-1) <= 1
    threshold: Any = delta * form.stretch
    if not form.exact:
        return np.asarray(is_pure | (form.value(class_counts) <= float(threshold) * (1 + FLOAT_TIE)))
    return np.asarray(is_pure | (form.value(class_counts.astype(object)) <= threshold))


def _best(
    counts: NDArray[Any],
    prices: NDArray[np.int64],
    totals: NDArray[np.int64],
    misclassified: NDArray[np.int64],
    form: Form,
    rule: RuleName,
) -> int | None:
    """Position of the winning test, or None when every R is infinite.

    Ties decide trees, so R is compared exactly; but fractions are slow, and most tests are far from winning. So the
    floats only screen: they may be off by a few parts in 10^16, and every test within 10^-12 of the smallest goes on.

        R in floats   0.5    0.3333333333333333   0.3333333333333334   2.0
        screened             ✓                    ✓
        as fractions         1/3                  1/3                        a tie: the fewer misclassified cases win

    A function that is computed in floats itself has no exact R; its candidates tie within 10^-9.
    """
    if not form.exact:
        prices, totals = prices.astype(np.float64), totals.astype(np.float64)
    else:  # in Python's integers where 64 bits might overflow
        total = int(totals[0].sum())
        largest = form.largest(total)
        if largest is None or max(largest, int(prices.max())) * total >= LARGEST_INT64:
            counts, prices, totals = counts.astype(object), prices.astype(object), totals.astype(object)
    whole = form.value(counts[0].sum(axis=0))
    kept = form.value(counts)
    reduction = whole - kept
    if not form.exact and not (np.isfinite(whole) and np.isfinite(kept).all()):
        message = "impurity: a value is not a finite number; expected a number for every vector of class counts."
        raise ImpurityError(message, subject="impurity")
    if rule == "expected":
        # One quotient per test: the mean price over the mean reduction, both times the node's weight.
        prices = (totals * prices).sum(axis=1, keepdims=True)
        reduction = (totals * reduction).sum(axis=1, keepdims=True)
        present = np.ones(prices.shape, dtype=bool)
        whole = whole * totals[0].sum()
    else:
        present = totals > 0
    kept_all = reduction <= (0 if form.exact else FLOAT_TIE * whole)
    finite = ~(kept_all & present).any(axis=1)
    if not finite.any():
        return None
    quotient = np.zeros(reduction.shape)
    reduced = present & ~kept_all
    quotient[reduced] = prices[reduced].astype(np.float64) / _as_floats(reduction[reduced])
    ratio = np.where(finite, quotient.max(axis=1), np.inf)
    band = SCREEN if form.exact else FLOAT_TIE
    candidates = np.flatnonzero(ratio <= ratio.min() * (1 + band))
    if form.exact:
        shown = [(prices[t][present[t]].tolist(), reduction[t][present[t]].tolist()) for t in candidates]
        exact = [max(map(Fraction, *columns)) for columns in shown]
        smallest = min(exact)
        candidates = np.array([t for t, value in zip(candidates, exact, strict=True) if value == smallest])
    return int(candidates[np.argmin(misclassified[candidates])])


def _as_floats(values: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return values.astype(np.float64)
    except OverflowError:  # beyond 1e308; one common factor changes no comparison
        largest = Fraction(values.max())
        return np.array([float(Fraction(value) / largest) for value in values])
