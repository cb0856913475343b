"""Drawing: a tree as shapes on a plane, from left to right, for whoever paints them.

Lengths are points (72 to an inch), y grows downwards, and texts are centred on their y.
"""

from __future__ import annotations

import heapq
import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np

from budgetree.services.words import counted, visible
from budgetree.show.colours import WORST, answer_colours, tint
from budgetree.show.outline import Branch, Group
from budgetree.tree.tree import Tree

INK, GREY, PAPER = "#1A1A1A", "#6B6B6B", "#FFFFFF"
SIZE, SMALL = 9.0, 7.0  # of letters
ROW, BOX, GAP, MARGIN, HEAD = 32.0, 20.0, 12.0, 12.0, 44.0
MAX_BRANCH, MAX_NAME = 34, 30  # letters
MAX_DEPTH = 100  # tests, where nobody asks for more: a test with one branch takes no leaf, but a column


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float


@dataclass(frozen=True, slots=True)
class Box:
    """A rounded rectangle; hint is the long story, for painters that can show it on request."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str
    dashed: bool
    hint: str


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text, from x on or around it."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    bold: bool = False
    anchor: Literal["start", "middle"] = "start"


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes in the order to paint them, and the size of the paper."""

    width: float
    height: float
    shapes: tuple[Stroke | Box | Text, ...]


@dataclass(eq=False)
class _Item:
    """A group on its way to a place on the paper."""

    group: Group
    depth: int
    branch: Branch | None  # the one that leads here
    above: _Item | None
    below: list[_Item]
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0


