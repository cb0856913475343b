"""Outline: the tree as people read it, with outcomes that lead to the same subtree on one branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import FineLevels, NumberEncoder
from budgetree.problem.units import finite_float
from budgetree.tree.nodes import LEAF, NO_BRANCH
from budgetree.tree.tree import Tree

Group = tuple[int, ...]  # nodes whose subtrees look the same, drawn as one


@dataclass(frozen=True, slots=True)
class Branch:
    """Outcomes that lead to the same subtree, and the nodes where they lead."""

    outcomes: tuple[int, ...]
    names: tuple[str, ...]
    group: Group


@dataclass(frozen=True, slots=True)
class Visit:
    """One stop of a walk through the outline: into a group, along a branch of its test, and out again."""

    kind: Literal["enter", "branch", "leave"]
    group: Group
    depth: int
    branch: Branch | None = None


class Outline:
    """Which outcomes share a branch, from the root (0,) down."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.schema, self.nodes = tree, tree.schema, tree.nodes

    def is_leaf(self, group: Group) -> bool:
        return bool(self.nodes.test[group[0]] == LEAF)

    def is_purchase(self, group: Group) -> bool:
        """Whether the node only buys its test, in a tree for new cases: one branch for all that it may show."""
        node, otherwise = group[0], self.nodes.otherwise
        if otherwise is None or self.is_leaf(group) or self.tree.charges.repeated[node]:
            return False
        below = self.nodes.children(node, int(self.schema.n_outcomes[self.nodes.test[node]]))
        return bool((below == otherwise[node]).all())

    def model_tests(self, group: Group) -> tuple[str, ...] | None:
        """What the tests are called that the model of a group uses; None where no model answers."""
        model = None if self.tree.models is None else self.tree.models.model(group[0])
        return None if model is None else tuple(self.schema.wording.tests[test] for test in model.tests)

    def takes_unknown(self, group: Group, branch: Branch) -> bool:
        """Whether the branch is also for what no known case showed."""
        return self.nodes.otherwise is not None and int(self.nodes.otherwise[group[0]]) in branch.group

    def takes_all(self, group: Group, branch: Branch) -> bool:
        """Whether every outcome takes the branch."""
        return len(branch.outcomes) == int(self.schema.n_outcomes[self.nodes.test[group[0]]])

    def counts(self, group: Group) -> NDArray[np.int64]:
        """Per class, the units that come here."""
        return cast(NDArray[np.int64], self.nodes.counts[list(group)].sum(axis=0))

    def branches(self, group: Group) -> list[Branch]:
        """The branches of a group's test, in the order of their first outcomes; outcomes never seen have none."""
        test = int(self.nodes.test[group[0]])
        names = self.schema.outcome_names[test]
        below = np.array([self.nodes.children(node, len(names)) for node in group])
        found: dict[int, tuple[list[int], list[int]]] = {}
        for outcome, children in enumerate(below.T.tolist()):
            if children[0] == NO_BRANCH:
                continue
            outcomes, reached = found.setdefault(self._shape[children[0]], ([], []))
            outcomes.append(outcome)
            reached.extend(child for child in children if child not in reached)
        is_purchase = self.is_purchase(group)
        branches = [
            Branch(tuple(outcomes), tuple(["then"] if is_purchase else self.names(test, outcomes)), tuple(reached))
            for outcomes, reached in found.values()
        ]
        if self.nodes.otherwise is not None and not any(self.takes_unknown(group, branch) for branch in branches):
            branches.append(Branch((), ("anything else",), (int(self.nodes.otherwise[group[0]]),)))
        return branches

    def walk(self, *, unknown_last: bool = False) -> Iterator[Visit]:
        """Depth first, by a stack rather than recursion: a tree may be deeper than Python's recursion limit.

        unknown_last: the branch that is also for what no known case showed comes last, as an "else" does.
        """
        stack = [Visit("enter", (0,), 0)]
        while stack:
            visit = stack.pop()
            yield visit
            if visit.branch is not None:
                stack.append(Visit("enter", visit.branch.group, visit.depth + 1))
            elif visit.kind == "enter" and not self.is_leaf(visit.group):
                stack.append(Visit("leave", visit.group, visit.depth))
                branches = self.branches(visit.group)
                if unknown_last:
                    branches.sort(key=lambda branch: self.takes_unknown(visit.group, branch))
                stack += [Visit("branch", visit.group, visit.depth, branch) for branch in reversed(branches)]

    def groups(self) -> list[dict[str, Any]]:
        """Every group, parents before what is below them, as plain data: a branch says by its number where it leads.

        This is what a page needs to show the tree as to_text does, without deciding again what belongs together.
        """
        found: list[dict[str, Any]] = []
        groups: list[Group] = [(0,)]
        for group in groups:  # grows while it is read
            found.append({"nodes": list(group)})
            if not self.is_leaf(group):
                branches = self.branches(group)
                found[-1]["branches"] = [
                    {"outcomes": list(branch.outcomes), "names": list(branch.names), "below": number}
                    for number, branch in enumerate(branches, start=len(groups))
                ]
                groups += [branch.group for branch in branches]
        return found

    def names(self, test: int, outcomes: list[int]) -> list[str]:
        """What the outcomes are called; neighbouring levels without labels as one: "1 to 2", "2 to 5" are "1 to 5"."""
        words, labelled = self.schema.wording.outcomes[test], self.schema.wording.labelled[test]
        found: list[str] = []
        for has_label, members in groupby(outcomes, key=labelled.__contains__):
            run = list(members)
            found += [words[outcome] for outcome in run] if has_label else self._plain_names(test, run)
        return found

    def _plain_names(self, test: int, outcomes: list[int]) -> list[str]:
        encoder = self.schema.encoder(test)
        if isinstance(encoder, FineLevels):
            return encoder.range_names(outcomes)
        names = [self.schema.outcome_names[test][outcome] for outcome in outcomes]
        if encoder is not None and not isinstance(encoder, NumberEncoder):
            return names  # texts that only look like ranges
        joined = names[:1]
        for (before, outcome), name in zip(pairwise(outcomes), names[1:], strict=True):
            low, is_range, high = name.partition(" to ")
            follows = outcome == before + 1 and joined[-1].endswith(f" to {low}")
            if follows and is_range and finite_float(low) is not None:
                joined[-1] = f"{joined[-1].partition(' to ')[0]} to {high}"
            else:
                joined.append(name)
        return joined

    @cached_property
    def _shape(self) -> list[int]:
        """A number per node, the same for nodes whose subtrees ask, cost and answer the same."""
        nodes, number = self.nodes, dict[tuple[int, ...], int]()
        if nodes.otherwise is not None:
            return list(range(len(nodes)))  # where the unknown goes must stay visible, and answers are not alike
        shape = [0] * len(nodes)
        tests, labels, paid = nodes.test.tolist(), nodes.label.tolist(), nodes.paid.tolist()
        for node in reversed(range(len(nodes))):  # children come after their parents
            key = (tests[node], labels[node], paid[node])
            if tests[node] != LEAF:
                below = nodes.children(node, int(self.schema.n_outcomes[tests[node]])).tolist()
                key += tuple(NO_BRANCH if child == NO_BRANCH else shape[child] for child in below)
            shape[node] = number.setdefault(key, len(number))
        return shape
