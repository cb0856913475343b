"""Program: a tree as a list of instructions with nothing but numbers in them, for languages that follow it by a loop.

    Pay        a test is bought: go to the child
    ByResult   go to the child of the result, the last where it is not listed
    ByPoints   go to the child of the side on which a total is
    BySure     go to the first child where some class is likely enough, else to the second
    Answer     the answer is this
    ByScores   the answer is that of the totals, one per class, or one for two classes

What follows a total of points at a leaf are answers, so points at leaves and in branches are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from budgetree.show.export.conditions import raw_values
from budgetree.tree.leaves import SCORE_UNIT, Model, Points, Totals, softmax
from budgetree.tree.model.node_entries import short
from budgetree.tree.nodes import Kind
from budgetree.tree.tree import Tree

FARTHEST = 1000 * SCORE_UNIT  # apart, one of two classes is as sure as a float can say


@dataclass(frozen=True, slots=True)
class Pay:
    test: int
    charges: list[list[int]]  # resource × outcome, and last where the result is not listed
    child: int


@dataclass(frozen=True, slots=True)
class ByResult:
    test: int
    children: list[int]


@dataclass(frozen=True, slots=True)
class ByPoints:
    totals: int
    cuts: list[int]
    children: list[int]


@dataclass(frozen=True, slots=True)
class BySure:
    totals: int
    confidence: float
    difference: int | None  # of two classes: how far apart their totals must be
    children: list[int]


@dataclass(frozen=True, slots=True)
class Answer:
    answer: int
    shares: list[float]


@dataclass(frozen=True, slots=True)
class ByScores:
    totals: int


Instruction = Pay | ByResult | ByPoints | BySure | Answer | ByScores
KINDS = {Pay: "pay", ByResult: "result", ByPoints: "points", BySure: "sure", Answer: "answer", ByScores: "scores"}


@dataclass(frozen=True, slots=True)
class Program:
    """Instructions, which speak of each other and of the totals by their positions."""

    instructions: list[Instruction]
    totals: list[Totals]

    def spent(self, resource: int) -> list[tuple[int, dict[int, list[int]]]]:
        """Per instruction, what a case has taken that comes there: in any case, and by a test's outcome, in units."""
        found: list[tuple[int, dict[int, list[int]]]] = [(0, {})] * len(self.instructions)
        for at, step in enumerate(self.instructions):  # before all that follow it
            fixed, by_outcome = found[at]
            children = [] if isinstance(step, (Pay, Answer, ByScores)) else step.children
            if isinstance(step, Pay):
                charges, children = step.charges[resource], [step.child]
                if len(set(charges)) == 1:
                    fixed += charges[0]
                else:
                    by_outcome = by_outcome | {step.test: charges}
            for child in children:
                found[child] = fixed, by_outcome
        return found


def has_totals(tree: Tree) -> bool:
    """Whether points or scores are added up somewhere."""
    return bool(tree.nodes.splits) or any(isinstance(rule, (Points, Model)) for rule in tree.nodes.rules)


def program_of(tree: Tree) -> Program:
    """The nodes in their order, and then the answers that follow points at leaves."""
    nodes, numbers = tree.nodes, dict[Totals, int]()
    found: list[Instruction] = []
    answers: list[Instruction] = []  # after the nodes

    def number(totals: Totals | None) -> int:
        assert totals is not None
        return numbers.setdefault(totals, len(numbers))

    for node in range(len(nodes)):
        below, test = nodes.below(node).tolist(), int(nodes.test[node])
        rule = nodes.rule_of(node)
        if nodes.is_buy[node]:
            found.append(Pay(test, nodes.all_charges[:, nodes.results(node)].tolist(), below[0]))
        elif nodes.kind[node] == Kind.BY_RESULT:
            found.append(ByResult(test, below))
        elif nodes.kind[node] == Kind.BY_TOTAL:
            split = nodes.splits[nodes.rule[node]]
            if split.confidence is None:
                found.append(ByPoints(number(split.totals), list(split.cuts), below))
            else:
                limit = least_difference(split.confidence) if len(tree.class_names) == 2 else None
                found.append(BySure(number(split.totals), split.confidence, limit, below))
        elif isinstance(rule, Model):
            found.append(ByScores(number(rule.totals)))
        elif isinstance(rule, Points):
            first = len(nodes) + len(answers)
            found.append(ByPoints(number(rule.totals), list(rule.cuts), [*range(first, first + len(rule.chances))]))
            best = nodes.loss_table.best(np.array(rule.chances)).tolist()
            answers += [Answer(answer, list(chances)) for answer, chances in zip(best, rule.chances, strict=True)]
        else:
            found.append(Answer(int(nodes.label[node]), nodes.shares[node].tolist()))
    return Program(found + answers, list(numbers))


