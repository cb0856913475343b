"""A tree as text: one line per branch, outcomes with the same subtree on one; and in a few numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.services.words import counted, largest, show_number, visible, with_more
from budgetree.show.outline import Group
from budgetree.show.tables import TextTable, text_lines
from budgetree.tree import Confusion
from budgetree.tree.tree import Tree

if TYPE_CHECKING:
    from budgetree.learn import Point

INDENT = 3  # letters for each level
BELOW = {"": "", "├─ ": "│  ", "└─ ": "   "}  # what leads to a node, and what stands there in the lines below it
MAX_CLASSES, MAX_PAIRS = 12, 12  # of more classes only the pairs that are confused most are listed
MAX_INDENT = 40  # levels; of deeper lines the margin says how many more there are


def render(tree: Tree, max_depth: int | None, *, with_confusion: bool = False) -> str:
    """The summary line, then the tree; then, if wanted, which answers the cases of each class get."""
    outline, words = tree.outline, tree.words
    folds = math.inf if max_depth is None else max_depth
    lines = [summary_line(tree)]
    # A stack rather than recursion: a tree may be deeper than Python's recursion limit.
    stack: list[tuple[int, str, str, str, Group]] = [(0, "", "", "", (0,))]
    while stack:
        depth, prefix, turn, names, group = stack.pop()
        margin = f"{depth - 1 - MAX_INDENT} ⋯ " if depth > 1 + MAX_INDENT else ""
        lines.append(f"{margin}{prefix}{turn}{names}{words.describe(group, folded=depth >= folds)}")
        if depth < folds and not outline.is_leaf(group):
            below, branches = (prefix + BELOW[turn])[-MAX_INDENT * INDENT :], outline.branches(group)
            for branch in reversed(branches):
                turn = "└─ " if branch is branches[-1] else "├─ "
                stack.append((depth + 1, below, turn, f"{' | '.join(branch.names)}: ", branch.group))
    if with_confusion:
        lines += confusion_lines(tree.confusion.called(tree.schema))
    return "\n".join(map(visible, lines))


def summary_line(tree: Tree) -> str:
    """Size, worst and mean cost, errors or loss."""
    total = float(tree.schema.cases(tree.nodes.counts[0].sum()))
    weight = "" if total == tree.n_objects else f" of weight {show_number(total)}"
    amount, has_losses = tree.schema.wording.amount, tree.schema.losses is not None
    known = "" if tree.known_max_cost == tree.max_cost else f" (known cases at most {amount(tree.known_max_cost)})"
    rate = "" if has_losses else f" ({tree.errors / total:.1%})"
    return (
        f"{counted(tree.n_objects, 'case')}{weight}, {counted(tree.n_leaves, 'leaf', 'leaves')}; "
        f"worst case {amount(tree.max_cost)}{known}, mean {amount(round(tree.mean_cost, 3))}; "
        f"{loss_words(tree, has_losses=has_losses)}{rate}"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What a tree's nodes, prices and counts are called."""

    tree: Tree

    def describe(self, group: Group, *, folded: bool = False) -> str:
        node = group[0]
        counted = self.counts(self.tree.outline.counts(group)) or "no known case"
        spent = "" if node == 0 else f", spent {self.amount(self.tree.nodes.paid[node])}"
        if folded or self.tree.outline.is_leaf(group):
            shown = f"→ {'' if self.tree.outline.is_leaf(group) else '… '}{self.label(group)}"
        else:
            shown = f"{self.question(group)} {self.price(node)}"
        return f"{shown}{spent}  [{counted}]"

    def label(self, group: Group) -> str:
        """What is answered there; of a model, what it is a model of and what most known cases are."""
        nodes, node, wording = self.tree.nodes, group[0], self.tree.schema.wording
        name: str = wording.answers[nodes.label[node]]
        tests = self.tree.outline.model_tests(group)
        if tests is None:
            return name
        share = f"{nodes.shares[node].max():.0%} are {wording.classes[nodes.shares[node].argmax()]}"
        return f"by the model of {' + '.join(tests)} ({share})" if tests else f"{name} ({share})"

    def question(self, group: Group) -> str:
        """The test that is asked for there, or bought."""
        return f"{self.request(group)}{':' if self.tree.outline.is_purchase(group) else '?'}"

    def request(self, group: Group) -> str:
        """The same as the name of a box."""
        node, models = group[0], self.tree.models
        name = self.tree.schema.wording.tests[self.tree.nodes.test[node]]
        asked = f"buy {name}" if self.tree.outline.is_purchase(group) else name
        if models is None or models.sure is None or not self.tree.may_stop[node]:
            return str(asked)
        return f"unless {100 * models.sure:.4g}% sure, {asked}"

    def price(self, node: int) -> str:
        """What doing the node's test costs there."""
        charges, table = self.tree.charges, self.tree.schema.costs
        if charges.repeated[node]:
            return "already paid"
        due, prices = int(charges.fees_due[node]), charges.price[node]
        low, high = self.amount(prices.min()), self.amount(prices.max())
        price = f"costs {low}" if low == high else f"costs {low} to {high}"
        if not due:
            return price
        names = ", ".join(
            table.fee_names[fee] for fee in range(len(table.fees)) if int(charges.unpaid[node]) >> fee & 1
        )
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
