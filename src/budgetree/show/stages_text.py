"""A pathway of stages as a chart to work through on paper: what to buy, the points to add, where to stop.

First as records, which a test can read; then as lines of text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from textwrap import wrap

import numpy as np

from budgetree.errors import TreeError
from budgetree.messages import stability_sentence
from budgetree.services.words import counted, show_number, visible
from budgetree.tree.leaves import Model, Points, Totals, softmax
from budgetree.tree.nodes import Kind, Split
from budgetree.tree.tree import Tree

GO_ON = -1  # instead of an answer
BY_MODEL = -2  # the answer is the likeliest one, whichever it is
CHEAP = 0.05  # of the costliest path: what is bought for less after a stop is no stage of its own
MAX_CHANCES = 12  # that are listed for a stage
WIDTH = 100


@dataclass(frozen=True, slots=True)
class ScoredTest:
    """A purchase of a stage, and the points of its results."""

    test: int
    price: int  # units, the most that it takes, all included
    groups: tuple[tuple[tuple[str, ...], int], ...]  # the names of results and their points, the most first
    otherwise: int | None  # the points of an unknown result; None where there are no points


@dataclass(frozen=True, slots=True)
class Ending:
    """What cases do at the end of a part of a stage, by their total, chance or confidence."""

    low: float | None  # None: from the least on
    high: float | None  # included; None: to the most
    answer: int  # a position, GO_ON or BY_MODEL
    cases: tuple[int, ...]  # per class, weight units of known cases


@dataclass(frozen=True, slots=True)
class Part:
    """Purchases, and where they lead."""

    tests: tuple[ScoredTest, ...]
    unit: str  # of what the endings tell apart: points, chance or confidence
    endings: tuple[Ending, ...]


@dataclass(frozen=True, slots=True)
class StageRecord:
    """A stage: what it costs, who comes there, what is bought, who stops."""

    price: int  # units, the most that it takes
    spent: int  # with the stages before
    cases: tuple[int, ...]  # per class, weight units of the known cases that come there
    parts: tuple[Part, ...]  # each but the last lets some stop before something cheap is bought
    chances: tuple[tuple[int, float], ...]  # of the class that points count for, by total at the stage's end


@dataclass(frozen=True, slots=True)
class StagedPathway:
    """All stages, and the class whose chance rises with the points."""

    stages: tuple[StageRecord, ...]
    target: int


def stage_records(tree: Tree) -> StagedPathway | None:
    """The stages of a tree; None where it is not a chain of purchases that some cases leave early."""
    nodes, node, opened = tree.nodes, 0, 0
    has_points = not any(isinstance(rule, Model) for rule in nodes.rules)
    stages, parts, reached, target = list[StageRecord](), list[Part](), [0], len(tree.class_names) - 1
    while True:
        bought = list[int]()
        while nodes.is_buy[node]:
            bought.append(node)
            node = int(nodes.below(node)[0])
        split = nodes.splits[nodes.rule[node]] if nodes.kind[node] == Kind.BY_TOTAL else None
        sides = [node] if split is None else nodes.below(node).tolist()
        going = [side for side in sides if not nodes.is_leaf[side]]
        if len(going) > 1 or nodes.kind[node] == Kind.BY_RESULT:
            return None
        rule = next((rule for side in sides if isinstance(rule := nodes.rule_of(side), Points)), None)
        totals = (split or rule).totals if has_points and (split or rule) else None  # type: ignore[union-attr]
        reached = _totals_after(reached, [int(nodes.test[buy]) for buy in bought], totals)
        of_side = {side: [t for t in reached if _side(split, t) == number] for number, side in enumerate(sides)}
        endings = _by_points(tree, of_side) if has_points else _by_model(tree, sides, split)
        unit = "confidence" if split is not None and split.confidence is not None else "chance"
        scored = tuple(_scored_test(tree, buy, totals) for buy in bought)
        parts.append(Part(scored, "points" if has_points else unit, endings))
        if not going or _is_costly(tree, going[0]):
            chances: tuple[tuple[int, float], ...] = ()
            if rule is not None:
                target = int(rule.chances[-1][1] >= rule.chances[0][1])
                chances = tuple((total, rule.chances[total][target]) for total in reached)
            price, before = sum(test.price for part in parts for test in part.tests), stages[-1].spent if stages else 0
            stages.append(
                StageRecord(price, before + price, tuple(nodes.counts[opened].tolist()), tuple(parts), chances)
            )
            parts, opened = [], going[0] if going else opened
        if not going:
            return StagedPathway(tuple(stages), target)
        node, reached = going[0], of_side[going[0]]


def _totals_after(reached: Sequence[int], tests: Sequence[int], totals: Totals | None) -> list[int]:
    """The totals that these tests can lead to."""
    found = set(reached)
    for test in tests if totals is not None else ():
        found = {total + more for total in found for more in _points_of(totals, test)}
    return sorted(found)


def _points_of(totals: Totals | None, test: int) -> list[int]:
    """Per outcome, and last of a result that is not listed."""
    found: list[int] = [] if totals is None else totals.points[totals.tests.index(test)][:, 0].tolist()
    return found


def _side(split: Split | None, total: int) -> int:
    return 0 if split is None else int(np.searchsorted(split.cuts, total, side="right"))


def _is_costly(tree: Tree, buy: int) -> bool:
    nodes = tree.nodes
    return int(nodes.charges[nodes.results(buy)].max()) >= CHEAP * int(nodes.most_below[0])


def _scored_test(tree: Tree, buy: int, totals: Totals | None) -> ScoredTest:
    nodes, test = tree.nodes, int(tree.nodes.test[buy])
    price, encoder = int(nodes.charges[nodes.results(buy)].max()), tree.schema.encoder(test)
    if totals is None:
        return ScoredTest(test, price, (), None)
    *listed, otherwise = _points_of(totals, test)
    is_blank_unknown = encoder is not None and encoder.has_missing and listed[-1] == otherwise
    by_points: dict[int, list[int]] = {}
    for outcome, points in enumerate(listed[:-1] if is_blank_unknown else listed):
        by_points.setdefault(points, []).append(outcome)
    groups = [(tuple(tree.outline.names(test, of)), points) for points, of in sorted(by_points.items(), reverse=True)]
    return ScoredTest(test, price, tuple(groups), otherwise)


def _by_points(tree: Tree, of_side: Mapping[int, Sequence[int]]) -> tuple[Ending, ...]:
    """By the totals that come to each side; of the last leaf several answers may share it."""
    nodes, found = tree.nodes, list[Ending]()
    for side, totals in of_side.items():
        rule = nodes.rule_of(side)
        if not isinstance(rule, Points):
            answer = int(nodes.label[side]) if nodes.is_leaf[side] else GO_ON
            found.append(Ending(totals[0], totals[-1], answer, tuple(nodes.counts[side].tolist())))
            continue
        answers = nodes.loss_table.best(np.array(rule.chances))[rule.sides(np.array(totals, dtype=np.int64))]
        for answer, run in groupby(zip(totals, answers.tolist(), strict=True), key=lambda entry: entry[1]):
            own = [total for total, _ in run]
            found.append(Ending(own[0], own[-1], answer, tuple(nodes.given[side][answer].tolist())))
    return tuple(found)


def _by_model(tree: Tree, sides: Sequence[int], split: Split | None) -> tuple[Ending, ...]:
    """By the chance of the last class, or by how sure the model is."""
    nodes, edges = tree.nodes, [None, *_edges(split), None]
    if split is not None and split.confidence is not None:
        edges = [None, split.confidence, None]
        sides = sides[::-1]  # the sure ones last
    found = []
    for low, high, side in zip(edges, edges[1:], sides, strict=False):
        is_one = nodes.is_leaf[side] and np.count_nonzero(nodes.answered_at(side).sum(axis=1)) == 1
        answer = int(nodes.label[side]) if is_one else BY_MODEL if nodes.is_leaf[side] else GO_ON
        found.append(Ending(low, high, answer, tuple(nodes.counts[side].tolist())))
    return tuple(found)


def _edges(split: Split | None) -> list[float]:
    """The cuts in log odds as chances."""
    cuts = np.array([] if split is None else split.cuts, dtype=np.int64)
    return (
        [float(chance) for chance in softmax(np.column_stack([np.zeros_like(cuts), cuts]))[:, 1]] if len(cuts) else []
    )


def to_stages(tree: Tree) -> str:
    """The chart; an error where the tree is not one of stages."""
    chart = stages_chart(tree)
    if chart is None:
        message = "stages: the tree has branches to different tests; a chart is for one test after another. Use text."
        raise TreeError(message, subject="stages", found=tree.origin.method)
    return chart


def stages_chart(tree: Tree) -> str | None:
    """The chart; None where the tree is not one of stages."""
    pathway = stage_records(tree)
    if pathway is None:
        return None
    chart = _Chart(tree, pathway)
    lines = chart.title()
    for number, stage in enumerate(pathway.stages):
        lines += ["-" * WIDTH, *chart.stage(number, stage)]
    if last := [*chart.chances(), *chart.new_cases()]:
        lines += ["-" * WIDTH, *last]
    return "\n".join(map(visible, lines))


@dataclass(frozen=True, slots=True)
class _Chart:
    """How the records of a tree are written."""

    tree: Tree
    pathway: StagedPathway

    def title(self) -> list[str]:
        words, tree = self.tree.words, self.tree
        classes, counts, target = tree.schema.wording.classes, tree.nodes.counts[0], self.pathway.target
        learned = f"learned from {counted(tree.n_objects, 'case')} ({self._of_class(counts.tolist())})"
        limit = f"at most {words.amount(int(tree.nodes.most_below[0]))} each"
        losses, parts = tree.nodes.loss_table, [f"{classes[target].upper()}?   {learned}", limit]
        if len(classes) == 2 and not losses.is_plain:
            missed, alarm = (
                show_number(Fraction(int(losses.units[c, 1 - c])) / losses.scale) for c in (target, 1 - target)
            )
            parts.append(f"missing {classes[target]} counts {missed}, a false alarm {alarm}")
        has_points = any(part.unit == "points" for stage in self.pathway.stages for part in stage.parts)
        return [" · ".join(parts), "Add the points. Stop where it says so." if has_points else "Stop where it says so."]

    def stage(self, number: int, stage: StageRecord) -> list[str]:
        words = self.tree.words
        price = words.amount(stage.price)
        price += f" more ({words.amount(stage.spent)} in all)" if number else ""
        share = sum(stage.cases) / max(int(self.tree.nodes.counts[0].sum()), 1)
        lines = [f"STAGE {number + 1}   {price}   {'everybody' if not number else f'{100 * share:.0f} % of the cases'}"]
        names = self.tree.schema.wording.tests
        width = max((len(names[test.test]) for part in stage.parts for test in part.tests), default=0)
        width = max(width, len("TOTAL"))
        for part in stage.parts:
            for test in part.tests:
                lines.append(f"  {names[test.test]:{width}}  {self._points(test)}".rstrip())
            is_last = part is stage.parts[-1]
            head = ("TOTAL" if part.unit == "points" else part.unit.upper()) if is_last else "so far"
            ranges = [_range(ending, part.unit) for ending in part.endings]
            actions = [self._action(ending, number, is_last=is_last) for ending in part.endings]
            widths = [max(map(len, column)) for column in (ranges, actions)]
            for ending, of, action in zip(part.endings, ranges, actions, strict=True):
                if is_last or ending.answer != GO_ON:
                    what = f"{of:{widths[0]}}   {action:{widths[1]}}   {self._cases(ending)}"
                    lines.append(f"  {head:{width}}  {what}")
                    head = ""
        return lines

    def _points(self, test: ScoredTest) -> str:
        groups = [f"{' or '.join(names)}: {points}" for names, points in test.groups]
        return " | ".join([*groups, *([] if test.otherwise is None else [f"unknown: {test.otherwise}"])])

    def _action(self, ending: Ending, number: int, *, is_last: bool) -> str:
        if ending.answer == GO_ON:
            return f"go on to stage {number + 2}"
        answers = self.tree.schema.wording.answers
        answer = "the likeliest answer" if ending.answer == BY_MODEL else answers[ending.answer].upper()
        return answer if is_last and number + 1 == len(self.pathway.stages) else f"{answer}, stop"

    def _cases(self, ending: Ending) -> str:
        total = counted(self.tree.schema.cases(sum(ending.cases)), "case")
        return total if ending.answer == GO_ON else f"{total}, {self._of_class(ending.cases)}"

    def _of_class(self, cases: Sequence[int]) -> str:
        """How many are of the class that points count for; of more classes, those that occur."""
        words, classes, target = self.tree.words, self.tree.schema.wording.classes, self.pathway.target
        if len(classes) == 2:
            return f"{words.weight(cases[target])} {classes[target]}"
        return words.counts(np.array(cases))

    def chances(self) -> list[str]:
        name, lines = self.tree.schema.wording.classes[self.pathway.target], list[str]()
        head = f"chance of {name}"
        for number, stage in enumerate(self.pathway.stages):
            if not stage.chances:
                continue
            kept = np.unique(np.linspace(0, len(stage.chances) - 1, MAX_CHANCES).round().astype(int))
            shown = "  ".join(f"{total}: {100 * chance:.0f}" for total, chance in (stage.chances[at] for at in kept))
            lines.append(f"{head}   stage {number + 1} total  {shown} %")
            head = " " * len(head)
        return lines

    def new_cases(self) -> list[str]:
        """What to expect of it, and how firm it is; nothing where that is not known."""
        estimate, mean = self.tree.estimate, show_number(self.tree.mean_cost)
        if estimate is None:
            return []
        lines = [f"{estimate}; mean cost of the known cases {mean}"]
        if estimate.stability is not None:
            lines.append(stability_sentence(estimate.stability, self.tree.schema))
        return [part for line in lines for part in wrap(line, WIDTH)]


def _range(ending: Ending, unit: str) -> str:
    low, high = ending.low, ending.high
    if unit == "points":
        return f"{low}" if low == high else f"{low}-{high}"
    if low is None:
        return "any" if high is None else f"below {_percent(high)}"
    return f"{_percent(low)} or more" if high is None else f"{_percent(low)} to {_percent(high)}"


def _percent(chance: float) -> str:
    return f"{100 * chance:.3g} %"
