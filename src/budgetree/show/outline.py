"""Outline: the tree as people read it, for text, pictures, rules and pages.

A purchase and the branch by its result are one step, and so is what comes before them where a sure model stops. Results
that lead to the same subtree share a branch, and the leaf for results that no known case showed is left out.

    nodes   buy age ─ by age ─┬─ neg             outline   age? costs 1
                              ├─ neg                       ├─ 20 to 40: neg
                              ├─ pos                       └─ 40 to 60: pos
                              └─ (never seen)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import FineLevels, NumberEncoder
from budgetree.problem.units import finite_float
from budgetree.tree.leaves import Model, Points, Totals
from budgetree.tree.nodes import NO_RULE, Kind, Split
from budgetree.tree.tree import Tree

Group = tuple[int, ...]  # nodes whose subtrees look the same, shown as one
NONE = -1
HIDDEN = -1  # the shape of a leaf for what no known case showed


@dataclass(frozen=True, slots=True)
class Step:
    """The nodes that are shown as one, by their numbers; NONE where there is no such node.

    Attributes
    ----------
    confidence : int
        A branch by confidence: where the model is sure, a case stops.
    stop : int
        The leaf where it does.
    buy, branch : int
        The purchase, and the branch: by the result of what is bought, or by what was bought before.
    """

    confidence: int = NONE
    stop: int = NONE
    buy: int = NONE
    branch: int = NONE


@dataclass(frozen=True, slots=True)
class Branch:
    """Results, or sides, that lead to the same subtree, and the nodes where they lead."""

    results: tuple[int, ...]  # positions among the children of the branch: outcomes and last the unlisted, or sides
    names: tuple[str, ...]
    group: Group


@dataclass(frozen=True, slots=True)
class Visit:
    """One stop of a walk through the outline: into a group, along one of its branches, and out again."""

    kind: Literal["enter", "branch", "leave"]
    group: Group
    depth: int
    branch: Branch | None = None


@dataclass(frozen=True, slots=True)
class _Survey:
    shape: list[int]  # per node, the same for nodes whose subtrees ask, cost and answer the same
    leaves: list[int]  # per node, the leaves that are shown below it
    most: list[int]  # per node, what the costliest of them has spent


class Outline:
    """Which nodes are one step and which results share a branch, from the root (0,) down."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.schema, self.nodes = tree, tree.schema, tree.nodes
        self._steps: dict[int, Step] = {}

    def is_leaf(self, group: Group) -> bool:
        return bool(self.nodes.is_leaf[group[0]])

    def is_hidden(self, node: int) -> bool:
        """Whether the node is a leaf for what no known case showed."""
        return self._is_hidden[node]

    def step(self, node: int) -> Step:
        """What is shown as one from this node on; nothing for a leaf."""
        if node not in self._steps:
            self._steps[node] = self._step(node)
        return self._steps[node]

    def _step(self, node: int) -> Step:
        nodes, confidence, stop = self.nodes, NONE, NONE
        if self._stops_early[node]:
            confidence, (stop, node) = node, nodes.below(node).tolist()
        if not nodes.is_buy[node]:
            return Step(confidence, stop, branch=NONE if nodes.is_leaf[node] else node)
        child = int(nodes.below(node)[0])
        at_once = nodes.kind[child] == Kind.BY_RESULT and nodes.test[child] == nodes.test[node]
        return Step(confidence, stop, node, child if at_once else NONE)

    def is_purchase(self, group: Group) -> bool:
        """Whether a test is bought there and nothing is decided by it yet."""
        return not self.is_leaf(group) and self.step(group[0]).branch == NONE

    def split(self, step: Step) -> Split | None:
        """By what totals the step branches; None for the result of one test, or where nothing branches."""
        by_total = self.nodes.splits and step.branch != NONE and self.nodes.kind[step.branch] == Kind.BY_TOTAL
        return self.nodes.splits[self.nodes.rule[step.branch]] if by_total else None

    def counts(self, group: Group) -> NDArray[np.int64]:
        """Per class, the units that come here."""
        return cast(NDArray[np.int64], self.nodes.counts[list(group)].sum(axis=0))

    def answered(self, leaves: Sequence[int]) -> NDArray[np.int64]:
        """Answer × class: what known cases are answered at these leaves, in units."""
        return cast(NDArray[np.int64], sum(self.nodes.answered_at(leaf) for leaf in leaves))

    @property
    def n_leaves(self) -> int:
        """The leaves that are shown."""
        return self._survey.leaves[0]

    def most(self, group: Group) -> int:
        """What the costliest leaf that is shown below a group has spent."""
        return self._survey.most[group[0]]

    def joined(self, node: int, *, hidden: bool = False) -> list[tuple[list[int], int]]:
        """Of a branch: the results that lead to subtrees of the same shape, with the first of these."""
        found: dict[int, tuple[list[int], int]] = {}
        for result, child in enumerate(self.nodes.below(node).tolist()):
            shape = HIDDEN if self._is_hidden[child] else self._survey.shape[child]
            if hidden or shape != HIDDEN:
                found.setdefault(shape, ([], child))[0].append(result)
        return list(found.values())

    def branches(self, group: Group) -> list[Branch]:
        """The branches of a group in the order of their first results; what no known case showed has none."""
        steps = [self.step(node) for node in group]
        if steps[0].branch == NONE:
            bought = dict.fromkeys(int(self.nodes.below(step.buy)[0]) for step in steps)
            return [Branch((), ("then",), tuple(bought))]
        below = np.array([self.nodes.below(step.branch) for step in steps])
        found = []
        for results, _ in self.joined(steps[0].branch):
            reached = dict.fromkeys(below[:, results].T.ravel().tolist())
            found.append(Branch(tuple(results), self._names(steps[0], results), tuple(reached)))
        return found

    def walk(self) -> Iterator[Visit]:
        """Depth first, by a stack rather than recursion: a tree may be deeper than Python's recursion limit."""
        stack = [Visit("enter", (0,), 0)]
        while stack:
            visit = stack.pop()
            yield visit
            if visit.branch is not None:
                stack.append(Visit("enter", visit.branch.group, visit.depth + 1))
            elif visit.kind == "enter" and not self.is_leaf(visit.group):
                stack.append(Visit("leave", visit.group, visit.depth))
                branches = self.branches(visit.group)
                stack += [Visit("branch", visit.group, visit.depth, branch) for branch in reversed(branches)]

    def groups(self) -> list[dict[str, Any]]:
        """Every group, parents before what is below them, as plain data: a branch says by its number where it leads.

        This is what a page needs to show the tree as to_text does, without deciding again what belongs together: the
        nodes that come together, those that are one step with the first of them, and the branches.
        """
        found: list[dict[str, Any]] = []
        groups: list[Group] = [(0,)]
        for group in groups:  # grows while it is read
            found.append({"nodes": list(group)})
            if self.is_leaf(group):
                continue
            step, branches = self.step(group[0]), self.branches(group)
            parts = {"confidence": step.confidence, "stop": step.stop, "buy": step.buy, "branch": step.branch}
            found[-1] |= {name: node for name, node in parts.items() if node != NONE}
            found[-1]["branches"] = [
                {**self._taken(step, branch), "names": list(branch.names), "below": number}
                for number, branch in enumerate(branches, start=len(groups))
            ]
            groups += [branch.group for branch in branches]
        return found

    def _taken(self, step: Step, branch: Branch) -> dict[str, list[int]]:
        """The outcomes that take a branch, none for what is not listed; or the sides of a total."""
        if self.split(step) is not None:
            return {"sides": list(branch.results)}
        test = self.nodes.test[step.branch]
        return {"outcomes": [result for result in branch.results if result < self.schema.n_outcomes[test]]}

    def points(self, node: int) -> Totals | None:
        """The points that a leaf answers by, or that the step from a node on branches by."""
        rule = self.nodes.rule_of(node) if self.nodes.is_leaf[node] else self.split(self.step(node))
        is_points = isinstance(rule, Points) or (isinstance(rule, Split) and rule.model is None)
        return cast(Any, rule).totals if is_points else None

    @cached_property
    def tables(self) -> tuple[Totals, ...]:
        """All of them, in the order of the nodes."""
        numbers = np.flatnonzero(self.nodes.rule != NO_RULE).tolist()
        found = dict.fromkeys(map(self.points, numbers))
        return tuple(totals for totals in found if totals is not None)

    def _names(self, step: Step, results: list[int]) -> tuple[str, ...]:
        split = self.split(step)
        if split is not None and split.confidence is not None:
            sure = f"{percent(split.confidence)} sure"
            return ("any",) if len(results) == 2 else (sure if results == [0] else "less sure",)
        if split is not None and split.is_score:
            return chance_names(split.chances, results)
        if split is not None:
            return point_names(split.cuts, results)
        test = int(self.nodes.test[step.branch])
        listed = [result for result in results if result < self.schema.n_outcomes[test]]
        return tuple(self.names(test, listed)) if listed else ("anything else",)

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
    def shared_paid(self) -> list[int]:
        """Per node, a mask of the shared amounts that were paid above it."""
        costs, paid = self.schema.costs, [0] * len(self.nodes)
        flags, test, is_buy = costs.pays.tolist(), self.nodes.test.tolist(), self.nodes.is_buy.tolist()
        for node, above in enumerate(self.nodes.parent.tolist()[1:], start=1):
            paid[node] = paid[above] | (flags[test[above]] if is_buy[above] else 0)
        return paid

    @cached_property
    def _is_hidden(self) -> list[bool]:
        """Per node, whether it is a leaf for what no known case showed where some came: it answers as those do."""
        nodes = self.nodes
        reached, above = nodes.counts.any(axis=1), np.maximum(nodes.parent, 0)
        is_silent = nodes.is_leaf & (nodes.rule == NO_RULE) & np.invert(reached)
        hidden: list[bool] = (is_silent & (nodes.kind[above] == Kind.BY_RESULT) & np.take(reached, above)).tolist()
        return hidden

    @cached_property
    def _stops_early(self) -> list[bool]:
        """Per node, whether it is a branch by confidence that is one step with what follows for those who go on.

        That is so where sure cases get the answer of the same model, and something is done with the others.
        """
        nodes, found = self.nodes, [False] * len(self.nodes)
        for node in np.flatnonzero(nodes.kind == Kind.BY_TOTAL).tolist():
            split = nodes.splits[nodes.rule[node]]
            if split.confidence is not None:
                stop, on = nodes.below(node).tolist()
                rule = nodes.rule_of(stop)
                is_same = isinstance(rule, Model) and (rule.totals is split.totals or rule.totals == split.totals)
                found[node] = is_same and not nodes.is_leaf[on] and not self._is_by_confidence(on)
        return found

    def _is_by_confidence(self, node: int) -> bool:
        nodes = self.nodes
        return bool(nodes.kind[node] == Kind.BY_TOTAL and nodes.splits[nodes.rule[node]].confidence is not None)

    @cached_property
    def _survey(self) -> _Survey:
        """What the subtrees are like, from the leaves up: children come after their parents."""
        nodes, number, is_hidden, stops_early = self.nodes, dict[Any, int](), self._is_hidden, self._stops_early
        shape, leaves, most = [0] * len(nodes), [1] * len(nodes), nodes.spent.tolist()
        kinds, tests, labels = nodes.kind.tolist(), nodes.test.tolist(), nodes.label.tolist()
        rules, spent, first = nodes.rule.tolist(), nodes.spent.tolist(), nodes.first.tolist()
        children, charges, charge_at = nodes.children.tolist(), nodes.charges.tolist(), nodes.charge_at.tolist()
        widths = (nodes.n_outcomes + 1).tolist()
        same = _first_equal([*nodes.rules, *nodes.splits])
        for node in range(len(nodes) - 1, -1, -1):
            kind, rule, begin = kinds[node], rules[node], first[node]
            key: tuple[Any, ...] = (kind, spent[node])
            if kind == Kind.LEAF:
                key += (labels[node],) if rule == NO_RULE else (None, same[rule])
            elif kind == Kind.BUY:
                child = children[begin]
                # The first charge tells which shared amounts are due.
                key += (labels[node], tests[node], charges[charge_at[node]], shape[child])
                leaves[node], most[node] = leaves[child], most[child]
            else:
                by_total = kind == Kind.BY_TOTAL
                width = nodes.splits[rule].n_sides if by_total else widths[tests[node]]
                below = children[begin : begin + width]
                key += (labels[node], same[len(nodes.rules) + rule] if by_total else tests[node])
                key += tuple([HIDDEN if is_hidden[child] else shape[child] for child in below])
                shown = {shape[child]: child for child in below if not is_hidden[child]}.values()
                most[node] = max([most[child] for child in shown])
                leaves[node] = leaves[below[1]] if stops_early[node] else sum([leaves[child] for child in shown])
            shape[node] = number.setdefault(key, len(number))
        return _Survey(shape, leaves, most)


