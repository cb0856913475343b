"""Greedy growth under rules, against the rule in exact fractions; and every case that there could be keeps to them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from support import grown, outcomes_below

import budgetree as bt
from budgetree.distributed.cases import LocalCases
from budgetree.learn.greedy.levels import LevelGrower
from budgetree.learn.greedy.native import grow_native
from budgetree.learn.greedy.rule import PythonRule, check_settings
from budgetree.tree import Nodes
from reference_rules import Found, History, RuleProblem, combinations_of_rules, draw_problem
from ruled import instance_of, judge_tree
from sharding import sharded

pytestmark = pytest.mark.filterwarnings("ignore:prices. no path can buy")
COMBINATIONS = list(combinations_of_rules())


class Greedy:
    """The paper's rule with Pairs: at each node the purchase of the least R, as a person would work it out."""

    def __init__(self, problem: RuleProblem, budget: int) -> None:
        self.problem, self.limits = problem, (budget, *problem.limits)
        worst = [[max(of[r] for of in own) for own in problem.own] for r in range(problem.n_resources)]
        fees = [sum(bill[r] for bill, tests in (*problem.fees, *problem.panels) if tests) for r in range(len(worst))]
        everything = (sum(own) + fee for own, fee in zip(worst, fees, strict=True))
        self.wholes = [max(1, min(pair)) for pair in zip(self.limits, everything, strict=True)]

    def grow(self) -> Found:
        return self._grow(tuple(range(len(self.problem.codes))), frozenset())

    def _grow(self, cases: tuple[int, ...], history: History) -> Found:
        offers = []
        for test in range(self.problem.n_tests) if self._pairs(cases) else ():
            parts = self._parts(cases, test)
            if len(parts) > 1 and (offer := self._offer(cases, history, test)) is not None:
                first, before = offer
                paid = self.problem.charged(history)
                ratios = []
                for result, part in parts.items():
                    charged = self.problem.charged(before | {(test, result)})
                    taken = (Fraction(b - a, whole) for a, b, whole in zip(paid, charged, self.wholes, strict=True))
                    # One resource is counted in its units.
                    price = max(taken) if len(self.limits) > 1 else Fraction(charged[0] - paid[0])
                    ratios.append(price / (self._pairs(cases) - self._pairs(part)))
                offers.append((max(ratios), sum(map(self._errors, parts.values())), test, first))
        if not offers:
            return Found()
        first = min(offers)[3]
        parts = self._parts(cases, first)
        return Found(first, {r: self._grow(part, history | {(first, r)}) for r, part in parts.items()})

    def _offer(self, cases: tuple[int, ...], history: History, test: int) -> tuple[int, History] | None:
        """What to do first for the test to be had, and the history before it; None where it cannot be had."""
        problem, first = self.problem, None

        def unlock(wanted: int, history: History) -> History | None:
            nonlocal first
            while not self._is_known(history, wanted) and (missing := self._missing(history, wanted)):
                same = [
                    t for t in sorted(missing) if len(parts := self._parts(cases, t)) == 1 and {*parts} <= missing[t]
                ]
                before = unlock(same[0], history) if same else None
                if before is None:
                    return None
                first = same[0] if first is None else first
                history = before | {(same[0], *self._parts(cases, same[0]))}
            totals = [problem.charged(history | {(wanted, r)}) for r in range(problem.n_outcomes[wanted])]
            return history if all(a <= b for t in totals for a, b in zip(t, self.limits, strict=True)) else None

        before = unlock(test, history)
        return None if before is None else (test if first is None else first, before)

    def _is_known(self, history: History, test: int) -> bool:
        return test in self.problem.done(history)

    def _missing(self, history: History, test: int) -> dict[int, set[int]]:
        """Tests whose results would meet a condition that is not met, with these results."""
        problem, bought, missing = self.problem, self.problem.together(test), dict[int, set[int]]()
        rules = [rule for each in bought for rule in problem.after.get(each, ())]
        begun = min((problem.first.index(each) for each in bought if each in problem.first), default=None)
        rules += [(each, None) for each in problem.first[:begun]]
        for needed, shown in rules:
            is_met = needed in problem.done(history) if shown is None else any((needed, r) in history for r in shown)
            if needed in bought or is_met:
                continue
            for each in problem.together(needed) if shown is None else (needed,):
                missing.setdefault(each, set()).update(range(problem.n_outcomes[each]) if shown is None else shown)
        return missing

    def _parts(self, cases: tuple[int, ...], test: int) -> dict[int, tuple[int, ...]]:
        results = sorted({self.problem.codes[case][test] for case in cases})
        return {r: tuple(case for case in cases if self.problem.codes[case][test] == r) for r in results}

    def _classes(self, cases: tuple[int, ...]) -> list[int]:
        problem = self.problem
        return [sum(problem.weights[c] for c in cases if problem.labels[c] == k) for k in range(len(problem.losses))]

    def _pairs(self, cases: tuple[int, ...]) -> int:
        counts = self._classes(cases)
        return sum(counts) ** 2 - sum(n * n for n in counts)

    def _errors(self, cases: tuple[int, ...]) -> int:
        counts = self._classes(cases)
        return sum(counts) - max(counts)


