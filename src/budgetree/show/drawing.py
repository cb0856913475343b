"""Drawing: a tree as shapes on a plane, from left to right, painted as SVG here and by matplotlib in plots.

Lengths are points (72 to an inch), y grows downwards, and texts are centred on their y.
"""

from __future__ import annotations

import colorsys
import heapq
import unicodedata
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any, Literal

import numpy as np

from budgetree.services.words import counted, visible
from budgetree.show.outline import NONE, Branch, Group
from budgetree.show.text import check_size
from budgetree.tree.leaves import Points
from budgetree.tree.tree import Tree

# Okabe and Ito's colours for universal design, without yellow, which is too pale for a line.
FEW = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#5B5B5B")
WORST = "#B00020"  # the costliest path
GREYS = ("#8C8C8C", "#595959", "#B3B3B3")  # answers that are no class
FONTS = "DejaVu Sans, Verdana, Geneva, sans-serif"  # as wide as the layout assumes
INK, GREY, PAPER = "#1A1A1A", "#6B6B6B", "#FFFFFF"
SIZE, SMALL = 9.0, 7.0  # of letters
ROW, BOX, GAP, MARGIN, HEAD = 32.0, 20.0, 12.0, 12.0, 44.0
MAX_BRANCH, MAX_NAME = 34, 30  # letters
MAX_LEAVES = 40  # what is beyond is folded, unless more are asked for
MAX_DEPTH = 100  # tests, unless more are asked for: a test with one branch takes no leaf, but a column


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
    """A group that is being laid out."""

    group: Group
    depth: int
    branch: Branch | None  # the one that leads here
    above: _Item | None
    below: list[_Item]
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0


def draw(tree: Tree, *, max_leaves: int = MAX_LEAVES, max_depth: int | None = None) -> Drawing:
    """The whole tree, or the part of it that most cases pass where there are more leaves than fit."""
    check_size("max_leaves", max_leaves, 1)
    check_size("max_depth", 0 if max_depth is None else max_depth, 0)
    return _Draughtsman(tree).draw(max_leaves, max_depth)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is, in a font with wide letters, so that it fits in others too."""
    return sum(_em(letter) for letter in text) * size * (1.15 if bold else 1)


class _Draughtsman:
    """Draws one tree: what to unfold, where it goes, which shapes it has."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.outline, self.words, self.nodes = tree, tree.outline, tree.words, tree.nodes
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
        caption = f"dark red: the costliest path, {self.words.amount(self.outline.most((0,)))}"
        if folded := sum(self._is_folded(item) for item in items):
            caption += f"; {counted(folded, 'box stands', 'boxes stand')} for a part that is not shown"
        shapes.append(Text(MARGIN, MARGIN + SIZE / 2, self.tree.summary(), SIZE, INK, bold=True))
        shapes.append(Text(MARGIN, MARGIN + 1.8 * SIZE, caption, SMALL, GREY))
        bottom = max(item.y for item in items) + ROW / 2
        for line in (line for table in self.outline.tables for line in self.words.points_lines(table)):
            shapes.append(Text(MARGIN, bottom + SIZE / 2, line.strip(), SIZE - 1, INK))
            bottom += 1.5 * SIZE
        texts = [shape for shape in shapes if isinstance(shape, Text)]
        right = max(text.x + text_width(text.text, text.size, text.bold) for text in texts)
        return Drawing(right + MARGIN, bottom + MARGIN, tuple(shapes))

    def _unfold(self, max_leaves: int, max_depth: int | None) -> list[_Item]:
        """The items to draw, each before what is below it: those with the most cases are unfolded first."""
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
        items, stack = [], [root]
        while stack:
            items.append(stack.pop())
            stack += reversed(items[-1].below)
        return items

    def _place(self, items: list[_Item]) -> None:
        """Columns by depth, wide enough for their longest texts; rows by leaves."""
        for item in items:
            item.width = text_width(self._name(item), SIZE, bold=bool(item.below)) + 14
        x, row = MARGIN, HEAD + ROW / 2
        for _, members in groupby(sorted(items, key=lambda item: item.depth), key=lambda item: item.depth):
            column = list(members)
            x += max(text_width(text, size, bold=True) for item in column for text, size in self._labels(item))
            x += 2 * GAP + 8 if column[0].depth else 0
            for item in column:
                item.x = x
            x += max((item.width for item in column if item.below), default=0)
        for item in items:
            if not item.below:
                item.y = row
                row += ROW
        for item in reversed(items):
            if item.below:
                item.y = (item.below[0].y + item.below[-1].y) / 2

    def _costliest(self, items: list[_Item]) -> set[_Item]:
        """The items on the path to the costliest leaf; of equals the one that most cases take."""

        def rank(item: _Item) -> tuple[int, int]:
            return self.outline.most(item.group), int(self.outline.counts(item.group).sum())

        path = [max((item for item in items if not item.below), key=rank)]
        while (above := path[-1].above) is not None:
            path.append(above)
        return set(path)

    def _is_folded(self, item: _Item) -> bool:
        return not item.below and not self.outline.is_leaf(item.group)

    def _name(self, item: _Item) -> str:
        if item.below:
            name = _short(self.words.subject(self.outline.step(item.group[0])), MAX_NAME)
            return f"buy {name}" if self.outline.is_purchase(item.group) else name
        label, rule = _short(self.names[self.nodes.label[item.group[0]]], MAX_NAME), self.nodes.scored(item.group[0])
        if rule is not None:
            share = _short(self.words.share(item.group), MAX_NAME)
            label = ("points" if isinstance(rule, Points) else "model") + (share and f", {share}")
        return f"{label} …" if self._is_folded(item) else label

    def _labels(self, item: _Item) -> list[tuple[str, float]]:
        """What stands above and below the line that leads to the item."""
        if item.branch is None or item.above is None:
            return [("", SMALL)]
        above, spent, amount = item.above.group[0], self.nodes.spent[item.group[0]], self.words.amount
        price = f"spent {amount(spent)}"
        if self.outline.step(above).buy != NONE:
            price = f"costs {amount(spent - self.nodes.spent[above])}, {price}"
        return [(_listed(item.branch.names), SIZE - 1), (price, SMALL)]

    def _branch_shapes(self, item: _Item, is_worst: bool) -> list[Stroke | Box | Text]:
        if item.above is None:
            return []
        turn = item.above.x + item.above.width + GAP
        points = ((turn - GAP, item.above.y), (turn, item.above.y), (turn, item.y), (item.x, item.y))
        (outcome, outcome_size), (price, price_size) = self._labels(item)
        return [
            Stroke(points, WORST, 2.2) if is_worst else Stroke(points, "#B5B5B5", 1.0),
            Text(turn + 6, item.y - 7, outcome, outcome_size, INK),
            Text(turn + 6, item.y + 7, price, price_size, WORST if is_worst else GREY, bold=is_worst),
        ]

    def _item_shapes(self, item: _Item) -> list[Stroke | Box | Text]:
        label = int(self.nodes.label[item.group[0]])
        edge, fill = (INK, PAPER) if item.below else (self.colours[label], tint(self.colours[label], 0.25))
        hint, name = self.words.describe(item.group, folded=not item.below), self._name(item)
        middle = item.x + item.width / 2
        shapes: list[Stroke | Box | Text] = [
            Box(item.x, item.y - BOX / 2, item.width, BOX, fill, edge, self._is_folded(item), hint),
            Text(middle, item.y, name, SIZE, INK, bold=bool(item.below), anchor="middle"),
        ]
        if not item.below:
            shapes.append(Text(item.x + item.width + 5, item.y, self._share(item, label), SMALL, GREY))
        return shapes

    def _share(self, item: _Item, label: int) -> str:
        """How many cases get the right answer, of all; only these where the answer is no class."""
        counts = self.outline.counts(item.group)
        right = counts[label] if label < len(counts) else None
        if self.nodes.scored(item.group[0]) is not None:
            right = np.trace(self.outline.answered(item.group)[: len(counts)])
        return ("" if right is None else f"{self.words.weight(right)} of ") + self.words.weight(counts.sum())


