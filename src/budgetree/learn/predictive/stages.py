"""Stages: where along a chain of tests cases may stop, and which of them do.

    chain   age  pressure │ ECG │ scan       bought in this order; a stage ends at each │
    stop    at a stage's end, where going on would hardly change the answer

Everything is judged by out-of-fold probabilities of every prefix of the chain. A case that stops keeps its answer; its
regret is what that loses under the final probabilities beyond the least that could be lost. Of two classes, cases are
sorted by the probability of the second, and the rising fit of their regret says how far from either end they stop. With
more classes that is too fine, and one threshold on the largest probability serves all answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Instance, LossTable

REGRET = 0.05  # of the mean final loss: what stopping may lose, per case that stops
CAUTION = 2.0  # standard errors that are added to a regret: as many as a branch must show
MIN_STOPPED = 20.0  # cases, by weight
MIN_CONFIDENCE = 0.7  # of a case that stops, where there are more than two classes
CHEAP = 0.05  # of the path: no stage ends before a test that costs less
SAVING = 0.05  # of the path: a stage's end that saves less is left out
MAX_STAGES = 4
NONE = -2.0  # below any chance, and any chance with its sign turned


@dataclass(frozen=True, slots=True)
class StopRule:
    """Which cases stop: those whose chance is at one of these or beyond."""

    low: float = NONE
    high: float = -NONE

    def stops(self, probabilities: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Per row."""
        chance = chances(probabilities)
        return np.asarray((chance <= self.low) | (chance >= self.high))


def chances(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """The score that stops compare: of two classes the probability of the second, else the largest."""
    return np.asarray(probabilities[:, 1] if probabilities.shape[1] == 2 else probabilities.max(axis=1))


@dataclass(frozen=True, slots=True)
class Stages:
    """How many tests are bought at the end of each stage, and who stops there; at the last, everybody."""

    ends: tuple[int, ...]
    rules: tuple[StopRule, ...]  # of every stage but the last


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """What is known of a chain of tests when it is cut into stages."""

    probabilities: Sequence[NDArray[np.float64]]  # per prefix, from that of no test on: case × class, out of fold
    costs: NDArray[np.float64]  # per prefix, what a case pays on average
    table: LossTable
    weights: NDArray[np.float64]
    confidence: float | None = None  # a case stops there, and only there

    @property
    def n_tests(self) -> int:
        return len(self.costs) - 1

    def stopped_at(self, stages: Stages) -> NDArray[np.int64]:
        """Per case, how many tests it buys."""
        at = np.full(len(self.weights), stages.ends[-1], dtype=np.int64)
        waiting = np.ones(len(at), dtype=bool)
        for end, rule in zip(stages.ends, stages.rules, strict=False):
            stops = waiting & rule.stops(self.probabilities[end])
            at[stops] = end
            waiting &= ~stops
        return at

    def mean_cost(self, stages: Stages) -> float:
        return float((self.weights * self.costs[self.stopped_at(stages)]).sum() / self.weights.sum())

    def regrets(self, n_bought: int) -> NDArray[np.float64]:
        """Per case, what its answer after so many tests loses beyond the least, under the final probabilities."""
        final = self.table.of_counts(self.probabilities[-1])
        answers = self.table.best(self.probabilities[n_bought])
        return np.asarray(final[np.arange(len(final)), answers] - final.min(axis=1))

    @property
    def bound(self) -> float:
        """The regret up to which cases stop."""
        final = self.table.of_counts(self.probabilities[-1]).min(axis=1)
        return REGRET * float((self.weights * final).sum() / self.weights.sum())


def prefix_costs(instance: Instance, tests: Sequence[int]) -> NDArray[np.float64]:
    """Per prefix of a chain, what known cases pay on average, in price units."""
    costs, weights = instance.schema.costs, instance.weights
    state, paid = costs.start, [0.0]
    for test in tests:
        charge = costs.charge(state, test)[0]
        results = np.minimum(instance.codes[:, test], len(charge) - 1)
        paid.append(paid[-1] + float((weights * charge[results]).sum() / weights.sum()))
        state = costs.after_buying(state, test)
    return np.array(paid)


def find_stages(chain: Chain, max_stages: int = MAX_STAGES) -> Stages:
    """The stages of a chain: those whose ends save enough, each with its rule for stopping."""
    whole, n_tests = float(chain.costs[-1]), chain.n_tests
    steps = np.diff(chain.costs)
    ends = [end for end in range(1, n_tests) if steps[end] >= CHEAP * whole and whole > 0] + [n_tests]
    while True:
        stages = with_rules(chain, ends)
        if len(ends) == 1:
            return stages
        now = chain.mean_cost(stages)
        without = [[end for end in ends if end != left_out] for left_out in ends[:-1]]
        rises = [chain.mean_cost(with_rules(chain, each)) - now for each in without]
        least = int(np.argmin(rises))
        if rises[least] >= SAVING * whole and len(ends) <= max_stages:
            return stages
        ends = without[least]


def with_rules(chain: Chain, ends: Sequence[int]) -> Stages:
    """The rule of every end, from the cases that come there."""
    rules, waiting = list[StopRule](), np.ones(len(chain.weights), dtype=bool)
    for end in ends[:-1]:
        rules.append(stop_rule(chain, end, waiting))
        waiting &= ~rules[-1].stops(chain.probabilities[end])
    return Stages(tuple(ends), tuple(rules))


def stop_rule(chain: Chain, end: int, waiting: NDArray[np.bool_]) -> StopRule:
    """Who stops after so many tests, of the cases that are waiting."""
    chance, n_classes = chances(chain.probabilities[end]), chain.table.n_classes
    if chain.confidence is not None:
        return StopRule(1 - chain.confidence if n_classes == 2 else NONE, chain.confidence)
    regrets, bound = chain.regrets(end), chain.bound

    def last(sign: int, may_stop: NDArray[np.bool_]) -> float:
        cases = np.flatnonzero(waiting & may_stop)
        return sign * _stops_up_to(sign * chance[cases], regrets[cases], chain.weights[cases], bound)

    if n_classes > 2:
        return StopRule(high=last(-1, chance >= MIN_CONFIDENCE))
    answers = chain.table.best(chain.probabilities[end])
    first, second = chain.table.best(np.eye(2)).tolist()
    return StopRule(last(1, answers == first), last(-1, answers == second))


def _stops_up_to(
    rank: NDArray[np.float64], regret: NDArray[np.float64], weights: NDArray[np.float64], bound: float
) -> float:
    """The rank up to which the rising fit of the regret is within the bound; one below all where too few cases are.

    Up to there the sum of regret − bound is least: that is what the rising fit's level sets are. To it comes a standard
    error, since few cases show little regret by chance. As no case stopping has the sum 0, those who stop have a mean
    regret within the bound.
    """
    order = np.argsort(rank, kind="stable")
    rank, excess, mass = rank[order], (weights * (regret - bound))[order], weights[order]
    ends = np.flatnonzero(np.append(np.diff(rank) > 0, True)) if len(rank) else np.empty(0, dtype=np.int64)
    sums = (np.cumsum(excess) + CAUTION * np.sqrt(np.cumsum(mass * regret[order] ** 2)))[ends]
    if not len(sums) or sums.min() > 0:
        return NONE
    last = int(np.flatnonzero(sums <= sums.min())[-1])
    return float(rank[ends[last]]) if mass[: ends[last] + 1].sum() >= MIN_STOPPED else NONE
