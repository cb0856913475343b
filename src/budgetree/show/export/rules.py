"""A tree as rules: one per path through it, with what that costs and how many known cases it holds for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from budgetree.problem.units import plain_number, show_number
from budgetree.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, the case is of this class."""

    conditions: tuple[tuple[str, tuple[str, ...]], ...]  # test and what it may show; neighbouring levels are one
    label: Any
    cost: int | float  # what the tests cost, at the costliest of these outcomes
    cases: int | float  # known cases it holds for, by weight
    errors: int | float  # of these, those of another class

    def __str__(self) -> str:
        tests = " and ".join(f"{test} is {' or '.join(outcomes)}" for test, outcomes in self.conditions)
        right = show_number(self.cases - self.errors)
        return (
            f"{f'if {tests} then' if tests else 'always'} {self.label}"
            f"  [costs {show_number(self.cost)}; right for {right} of {show_number(self.cases)}]"
        )


def rules(tree: Tree) -> tuple[Rule, ...]:
    """From the first branch to the last."""
    outline, schema, nodes = tree.outline, tree.schema, tree.nodes
    path: list[tuple[str, tuple[str, ...]]] = []
    found = []
    for visit in outline.walk():
        if visit.branch is not None:
            del path[visit.depth :]
            path.append((schema.test_names[nodes.test[visit.group[0]]], visit.branch.names))
        elif visit.kind == "enter" and outline.is_leaf(visit.group):
            counts = outline.counts(visit.group)
            found.append(
                Rule(
                    conditions=tuple(path),
                    label=schema.class_names[nodes.label[visit.group[0]]],
                    cost=schema.table.amount(nodes.paid[visit.group[0]]),
                    cases=plain_number(schema.cases(counts.sum())),
                    errors=plain_number(schema.cases(counts.sum() - counts.max())),
                )
            )
    return tuple(found)