def as_found(nodes: Nodes, node: int = 0) -> Found:
    if nodes.is_leaf[node]:
        return Found()
    below = enumerate(outcomes_below(nodes, node))
    return Found(int(nodes.test[node]), {r: as_found(nodes, child) for r, child in below if child >= 0})


@pytest.mark.parametrize("n_resources", [1, 2, 3])
def test_growth_under_rules_is_the_rule_in_fractions(n_resources: int) -> None:
    n_unlocking = 0
    for kinds in COMBINATIONS:
        for number in range(3):
            problem = draw_problem(Random(f"greedy {kinds} {n_resources} {number}"), kinds, n_resources)
            instance, budget = instance_of(problem), (4, 9, 30)[number]
            least = instance.schema.costs.begun.spent
            if any(a > b for a, b in zip(least, (budget, *problem.limits), strict=True)):
                continue
            expected = Greedy(problem, budget).grow()
            settings = check_settings(instance, bt.Pairs(), 0, budget, "worst")
            native = grow_native(instance, settings)
            assert as_found(native) == expected, (kinds, number)
            cases = LocalCases.of_instance(instance)
            for rule in (None, PythonRule(instance.schema, settings)):
                by_levels = LevelGrower(cases, settings, cases.engine(1), rule=rule).grow()
                assert by_levels == native, kinds
            tree = bt.grow(instance, impurity=bt.Pairs(), budget=budget)
            assert judge_tree(problem, tree, budget) == tree.exact_loss
            n_unlocking += 1 in np.bincount(grown(native).parent[1:]).tolist()
    assert n_unlocking > 3  # tests that show the same on all cases, and only unlock others


@pytest.mark.parametrize("n_resources", [1, 2, 4])
def test_lookahead_portfolios_and_partitions_keep_to_the_rules(n_resources: int) -> None:
    for kinds in COMBINATIONS[::3]:
        problem = draw_problem(Random(f"all greedy {kinds} {n_resources}"), kinds, n_resources)
        instance, limits = instance_of(problem), (9, *problem.limits)
        if any(a > b for a, b in zip(instance.schema.costs.begun.spent, limits, strict=True)):
            continue
        looked = bt.grow(instance, lookahead=1, budget=9)
        assert judge_tree(problem, looked, 9) == looked.exact_loss
        for point in bt.frontier(instance, objective="known", method="greedy", max_budget=9, folds=0):
            assert judge_tree(problem, point.tree, int(point.max_cost)) == point.tree.exact_loss, kinds
        parts = sharded(instance, 2)
        found = bt.fit(parts, budget=9, impurities=[bt.Pairs()], objective="known")
        assert found.tree == bt.grow(instance, impurity=bt.Pairs(), budget=9)
