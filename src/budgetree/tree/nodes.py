"""Nodes: a tree as arrays. Nodes buy, branch or answer.

    buy      a test is paid; its result is known from here on, and nothing is decided yet
    branch   what is known sends cases different ways, for nothing: the result of one test, a total of points, or what
             a model says. Stopping early is a branch, one side of which is a leaf
    leaf     answers (leaves.py)

A child has a larger number than its parent. Every result has somewhere to go, also one that is not listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.problem import CostModel, LossTable, PathState
from budgetree.problem.cost_model import mask_of
from budgetree.tree.leaves import (
    Fixed,
    Leaf,
    Majority,
    Model,
    Points,
    Scored,
    Totals,
    check_cuts,
    is_whole,
    unfit,
    whole_numbers,
)

NO_TEST = -1
NO_RULE = -1  # of a leaf: the majority answers


class Kind(IntEnum):
    """What a node does, as the core numbers it."""

    BUY = 0
    BY_RESULT = 1
    BY_TOTAL = 2
    LEAF = 3


@dataclass(frozen=True, slots=True)
class Split:
    """How a branch sends cases to its sides: by a test's result, a total of points, a model's score or its confidence.

    Attributes
    ----------
    test, sides : int, tuple of int
        By result: the position of the test, else -1; the side of each outcome, and last of a result that is not listed.
    totals, cuts : Totals or None, tuple of int
        By a total: what is added up; ascending, below the first is side 0, from there on side 1, and so on.
    confidence : float or None
        By a model: side 0 where some class has at least this probability, else side 1.
    is_score : bool
        Whether the total is the single score of a model of two classes, in millionths, and not points.

    Raises
    ------
    TreeError
        Where the positions or cuts are not whole numbers, or the confidence is not a probability above 0.

    Examples
    --------
    >>> import budgetree as bt
    >>> import numpy as np
    >>> bt.Split.by_result(3, (0, 1, 1)).n_sides  # the first of two outcomes; the second, and what is not listed
    2
    >>> split = bt.Split.by_points({0: (0, 5, 2), 4: (0, 1, 0)}, cuts=(2, 4))
    >>> split.n_sides, split.tests
    (3, (0, 4))
    >>> model = bt.Model(bt.Totals.of_points({0: (-2_500_000, 2_100_000, 0)}))  # scores are millionths
    >>> [round(chance, 2) for chance in bt.Split.by_score(model, cuts=(-2_000_000, 1_400_000)).chances]
    [0.12, 0.8]
    >>> scores = np.array([[2_000_000, 0], [0, 1_000_000], [0, 0]], dtype=np.int32)  # result × class
    >>> bt.Split.by_confidence(bt.Model(bt.Totals((3,), (scores,), np.zeros(2, dtype=np.int64))), 0.85).n_sides
    2
    """

    test: int = NO_TEST
    sides: tuple[int, ...] = ()
    totals: Totals | None = None
    cuts: tuple[int, ...] = ()
    confidence: float | None = None
    is_score: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.is_score, bool):
            raise unfit("is_score", self.is_score, "True or False")
        sides = whole_numbers(self.sides, "sides", "whole numbers from 0 on")
        if self.totals is None:
            if not is_whole(self.test) or self.test < 0:
                raise unfit("test", self.test, "the position of a test, a whole number from 0 on")
            if not sides or self.cuts or self.confidence is not None or self.is_score:
                expected = "the side of each result, and neither cuts nor a confidence"
                raise unfit("sides", (sides, self.cuts, self.confidence), expected)
            object.__setattr__(self, "test", int(self.test))
        elif sides or self.test != NO_TEST or ((self.cuts or self.is_score) and self.confidence is not None):
            raise unfit("totals", (self.test, sides, self.cuts, self.confidence), "cuts or a confidence, nothing else")
        elif self.confidence is not None:
            if not isinstance(self.confidence, Real) or not 0 < self.confidence <= 1:
                raise unfit("confidence", self.confidence, "a probability above 0 and at most 1")
            object.__setattr__(self, "confidence", float(self.confidence))
        elif self.totals.n_totals != 1:
            raise unfit("totals", self.totals.n_totals, "a single total, where cuts decide")
        object.__setattr__(self, "sides", sides)
        object.__setattr__(self, "cuts", check_cuts(self.cuts))

    @classmethod
    def by_result(cls, test: int, sides: Sequence[int]) -> Split:
        """By one test: the side of each outcome, and last of a result that is not listed.

        Parameters
        ----------
        test : int
            Its position.
        sides : sequence of int
            From 0 on, without a gap.
        """
        return cls(test, tuple(sides))

    @classmethod
    def by_points(cls, points: Mapping[int, Sequence[int]] | Totals, cuts: Sequence[int]) -> Split:
        """By a total: side 0 is below the first cut, side 1 from there to the second, and so on.

        Parameters
        ----------
        points : dict or Totals
            By the position of a test: the points of each outcome, and last of a result that is not listed.
        cuts : sequence of int
            Ascending.
        """
        totals = points if isinstance(points, Totals) else Totals.of_points(points)
        return cls(totals=totals, cuts=tuple(cuts))

    @classmethod
    def by_score(cls, model: Model, cuts: Sequence[int]) -> Split:
        """By how likely the second of two classes is: side 0 is below the first cut, and so on.

        Parameters
        ----------
        model : Model
            With a single score, of tests that were bought.
        cuts : sequence of int
            Scores in millionths, ascending; a score s is the probability 1 / (1 + exp(-s / 1000000)).
        """
        return cls(totals=model.totals, cuts=tuple(cuts), is_score=True)

    @classmethod
    def by_confidence(cls, model: Model, confidence: float) -> Split:
        """By how sure a model is: side 0 where some class has this probability, side 1 where none has.

        Parameters
        ----------
        model : Model
            Of tests that were bought.
        confidence : float
            A probability above 0.
        """
        return cls(totals=model.totals, confidence=confidence)

    @property
    def model(self) -> Model | None:
        """The model whose confidence or score decides; None where it is points or a result."""
        is_model = self.totals is not None and (self.is_score or self.confidence is not None)
        return Model(self.totals) if is_model and self.totals is not None else None

    @property
    def chances(self) -> tuple[float, ...]:
        """By score: how likely the second class is at each cut."""
        if self.totals is None or not self.cuts:
            return ()
        return tuple(Model(self.totals).probabilities(np.array(self.cuts)[:, None])[:, 1].tolist())

    @property
    def n_sides(self) -> int:
        """How many there are."""
        if self.totals is None:
            return max(self.sides) + 1
        return 2 if self.confidence is not None else len(self.cuts) + 1

    @property
    def tests(self) -> tuple[int, ...]:
        """The tests that it reads."""
        return (self.test,) if self.totals is None else self.totals.tests


@dataclass(frozen=True, slots=True, eq=False)
class Buy:
    """A test is paid."""

    test: int
    child: int
    charge: NDArray[np.int64]  # per outcome, and last where it is not listed; with what tests share
    shown: NDArray[np.int64]  # the same in weight units of known cases


@dataclass(frozen=True, slots=True)
class Branch:
    """What is known sends cases different ways."""

    split: Split
    children: tuple[int, ...]  # per side


Node = Buy | Branch | Leaf


@dataclass(frozen=True, eq=False)
class Nodes:
    """A tree as arrays, one entry per node; `nodes[number]` is a node as a record.

    The arrays are read-only, also after unpickling, and cached values are not pickled.
    """

    kind: NDArray[np.uint8]
    test: NDArray[np.int32]  # bought, or branched on by result; NO_TEST elsewhere
    children: NDArray[np.int32]  # of a buy the child; by result one per outcome and one more; by total one per side
    all_charges: NDArray[np.int64]  # resource × per buy: one per outcome, and last where it is not listed; with fees
    shown: NDArray[np.int64]  # the same in weight units of known cases
    rule: NDArray[np.int32]  # of a branch by total a position in splits, of a leaf in rules or NO_RULE
    counts: NDArray[np.int64]  # node × class: the known cases that come there, in weight units
    all_spent: NDArray[np.int64]  # resource × node: on arrival, at the costliest results that lead there
    known_spent: NDArray[np.int64]  # of the first resource, by results that known cases showed there
    fallback: NDArray[np.bool_]  # of a buy: Pairs chose, because every other ratio was infinite
    n_outcomes: NDArray[np.int64]  # per test
    loss_table: LossTable
    splits: tuple[Split, ...] = ()
    rules: tuple[Fixed | Points | Model, ...] = ()
    # By node, answer × class: what known cases were answered, at leaves with scores and at branches by a model.
    given: Mapping[int, NDArray[np.int64]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for array in self.arrays.values():
            array.setflags(write=False)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The fields that are arrays."""
        return {name: array for name, array in self.__getstate__().items() if isinstance(array, np.ndarray)}

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __len__(self) -> int:
        return len(self.kind)

    def __iter__(self) -> Iterator[Node]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, node: int) -> Node:
        kind = self.kind[node]
        if kind == Kind.LEAF:
            rule = self.rule[node]
            return Majority(tuple(self.counts[self.voters[node]].tolist())) if rule == NO_RULE else self.rules[rule]
        below = self.below(node)
        if kind == Kind.BUY:
            results = self.results(node)
            return Buy(int(self.test[node]), int(below[0]), self.all_charges[0, results], self.shown[results])
        if kind == Kind.BY_TOTAL:
            return Branch(self.splits[self.rule[node]], tuple(below.tolist()))
        sides = sorted(set(below.tolist()))
        return Branch(Split.by_result(int(self.test[node]), [sides.index(child) for child in below]), tuple(sides))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nodes):
            return NotImplemented
        same = all(np.array_equal(array, other.arrays[name]) for name, array in self.arrays.items())
        mine, its = ({node: table.tolist() for node, table in nodes.given.items()} for nodes in (self, other))
        rules = (self.splits, self.rules, self.loss_table) == (other.splits, other.rules, other.loss_table)
        return same and rules and mine == its

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def spent(self) -> NDArray[np.int64]:
        """Of the first resource."""
        return np.asarray(self.all_spent[0])

    @cached_property
    def n_results(self) -> NDArray[np.int64]:
        """Of a buy and of a branch by result, the outcomes of the test and one more; 0 elsewhere."""
        return np.append(self.n_outcomes, -1)[self.test] + 1  # NO_TEST is the last position

    @cached_property
    def charge_at(self) -> NDArray[np.int64]:
        """Of a buy, where its charges begin; -1 elsewhere."""
        return _starts(self.n_results * self.is_buy)

    @cached_property
    def n_children(self) -> NDArray[np.int64]:
        """Per node, its results or sides; 1 of a buy."""
        of_split = np.array([*(split.n_sides for split in self.splits), 0])
        n_sides = of_split[np.where(self.kind == Kind.BY_TOTAL, self.rule, -1)]
        return np.asarray(self.is_buy + n_sides + self.n_results * (self.kind == Kind.BY_RESULT))

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Where a node's children begin; -1 of a leaf."""
        return _starts(self.n_children)

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Per node; -1 of the root."""
        parent = np.full(len(self), -1, dtype=np.int32)
        parent[self.children] = np.repeat(np.arange(len(self)), self.n_children)
        return parent

    @cached_property
    def levels(self) -> tuple[tuple[int, int], ...]:
        """The range of node numbers at each depth."""
        return level_ranges(self.parent)

    def results(self, node: int) -> slice:
        """Where the charges of a buy are."""
        start = int(self.charge_at[node])
        return slice(start, start + int(self.n_results[node]))

    def below(self, node: int) -> NDArray[np.int32]:
        """The children of a node, in the order of its results or sides; none of a leaf."""
        start = int(self.first[node])
        return self.children[start : start + int(self.n_children[node])]

    def state_below(self, node: int, child: int, state: PathState, costs: CostModel) -> PathState:
        """What a case has bought and spent at a child, and what it may have seen, that came to the node in a state."""
        test = int(self.test[node])
        if self.is_buy[node]:
            return costs.after_buying(state, test)
        if self.kind[node] == Kind.BY_RESULT:
            return costs.after_seeing(state, test, mask_of(at == child for at in self.below(node).tolist()))
        return state

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        return np.asarray(self.kind == Kind.LEAF)

    @cached_property
    def is_buy(self) -> NDArray[np.bool_]:
        return np.asarray(self.kind == Kind.BUY)

    @cached_property
    def is_reached(self) -> NDArray[np.bool_]:
        """The leaves that some known case comes to."""
        return np.asarray(self.is_leaf & self.counts.any(axis=1))

    @cached_property
    def leaf_rule(self) -> NDArray[np.int32]:
        """Per leaf, the position of its rule; NO_RULE for the majority, and elsewhere."""
        return np.where(self.is_leaf, self.rule, NO_RULE)

    def rule_of(self, node: int) -> Fixed | Points | Model | None:
        """What a leaf answers by; None for the majority, and where the node is not a leaf."""
        number = self.leaf_rule[node]
        return None if number == NO_RULE else self.rules[number]

    def scored(self, node: int) -> Scored | None:
        """What adds up the totals of a leaf; None where the node alone decides."""
        rule = self.rule_of(node)
        return rule if isinstance(rule, (Points, Model)) else None

    def adds_up(self, node: int) -> Scored | None:
        """What adds up totals from which an answer follows: that of a leaf, or the model by which a branch decides."""
        return self.splits[self.rule[node]].model if self.kind[node] == Kind.BY_TOTAL else self.scored(node)

    @cached_property
    def voters(self) -> NDArray[np.int32]:
        """Per node, the nearest from it upwards that some known case comes to: its cases vote there."""
        voters = np.arange(len(self), dtype=np.int32)
        is_empty = self.counts.sum(axis=1) == 0
        for first, last in self.levels[1:]:
            voters[first:last] = np.where(is_empty[first:last], voters[self.parent[first:last]], voters[first:last])
        return voters

    @cached_property
    def label(self) -> NDArray[np.int64]:
        """The answer of each node, by its position: what loses least, and so the most common or likeliest class.

        Of equally good ones it is the class that comes first, and then an answer that is not a class. Where totals
        decide, the most common answer.
        """
        label = self.loss_table.best(self.counts[self.voters])
        for node in np.flatnonzero(self.leaf_rule != NO_RULE).tolist():
            rule = self.rules[self.rule[node]]
            if not isinstance(rule, Fixed):
                label[node] = self.given[node].sum(axis=1).argmax()
            else:
                label[node] = self.loss_table.best(np.array(rule.chances)) if rule.answer is None else rule.answer
        return label

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Node × class: how likely each class is there, as far as the node alone can say."""
        counts = self.counts[self.voters].astype(np.float64)
        total = counts.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / counts.shape[1])
        for node in np.flatnonzero(self.leaf_rule != NO_RULE).tolist():
            rule = self.rules[self.rule[node]]
            if isinstance(rule, Fixed):
                shares[node] = rule.chances
        return np.asarray(shares)

    @cached_property
    def by_model(self) -> NDArray[np.bool_]:
        """The leaves that a model answers."""
        return np.array([*(isinstance(rule, Model) for rule in self.rules), False])[self.leaf_rule]

    @cached_property
    def by_points(self) -> NDArray[np.bool_]:
        """The leaves that points answer."""
        return np.array([*(isinstance(rule, Points) for rule in self.rules), False])[self.leaf_rule]

    def answered_at(self, node: int) -> NDArray[np.int64]:
        """Answer × class: what the known cases that end at a leaf are answered, in weight units."""
        if node in self.given:
            return self.given[node]
        answered = np.zeros((len(self.loss_table.answers), self.counts.shape[1]), dtype=np.int64)
        answered[self.label[node]] = self.counts[node]
        return answered

    @cached_property
    def answered(self) -> NDArray[np.int64]:
        """Answer × class: what the known cases are answered, in weight units."""
        answered = np.zeros((len(self.loss_table.answers), self.counts.shape[1]), dtype=np.int64)
        decides = self.is_leaf.copy()
        decides[list(self.given)] = False
        np.add.at(answered, self.label[decides], self.counts[decides])
        return answered + sum(table for node, table in self.given.items() if self.is_leaf[node])

    @property
    def errors(self) -> int:
        """The weight units that get another class than theirs; an answer that is not a class is not an error."""
        classes = self.answered[: self.counts.shape[1]]
        return int(classes.sum() - np.trace(classes))

    @property
    def referred(self) -> int:
        """The weight units whose answer is not a class."""
        return int(self.answered[self.counts.shape[1] :].sum())

    @property
    def loss(self) -> int:
        """The loss units of all answers."""
        return int((self.answered.astype(object) * self.loss_table.units.T.astype(object)).sum())

    @property
    def total_spent(self) -> list[int]:
        """What the known cases take of each resource: weight units times its units, in Python's whole numbers."""
        shown = self.shown.tolist()
        return [sum(map(int.__mul__, shown, charges)) for charges in self.all_charges.tolist()]

    @cached_property
    def worst_from(self) -> NDArray[np.int64]:
        """Resource × node: the most that it and what is below can still take.

        Of a test that is branched on later it takes the costliest result; a consultation knows which one it was.
        """
        return np.array([self._worst_from(charges.tolist()) for charges in self.all_charges], dtype=np.int64)

    def _worst_from(self, charges: list[int]) -> list[int]:
        worst = [0] * len(self)
        for node in range(len(self) - 1, -1, -1):
            below = self.below(node).tolist()
            worst[node] = max((worst[child] for child in below), default=0)
            if self.is_buy[node]:
                child, charge = below[0], charges[self.results(node)]
                if self.kind[child] == Kind.BY_RESULT and self.test[child] == self.test[node]:
                    ahead = [worst[side] for side in self.below(child).tolist()]
                    worst[node] = max(map(int.__add__, charge, ahead))
                else:
                    worst[node] += max(charge)
        return worst

    @cached_property
    def branched_later(self) -> frozenset[int]:
        """The tests that some path branches on after it has done something else with them bought."""
        branches = np.flatnonzero(self.kind == Kind.BY_RESULT)
        above = self.parent[branches]
        is_at_once = self.is_buy[above] & (self.test[above] == self.test[branches])
        return frozenset(self.test[branches[~is_at_once]].tolist())

    @cached_property
    def n_bought(self) -> NDArray[np.int64]:
        """Per node, the tests bought above it."""
        bought = np.zeros(len(self), dtype=np.int64)
        for first, last in self.levels[1:]:
            above = self.parent[first:last]
            bought[first:last] = bought[above] + self.is_buy[above]
        return bought

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """Per node, the nodes above it."""
        return np.repeat(np.arange(len(self.levels)), [last - first for first, last in self.levels])

    def path(self, node: int) -> list[int]:
        """The nodes from the root to this one."""
        path = [node]
        while (above := int(self.parent[path[-1]])) >= 0:
            path.append(above)
        return path[::-1]

    def bought(self, node: int) -> tuple[int, ...]:
        """The tests that a case which comes to this node has bought, in order."""
        return tuple(int(self.test[above]) for above in self.path(node)[:-1] if self.is_buy[above])

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """The tests that some path buys, ascending: those that the core's walk reads."""
        return np.unique(self.test[self.is_buy]).astype(np.int64)

    @property
    def totals(self) -> list[Totals]:
        """Everything that is added up at some node, each once."""
        of_rules = [rule.totals for rule in self.rules if isinstance(rule, (Points, Model))]
        of_splits = [split.totals for split in self.splits if split.totals is not None]
        return list({id(totals): totals for totals in (*of_rules, *of_splits)}.values())

    @cached_property
    def routes(self) -> list[Any]:
        """Per resource, the nodes as the core walks them; its tests are positions in `columns`."""
        column = np.full(len(self.n_outcomes) + 1, NO_TEST, dtype=np.int32)
        column[self.columns] = np.arange(len(self.columns))
        scorer = {id(totals): number for number, totals in enumerate(self.totals)}
        of_rule = [NO_RULE if isinstance(rule, Fixed) else scorer[id(rule.totals)] for rule in self.rules]
        rule = np.where(self.is_leaf, np.array([*of_rule, NO_RULE], dtype=np.int32)[self.leaf_rule], self.rule)
        steps = (self.kind, column[self.test], self.first, self.children, self.charge_at)
        others = (
            rule,
            self.n_outcomes[self.columns].astype(np.int32),
            [totals.in_core(column) for totals in self.totals],
            [core.TotalSplit(scorer[id(by.totals)], list(by.cuts), by.confidence or 0.0) for by in self.splits],
        )
        return [core.Route(*steps, charges, *others) for charges in self.all_charges]


def level_ranges(parent: NDArray[np.integer[Any]]) -> tuple[tuple[int, int], ...]:
    """Of nodes that are numbered breadth first, the range of numbers at each depth."""
    ranges, first, last = [], 0, 1
    while last > first:
        ranges.append((first, last))
        first, last = last, int(np.searchsorted(parent, last, side="left"))
    return tuple(ranges)


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of these parts of an array begins; -1 where it has no size."""
    return np.where(sizes > 0, np.cumsum(sizes) - sizes, -1)
