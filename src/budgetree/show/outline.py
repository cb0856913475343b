"""Outline: the tree for display, in text, pictures, rules, the page and paper.

Purchases one after the other are one stage, with the branch or the answer that ends it. Results that lead to the same
subtree share a branch, and the leaf for results that no known case showed is left out.

    nodes   buy sex ─ buy age ─ by age ─┬─ neg             outline   sex, age: costs 2
                                        ├─ neg                       ├─ 20 to 40: neg
                                        ├─ pos                       └─ 40 to 60: pos
                                        └─ (never seen)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import NumberEncoder
from budgetree.tree.leaves import LEAST, MOST, Points, Totals, softmax
from budgetree.tree.nodes import NO_RULE, Kind, Split
from budgetree.tree.tree import Tree

Group = tuple[int, ...]  # nodes whose subtrees look the same, shown as one
HIDDEN = -1  # the shape of a leaf for what no known case showed


@dataclass(frozen=True, slots=True)
class Stage:
    """Nodes that are shown as one, by their numbers: purchases, and the branch or leaf that ends them."""

    buys: tuple[int, ...]
    end: int


@dataclass(frozen=True, slots=True)
class Branch:
    """Results, or sides, that lead to the same subtree, and the nodes where they lead."""

    results: tuple[int, ...]  # positions among the children of the branch: outcomes and last the unlisted, or sides
    names: tuple[str, ...]
    group: Group


@dataclass(frozen=True, slots=True)
class Visit:
    """A group on a walk through the outline, and what leads there."""

    group: Group
    depth: int = 0
    branch: Branch | None = None  # none leads to the root
    above: Group | None = None
    is_last: bool = False  # of the branches above


@dataclass(frozen=True, slots=True)
class _Survey:
    shape: list[int]  # per node, the same for nodes whose subtrees ask, cost (all resources) and answer the same
    leaves: list[int]  # per node, the leaves that are shown below it
    most: list[int]  # per node, what the costliest of them has spent


class Outline:
    """Which nodes are one stage and which results share a branch, from the root (0,) down."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.schema, self.nodes = tree, tree.schema, tree.nodes

    def is_leaf(self, group: Group) -> bool:
        return bool(self.nodes.is_leaf[group[0]])

    def is_hidden(self, node: int) -> bool:
        """Whether the node is a leaf for what no known case showed."""
        return self._is_hidden[node]

    def stage(self, node: int) -> Stage:
        """What is shown as one from this node on; of a leaf that alone."""
        buys = []
        while self.nodes.is_buy[node]:
            buys.append(node)
            node = int(self.nodes.below(node)[0])
        return Stage(tuple(buys), node)

    def split(self, node: int) -> Split | None:
        """By what totals a node branches; None for the result of one test, or where nothing branches."""
        return self.nodes.splits[self.nodes.rule[node]] if self.nodes.kind[node] == Kind.BY_TOTAL else None

    def answer(self, leaf: int) -> int | None:
        """What a leaf answers to everyone, by its position; None where that depends on the case.

        Points and models answer the same to everyone where a branch by the same total left only what gets one answer.
        """
        nodes, rule, above = self.nodes, self.nodes.scored(leaf), int(self.nodes.parent[leaf])
        if rule is None:
            return int(nodes.label[leaf])
        split = None if above < 0 else self.split(above)
        is_model = not isinstance(rule, Points)
        if split is None or split.confidence is not None or split.is_score != is_model or rule.totals != split.totals:
            return None
        edges, answers = [LEAST, *split.cuts, MOST + 1], set[int]()
        for side in np.flatnonzero(nodes.below(above) == leaf).tolist():
            low, high = edges[side], edges[side + 1] - 1
            if isinstance(rule, Points):
                first, last = rule.sides(np.array([low, high])).tolist()
                chances = np.array(rule.chances[first : last + 1])
            else:
                chances = softmax(np.array([(0, low), (0, high)]))
            answers |= set(nodes.loss_table.best(chances).tolist())
        return answers.pop() if len(answers) == 1 else None

    @cached_property
    def target(self) -> int:
        """Of two classes the one that is looked for: costlier to miss, counted by points or rarer; else the last."""
        nodes, last = self.nodes, len(self.schema.class_names) - 1
        if last != 1:
            return last
        positive, why = nodes.loss_table.positive(nodes.counts[0].tolist())
        rule = next((rule for rule in nodes.rules if isinstance(rule, Points)), None)
        if rule is None or why == "loss":
            return last if positive is None else positive
        return int(rule.chances[-1][1] >= rule.chances[0][1])

    def counts(self, group: Group) -> NDArray[np.int64]:
        """Per class, the units that come here."""
        return cast(NDArray[np.int64], self.nodes.counts[list(group)].sum(axis=0))

    def answered(self, leaves: Sequence[int]) -> NDArray[np.int64]:
        """Answer × class: what known cases are answered at these leaves, in units."""
        return cast(NDArray[np.int64], sum(self.nodes.answered_at(leaf) for leaf in leaves))

    def leaves(self, group: Group) -> int:
        """How many leaves are shown below a group."""
        return self._survey.leaves[group[0]]

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
        ends = list(dict.fromkeys(self.stage(node).end for node in group))
        if self.nodes.is_leaf[ends[0]]:
            return [Branch((), (), tuple(ends))]
        below = np.array([self.nodes.below(end) for end in ends])
        found = []
        for results, _ in self.joined(ends[0]):
            reached = dict.fromkeys(below[:, results].T.ravel().tolist())
            found.append(Branch(tuple(results), self._names(ends[0], results), tuple(reached)))
        return found

    def walk(self, max_depth: float = math.inf) -> Iterator[Visit]:
        """Depth first, by a stack rather than recursion: a tree may be deeper than Python's recursion limit."""
        stack = [Visit((0,))]
        while stack:
            visit = stack.pop()
            yield visit
            if visit.depth < max_depth and not self.is_leaf(visit.group):
                branches, below = self.branches(visit.group), visit.depth + 1
                stack += [Visit(of.group, below, of, visit.group, of is branches[-1]) for of in reversed(branches)]

    def groups(self) -> list[dict[str, Any]]:
        """Every group, parents before what is below them, as plain data: a branch says by its number where it leads.

        This is what a page needs to show the tree as to_text does, without deciding again what belongs together: the
        nodes that come together, those that are one stage with the first of them, and the branches.
        """
        found: list[dict[str, Any]] = []
        groups: list[Group] = [(0,)]
        for group in groups:  # grows while it is read
            found.append({"nodes": list(group)})
            if self.is_leaf(group):
                continue
            stage, branches = self.stage(group[0]), self.branches(group)
            found[-1] |= {"buys": list(stage.buys), "end": stage.end}
            found[-1]["branches"] = [
                {**self._taken(stage.end, branch), "below": number}
                for number, branch in enumerate(branches, start=len(groups))
            ]
            groups += [branch.group for branch in branches]
        return found

    def _taken(self, end: int, branch: Branch) -> dict[str, list[int]]:
        """The outcomes that take a branch, none for what is not listed; or the sides of a total."""
        if self.nodes.kind[end] != Kind.BY_RESULT:
            return {"sides": list(branch.results)}
        test = self.nodes.test[end]
        return {"outcomes": [result for result in branch.results if result < self.schema.n_outcomes[test]]}

    def points(self, node: int) -> Totals | None:
        """The points that a leaf answers by, or that the stage from a node on branches by."""
        rule = self.nodes.rule_of(node) if self.nodes.is_leaf[node] else self.split(self.stage(node).end)
        is_points = isinstance(rule, Points) or (isinstance(rule, Split) and rule.model is None)
        return cast(Any, rule).totals if is_points else None

    @cached_property
    def tables(self) -> tuple[Totals, ...]:
        """All of them, in the order of the nodes."""
        numbers = np.flatnonzero(self.nodes.rule != NO_RULE).tolist()
        found = dict.fromkeys(map(self.points, numbers))
        return tuple(totals for totals in found if totals is not None)

    def _names(self, end: int, results: list[int]) -> tuple[str, ...]:
        split = self.split(end)
        if split is not None and split.confidence is not None:
            sure = f"{percent(split.confidence)} sure"
            return ("any",) if len(results) == 2 else (sure if results == [0] else "less sure",)
        if split is not None and split.is_score:
            return chance_names(split.chances, results, of_second=self.target == 1)
        if split is not None:
            return point_names(split.cuts, results)
        test = int(self.nodes.test[end])
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
        if isinstance(encoder, NumberEncoder):
            return encoder.range_names(outcomes)
        return [self.schema.outcome_names[test][outcome] for outcome in outcomes]

    @cached_property
    def shared_paid(self) -> list[int]:
        """Per node, a mask of the shared amounts that are due no more, and of the conditions that any result meets."""
        costs, paid = self.schema.costs, [0] * len(self.nodes)
        flags, test, is_buy = costs.always.tolist(), self.nodes.test.tolist(), self.nodes.is_buy.tolist()
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
    def _survey(self) -> _Survey:
        """What the subtrees are like, from the leaves up: children come after their parents."""
        nodes, number, is_hidden = self.nodes, dict[Any, int](), self._is_hidden
        shape, leaves, most = [0] * len(nodes), [1] * len(nodes), nodes.spent.tolist()
        kinds, tests, labels = nodes.kind.tolist(), nodes.test.tolist(), nodes.label.tolist()
        rules, first, children = nodes.rule.tolist(), nodes.first.tolist(), nodes.children.tolist()
        spent, charges = (list(zip(*of, strict=True)) for of in (nodes.all_spent.tolist(), nodes.all_charges.tolist()))
        charge_at = nodes.charge_at.tolist()
        widths = (nodes.n_outcomes + 1).tolist()
        same = _first_equal([*nodes.rules, *nodes.splits])
        for node in range(len(nodes) - 1, -1, -1):
            kind, rule, begin = kinds[node], rules[node], first[node]
            key: tuple[Any, ...] = (kind, spent[node])
            if kind == Kind.LEAF:
                key += (labels[node],) if rule == NO_RULE else (self.answer(node), None, same[rule])
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
                leaves[node] = sum([leaves[child] for child in shown])
            shape[node] = number.setdefault(key, len(number))
        return _Survey(shape, leaves, most)