def draw(tree: Tree, max_leaves: int, max_depth: int | None) -> Drawing:
    """The whole tree, or the part of it that most cases pass where there are more leaves than fit."""
    return _Draughtsman(tree).draw(max_leaves, max_depth)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is, in a font with wide letters, so that it fits in others too."""
    return sum(_em(letter) for letter in text) * size * (1.15 if bold else 1)


class _Draughtsman:
    """Draws one tree: what to unfold, where it goes, which shapes it has."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.outline = tree.outline
        self.words = tree.words
        self.nodes = tree.nodes
        self.names = tree.schema.wording.answers
        self.colours = answer_colours(len(tree.class_names), len(self.names))

    def draw(self, max_leaves: int, max_depth: int | None) -> Drawing:
        items = self._unfold(max_leaves, max_depth)
        self._place(items)
        worst = self._costliest(items)
        shapes: list[Stroke | Box | Text] = []
        for item in sorted(items, key=lambda item: item in worst):  # the costliest path lies on top
            shapes.extend(self._branch_shapes(item, item in worst))
        for item in items:
            shapes.extend(self._item_shapes(item))
        caption = f"dark red: the costliest path, {self.words.amount(self.nodes.paid.max())}"
        folded = sum(self._is_folded(item) for item in items)
        if folded:
            caption += f"; {counted(folded, 'box stands', 'boxes stand')} for a part that is not shown"
        shapes.append(Text(MARGIN, MARGIN + SIZE / 2, self.tree.summary(), SIZE, INK, bold=True))
        shapes.append(Text(MARGIN, MARGIN + 1.8 * SIZE, caption, SMALL, GREY))
        texts = [shape for shape in shapes if isinstance(shape, Text)]
        right = max(text.x + text_width(text.text, text.size, text.bold) for text in texts)
        bottom = max(item.y for item in items) + ROW / 2
        return Drawing(right + MARGIN, bottom + MARGIN, tuple(shapes))

    def _unfold(self, max_leaves: int, max_depth: int | None) -> list[_Item]:
        """The items to draw, from the top down: those with the most cases are unfolded first."""
        root = _Item((0,), 0, None, None, [])
        n_items, n_leaves = 1, 1
        deepest = MAX_DEPTH if max_depth is None else max_depth
        waiting = [(0, 0, root)]
        while waiting:
            _, _, item = heapq.heappop(waiting)
            if self.outline.is_leaf(item.group) or item.depth >= deepest:
                continue
            branches = self.outline.branches(item.group)
            if n_leaves - 1 + len(branches) > max_leaves:
                continue
            n_leaves += len(branches) - 1
            for branch in branches:
                below = _Item(branch.group, item.depth + 1, branch, item, [])
                item.below.append(below)
                n_items += 1
                heapq.heappush(waiting, (-int(self.outline.counts(branch.group).sum()), n_items, below))
        return _from_the_top(root)

    def _place(self, items: list[_Item]) -> None:
        """Columns by depth, wide enough for their longest texts; rows by leaves."""
        for item in items:
            item.width = text_width(self._name(item), SIZE, bold=bool(item.below)) + 14
        columns: list[list[_Item]] = [[] for _ in range(max(item.depth for item in items) + 1)]
        for item in items:
            columns[item.depth].append(item)
        x, start = MARGIN, {}
        for depth, column in enumerate(columns):
            x += max(max(text_width(text, size, bold=True) for text, size in self._labels(item)) for item in column)
            x += 2 * GAP + 8 if depth else 0
            start[depth] = x
            x += max((item.width for item in column if item.below), default=0)
        row = HEAD + ROW / 2
        for item in items:
            item.x = start[item.depth]
            if not item.below:
                item.y = row
                row += ROW
        for item in reversed(items):
            if item.below:
                item.y = (item.below[0].y + item.below[-1].y) / 2

    def _costliest(self, items: list[_Item]) -> set[_Item]:
        """The items on the path to the costliest leaf; of equals the one that most cases take."""
        nodes, costliest = self.nodes, self.nodes.paid.copy()  # per node, what its costliest leaf has paid
        for first, last in reversed(nodes.levels[1:]):
            np.maximum.at(costliest, nodes.parent[first:last], costliest[first:last])

        def rank(item: _Item) -> tuple[int, int]:
            return int(costliest[item.group[0]]), int(self.outline.counts(item.group).sum())

        at: _Item | None = max((item for item in items if not item.below), key=rank)
        path = set()
        while at is not None:
            path.add(at)
            at = at.above
        return path

    def _is_folded(self, item: _Item) -> bool:
        return not item.below and not self.outline.is_leaf(item.group)

    def _name(self, item: _Item) -> str:
        node = item.group[0]
        if item.below:
            name = _short(self.tree.schema.wording.tests[self.nodes.test[node]], MAX_NAME)
            return f"buy {name}" if self.outline.is_purchase(item.group) else name
        label = _short(self.names[self.nodes.label[node]], MAX_NAME)
        if self.tree.models is not None:
            likeliest = self.names[self.nodes.shares[node].argmax()]
            label = f"model, mostly {_short(likeliest, MAX_NAME)}"
        return f"{label} …" if self._is_folded(item) else label

    def _labels(self, item: _Item) -> list[tuple[str, float]]:
        """What stands above and below the line that leads to the item."""
        if item.branch is None or item.above is None:
            return [("", SMALL)]
        node, above = item.group[0], item.above.group[0]
        paid = self.nodes.paid
        price = f"costs {self.words.amount(paid[node] - paid[above])}, spent {self.words.amount(paid[node])}"
        if self.nodes.otherwise is not None and self.tree.charges.repeated[above]:
            price = f"spent {self.words.amount(paid[node])}"
        return [(_listed(item.branch.names), SIZE - 1), (price, SMALL)]

    def _branch_shapes(self, item: _Item, is_worst: bool) -> list[Stroke | Box | Text]:
        if item.above is None:
            return []
        turn = item.above.x + item.above.width + GAP
        points = ((turn - GAP, item.above.y), (turn, item.above.y), (turn, item.y), (item.x, item.y))
        (outcome, outcome_size), (price, price_size) = self._labels(item)
        colour = WORST if is_worst else GREY
        return [
            Stroke(points, WORST if is_worst else "#B5B5B5", 2.2 if is_worst else 1.0),
            Text(turn + 6, item.y - 7, outcome, outcome_size, INK),
            Text(turn + 6, item.y + 7, price, price_size, colour, bold=is_worst),
        ]

    def _item_shapes(self, item: _Item) -> list[Stroke | Box | Text]:
        label = int(self.nodes.label[item.group[0]])
        counts = self.outline.counts(item.group)
        edge, fill = (INK, PAPER) if item.below else (self.colours[label], tint(self.colours[label], 0.25))
        hint = self.words.describe(item.group, folded=not item.below)
        name = self._name(item)
        middle = item.x + item.width / 2
        shapes: list[Stroke | Box | Text] = [
            Box(item.x, item.y - BOX / 2, item.width, BOX, fill, edge, self._is_folded(item), hint),
            Text(middle, item.y, name, SIZE, INK, bold=bool(item.below), anchor="middle"),
        ]
        if not item.below:
            right = f"{self.words.weight(counts[label])} of " if label < len(counts) else ""
            share = right + self.words.weight(counts.sum())
            shapes.append(Text(item.x + item.width + 5, item.y, share, SMALL, GREY))
        return shapes


def _from_the_top(root: _Item) -> list[_Item]:
    """Every item, before what is below it."""
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += reversed(found[-1].below)
    return found


def _listed(names: tuple[str, ...]) -> str:
    """As many names as fit, and how many more there are."""
    shown = _short(names[0], MAX_BRANCH)
    for place, name in enumerate(names[1:], start=1):
        if len(shown) + len(name) + 3 > MAX_BRANCH:
            return f"{shown} | +{len(names) - place}"
        shown += f" | {visible(name)}"
    return shown


def _short(text: str, max_length: int) -> str:
    """On one line; of a long text both ends, since names often begin alike."""
    line = visible(text)
    return line if len(line) <= max_length else f"{line[: max_length * 2 // 3]}…{line[-(max_length // 3 - 1) :]}"


def _em(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in "ijlI.,:;|'!()[] ":
        return 0.36
    if letter in "mwMW%@…":
        return 0.95
    return 0.7 if letter.isupper() else 0.63
