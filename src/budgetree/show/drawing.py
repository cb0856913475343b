"""Drawing: a pathway as numbered boxes on a plane, painted as SVG in svg and by matplotlib in plots.

A box is a stage: what is bought, the points of its results, and below a line where cases stop, with which answer, and
where the others go on. A figure has the boxes one below the other, indented as in to_text; a sheet for the wall has
them in columns on pages. Lengths are points (72 to an inch), y grows downwards, and texts are centred on their y.
"""

from __future__ import annotations

import colorsys
import heapq
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from budgetree.services.words import counted, visible
from budgetree.show.outline import Group
from budgetree.show.stages import Ending, StageRecord, stage_records
from budgetree.show.text import check_size, share_words
from budgetree.tree.tree import Tree

# Okabe and Ito's colours for universal design, without yellow, which is too pale for a line.
FEW = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#5B5B5B")
WORST = "#B00020"  # the costliest path
GREYS = ("#8C8C8C", "#595959", "#B3B3B3")  # answers that are not classes
INK, GREY, PAPER, RULE = "#1A1A1A", "#5B5B5B", "#FFFFFF", "#B5B5B5"
WIDTH = 510.0  # of a figure: 180 mm, the text of a page
INDENT, MAX_INDENT = 14.0, 8  # of what follows a stage; levels
GAP, MARGIN, PAD = 8.0, 12.0, 7.0
SIZES = (11.0, 10.0, 9.0, 8.0)  # of letters on a sheet, until it fits; figures have the third
SHEETS = {"a4": (595.3, 841.9), "letter": (612.0, 792.0)}
SHEET_MARGIN, MAX_COLUMNS = 30.0, 2
MAX_WORD = 34  # letters; longer ones are shortened
MAX_LEAVES = 40  # what is beyond is folded, unless more are asked for


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
    """One line of text, from x on, around it, or up to it."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "start"


Shape = Stroke | Box | Text


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes in the order to paint them, and the size of the paper."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


def draw(tree: Tree, *, max_leaves: int = MAX_LEAVES, max_depth: int | None = None) -> Drawing:
    """The whole tree, or the part of it that most cases pass where there are more leaves than fit; 180 mm wide."""
    check_size("max_leaves", max_leaves, 1)
    check_size("max_depth", 0 if max_depth is None else max_depth, 0)
    painter = _Painter(tree, _unfolded(tree, max_leaves, max_depth))
    shapes, y = painter.head(MARGIN, MARGIN, WIDTH - 2 * MARGIN, tree.summary())
    tops: dict[Group, tuple[float, float]] = {}  # where the line to a box begins
    for record in painter.records:
        depth = min(painter.visits[record.group].depth, MAX_INDENT)
        x = MARGIN + INDENT * depth
        box, height = painter.box(record, x, y, WIDTH - MARGIN - x)
        if depth and (start := tops.get(record.group)) and start[0] < x:
            is_worst = record.group in painter.worst
            points = (start, (start[0], y + 10), (x, y + 10))
            shapes.append(Stroke(points, WORST if is_worst else RULE, 2.0 if is_worst else 1.0))
        shapes += box
        tops |= {ending.group: (x + INDENT / 2, y + height) for ending in record.endings}
        y += height + GAP
    return Drawing(WIDTH, y - GAP + MARGIN, tuple(shapes))


def sheets(
    tree: Tree, title: str, notes: Sequence[str] = (), last: Sequence[str] = (), *, paper: str = "a4"
) -> tuple[Drawing, ...]:
    """The pathway between notes on paper, in letters as large as one page takes; where none does, on several pages."""
    width, height = SHEETS[paper]
    inner = width - 2 * SHEET_MARGIN
    for columns in range(1, MAX_COLUMNS + 1):
        for size in SIZES:
            painter = _Painter(tree, None, size)
            head, top = painter.head(SHEET_MARGIN, SHEET_MARGIN, inner, title, notes)
            across = (inner - (columns - 1) * GAP) / columns
            pages = painter.paged(across, columns, top, height - SHEET_MARGIN, last)
            if len(pages) == 1:
                return (Drawing(width, height, (*head, *pages[0])),)
    name = f"{visible(title)}, page {{}} of {len(pages)}"
    right, low = width - SHEET_MARGIN, height - SHEET_MARGIN / 2
    numbers = [Text(right, low, name.format(page), 7.0, GREY, anchor="end") for page in range(1, len(pages) + 1)]
    pages[0] = [*head, *pages[0]]
    return tuple(Drawing(width, height, (*page, number)) for page, number in zip(pages, numbers, strict=True))


def _unfolded(tree: Tree, max_leaves: int, max_depth: int | None) -> set[Group]:
    """The stages to draw: those with the most cases first, as long as the leaves fit."""
    outline, unfolded, n_leaves, n_seen = tree.outline, set[Group](), 1, 0
    waiting: list[tuple[int, int, int, Group]] = [(0, 0, 0, (0,))]
    while waiting:
        _, _, depth, group = heapq.heappop(waiting)
        if outline.is_leaf(group) or (max_depth is not None and depth >= max_depth):
            continue
        branches = outline.branches(group)
        if n_leaves - 1 + len(branches) > max_leaves:
            continue
        unfolded.add(group)
        n_leaves += len(branches) - 1
        for branch in branches:
            n_seen += 1
            heapq.heappush(waiting, (-int(outline.counts(branch.group).sum()), n_seen, depth + 1, branch.group))
    return unfolded


class _Painter:
    """Makes the boxes of one tree."""

    def __init__(self, tree: Tree, unfolded: set[Group] | None, size: float = SIZES[2]) -> None:
        self.tree, self.words, self.outline, self.size, self.small = tree, tree.words, tree.outline, size, size - 1.5
        self.colours = answer_colours(len(tree.class_names), len(tree.schema.wording.answers))
        every = stage_records(tree)
        self.records = [record for record in every if unfolded is None or record.group in unfolded]
        self.visits = {visit.group: visit for visit in self.outline.walk()}
        self.shown = {record.group for record in self.records}
        self.worst = set() if unfolded is None else self._costliest()  # on paper for the wall it would alarm

    def _costliest(self) -> set[Group]:
        """The way to the costliest leaf, or part that is not drawn; of equals the one that most cases take."""
        ends = [ending.group for record in self.records for ending in record.endings if ending.group not in self.shown]
        if not ends:
            return set()
        at = max(ends, key=lambda group: (self.outline.most(group), int(self.outline.counts(group).sum())))
        path = {at}
        while (above := self.visits[at].above) is not None:
            at = above
            path.add(at)
        return path

    def head(
        self, x: float, y: float, width: float, title: str, notes: Sequence[str] = ()
    ) -> tuple[list[Shape], float]:
        """The title, and what the marks mean."""
        folded = sum(ending.group not in self.shown and ending.goes_to is not None for ending in self._endings())
        caption = [*notes] or [f"red: the costliest path, {self.words.amount(self.outline.most((0,)))}"]
        if folded:
            caption[-1] += f"; dashed: {counted(folded, 'part')} not shown"
        shapes, y = _lines(title, x, y, width, self.size + 2 * bool(notes), bold=True)
        for text in caption:
            more, y = _lines(text, x, y, width, self.small, GREY)
            shapes += more
        if not self.records:  # a single leaf, or nothing of the tree is drawn
            is_leaf, counts = self.outline.is_leaf((0,)), tuple(self.outline.counts((0,)).tolist())
            whole = Ending((), (0,), None if is_leaf else 1, self.outline.answer(0) if is_leaf else None, counts)
            shapes += self._ending(whole, [], 0, x, y + 6, width)[0]
            y += 3 * self.size
        return shapes, y + 6

    def _endings(self) -> Iterator[Ending]:
        return (ending for record in self.records for ending in record.endings)

    def paged(
        self, across: float, columns: int, top: float, bottom: float, last: Sequence[str] = ()
    ) -> list[list[Shape]]:
        """The boxes, and what stands below them, from column to column and page to page."""
        pages: list[list[Shape]] = [[]]
        column, start, y = 0, top, top
        notes = list[Shape](), 0.0
        for text in last:
            more, end = _lines(text, 0, notes[1], across, self.small, GREY)
            notes = [*notes[0], *more], end
        for record in [*self.records, None]:
            _, height = notes if record is None else self.box(record, 0, 0, across)
            if y + height > bottom and y > start:
                column, y = column + 1, start
                if column == columns:
                    pages.append([])
                    column, start = 0, SHEET_MARGIN
                    y = start
            x = SHEET_MARGIN + column * (across + GAP)
            if record is None:
                pages[-1] += [replace(text, x=x, y=y + text.y) for text in notes[0] if isinstance(text, Text)]
            else:
                pages[-1] += self.box(record, x, y, across)[0]
            y += height + GAP
        return pages

    def box(self, record: StageRecord, x: float, y: float, width: float) -> tuple[list[Shape], float]:
        """The shapes of a stage, and how high it is."""
        size, small, words, nodes = self.size, self.small, self.words, self.tree.nodes
        inner, top, left, is_worst = width - 2 * PAD, y, x + PAD, record.group in self.worst
        subject, bought = words.subject(record.end), [int(nodes.test[buy]) for buy in record.buys]
        asked, price = ", ".join(words.purchases(bought)) if bought else subject, words.price(record.buys)
        if record.number > 1:
            share = share_words(sum(record.cases) / max(int(nodes.counts[0].sum()), 1))
            price += f", {words.amounts(record.spent)} in all; {share} of the cases"
        tag = f"{record.number}  " if len(self.records) > 1 or record.number > 1 else ""
        shapes, y = _lines(tag + asked, left, y + PAD, inner, size, bold=True)
        more, y = _lines(price, left, y, inner, small, WORST if is_worst else GREY, bold=is_worst)
        shapes += more
        scored = [test for test in record.tests if test.groups]
        names = [self.tree.schema.wording.tests[test.test] for test in scored]
        led = min(max([text_width(_short(name), size, bold=True) for name in names], default=0), 0.35 * inner)
        for test, name in zip(scored, names, strict=True):
            parts = [f"{' or '.join(of)}: {points}" for of, points in test.groups]
            text = " | ".join([*parts, f"unknown: {test.otherwise}"])
            of_name, below = _lines(name, left, y, led, size, bold=True)
            of_points, y = _lines(text, left + led + 10, y, inner - led - 10, size)
            shapes, y = [*shapes, *of_name, *of_points], max(y, below)
        y += 1
        shapes.append(Stroke(((left, y), (left + inner, y)), RULE, 0.5))
        y += 4
        by = record.total if record.unit == "points" else subject if bought else ""
        if by and not (record.unit == "result" and bought == [nodes.test[record.end]]):
            more, y = _lines(f"{by}:", left, y, inner, small, GREY)
            shapes += more
        ways = [" | ".join(map(_short, ending.names)) for ending in record.endings]
        led = min(max(text_width(name, size) for name in ways), 0.42 * inner)
        for ending, name in zip(record.endings, ways, strict=True):
            more, height = self._ending(ending, wrapped(name, led, size) if name else [], led, left, y, inner)
            shapes += more
            y += height
        if record.chances:
            target = self.tree.schema.wording.classes[self.outline.target]
            chances = ", ".join(f"{total}: {100 * chance:.0f}%" for total, chance in record.listed_chances)
            more, y = _lines(f"chance of {target} at a total of {chances}", left, y + 3, inner, small, GREY)
            shapes += more
        y += PAD - 3
        hint = words.describe(record.group)
        frame = Box(x, top, width, y - top, PAPER, INK, False, hint)
        return [frame, *shapes], y - top

    def _ending(
        self, ending: Ending, led: list[str], led_width: float, x: float, y: float, width: float
    ) -> tuple[list[Shape], float]:
        """One line or more: what leads there, the answer or the next stage, how many cases."""
        size, small, is_worst = self.size, self.small, ending.group in self.worst
        at = x + (led_width + 22 if led else 14)
        cases = self._cases(ending)
        rest = x + width - text_width(cases, small) - at - 8
        label = self._label(ending)
        is_beside = text_width(label, size) + 12 <= rest or rest > 0.6 * (x + width - at)
        answer = wrapped(label, (rest if is_beside else x + width - at) - 12, size)
        height = max(len(led), len(answer)) * 1.35 * size + 5
        middle = y + height / 2
        shapes: list[Shape] = [
            Text(x, y + 2.5 + (n + 0.5) * 1.35 * size, line, size, INK) for n, line in enumerate(led)
        ]
        start = x + (text_width(led[0], size) + 4 if len(led) == 1 else led_width + 4 if led else 0)
        shapes.append(
            Stroke(((start, middle), (at - 3, middle)), WORST if is_worst else RULE, 1.6 if is_worst else 0.8)
        )
        if ending.group in self.shown:
            shapes.append(Text(at, middle, label, size, INK, bold=True))
        else:
            shapes += self._chip(ending, answer, at, middle, height - 4)
        if is_beside:
            return [*shapes, Text(x + width, middle, cases, small, GREY, anchor="end")], height
        below = wrapped(cases, x + width - at, small)
        shapes += [Text(at, y + height + (n + 0.5) * 1.4 * small, line, small, GREY) for n, line in enumerate(below)]
        return shapes, height + len(below) * 1.4 * small + 2

    def _cases(self, ending: Ending) -> str:
        """The share of all known cases, how many they are, and how many of them get the right answer."""
        tree, n_cases = self.tree, sum(ending.cases)
        share = share_words(n_cases / max(int(tree.nodes.counts[0].sum()), 1))
        text = f"{share}: {counted(tree.schema.cases(n_cases), 'case')}"
        if ending.goes_to is not None or not n_cases:
            return text
        if len(ending.cases) == 2:
            target = self.outline.target
            return f"{text}, {self.words.weight(ending.cases[target])} {_short(tree.schema.wording.classes[target])}"
        if ending.answer is not None and ending.answer >= len(ending.cases):
            return text  # an answer that is not a class is neither right nor wrong
        given = self.outline.answered(ending.group)[: len(ending.cases)]
        right = int(given.trace()) if ending.answer is None else ending.cases[ending.answer]
        return text if right == n_cases else f"{text}, {self.words.weight(right)} right"

    def _label(self, ending: Ending) -> str:
        """What stands at an ending: an answer, where to go on, or how many answers are not drawn."""
        names, group = self.tree.schema.wording.answers, ending.group
        if group in self.shown:
            return f"go to {ending.goes_to}"
        if ending.goes_to is not None:
            return f"{self.outline.leaves(group)} answers …"
        return self.words.label(group, short=True) if ending.answer is None else _short(names[ending.answer])

    def _chip(self, ending: Ending, lines: Sequence[str], x: float, middle: float, height: float) -> list[Shape]:
        """An answer in the colour of its class; grey where it depends on the case."""
        size, is_folded = self.size, ending.goes_to is not None
        edge = GREYS[1] if ending.answer is None else self.colours[ending.answer]
        hint = self.words.describe(ending.group, folded=True)
        width = max(text_width(line, size) for line in lines) + 10
        first = middle - (len(lines) - 1) * 1.35 * size / 2
        texts = [Text(x + 5, first + n * 1.35 * size, line, size, INK) for n, line in enumerate(lines)]
        return [Box(x, middle - height / 2, width, height, tint(edge, 0.25), edge, is_folded, hint), *texts]


def _lines(
    text: str, x: float, y: float, width: float, size: float, colour: str = INK, *, bold: bool = False
) -> tuple[list[Shape], float]:
    """A text in lines of at most this width, and where it ends."""
    lines = wrapped(text, width, size, bold)
    step = 1.4 * size
    return [Text(x, y + (n + 0.5) * step, line, size, colour, bold) for n, line in enumerate(lines)], y + len(
        lines
    ) * step


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is, in a font with wide letters, so that it fits in others too."""
    return sum(_em(letter) for letter in text) * size * (1.15 if bold else 1)


def wrapped(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    """Lines of at most this width, broken between words; a word that is wider has a line of its own, shortened."""
    lines = [""]
    for word in map(_short, visible(text).split()):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and text_width(longer, size, bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return [_fitting(line, width, size, bold) for line in lines]


def _fitting(line: str, width: float, size: float, bold: bool) -> str:
    while text_width(line, size, bold) > width and len(line) > 4:
        line = f"{line[: len(line) * 2 // 3 - 1].rstrip('…')}…{line[-(len(line) // 3 - 1) :]}"
    return line


def _short(text: str) -> str:
    """On one line; of a long text both ends, since names often begin alike."""
    line = visible(text)
    return line if len(line) <= MAX_WORD else f"{line[: MAX_WORD * 2 // 3]}…{line[-(MAX_WORD // 3 - 1) :]}"


def _em(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in "ijlI.,:;|'!()[] ":
        return 0.36
    if letter in "mwMW%@…":
        return 0.95
    return 0.7 if letter.isupper() else 0.63


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
