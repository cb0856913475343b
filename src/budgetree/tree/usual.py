"""Where a case goes on whose test could not be done: with most known cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from budgetree.tree.nodes import NO_BRANCH

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class UsualBranch:
    """The child of a node that a case without a result goes on to."""

    child: int
    outcomes: str | None  # those that lead there, in words; None where all do


def usual_branch(tree: Tree, node: int) -> UsualBranch:
    """The child that most known cases came to; of equals the first.

    A tree with models has chosen one for what is on no list: the larger side too, as its models saw it.
    """
    nodes, test = tree.nodes, int(tree.nodes.test[node])
    children = nodes.children(node, int(tree.schema.n_outcomes[test])).tolist()
    if tree.models is not None:
        assert nodes.otherwise is not None
        child = int(nodes.otherwise[node])
        children = [child if other == NO_BRANCH else other for other in children]
    else:
        found = dict.fromkeys(other for other in children if other != NO_BRANCH)
        child = max(found, key=lambda other: int(nodes.counts[other].sum()))
    if set(children) == {child}:
        return UsualBranch(child, None)
    outcomes = [outcome for outcome, other in enumerate(children) if other == child]
    return UsualBranch(child, " or ".join(tree.outline.names(test, outcomes)) or "none of the known")