def _first_equal(entries: Sequence[Any]) -> list[int]:
    """Per entry, the position of the first that equals it."""
    first: dict[Any, int] = {}
    return [first.setdefault(entry, position) for position, entry in enumerate(entries)]


def point_names(cuts: Sequence[int], sides: Sequence[int]) -> tuple[str, ...]:
    """What totals on these sides are called, neighbouring sides as one.

    >>> point_names((2, 7), [0]), point_names((2, 7), [1]), point_names((2, 7), [0, 2])
    (('1 point or fewer',), ('2 to 6 points',), ('1 point or fewer', '7 points or more'))
    """
    found: list[str] = []
    for members in _runs(sides):
        low = cuts[members[0] - 1] if members[0] else None
        high = cuts[members[-1]] - 1 if members[-1] < len(cuts) else None
        if low is None:
            found.append("any" if high is None else f"{_points(high)} or fewer")
        elif high is None:
            found.append(f"{_points(low)} or more")
        else:
            found.append(_points(low) if low == high else f"{low} to {high} points")
    return tuple(found)


def chance_names(chances: Sequence[float], sides: Sequence[int], *, of_second: bool = True) -> tuple[str, ...]:
    """What chances on these sides are called, neighbouring sides as one; of the second of two classes, or the first.

    >>> chance_names((0.07, 0.932), [0]), chance_names((0.07, 0.932), [1, 2]), chance_names((0.07, 0.932), [1])
    (('below 7%',), ('7% or more',), ('7% to 93.2%',))
    >>> chance_names((0.07, 0.932), [0], of_second=False), chance_names((0.07, 0.932), [2], of_second=False)
    (('above 93%',), ('up to 6.8%',))
    """
    found: list[str] = []
    own = [f"{100 * (chance if of_second else 1 - chance):.3g}%" for chance in chances]
    for members in _runs(sides):
        low, high = own[members[0] - 1] if members[0] else None, own[members[-1]] if members[-1] < len(own) else None
        if low is None:
            found.append("any" if high is None else f"below {high}" if of_second else f"above {high}")
        elif high is None:
            found.append(f"{low} or more" if of_second else f"up to {low}")
        else:
            found.append(f"{low} to {high}" if of_second else f"{high} to {low}")
    return tuple(found)


def _runs(sides: Sequence[int]) -> list[list[int]]:
    """Neighbouring sides together."""
    runs = groupby(enumerate(sides), key=lambda entry: entry[1] - entry[0])
    return [[side for _, side in run] for _, run in runs]


def percent(probability: float | None) -> str:
    return f"{100 * (probability or 0):.4g}%"


def _points(number: int) -> str:
    return f"{number} point{'' if abs(number) == 1 else 's'}"