def _first_equal(entries: Sequence[Any]) -> list[int]:
    """Per entry, the position of the first that equals it."""
    first: dict[Any, int] = {}
    return [first.setdefault(entry, position) for position, entry in enumerate(entries)]


def point_names(cuts: Sequence[int], sides: Sequence[int]) -> tuple[str, ...]:
    """What totals on these sides are called, neighbouring sides as one.

    >>> point_names((2, 7), [0]), point_names((2, 7), [1]), point_names((2, 7), [0, 2])
    (('1 or fewer',), ('2 to 6 points',), ('1 or fewer', '7 points or more'))
    """
    found: list[str] = []
    for members in _runs(sides):
        low = cuts[members[0] - 1] if members[0] else None
        high = cuts[members[-1]] - 1 if members[-1] < len(cuts) else None
        if low is None:
            found.append("any" if high is None else f"{high} or fewer")
        elif high is None:
            found.append(f"{_points(low)} or more")
        else:
            found.append(_points(low) if low == high else f"{low} to {high} points")
    return tuple(found)


def chance_names(chances: Sequence[float], sides: Sequence[int]) -> tuple[str, ...]:
    """What chances on these sides are called, neighbouring sides as one.

    >>> chance_names((0.07, 0.932), [0]), chance_names((0.07, 0.932), [1, 2]), chance_names((0.07, 0.932), [1])
    (('below 7%',), ('7% or more',), ('7% to 93.2%',))
    """
    found: list[str] = []
    for members in _runs(sides):
        low = f"{100 * chances[members[0] - 1]:.3g}%" if members[0] else None
        high = f"{100 * chances[members[-1]]:.3g}%" if members[-1] < len(chances) else None
        if low is None:
            found.append("any" if high is None else f"below {high}")
        else:
            found.append(f"{low} or more" if high is None else f"{low} to {high}")
    return tuple(found)


def _runs(sides: Sequence[int]) -> list[list[int]]:
    """Neighbouring sides together."""
    runs = groupby(enumerate(sides), key=lambda entry: entry[1] - entry[0])
    return [[side for _, side in run] for _, run in runs]


def percent(probability: float | None) -> str:
    return f"{100 * (probability or 0):.4g}%"


def _points(number: int) -> str:
    return f"{number} point{'' if abs(number) == 1 else 's'}"