def _listed(names: tuple[str, ...]) -> str:
    """As many names as fit, and how many more there are."""
    shown = _short(names[0], MAX_BRANCH)
    for index, name in enumerate(names[1:], start=1):
        if len(shown) + len(name) + 3 > MAX_BRANCH:
            return f"{shown} | +{len(names) - index}"
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


def to_svg(tree: Tree, **limits: Any) -> str:
    """One SVG element; the limits are those of `draw`."""
    drawing = draw(tree, **limits)
    size = f'width="{drawing.width:.1f}pt" height="{drawing.height:.1f}pt"'
    body = "\n".join(_paint(shape) for shape in drawing.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {drawing.width:.1f} {drawing.height:.1f}" '
        f'font-family="{FONTS}" role="img">\n<rect width="100%" height="100%" fill="{PAPER}"/>\n{body}\n</svg>\n'
    )


def _paint(shape: Stroke | Box | Text) -> str:
    """Names are shown, never read as markup; what XML cannot hold is escaped before."""
    if isinstance(shape, Stroke):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        return (
            f'<polyline points="{points}" fill="none" stroke="{shape.colour}" stroke-width="{shape.width}" '
            'stroke-linejoin="round"/>'
        )
    if isinstance(shape, Box):
        dashes = ' stroke-dasharray="3 2"' if shape.dashed else ""
        return (
            f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" rx="5" '
            f'fill="{shape.fill}" stroke="{shape.edge}"{dashes}><title>{escape(visible(shape.hint))}</title></rect>'
        )
    weight = ' font-weight="bold"' if shape.bold else ""
    anchor = ' text-anchor="middle"' if shape.anchor == "middle" else ""
    # A fixed offset from the baseline rather than dominant-baseline, which not every viewer knows.
    return (
        f'<text x="{shape.x:.1f}" y="{shape.y + 0.35 * shape.size:.1f}" font-size="{shape.size}" '
        f'fill="{shape.colour}"{weight}{anchor} pointer-events="none">{escape(visible(shape.text))}</text>'
    )


def class_colours(n_classes: int) -> tuple[str, ...]:
    """As many colours as classes; beyond the few that everyone tells apart, a wheel of two brightnesses."""
    if n_classes <= len(FEW):
        return FEW[:n_classes]
    wheel = (colorsys.hls_to_rgb(i / n_classes, (0.35, 0.6)[i % 2], 0.65) for i in range(n_classes))
    return tuple("#" + "".join(f"{round(part * 255):02X}" for part in colour) for colour in wheel)


def answer_colours(n_classes: int, n_answers: int) -> tuple[str, ...]:
    """Those of the classes, and greys for whatever else may be answered."""
    return (*class_colours(n_classes), *(GREYS[i % len(GREYS)] for i in range(n_answers - n_classes)))


def tint(colour: str, share: float = 0.2) -> str:
    """The colour mixed with white."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * share):02X}" for part in parts)
