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
                stops = rules[end].stops(self.fitted.chances(end))
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


def model_split(model: Model, rule: StopRule, n_classes: int) -> tuple[Split, int] | None:
    """The split by a model, and the side that goes on: by its log odds for two classes, else by its confidence.

    None where no case stops.
    """
    if n_classes > 2:
        return (Split.by_confidence(model, rule.high), 1) if rule.high <= 1 else None
    low = [first_score(rule.low, is_included=False)] if 0 < rule.low < 1 else []
    high = [first_score(rule.high)] if 0 < rule.high < 1 else []
    return (Split.by_score(model, (*low, *high)), len(low)) if low or high else None


def first_score(chance: float, *, is_included: bool = True) -> int:
    """The least log odds in millionths at which class 1 has this chance, or more than it."""
    near = int(np.log(chance / (1 - chance)) * SCORE_UNIT) + np.arange(-2, 4)
    chances = softmax(np.column_stack([np.zeros_like(near), near]))[:, 1]
    return int(near[np.argmax(chances >= chance if is_included else chances > chance)])
