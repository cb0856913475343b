"""From a chain of tests to a tree of stages: purchases, a branch by a total, and leaves where cases stop.

    buy age ─ buy pressure ─ by points ─┬─ 0 to 1: leaf
                                        ├─ 2 to 6: buy scan ─ leaf
                                        └─ 7 or more: leaf

What cannot change an answer is not bought. With points that is exact: from the last test back, every total knows
which answers it can still come to; where there is only one, it is given at once, also within a stage. A model's score
does not say what the next model's will be; trees of models are made in policy.py, which shares the splits here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.points import FittedPoints
from budgetree.learn.predictive.stages import Stages, StopRule
from budgetree.problem import Instance, LossTable
from budgetree.tree import Fixed, Model, Points, Split, Totals, Tree, TreeBuilder
from budgetree.tree.builder import OpenEnd
from budgetree.tree.leaves import SCORE_UNIT, softmax

GO_ON = -1  # instead of an answer


@dataclass(frozen=True, eq=False)
class Settled:
    """What is done at every total of every prefix of a chain: go on, or stop with an answer."""

    fitted: FittedPoints
    stages: Stages
    table: LossTable

    @cached_property
    def answers(self) -> list[NDArray[np.int64]]:
        """Per prefix and total, the answer of least expected loss."""
        return [self.table.best(self.fitted.chances(end)) for end in range(self.stages.ends[-1] + 1)]

    @cached_property
    def actions(self) -> list[NDArray[np.int64]]:
        """Per prefix and total, an answer or GO_ON."""
        table, last = self.fitted.table, self.stages.ends[-1]
        rules = dict(zip(self.stages.ends, self.stages.rules, strict=False))
        found = [self.answers[last]]
        still = np.left_shift(1, self.answers[last])  # a bit for each answer that a total can still come to
        for end in range(last - 1, -1, -1):
            answers, n_totals = self.answers[end], len(self.answers[end])
            following = [still[more : more + n_totals] for more in table.possible(end)]
            still = np.bitwise_or.reduce(following)
            actions = np.where(still & still - 1, GO_ON, np.log2(still).astype(np.int64))
            if end in rules:
                stops = rules[end].stops(self.fitted.chances(end), self.table)
                actions = np.where(stops, answers, actions)
                still = np.where(actions == GO_ON, still, np.left_shift(1, np.maximum(actions, 0)))
            found.append(actions)
        return found[::-1]


def points_tree(instance: Instance, fitted: FittedPoints, stages: Stages, *, budget: Any = None) -> Tree:
    """The tree of a chain whose stages read one total of points."""
    settled = Settled(fitted, stages, instance.schema.loss_table)
    builder, table = TreeBuilder(instance, budget=budget), fitted.table
    totals = [table.totals(end) for end in range(stages.ends[-1] + 1)]
    leaves = [_points_leaf(fitted, total, end) for end, total in enumerate(totals)]
    waiting: list[tuple[OpenEnd, int, list[int]]] = [(builder.begin(), 0, [0])]  # tests bought, totals that come there
    while waiting:
        end, n_bought, reached = waiting.pop()
        actions = settled.actions[n_bought]
        runs = [list(run) for _, run in groupby(reached, key=lambda total: int(actions[total]))]
        cuts = [run[0] for run in runs[1:]]
        ends = builder.branch(end, Split.by_points(totals[n_bought], cuts)) if cuts else [end]
        for side, run in zip(ends, runs, strict=True):
            action = int(actions[run[0]])
            if action != GO_ON:
                own = np.array(run)
                is_own = bool((settled.answers[n_bought][own] == action).all())
                chances = fitted.chances(n_bought)[own].mean(axis=0)
                builder.leaf(side, leaves[n_bought] if is_own else Fixed(tuple(chances.tolist()), action))
                continue
            after = sorted({total + more for total in run for more in table.possible(n_bought)})
            waiting.append((builder.buy_all(side, table.tests[n_bought]), n_bought + 1, after))
    return builder.build()


def _points_leaf(fitted: FittedPoints, totals: Totals, n_bought: int) -> Points | Fixed:
    """The chance of every total; before anything is bought there is only one."""
    chances = tuple(map(tuple, fitted.chances(n_bought).tolist()))
    return Points(totals, tuple(range(1, len(chances))), chances) if n_bought else Fixed(chances[0])


def model_split(model: Model, rule: StopRule, table: LossTable) -> tuple[Split, list[bool]] | None:
    """The split by a model, and which of its sides stop: by its log odds for two classes, else by its confidence.

    None where no case stops: a model of more than two classes has no side without a confidence.
    """
    if table.n_classes > 2:
        if rule.confidence is None:
            return None
        return Split.by_confidence(model, rule.confidence), [True, False]
    cuts, is_stop = log_odds_cuts(rule, table)
    return Split.by_score(Model(log_odds(model)), cuts), is_stop


def log_odds(model: Model) -> Totals:
    """One total, the log odds of class 1, of a model that has a score for each of two classes."""
    totals = model.totals
    if totals.n_totals == 1:
        return totals
    limit = np.iinfo(np.int32).max
    points = [np.clip(own[:, 1:].astype(np.int64) - own[:, :1], -limit, limit) for own in totals.points]
    return Totals(
        totals.tests, tuple(own.astype(np.int32) for own in points), totals.intercept[1:] - totals.intercept[:1]
    )


def log_odds_cuts(rule: StopRule, table: LossTable) -> tuple[tuple[int, ...], list[bool]]:
    """Where log odds in millionths begin or cease to stop, and which sides stop.

    The answer changes where two of them lose the same, and a rule sets in where one of them loses as much as it allows.
    """
    units, n_answers = table.units.astype(np.float64), len(table.answers)
    chances = [] if rule.confidence is None else [rule.confidence, 1 - rule.confidence]
    for a in range(n_answers):
        lines = [(limit, limit) for limit in rule.losses[a : a + 1]]
        lines += [(float(units[0, b]), float(units[1, b])) for b in range(a)]
        for at_0, at_1 in lines:  # which the loss of `a` crosses
            rise = (units[1, a] - units[0, a]) - (at_1 - at_0)
            chances += [(at_0 - units[0, a]) / rise] if rise else []
    inner = np.array(sorted({chance for chance in chances if 0 < chance < 1}))
    scores = np.floor(np.log(inner / (1 - inner)) * SCORE_UNIT).astype(np.int64) if len(inner) else inner
    first = sorted({int(score) + step for score in scores for step in (-1, 0, 1, 2)})
    totals = np.array([first[0] - 1 if first else 0, *first], dtype=np.int64)
    probabilities = softmax(np.column_stack([np.zeros_like(totals), totals]))
    stops = rule.stops(probabilities, table)
    states = list(zip(stops.tolist(), np.where(stops, table.best(probabilities), GO_ON).tolist(), strict=True))
    changes = [k for k in range(1, len(states)) if states[k] != states[k - 1]]
    return tuple(int(totals[k]) for k in changes), [bool(states[k][0]) for k in (0, *changes)]
