"""A tree as text: a line per branch, outcomes with the same subtree on one; a chart of stages; a few numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import SettingError
from budgetree.messages import estimate_sentences
from budgetree.services.words import counted, joined, largest, show_number, visible, with_more
from budgetree.show.outline import Group, point_names
from budgetree.show.stages import StageRecord, stage_records
from budgetree.show.tables import TextTable, text_lines
from budgetree.tree import Confusion
from budgetree.tree.leaves import Model, Points, Scored, Totals
from budgetree.tree.nodes import Kind
from budgetree.tree.tree import Tree

if TYPE_CHECKING:
    from budgetree.learn import Point

INDENT = 3  # letters for each level
BELOW = {"": "", "├─ ": "│  ", "└─ ": "   "}  # what leads to a node, and what stands there in the lines below it
MAX_ANSWERS = 3  # that are listed for a model
MAX_CLASSES, MAX_PAIRS = 8, 12  # of more classes only the pairs that are confused most are listed
CHART = 100  # letters in a line of a chart
MAX_INDENT = 40  # levels; of deeper lines the margin says how many more there are


def to_text(tree: Tree, max_depth: int | None = None, *, confusion: bool = False) -> str:
    """The summary line, then the tree and its points; then, if wanted, which answers the cases of each class get."""
    check_size("max_depth", 0 if max_depth is None else max_depth, 0)
    outline, words = tree.outline, tree.words
    folds = math.inf if max_depth is None else max_depth
    lines, shown = [summary_line(tree)], set[Totals]()
    below = [""]  # by depth, what stands before a line
    for visit in outline.walk(folds):
        depth, group, branch = visit.depth, visit.group, visit.branch
        turn = "" if branch is None else "└─ " if visit.is_last else "├─ "
        below[depth + 1 :] = [(below[depth] + BELOW[turn])[-MAX_INDENT * INDENT :]]
        margin = f"{depth - 1 - MAX_INDENT} ⋯ " if depth > 1 + MAX_INDENT else ""
        names = f"{' | '.join(branch.names)}: " if branch and branch.names else ""
        lines.append(f"{margin}{below[depth]}{turn}{names}{words.describe(group, folded=depth >= folds)}")
        if outline.tables and (outline.is_leaf(group) or depth < folds):
            shown |= {totals for totals in [outline.points(group[0])] if totals is not None}
    for table in outline.tables:
        lines += words.points_lines(table) if table in shown else []
    if confusion:
        lines += confusion_lines(tree.confusion.called(tree.schema))
    return "\n".join(map(visible, lines))


def check_size(name: str, size: Any, least: int) -> None:
    """Refuse what is not a whole number of at least this."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < least:
        message = f"{name} is {size!r}; expected a whole number of at least {least}."
        raise SettingError(message, subject=name, found=size, expected=least)


