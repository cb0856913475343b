"""A tree as rules: one per path through it, with what that costs and how many known cases it holds for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from budgetree.errors import TreeError
from budgetree.problem.units import plain_number
from budgetree.services.words import counted, show_number, visible
from budgetree.show.outline import Group, percent
from budgetree.tree.tree import Tree

MAX_CONDITIONS = 2_000_000  # of all rules together; about 100 MB of text

Conditions = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, this is the answer; or points or a model give it, and `label` is the most common one.

    Attributes
    ----------
    conditions : tuple of (str, tuple of str)
        A test and what it may show, neighbouring levels as one; or points, and how many there may be.
    label : object
        The answer.
    cost : number
        What the tests cost, at the costliest of these outcomes; `costs` has what they take of every resource.
    cases : number
        Known cases it holds for, by weight.
    errors : number
        Of these, those of another class; none where the answer is not a class.
    by : str or None
        What gives the answer, such as "the model of age + mass"; None: it is fixed.
    confidence : float or None
        It holds where the model gives some class this probability, and nothing more is bought.
    loss : number or None
        What the answers cost these cases; None without losses.
    is_class : bool
        False where the answer is not a class, and the same for all.
    answer : str
        What the label is called.
    price : str
        What is taken of each resource, with its unit.
    costs : dict
        By resource, what the tests take.

    Examples
    --------
    >>> import budgetree as bt
    >>> print(bt.optimal(bt.datasets.load("figure1"), budget=1).tree.rules()[1])
    if t1 is 1 then triangle  [costs 1; right for 20 of 20]
    """

    conditions: Conditions
    label: Any
    cost: int | float
    cases: int | float
    errors: int | float
    by: str | None = None
    confidence: float | None = None
    loss: int | float | None = None
    is_class: bool = True
    answer: str = ""
    price: str = ""
    costs: Mapping[str, int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [f"{test} is {' or '.join(outcomes)}" for test, outcomes in self.conditions]
        parts += [] if self.confidence is None else [f"the model is {percent(self.confidence)} sure"]
        label = (self.answer or str(self.label)) if self.by is None else f"by {self.by}"
        known = f"right for {show_number(self.cases - self.errors)} of {show_number(self.cases)}"
        known = known if self.is_class else counted(self.cases, "case")
        known += "" if self.loss is None else f", loss {show_number(self.loss)}"
        when = f"if {' and '.join(parts)} then" if parts else "always"
        return visible(f"{when} {label}  [costs {self.price or show_number(self.cost)}; {known}]")


def to_rules(tree: Tree) -> str:
    """One rule per line, and below them the points that they speak of."""
    points = (line for table in tree.outline.tables for line in tree.words.points_lines(table))
    return "\n".join([*map(str, rules_of(tree)), *map(visible, points)])


def rules_of(tree: Tree) -> tuple[Rule, ...]:
    """From the first branch to the last."""
    outline, words = tree.outline, tree.words
    path: list[tuple[str, tuple[str, ...], float | None]] = []
    found, n_conditions = [], 0
    for visit in outline.walk():
        is_leaf = outline.is_leaf(visit.group)
        n_conditions += visit.depth if is_leaf else 0
        if n_conditions > MAX_CONDITIONS:
            message = (
                f"rules: this tree has {tree.n_leaves:,} paths of up to {tree.depth:,} tests, and every rule repeats "
                f"what is above it: more than {MAX_CONDITIONS:,} conditions. text, dot and python say each "
                "test once; a tree that is cut has fewer: tree.cut(budget)."
            )
            raise TreeError(message, subject="rules", expected=MAX_CONDITIONS)
        if visit.branch is not None and visit.above is not None:
            del path[visit.depth - 1 :]
            end = outline.stage(visit.above[0]).end
            split, names, confidence = outline.split(end), visit.branch.names, None
            is_sure = split is not None and split.confidence is not None
            if is_sure and outline.is_leaf(outline.branches(visit.above)[0].group):
                # Who stops is said once; a case that goes on was not sure.
                names, confidence = (), split.confidence if split and visit.branch.results == (0,) else None
            path.append((words.subject(end), names, confidence))
        if is_leaf:
            conditions = tuple((subject, names) for subject, names, _ in path if names)
            found.append(_rule(tree, visit.group, conditions, path[-1][2] if path else None))
    return tuple(found)


def _rule(tree: Tree, leaves: Group, conditions: Conditions, confidence: float | None) -> Rule:
    """Of leaves that are shown as one; or of those where cases stop because the model of a branch is sure."""
    nodes, schema, leaf = tree.nodes, tree.schema, leaves[0]
    answered, n_classes, scored = tree.outline.answered(leaves), len(schema.class_names), nodes.scored(leaf)
    answer = int(nodes.label[leaf] if scored is None else answered.sum(axis=1).argmax())
    wrong = answered[:n_classes].sum() - np.trace(answered[:n_classes])
    lost = int((answered.astype(object) * nodes.loss_table.units.T.astype(object)).sum())
    return Rule(
        conditions=conditions,
        label=schema.answer_names[answer],
        cost=schema.costs.amount(int(nodes.spent[leaf])),
        cases=plain_number(schema.cases(int(answered.sum()))),
        errors=plain_number(schema.cases(int(wrong))),
        by=None if scored is None else tree.words.source(scored),
        confidence=confidence,
        loss=None if schema.losses is None else plain_number(schema.loss(lost)),
        is_class=scored is not None or answer < n_classes,
        answer=schema.wording.answers[answer],
        price=tree.words.spent(leaf),
        costs=schema.costs.amounts_of(nodes.all_spent[:, leaf]),
    )
