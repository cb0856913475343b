"""A tree as text: one line per branch, outcomes with the same subtree on one; and in a few numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import SettingError
from budgetree.services.words import counted, largest, show_number, visible, with_more
from budgetree.show.outline import NONE, Group, Step, percent, point_names
from budgetree.show.tables import TextTable, text_lines
from budgetree.tree import Confusion
from budgetree.tree.leaves import Model, Points, Scored, Totals
from budgetree.tree.tree import Tree

if TYPE_CHECKING:
    from budgetree.learn import Point

INDENT = 3  # letters for each level
BELOW = {"": "", "├─ ": "│  ", "└─ ": "   "}  # what leads to a node, and what stands there in the lines below it
MAX_CLASSES, MAX_PAIRS = 12, 12  # of more classes only the pairs that are confused most are listed
MAX_INDENT = 40  # levels; of deeper lines the margin says how many more there are


def to_text(tree: Tree, max_depth: int | None = None, *, confusion: bool = False) -> str:
    """The summary line, then the tree and its points; then, if wanted, which answers the cases of each class get."""
    check_size("max_depth", 0 if max_depth is None else max_depth, 0)
    outline, words = tree.outline, tree.words
    folds = math.inf if max_depth is None else max_depth
    lines, shown = [summary_line(tree)], set[Totals]()
    # A stack rather than recursion: a tree may be deeper than Python's recursion limit.
    stack: list[tuple[int, str, str, str, Group]] = [(0, "", "", "", (0,))]
    while stack:
        depth, prefix, turn, names, group = stack.pop()
        margin = f"{depth - 1 - MAX_INDENT} ⋯ " if depth > 1 + MAX_INDENT else ""
        lines.append(f"{margin}{prefix}{turn}{names}{words.describe(group, folded=depth >= folds)}")
        if outline.tables and (outline.is_leaf(group) or depth < folds):
            shown |= {totals for totals in [outline.points(group[0])] if totals is not None}
        if depth < folds and not outline.is_leaf(group):
            below, branches = (prefix + BELOW[turn])[-MAX_INDENT * INDENT :], outline.branches(group)
            for branch in reversed(branches):
                turn = "└─ " if branch is branches[-1] else "├─ "
                stack.append((depth + 1, below, turn, f"{' | '.join(branch.names)}: ", branch.group))
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
    amount, has_losses = tree.schema.wording.amount, tree.schema.losses is not None
    is_lower = total and tree.known_max_cost != tree.max_cost
    known = f" (known cases at most {amount(tree.known_max_cost)})" if is_lower else ""
    rate = "" if has_losses or not total else f" ({tree.errors / total:.1%})"
    leaves = counted(tree.n_leaves, "leaf", "leaves")
    if any(isinstance(rule, Points | Model) for rule in tree.nodes.rules):
        leaves = f"{counted(len(tree.tests_used), 'test')} that are weighed together in {leaves}"
    return (
        f"{counted(tree.n_objects, 'case')}{weight}, {leaves}; "
        f"worst case {amount(tree.max_cost)}{known}, mean {amount(round(tree.mean_cost, 3))}; "
        f"{loss_words(tree, has_losses=has_losses)}{rate}"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What a tree's nodes, prices and counts are called."""

    tree: Tree

    def describe(self, group: Group, *, folded: bool = False) -> str:
        node, is_leaf = group[0], self.tree.outline.is_leaf(group)
        counted = self.counts(self.tree.outline.counts(group)) or "no known case"
        spent = "" if node == 0 else f", spent {self.amount(self.tree.nodes.spent[node])}"
        if folded or is_leaf:
            shown = f"→ {'' if is_leaf else '… '}{self.label(group)}"
        else:
            shown = f"{self.question(group)} {self.price(group)}"
        return f"{shown}{spent}  [{counted}]"

    def label(self, group: Group) -> str:
        """What is answered there; of a model, what it is a model of and what known cases are answered most often."""
        rule = self.tree.nodes.scored(group[0])
        if rule is not None:
            share = "" if isinstance(rule, Points) else self.share(group)
            return f"by {self.source(rule)}{share and f' ({share})'}"
        return str(self.tree.schema.wording.answers[self.tree.nodes.label[group[0]]])

    def share(self, group: Group) -> str:
        """How many of the known cases get the answer that most of them get; nothing where none comes."""
        given = self.tree.outline.answered(group).sum(axis=1)
        answer = self.tree.schema.wording.answers[given.argmax()]
        return f"{given.max() / given.sum():.0%} answered {answer}" if given.any() else ""

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

    def question(self, group: Group) -> str:
        """The test that is asked for there, or bought."""
        return f"{self.request(group)}{':' if self.tree.outline.is_purchase(group) else '?'}"

    def request(self, group: Group) -> str:
        """The same as the name of a box."""
        outline, nodes = self.tree.outline, self.tree.nodes
        step = outline.step(group[0])
        asked = self.subject(step)
        if outline.is_purchase(group):
            asked = f"buy {asked}"
        if step.confidence == NONE:
            return asked
        return f"unless {percent(nodes.splits[nodes.rule[step.confidence]].confidence)} sure, {asked}"

    def subject(self, step: Step) -> str:
        """What a step buys, or branches by."""
        nodes, split = self.tree.nodes, self.tree.outline.split(step)
        if split is not None and split.totals is not None:
            if split.is_score:
                return f"chance of {self.tree.schema.wording.classes[1]} by {self.model(split.totals)}"
            return self.points(split.totals) if split.confidence is None else self.model(split.totals)
        test = nodes.test[step.branch if step.buy == NONE else step.buy]
        return str(self.tree.schema.wording.tests[test])

    def price(self, group: Group) -> str:
        """What is paid there."""
        nodes, costs, buy = self.tree.nodes, self.tree.schema.costs, self.tree.outline.step(group[0]).buy
        if buy == NONE:
            return "already paid"
        test, charges = int(nodes.test[buy]), nodes.charges[nodes.results(buy)]
        low, high = self.amount(charges.min()), self.amount(charges.max())
        price = f"costs {low}" if low == high else f"costs {low} to {high}"
        due = int(charges[0] - costs.amounts[0, test, 0])
        if not due:
            return price
        names = ", ".join(costs.fee_names[i] for i in costs.fees_of(test, self.tree.outline.shared_paid[buy]))
        return f"{price} with {self.amount(due)} for {names}"

    def amount(self, units: int) -> str:
        """Price units in the user's currency."""
        return self.tree.schema.wording.amount(Fraction(int(units)) / self.tree.schema.costs.scale)

    def weight(self, units: int) -> str:
        """Weight units as a number of cases."""
        return show_number(self.tree.schema.cases(units))

    def counts(self, counts: NDArray[np.int64]) -> str:
        """The classes that occur, each with its cases; of many, those with the most."""
        names = self.tree.schema.wording.classes
        positions, n_more = largest(counts.tolist())
        return with_more((f"{names[i]} {self.weight(counts[i])}" for i in positions), n_more)


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