def summary_line(tree: Tree) -> str:
    """Size, worst and mean cost, errors or loss."""
    total = float(tree.schema.cases(tree.nodes.counts[0].sum()))
    weight = "" if total == tree.n_objects else f" of weight {show_number(total)}"
    words, has_losses, costs = tree.schema.wording, tree.schema.losses is not None, tree.costs.values()
    is_lower = total and tree.known_max_cost != tree.max_cost
    known = f" (known cases at most {words.amount(tree.known_max_cost)})" if is_lower else ""
    rate = "" if has_losses or not total else f" ({tree.errors / total:.1%})"
    leaves = counted(tree.n_leaves, "leaf", "leaves")
    if any(isinstance(rule, Points | Model) for rule in tree.nodes.rules):
        leaves = f"{counted(len(tree.tests_used), 'test')}, {leaves}"
    return (
        f"{counted(tree.n_objects, 'case')}{weight}, {leaves}; "
        f"worst case {words.amounts([cost.worst for cost in costs])}{known}, "
        f"mean {words.amounts([round(cost.mean, 3) for cost in costs])}; "
        f"{loss_words(tree, has_losses=has_losses)}{rate}"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What a tree's nodes, prices and counts are called."""

    tree: Tree

    def describe(self, group: Group, *, folded: bool = False) -> str:
        node, is_leaf = group[0], self.tree.outline.is_leaf(group)
        counted = self.counts(self.tree.outline.counts(group)) or "no known case"
        spent = "" if node == 0 else f", spent {self.spent(node)}"
        if is_leaf:
            shown = f"→ {self.label(group)}"
        elif folded:
            shown = f"→ … {self.tree.schema.wording.answers[self.tree.nodes.label[node]]}"
        else:
            shown = " ".join(self.request(group))
        return f"{shown}{spent}  [{counted}]"

    def label(self, group: Group, *, short: bool = False) -> str:
        """What is answered there: a class, which totals get which, or what known cases were answered by a model."""
        answer, rule = self.tree.outline.answer(group[0]), self.tree.nodes.scored(group[0])
        if answer is not None:
            return str(self.tree.schema.wording.answers[answer])
        assert rule is not None
        shares = "" if isinstance(rule, Points) else self.shares(group)
        source = "model" if short and not isinstance(rule, Points) else self.source(rule)
        return f"by {source}{shares and f': {shares}'}"

    def shares(self, group: Group) -> str:
        """How many of the known cases get which answer; nothing where none comes."""
        given, names = self.tree.outline.answered(group).sum(axis=1), self.tree.schema.wording.answers
        positions, n_more = largest(given.tolist(), MAX_ANSWERS)
        positions.sort(key=lambda i: -given[i])
        return with_more((f"{share_words(given[i] / given.sum())} {names[i]}" for i in positions), n_more)

    def thresholds(self, rule: Points) -> list[tuple[str, str]]:
        """Of a leaf with points: which totals get which answer."""
        best = self.tree.nodes.loss_table.best(np.array(rule.chances)).tolist()
        sides = [[side for side, _ in run] for _, run in groupby(enumerate(best), key=lambda entry: entry[1])]
        answers = self.tree.schema.wording.answers
        return [(point_names(rule.cuts, run)[0], answers[best[run[0]]]) for run in sides]

    def source(self, rule: Scored) -> str:
        """What gives the answers of a leaf; of points, which totals get which answer."""
        if not isinstance(rule, Points):
            return self.model(rule.totals)
        return f"{self.points(rule.totals)}: {', '.join(map(' '.join, self.thresholds(rule)))}"

    def model(self, totals: Totals) -> str:
        return f"the model of {self._listed(totals)}"

    def points(self, totals: Totals) -> str:
        """What a table of points is called; they have numbers where there are several."""
        tables = self.tree.outline.tables
        number = f" {tables.index(totals) + 1}" if len(tables) > 1 else ""
        return f"points{number} of {self._listed(totals)}"

    def points_lines(self, totals: Totals) -> list[str]:
        """The table: per test, which results have how many points."""
        lines = [f"{self.points(totals)}{f', from {totals.intercept[0]} on' if totals.intercept[0] else ''}:"]
        for test, table in zip(totals.tests, totals.points, strict=True):
            *listed, unlisted = table[:, 0].tolist()
            of_points: dict[int, list[int]] = {}
            for outcome, points in enumerate(listed):
                of_points.setdefault(points, []).append(outcome)
            parts = [(" | ".join(self.tree.outline.names(test, found)), points) for points, found in of_points.items()]
            parts.append(("anything else", unlisted))
            shown = "; ".join(f"{names}: {points}" for names, points in parts)
            lines.append(f"  {self.tree.schema.wording.tests[test]}  {shown}")
        if totals.trees is not None:
            lines.append(f"  and {counted(totals.trees.n_trees, 'small tree')}, which the model file has")
        return lines

    def _listed(self, totals: Totals) -> str:
        return " + ".join(self.tree.schema.wording.tests[test] for test in totals.tests) or "no test"

    def request(self, group: Group) -> tuple[str, ...]:
        """What is asked for there, what that costs, and what decides then where it is not the test that is bought."""
        nodes, stage = self.tree.nodes, self.tree.outline.stage(group[0])
        subject, price = self.subject(stage.end), self.price(stage.buys)
        tests = [int(nodes.test[buy]) for buy in stage.buys]
        if not tests or (nodes.kind[stage.end] == Kind.BY_RESULT and tests == [nodes.test[stage.end]]):
            return f"{subject}?", price
        names = f"buy {' + '.join(self.purchases(tests))}:"
        return (names, price) if nodes.is_leaf[stage.end] else (names, f"{price}, then", f"{subject}?")

    def test(self, test: int) -> str:
        """What a test is called, and what it is ordered in."""
        return self.tree.schema.costs.called(test, self.tree.schema.wording.tests)

    def purchases(self, tests: Sequence[int]) -> list[str]:
        """What is bought, in order."""
        return self.tree.schema.costs.ordered(tests, self.tree.schema.wording.tests)

    def subject(self, end: int) -> str:
        """What the end of a stage branches by; nothing where it is a leaf."""
        nodes, split = self.tree.nodes, self.tree.outline.split(end)
        if split is not None and split.totals is not None:
            if split.is_score:
                target = self.tree.schema.wording.classes[self.tree.outline.target]
                return f"chance of {target} by {self.model(split.totals)}"
            return self.points(split.totals) if split.confidence is None else self.model(split.totals)
        return "" if nodes.is_leaf[end] else str(self.tree.schema.wording.tests[nodes.test[end]])

    def price(self, bought: Sequence[int]) -> str:
        """What is paid at these purchases, and for what they share with others."""
        nodes, costs, fees = self.tree.nodes, self.tree.schema.costs, list[int]()
        low = high = np.zeros(len(costs.resources), dtype=np.int64)
        for buy in bought:
            charges = nodes.all_charges[:, nodes.results(buy)]
            low, high = low + charges.min(axis=1), high + charges.max(axis=1)
            fees += costs.shared_by(int(nodes.test[buy]), self.tree.outline.shared_paid[buy])
        if not bought:
            return "already paid"
        price = f"costs {self.amounts(low)}" + ("" if (low == high).all() else f" to {self.amounts(high)}")
        names, total = dict.fromkeys(costs.fee_names[fee] for fee in fees), costs.fees[:, fees].sum(axis=1)
        due = [part for part, of in zip(self._parts(total), total, strict=True) if of]
        return f"{price} with {joined(due)} for {', '.join(names)}" if names else price

    def amount(self, units: int) -> str:
        """Price units in the user's currency."""
        return self.tree.schema.wording.amount(Fraction(int(units)) / self.tree.schema.costs.scale)

    def amounts(self, units: Iterable[int]) -> str:
        """Units of each resource, as people read them."""
        return joined(self._parts(units))

    def _parts(self, units: Iterable[int]) -> list[str]:
        of = zip(units, self.tree.schema.costs.resources, strict=True)
        return self.tree.schema.wording.each_amount([Fraction(int(n)) / resource.scale for n, resource in of])

    def spent(self, node: int) -> str:
        """What a case has taken that comes there."""
        return self.amounts(self.tree.nodes.all_spent[:, node])

    @property
    def worst(self) -> str:
        """What no case exceeds."""
        return self.amounts(self.tree.nodes.all_spent.max(axis=1))

    def weight(self, units: int) -> str:
        """Weight units as a number of cases."""
        return show_number(self.tree.schema.cases(units))

    def counts(self, counts: NDArray[np.int64]) -> str:
        """The classes that occur, each with its cases; of many, those with the most."""
        names = self.tree.schema.wording.classes
        positions, n_more = largest(counts.tolist())
        return with_more((f"{names[i]} {self.weight(counts[i])}" for i in positions), n_more)


def share_words(share: float) -> str:
    """A share as whole percents; one that is not none is never "0%", and one that is not all never "100%".

    >>> [share_words(share) for share in (0.0, 0.004, 0.6, 0.998, 1.0)]
    ['0%', '<1%', '60%', '>99%', '100%']
    """
    return "<1%" if 0 < share < 0.005 else ">99%" if 0.995 < share < 1 else f"{share:.0%}"


def loss_words(found: Tree | Point, *, has_losses: bool) -> str:
    """ "12 errors", or "loss 84 (12 errors, 40 referred)"; nothing about referrals where there are none."""
    errors = counted(found.errors, "error")
    if not has_losses:
        return errors
    referred = f", {show_number(found.referred)} referred" if found.referred else ""
    return f"loss {show_number(found.loss)} ({errors}{referred})"


def confusion_table(confusion: Confusion) -> TextTable:
    """A row per answer and a column per class."""
    rows = zip(confusion.answers, confusion.counts, strict=True)
    written = tuple((str(answer), *map(show_number, counts)) for answer, counts in rows)
    return TextTable(("answer", *map(str, confusion.class_names)), written)


def confusion_lines(confusion: Confusion) -> list[str]:
    """The table as text; of many classes, the pairs of class and other answer that occur most."""
    if len(confusion.class_names) <= MAX_CLASSES:
        return ["answers by class:", *(f"  {line}" for line in text_lines(confusion_table(confusion)))]
    pairs = [
        (count, f"  {true} → {answer}: {show_number(count)}")
        for row, (answer, counts) in enumerate(zip(confusion.answers, confusion.counts, strict=True))
        for column, (true, count) in enumerate(zip(confusion.class_names, counts, strict=True))
        if count and row != column
    ]
    lines = [line for _, line in sorted(pairs, key=lambda pair: -pair[0])[:MAX_PAIRS]]
    left = len(pairs) - len(lines)
    lines += [f"  and {counted(left, 'more pair')} with fewer cases"] if left else []
    return ["the most common other answers:", *lines] if lines else []


def size_and_cost(tree: Tree) -> dict[str, Any]:
    """What it costs, what it gets wrong among the known cases, how large it is and where it came from."""
    lost = () if tree.schema.losses is None else ("loss", "referred")
    names = ("max_cost", "known_max_cost", "mean_cost", "errors", *lost, "n_objects", "n_leaves", "depth")
    return {name: getattr(tree, name) for name in names} | {"origin": str(tree.origin)}


def chart_notes(tree: Tree) -> list[str]:
    """What stands above a chart: whose cases, what it costs at most, what a miss counts; what to do with it."""
    of_class = _of_class(tree, tree.nodes.counts[0].tolist(), of_all=True)
    facts = [f"learned from {counted(tree.n_objects, 'case')} ({of_class})"]
    facts += [f"at most {tree.words.worst} each", *_loss_note(tree)]
    how, nodes = "Add the points. " if tree.outline.tables else "", tree.nodes
    if any(isinstance(rule, Model) for rule in nodes.rules) or any(split.model for split in nodes.splits):
        how = "A model works out the chance from all results, not by hand: use budgetree ask, or the report page. "
    return [" · ".join(facts), f"{how}Stop where it says so."]


def _loss_note(tree: Tree) -> list[str]:
    """What a miss and a false alarm count, where that differs from errors."""
    classes, target, losses = tree.schema.wording.classes, tree.outline.target, tree.nodes.loss_table
    if len(classes) != 2 or losses.is_plain:
        return []
    lost = (Fraction(int(losses.units[label, 1 - label])) / losses.scale for label in (target, 1 - target))
    missed, alarm = map(show_number, lost)
    return [f"a missed {classes[target]} counts {missed}, a false alarm {alarm}"]


def to_stages(tree: Tree) -> str:
    """A chart to work through on paper: stages with their points, and where to stop."""
    records, classes = stage_records(tree), tree.schema.wording.classes
    subject = classes[tree.outline.target].upper() if len(classes) == 2 else f"WHICH OF {len(classes)}"
    facts, *notes = chart_notes(tree)
    lines = [f"{subject}?   {facts}", *notes]
    for record in records:
        lines += ["-" * CHART, *_stage_lines(tree, record, is_last=record is records[-1])]
    if not records:
        lines += ["-" * CHART, f"EVERYBODY   {tree.words.label((0,)).upper()}"]
    expected = [part for line in new_case_notes(tree) for part in wrap(line, CHART)]
    if last := [*_chance_lines(tree, records), *expected]:
        lines += ["-" * CHART, *last]
    return "\n".join(map(visible, lines))


def _stage_lines(tree: Tree, record: StageRecord, *, is_last: bool) -> list[str]:
    words, answers = tree.words, tree.schema.wording.answers
    price = words.amounts(record.price) if record.buys else "already paid"
    price += f" more ({words.amounts(record.spent)} in all)" if record.buys and record.number > 1 else ""
    share = sum(record.cases) / max(int(tree.nodes.counts[0].sum()), 1)
    who = "everybody" if record.number == 1 else f"{100 * share:.0f} % of the cases"
    head = {
        "points": record.total.replace("total", "TOTAL"),
        "chance": "CHANCE",
        "confidence": "CONFIDENCE",
        "": "",
    }.get(record.unit)
    head = words.subject(record.end) if head is None else head
    scored = {words.test(test.test): test for test in record.tests if test.groups}
    width = max(map(len, (head, *scored)))
    lines = [f"STAGE {record.number}   {price}   {who}"]
    if record.unit != "result" or len(record.tests) != 1:
        lines += [f"  {name}" for name in words.purchases([test.test for test in record.tests if not test.groups])]
    for name, test in scored.items():
        groups = [f"{' or '.join(found)}: {points}" for found, points in test.groups]
        groups += [] if test.otherwise is None else [f"unknown: {test.otherwise}"]
        lines.append(f"  {name:{width}}  {' | '.join(groups)}")
    ranges = [" or ".join(ending.names) for ending in record.endings]
    actions = [
        f"go on to stage {ending.goes_to}" if ending.goes_to is not None
        else (words.label(ending.group, short=True) if ending.answer is None else answers[ending.answer].upper())
        + ("" if is_last else ", stop")
        for ending in record.endings
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in (ranges, actions)]
    for ending, of, action in zip(record.endings, ranges, actions, strict=True):
        total = counted(tree.schema.cases(sum(ending.cases)), "case")
        cases = total if ending.goes_to is not None else f"{total}, {_of_class(tree, ending.cases)}"
        what = f"{of:{widths[0]}}   " if widths[0] else ""
        lines.append(f"  {head:{width}}  {what}{action:{widths[1]}}   {cases}")
        head = ""
    return lines


def _of_class(tree: Tree, cases: Sequence[int], *, of_all: bool = False) -> str:
    """How many are of the class that is looked for; of more classes, those that occur."""
    classes, target = tree.schema.wording.classes, tree.outline.target
    if of_all and len(classes) > MAX_CLASSES:
        return f"{len(classes)} classes"
    if len(classes) == 2:
        return f"{tree.words.weight(cases[target])} {classes[target]}"
    return tree.words.counts(np.array(cases))


def _chance_lines(tree: Tree, records: Sequence[StageRecord]) -> list[str]:
    head, lines = f"chance of {tree.schema.wording.classes[tree.outline.target]}", list[str]()
    for record in records:
        if record.chances:
            shown = "  ".join(f"{total}: {100 * chance:.0f}" for total, chance in record.listed_chances)
            lines.append(f"{head}   stage {record.number} total  {shown} %")
            head = " " * len(head)
    return lines


def new_case_notes(tree: Tree) -> list[str]:
    """What stands below a chart: what to expect of it, and how firm it is; nothing where that is not known."""
    if tree.estimate is None:
        return []
    return [str(tree.estimate), *estimate_sentences(tree.estimate, tree.schema, tree.outline.target)]
