"""Stages as numbered boxes: what to buy, the points to add, who stops with which answer, where the others go on.

Records, which a test can read; text, pictures and paper are made from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from typing import Literal

import numpy as np

from budgetree.show.outline import Branch, Group, Outline, chance_names
from budgetree.tree.leaves import Model, Points, Totals
from budgetree.tree.nodes import Kind
from budgetree.tree.tree import Tree

MAX_TOTALS = 2_000  # that are told apart on a path
MAX_CHANCES = 12  # that are listed for a stage

Unit = Literal["result", "points", "chance", "confidence", ""]  # what tells the endings apart; "" where nothing does


@dataclass(frozen=True, slots=True)
class ScoredTest:
    """A test of a stage, and the points of its results."""

    test: int
    groups: tuple[tuple[tuple[str, ...], int], ...] = ()  # the names of results and their points, the most first
    otherwise: int | None = None  # the points of an unknown result; None where there are no points
    outcomes: tuple[tuple[int, ...], ...] = ()  # of each group


@dataclass(frozen=True, slots=True)
class Ending:
    """What some of the cases of a stage do next: stop with an answer, or go on."""

    names: tuple[str, ...]  # the results, totals or chances that lead there
    group: Group
    goes_to: int | None  # the number of the next stage; None where cases stop
    answer: int | None  # a position; None where they go on, or where a model answers case by case
    cases: tuple[int, ...]  # per class, weight units of known cases
    totals: tuple[tuple[int, int], ...] = ()  # the least and the largest of neighbours that lead there, where known


@dataclass(frozen=True, slots=True)
class StageRecord:
    """A stage: what it costs, who comes there, what is bought, who stops."""

    number: int  # from 1 on, what follows a stage behind it
    group: Group
    buys: tuple[int, ...]  # nodes
    end: int  # the node that decides
    price: tuple[int, ...]  # units per resource, the most that it takes
    spent: tuple[int, ...]  # with the stages before
    cases: tuple[int, ...]  # per class, weight units of the known cases that come there
    tests: tuple[ScoredTest, ...]
    unit: Unit
    endings: tuple[Ending, ...]
    chances: tuple[tuple[int, float], ...] = ()  # of the target by total, where points answer
    continues: bool = False  # whether its points are added to the total of the stage before

    @property
    def listed_chances(self) -> tuple[tuple[int, float], ...]:
        """Of many totals some, from the least to the largest."""
        kept = np.unique(np.linspace(0, len(self.chances) - 1, MAX_CHANCES).round().astype(int)) if self.chances else ()
        return tuple(self.chances[at] for at in kept)

    @property
    def total(self) -> str:
        """What the sum of its points is called."""
        return "total" + (" so far" if self.continues else " of this stage" if self.number > 1 else "")


def stage_records(tree: Tree) -> tuple[StageRecord, ...]:
    """The stages in the order in which to_text has them; none where the tree is a single leaf."""
    outline = tree.outline
    groups = [visit.group for visit in outline.walk() if not outline.is_leaf(visit.group)]
    number = {group: position for position, group in enumerate(groups, start=1)}
    carried: dict[Group, _Carried] = {}
    return tuple(_record(outline, group, number, carried) for group in groups)


@dataclass(frozen=True, slots=True)
class _Carried:
    """The points that a path has added up on its way to a stage, and the totals that it may have."""

    totals: Totals | None = None
    reached: tuple[int, ...] | None = None  # None: too many

    def goes_on_in(self, totals: Totals) -> bool:
        """Whether these points only add to what was added up before."""
        if self.totals is None or self.totals.intercept.tolist() != totals.intercept.tolist():
            return False
        theirs = dict(zip(totals.tests, totals.points, strict=True))
        mine = zip(self.totals.tests, self.totals.points, strict=True)
        return all(test in theirs and np.array_equal(points, theirs[test]) for test, points in mine)


def _record(outline: Outline, group: Group, number: dict[Group, int], carried: dict[Group, _Carried]) -> StageRecord:
    tree, nodes, stage = outline.tree, outline.nodes, outline.stage(group[0])
    before, totals, split = carried.get(group, _Carried()), outline.points(group[0]), outline.split(stage.end)
    if totals is None and nodes.is_leaf[stage.end]:
        totals = outline.points(stage.end)
    bought = [int(nodes.test[buy]) for buy in stage.buys]
    reached: tuple[int, ...] | None = None
    tests, is_more = [ScoredTest(test) for test in bought], False
    if totals is not None:
        is_more = before.goes_on_in(totals)
        shown = before.totals.tests if is_more and before.totals is not None else ()
        added = [test for test in totals.tests if test not in shown]
        reached = before.reached if is_more else (int(totals.intercept[0]),)
        reached = _totals_after(reached, added, totals)
        order = [*bought, *(test for test in added if test not in bought)]
        tests = [_scored(outline, test, totals) if test in added else ScoredTest(test) for test in order]
    unit: Unit = "result" if nodes.kind[stage.end] == Kind.BY_RESULT else "points" if totals is not None else ""
    if split is not None and totals is None:
        unit = "confidence" if split.confidence is not None else "chance"
    endings, chances = list[Ending](), tuple[tuple[int, float], ...]()
    for branch in outline.branches(group):
        own = reached
        if split is not None and reached is not None:
            own = tuple(t for t in reached if int(np.searchsorted(split.cuts, t, side="right")) in branch.results)
        rule = nodes.rule_of(branch.group[0])
        if isinstance(rule, Points) and reached and rule.totals == totals:
            endings += _by_total(outline, branch, rule, own or ())
            if len(tree.class_names) == 2:
                target = outline.target
                sides = rule.sides(np.array(reached, dtype=np.int64)).tolist()
                chances = tuple((total, rule.chances[side][target]) for total, side in zip(reached, sides, strict=True))
            continue
        if isinstance(rule, Model) and len(tree.class_names) == 2 and not branch.names:
            unit, endings = "chance", _by_chance(outline, branch)
            continue
        ranges = _ranges(reached or (), own or ())
        goes_to, cases = number.get(branch.group), tuple(outline.counts(branch.group).tolist())
        answer = None if goes_to is not None else outline.answer(branch.group[0])
        names = _range_names(ranges) or branch.names
        endings.append(Ending(names, branch.group, goes_to, answer, cases, ranges))
        if goes_to is not None:
            carried[branch.group] = _Carried(totals, own) if totals is not None else before
    price = sum((nodes.all_charges[:, nodes.results(buy)].max(axis=1) for buy in stage.buys), 0 * nodes.all_spent[:, 0])
    return StageRecord(
        number[group], group, stage.buys, stage.end,
        tuple(price.tolist()), tuple((nodes.all_spent[:, group[0]] + price).tolist()),
        tuple(outline.counts(group).tolist()), tuple(tests), unit, tuple(endings), chances, is_more,
    )  # fmt: skip


def _totals_after(reached: tuple[int, ...] | None, tests: Sequence[int], totals: Totals) -> tuple[int, ...] | None:
    """The totals that these tests can lead to; None where they are too many."""
    found = set(reached or ())
    for test in tests:
        found = {total + more for total in found for more in _points_of(totals, test)}
        if len(found) > MAX_TOTALS:
            return None
    return None if reached is None or totals.trees is not None else tuple(sorted(found))


def _points_of(totals: Totals, test: int) -> list[int]:
    """Per outcome, and last of a result that is not listed."""
    points: list[int] = totals.points[totals.tests.index(test)][:, 0].tolist()
    return points


def _scored(outline: Outline, test: int, totals: Totals) -> ScoredTest:
    encoder, (*listed, otherwise) = outline.schema.encoder(test), _points_of(totals, test)
    is_blank_unknown = encoder is not None and encoder.has_missing and listed[-1] == otherwise
    by_points: dict[int, list[int]] = {}
    for outcome, points in enumerate(listed[:-1] if is_blank_unknown else listed):
        by_points.setdefault(points, []).append(outcome)
    found = sorted(by_points.items(), reverse=True)
    groups = tuple((tuple(outline.names(test, of)), points) for points, of in found)
    return ScoredTest(test, groups, otherwise, tuple(tuple(of) for _, of in found))


def _by_total(outline: Outline, branch: Branch, rule: Points, totals: Sequence[int]) -> list[Ending]:
    """At a leaf with points: an ending for each run of totals that get the same answer."""
    nodes, found = outline.nodes, list[Ending]()
    answers = nodes.loss_table.best(np.array(rule.chances))[rule.sides(np.array(totals, dtype=np.int64))]
    given = outline.answered(branch.group)
    runs: dict[int, list[int]] = {}
    for total, answer in zip(totals, answers.tolist(), strict=True):
        runs.setdefault(answer, []).append(total)
    for answer, own in runs.items():
        ranges = _ranges(totals, own)
        found.append(Ending(_range_names(ranges), branch.group, None, answer, tuple(given[answer].tolist()), ranges))
    return found


def _by_chance(outline: Outline, branch: Branch) -> list[Ending]:
    """At a leaf with a model of two classes: an ending for each answer, and the chances that get it."""
    table, given = outline.nodes.loss_table, outline.answered(branch.group)
    rises = [(two[0] - one[0], one[1] - two[1]) for one, two in combinations(table.units.T.tolist(), 2)]
    cuts = sorted({rise / (rise + fall) for rise, fall in rises if rise * fall > 0})  # where two answers lose the same
    middles = np.array([sum(pair) / 2 for pair in pairwise([0, *cuts, 1])])
    answers = table.best(np.column_stack([1 - middles, middles])).tolist()
    runs = [list(run) for _, run in groupby(range(len(answers)), key=answers.__getitem__)]
    names = [chance_names(cuts, run, of_second=outline.target == 1) for run in runs]
    return [
        Ending(name, branch.group, None, answers[run[0]], tuple(given[answers[run[0]]].tolist()))
        for name, run in zip(names, runs, strict=True)
    ]


def _ranges(totals: Sequence[int], own: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Of all totals those that are meant, neighbours as one."""
    position = {total: at for at, total in enumerate(totals)}
    runs = groupby(enumerate(own), key=lambda entry: position[entry[1]] - entry[0])
    return tuple((run[0], run[-1]) for run in ([total for _, total in members] for _, members in runs))


def _range_names(ranges: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """ "0-1", "7"."""
    return tuple(f"{low}" if low == high else f"{low}-{high}" for low, high in ranges)
