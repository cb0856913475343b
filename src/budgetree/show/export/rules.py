"""A tree as rules: one per path through it, with what that costs and how many known cases it holds for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from budgetree.errors import TreeError
from budgetree.problem.units import plain_number
from budgetree.services.words import counted, show_number, visible
from budgetree.show.outline import Group
from budgetree.tree.tree import Tree

MAX_CONDITIONS = 2_000_000  # of all rules together; about 100 MB of text

Conditions = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, this is the answer; or a model gives it, and `label` is the likeliest class.

    Attributes
    ----------
    conditions : tuple of (str, tuple of str)
        A test and what it may show; neighbouring levels are one.
    label : object
        The answer.
    cost : number
        What the tests cost, at the costliest of these outcomes.
    cases : number
        Known cases it holds for, by weight.
    errors : number
        Of these, those of another class; none where the answer is no class.
    model : tuple of str or None
        The tests whose model answers; None: the class is fixed.
    sure : float or None
        It holds where the model gives some class this probability, and nothing more is bought.
    loss : number or None
        What the answer costs these cases; None without losses, and where a model answers.
    is_class : bool
        False where the answer is no class.
    answer : str
        What the label is called.
    price : str
        The cost with its unit.

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
    model: tuple[str, ...] | None = None
    sure: float | None = None
    loss: int | float | None = None
    is_class: bool = True
    answer: str = ""
    price: str = ""

    def __str__(self) -> str:
        parts = [f"{test} is {' or '.join(outcomes)}" for test, outcomes in self.conditions]
        parts += [] if self.sure is None else [f"the model is {100 * self.sure:.4g}% sure"]
        answer = self.answer or str(self.label)
        label = answer if self.model is None else f"by the model of {' + '.join(self.model) or 'no test'}"
        right = f"{show_number(self.cases - self.errors)} of {show_number(self.cases)}"
        known = f"right for {right}" if self.model is None else f"{right} are {answer}"
        known = known if self.is_class else counted(self.cases, "case")
        known += "" if self.loss is None else f", loss {show_number(self.loss)}"
        when = f"if {' and '.join(parts)} then" if parts else "always"
        return visible(f"{when} {label}  [costs {self.price or show_number(self.cost)}; {known}]")


def rules_of(tree: Tree) -> tuple[Rule, ...]:
    """From the first branch to the last."""
    outline, schema, nodes = tree.outline, tree.schema, tree.nodes
    path: list[tuple[str, tuple[str, ...]]] = []
    found, n_conditions = [], 0
    for visit in outline.walk():
        n_conditions += visit.depth if visit.kind == "enter" and outline.is_leaf(visit.group) else 0
        if n_conditions > MAX_CONDITIONS:
            message = (
                f"rules: this tree has {tree.n_leaves:,} paths of up to {tree.depth:,} tests, and every rule repeats "
                f"what is above it: more than {MAX_CONDITIONS:,} conditions. to_text, to_dot and to_python say each "
                "test once; a tree that is cut has fewer: tree.cut(budget)."
            )
            raise TreeError(message, subject="rules", expected=MAX_CONDITIONS)
        if visit.branch is not None:
            del path[visit.depth :]
            names = () if outline.is_purchase(visit.group) else visit.branch.names
            path.append((schema.wording.tests[nodes.test[visit.group[0]]], names))
        elif visit.kind == "enter" and (tree.may_stop[visit.group[0]] or outline.is_leaf(visit.group)):
            found.append(_rule(tree, visit.group, tuple(part for part in path[: visit.depth] if part[1])))
    return tuple(found)


def _rule(tree: Tree, group: Group, conditions: Conditions) -> Rule:
    """Of a leaf, or of those who stop before a purchase because the answer is sure."""
    nodes, schema, node, members = tree.nodes, tree.schema, group[0], list(group)
    stops_early, model = bool(tree.may_stop[node]), tree.outline.model_tests(group)
    counts, answer = tree.outline.counts(group), int(nodes.label[node])
    if stops_early:
        counts = counts - nodes.counts[nodes.parent == node].sum(axis=0)
    errors, loss = nodes.wrong[members].sum(), None
    if model is not None:  # its answers differ from case to case
        answer = int((counts if stops_early else nodes.shares[node]).argmax())
        errors = counts.sum() - counts[answer]
    elif schema.losses is not None:
        loss = plain_number(schema.loss(nodes.lost[members].sum()))
    return Rule(
        conditions=conditions,
        label=schema.answer_names[answer],
        cost=schema.costs.amount(nodes.paid[node]),
        cases=plain_number(schema.cases(counts.sum())),
        errors=plain_number(schema.cases(int(errors))),
        model=model,
        sure=tree.models.sure if stops_early and tree.models is not None else None,
        loss=loss,
        is_class=answer < len(schema.class_names),
        answer=schema.wording.answers[answer],
        price=tree.words.amount(nodes.paid[node]),
    )