@cache
def least_difference(confidence: float) -> int:
    """How far apart the totals of two classes must be for one of them to be as likely as this, in millionths.

    >>> least_difference(0.5), least_difference(0.95)
    (0, 2944439)
    """

    def is_sure(difference: int) -> bool:
        return bool(softmax(np.array([[0, -difference]])).max() >= confidence)

    below, at = -1, FARTHEST
    while at - below > 1:
        middle = (below + at) // 2
        below, at = (below, middle) if is_sure(middle) else (middle, at)
    return at


def tables_of(tree: Tree, value: Callable[[Any], Any]) -> dict[str, Any]:
    """What a loop reads in a language that has raw values and answers as `value` makes them: follow.py and walk.js."""
    schema, table, program = tree.schema, tree.schema.loss_table, program_of(tree)
    tests: list[dict[str, Any] | None] = [None] * len(tree.test_names)
    for test in tree.tests_used:
        raw = raw_values(schema, test)
        levels = {"values": list(map(value, raw.values))} if raw.thresholds is None else {"thresholds": raw.thresholds}
        tests[test] = {"name": tree.test_names[test], **levels, "missing": raw.missing}
    return {
        "classes": list(map(value, tree.class_names)),
        "answers": list(map(value, tree.answer_names)),
        "resources": [[resource.name, float(resource.scale)] for resource in schema.costs.resources],
        "losses": None if table.is_plain else table.units.tolist(),
        "tests": tests,
        "totals": [_totals_content(totals) for totals in program.totals],
        "steps": [_step_content(step) for step in program.instructions],
    }


def _step_content(step: Instruction) -> dict[str, Any]:
    content: dict[str, Any] = {field: getattr(step, field) for field in step.__slots__}
    if isinstance(step, Pay):
        content["charges"] = list(map(short, step.charges))
    elif isinstance(step, ByResult):
        content["children"] = short(step.children)
    return {"kind": KINDS[type(step)]} | content


def _totals_content(totals: Totals) -> dict[str, Any]:
    """What each total begins with, and what every result of a test and every end of a small tree adds."""
    tables = [(test, table.tolist()) for test, table in zip(totals.tests, totals.points, strict=True) if table.any()]
    return {"intercept": totals.intercept.tolist(), "added": tables, "trees": small_trees(totals)}


def small_trees(totals: Totals) -> tuple[list[int], list[Any], list[list[int]]]:
    """Where each tree starts, the nodes of all, and what their ends add; an end is a position there.

    Other nodes are [test, cut, by equal, default left, missing, right child]; the left child is the next node.
    """
    trees = totals.trees
    if trees is None:
        return [], [], []
    is_end = trees.test < 0
    columns = (trees.test, trees.cut, trees.by_equal, trees.default_left, trees.missing, trees.right)
    rows = np.stack([column.astype(np.int64) for column in columns], axis=1).tolist()
    ends = (np.cumsum(is_end) - 1).tolist()
    nodes = [end if is_last else row for row, end, is_last in zip(rows, ends, is_end.tolist(), strict=True)]
    return trees.start.tolist(), nodes, trees.value[is_end].tolist()
