"""A frontier for people: steps, a table with a sparkline, a plot of letters for terminals and one for notebooks.

Without losses the loss is the errors, and is called so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from budgetree.learn import Frontier, Point
from budgetree.messages import MAX_RECALLS, cases_sentence, objective_sentence, share_words
from budgetree.problem import Instance
from budgetree.services.words import counted, show_number, visible
from budgetree.show.tables import TextTable, html_table
from budgetree.show.text import loss_words
from budgetree.tree.provenance import Method, NewError, NewLoss

Corner = tuple[float, float]  # (budget, value)
REMEDY = "objective='new', fewer levels or a smaller budget help"
CLI_REMEDY = "use --objective new, fewer levels or a smaller budget"
FEWEST_KNOWN = "fewest known"  # of trees for known cases, beside those for new ones
LAST_REMEDY = "expect the error on new cases"  # of a tree for new cases, which is no better for being smaller
IMPOSSIBLE = "no tree can be here"
BARS = "▁▂▃▄▅▆▇█"
NEW_ERROR, NEW_LOSS = "new error ± se", "new loss ± se"  # only where something was held out; means
MEAN_COST, SENSITIVITY, SPECIFICITY, RECALLS = "mean cost", "sens.", "spec.", "found"  # on the rows held out
WIDTHS = {"max-cost": 10, "loss": 9, "errors": 8, "referred": 9, "at least": 9}
WIDTHS |= {MEAN_COST: 10, SENSITIVITY: 6, SPECIFICITY: 6, RECALLS: 8}
WIDTHS |= {"error rate": 11, NEW_ERROR: 15, "mean loss": 10, NEW_LOSS: 15, "budget": 10, FEWEST_KNOWN: 14}  # in letters
MAX_ROWS_IN_HTML = 60
WIDTH, HEIGHT, MARGIN = 420, 220, 46
LINE, PAPER, IMPOSSIBLE_OPACITY = "#2a78c8", "white", 0.15
LETTERS_WIDE, LETTERS_HIGH = 60, 12
LEVEL, CORNER, RISE, DROP, POINT, OPEN_POINT, SHADE = "─", "┐", "┘", "│", "●", "○", "░"


@dataclass(frozen=True, slots=True)
class Key:
    """What the upright axis and the two kinds of points are called."""

    axis: str
    proven: str
    found: str


def key_of(frontier: Frontier) -> Key:
    """The words for this frontier."""
    axis, best = ("loss", "least") if frontier.has_losses else ("errors", "fewest")
    # Of trees for new cases, the errors on known ones need not be few.
    is_new = frontier.found_by is Method.PREDICTIVE
    return Key(axis, f"proven to be the {best}", "of the best found for new cases" if is_new else f"the {best} found")


@dataclass(frozen=True, slots=True)
class Steps:
    """A value per budget: that of the last start at or before it. The picture ends at `right`.

    3 ●────┐            starts (0, 3) and (2, 1), right 5;
      │    │            the pen goes through (0, 3), (2, 3), (2, 1), (5, 1)
    1 │    ●───────
      └────┴──────┴
      0    2      5
    """

    starts: tuple[Corner, ...]  # cheapest first
    right: float

    @classmethod
    def falling(cls, points: Iterable[Corner], right: float) -> Steps:
        """Of any points up to the right end, those below all cheaper ones."""
        kept: list[Corner] = []
        for budget, value in sorted(points):
            if budget <= right and (not kept or value < kept[-1][1]):
                kept.append((budget, value))
        return cls(tuple(kept), right)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Where a pen that draws the line turns, from left to right."""
        found = [*self.starts[:1]]
        for (_, before), (budget, value) in pairwise(self.starts):
            found += [(budget, before), (budget, value)]
        if self.right > self.starts[-1][0]:
            found.append((self.right, self.starts[-1][1]))
        return tuple(found)

    def at(self, budget: float) -> float:
        """The value at a budget; before the first start that one's."""
        return self.starts[max(bisect_right(self.starts, budget, key=lambda start: start[0]) - 1, 0)][1]

    def divided(self, total: float) -> Steps:
        """Shares instead of numbers."""
        return Steps(tuple((budget, value / total) for budget, value in self.starts), self.right)


@dataclass(frozen=True, slots=True)
class FrontierSteps:
    """Both lines of a frontier; below the bound no tree can be."""

    loss: Steps
    bound: Steps


def frontier_steps(frontier: Frontier, right: float | None = None) -> FrontierSteps:
    """The lines up to `right`, by default up to the last point.

    The search may have ended at the last point or at the largest budget it was asked for, so beyond that point the
    bound is what holds at any price: the loss that no test can avoid.
    """
    last = float(frontier[-1].budget)
    end = last if right is None else right
    loss = tuple((float(point.budget), float(point.loss)) for point in frontier)
    unavoidable = float(frontier.instance.schema.loss(frontier.instance.irreducible.units))
    bound = [(start, float(least)) for (start, _), (_, least) in zip(loss[:-1], frontier.bounds, strict=False)]
    return FrontierSteps(Steps(loss, end), Steps((*bound, (last, unavoidable)), end))


def shown_steps(frontier: Frontier, right: float | None = None) -> FrontierSteps:
    """What a picture draws: of trees for new cases, where it is known, their mean on these, and no bound."""
    steps, means = frontier_steps(frontier, right), new_means(frontier)
    if not means:
        return steps
    starts = tuple((float(point.budget), mean) for point, mean in zip(frontier, means, strict=True))
    return FrontierSteps(Steps(starts, steps.loss.right), Steps(((0.0, 0.0),), steps.loss.right))


def points_table(frontier: Frontier) -> TextTable:
    """One row per point: what it costs, what it gets wrong, what is proven, and what found it."""
    amount = frontier.instance.schema.wording.amount
    has_losses, refers = frontier.has_losses, frontier.has_losses and any(point.referred for point in frontier)
    has_known = any(point.known_least is not None for point in frontier)
    has_recalls, positive = any(point.new_recalls for point in frontier), _positive(frontier)
    columns: list[tuple[bool, str, Callable[[Point], str]]] = [
        (frontier.has_budgets, "budget", lambda point: amount(point.budget)),
        (True, "max-cost", lambda point: amount(point.max_cost)),
        (has_losses, "loss", lambda point: show_number(point.loss)),
        (True, "errors", lambda point: show_number(point.errors)),
        (refers, "referred", lambda point: show_number(point.referred)),
        (has_losses, "mean loss", lambda point: f"{point.mean_loss:.3g}"),
        (not has_losses, "error rate", lambda point: f"{point.error_rate:.2%}"),
        (frontier.validation is not None, NEW_LOSS if has_losses else NEW_ERROR, _new_mean),
        (has_recalls, MEAN_COST, lambda point: _cost_on_new(frontier, point)),
        (has_recalls and positive is not None, SENSITIVITY, lambda point: _recall(point, positive)),
        (has_recalls and positive is not None, SPECIFICITY, lambda point: _recall(point, 1 - (positive or 0))),
        (has_recalls and positive is None, RECALLS, _recalls),
        (not has_known, "at least", _at_least),
        (has_known, FEWEST_KNOWN, _fewest_known),
        (not all(point.for_new or not point.max_cost for point in frontier), "by", lambda point: point.source),
    ]
    shown = [(name, show) for is_shown, name, show in columns if is_shown]
    return TextTable(tuple(dict(shown)), tuple(tuple(show(point) for _, show in shown) for point in frontier))


def render_text(frontier: Frontier, remedy: str = REMEDY) -> str:
    """The table, headed by a sparkline of the errors, or the loss."""
    axis, bars = _axis(frontier), sparkline([value for _, value in shown_steps(frontier).loss.starts])
    method = f"; {frontier.method}" if frontier.method else ""
    table = points_table(frontier)
    columns = zip(*table.rows, strict=True)
    pairs = zip(table.head, columns, strict=True)
    widths = [max(WIDTHS[name], *map(len, cells)) for name, cells in pairs if name != "by"]

    def line(cells: tuple[str, ...]) -> str:
        numbers = (f"{cell:>{width}}" for width, cell in zip(widths, cells, strict=False))
        return "  ".join([" ".join(numbers), *cells[len(widths) :]])

    title = f"frontier of {counted(len(frontier), 'point')}, {axis} {bars}{method}{_ended(frontier)}"
    body = map(line, (table.head, *table.rows))
    return "\n".join([*_objective(frontier), *_fixed_limits(frontier), title, *body, *judgement(frontier, remedy)])


def _fixed_limits(frontier: Frontier) -> list[str]:
    """What limits every point besides its budget."""
    further = frontier.instance.schema.costs.resources[1:]
    limits = (f"{of.name} at most {show_number(of.amount(of.limit))} {of.unit}".rstrip() for of in further)
    return [f"at every budget: {', '.join(limits)}"] if further else []


def _objective(frontier: Frontier) -> list[str]:
    """Which cases its trees are for, why, and how they are counted; nothing where that was not asked."""
    choice, cases = frontier.request.choice, frontier.instance
    if choice is None:
        return []
    counted_as = [cases_sentence(cases, choice.objective)] if isinstance(cases, Instance) else []  # not of partitions
    return [objective_sentence(choice), *counted_as]


def judgement(frontier: Frontier, remedy: str = REMEDY) -> list[str]:
    """How the errors on new cases came about, which point they recommend, and which are overfitted: lines of text."""
    if frontier.validation is None:
        return []
    lines, positive = [str(frontier.validation)], _positive(frontier)
    if any(point.new_recalls for point in frontier):
        classes = frontier.instance.schema.wording.classes
        of = "and the least share found of a class" if len(classes) > MAX_RECALLS else ""
        of = of or f"and the share found of {', '.join(classes)}"
        if positive is not None:
            of = f"sensitivity of {classes[positive]}, specificity of {classes[1 - positive]}"
        lines.append(f"on the same rows: mean cost, {of}")
    chosen, overfitted = frontier.recommended, [point for point in frontier if point.overfitted]
    if chosen is None:
        with_these = "" if frontier[0].for_new else f" with these trees for known cases; {remedy}"
        lines.append(f"recommended: none, as no budget is significantly better on new cases than no test{with_these}")
    elif chosen.estimate is not None:
        among = "" if chosen.for_new else ", among these trees for known cases"
        lines.append(f"recommended: a budget of {_cost(frontier, chosen)}, new cases {new_words(chosen)}{among}")
        lines += filter(None, [no_more_words(frontier, frontier[-1])])
    if overfitted:
        several = f"{len(overfitted)} of {counted(len(frontier), 'point')} are overfitted (!); "
        at = f"{several if len(overfitted) > 1 else ''}at {_cost(frontier, overfitted[-1])}"
        lines.append(f"{at}: {verdict(overfitted[-1], remedy)}")
    return lines


def _positive(frontier: Frontier) -> int | None:
    """Of two classes, the one whose recall is the sensitivity."""
    schema = frontier.instance.schema
    if len(schema.class_names) != 2:
        return None
    return schema.loss_table.positive(frontier.instance.class_order.counts.tolist())[0]


def _cost_on_new(frontier: Frontier, point: Point) -> str:
    return "-" if point.new_cost is None else frontier.instance.schema.wording.with_unit(f"{point.new_cost:.3g}")


def _recall(point: Point, label: int | None) -> str:
    return "-" if point.new_recalls is None or label is None else share_words(point.new_recalls[label])


def _recalls(point: Point) -> str:
    """Of few classes each, of many the least."""
    shares = point.new_recalls or ()
    if len(shares) > MAX_RECALLS:
        return f"≥ {share_words(min(share for share in shares if share is not None))}"
    return " ".join(map(share_words, shares))


def no_more_words(frontier: Frontier, point: Point) -> str:
    """That a cheaper point may do as well on new cases as this one, in plain words; "" where this one is better."""
    enough = frontier.enough
    if enough is None or frontier.points.index(enough) >= frontier.points.index(point):
        return ""
    is_free = not enough.candidate.required_budget
    return (
        "no evidence that any test helps" if is_free else f"no evidence that more than {_cost(frontier, enough)} helps"
    )


def verdict(point: Point, remedy: str = REMEDY) -> str:
    """That a point is overfitted, in plain words; "" where it is not."""
    if point.estimate is None or not point.overfitted:
        return ""
    loss, advice = point.estimate.new_loss, LAST_REMEDY if point.for_new else remedy
    return overfitted_words(point.mean_loss if loss else point.error_rate, loss or point.estimate.new_error, advice)


def overfitted_words(known: float, new: NewError | NewLoss, remedy: str = REMEDY) -> str:
    """What is wrong with a tree that knows its table by heart, and what to do; "" where nothing is.

    >>> overfitted_words(0.0, NewError(0.47, 0.04), "use a smaller budget")
    'known cases 0.0 % wrong, new cases about 47 % ± 4: overfitted; use a smaller budget'
    >>> overfitted_words(0.25, NewError(0.26, 0.04))
    ''
    >>> overfitted_words(0.25, NewLoss(0.714, 0.042), "use a smaller budget")
    'a known case loses 0.25, a new one about 0.71 ± 0.04: overfitted; use a smaller budget'
    """
    if not new.exceeds(known):
        return ""
    if isinstance(new, NewLoss):
        about = f"{new.loss:.2g} ± {new.se:.1g}"
        return f"a known case loses {known:.3g}, a new one about {about}: overfitted; {remedy}"
    digits = 0 if new.se >= 0.005 else 1
    about = f"{100 * new.error:.{digits}f} % ± {100 * new.se:.{digits}f}"
    return f"known cases {100 * known:.1f} % wrong, new cases about {about}: overfitted; {remedy}"


def new_words(point: Point) -> str:
    """What to expect of new cases: "44.7 % ± 2.7 wrong", before it the loss where losses are given."""
    if point.estimate is None:
        return ""
    loss = "" if point.estimate.new_loss is None else f"{point.estimate.new_loss}, "
    return f"{loss}{point.estimate.new_error} wrong"


def _cost(frontier: Frontier, point: Point) -> str:
    return visible(frontier.instance.schema.wording.amount(point.budget))


def _new_mean(point: Point) -> str:
    if point.estimate is None:
        return "-"
    mark, loss = " !" if point.overfitted else "", point.estimate.new_loss
    return f"{point.estimate.new_error if loss is None else f'{loss.loss:.3g} ± {loss.se:.2g}'}{mark}"


def new_means(frontier: Frontier) -> list[float]:
    """Per point the share of new cases that is wrong, or what one loses; none where trees are for known ones."""
    estimates = [point.estimate for point in frontier if point.for_new and point.estimate is not None]
    return [estimate.mean for estimate in estimates] if len(estimates) == len(frontier) else []


def _axis(frontier: Frontier) -> str:
    if new_means(frontier):
        return "new loss" if frontier.has_losses else "new error"
    return key_of(frontier).axis


def _highest(frontier: Frontier, top: float) -> str:
    """What stands at the top of the upright axis."""
    if not new_means(frontier):
        return show_number(top)
    return f"{top:.3g}" if frontier.has_losses else f"{100 * top:.1f} %"


def _at_least(point: Point) -> str:
    return "proven" if point.proven else show_number(point.lower_bound) if point.lower_bound else "-"


def _fewest_known(point: Point) -> str:
    return (
        "-" if point.known_least is None else f"{show_number(point.known_least)}{', proven' * bool(point.known_proven)}"
    )


def sparkline(values: Sequence[float]) -> str:
    """One bar per value, the largest full."""
    top = max(values, default=0) or 1
    return "".join(BARS[round(value / top * (len(BARS) - 1))] for value in values)


def render_html(frontier: Frontier) -> str:
    """A step plot over a table; readable on light and dark pages."""
    head = "".join(f"<p>{escape(visible(line))}</p>" for line in _objective(frontier))
    note = f"<p>{escape(visible(frontier.method))}{_ended(frontier)}</p>"
    table = points_table(frontier).cut(MAX_ROWS_IN_HTML)
    lines = "".join(f"<p>{escape(visible(line))}</p>" for line in judgement(frontier))
    left = tuple(index for index, name in enumerate(table.head) if name == "by")
    return f"{head}{_step_plot(frontier)}{note}{html_table(table, left=left)}{lines}"


def _ended(frontier: Frontier) -> str:
    return "" if frontier.complete else " (ended early)"


def _step_plot(frontier: Frontier) -> str:
    steps, means = shown_steps(frontier), new_means(frontier)
    right = steps.loss.right or 1.0
    top = max(loss for _, loss in steps.loss.starts) or 1.0

    def position(corner: Corner) -> tuple[float, float]:
        budget, loss = corner
        x = MARGIN + (WIDTH - 2 * MARGIN) * budget / right
        return round(x, 1), round(HEIGHT - MARGIN - (HEIGHT - 1.5 * MARGIN) * loss / top, 1)

    def path(corners: Iterable[Corner]) -> str:
        return "M" + "L".join(f"{x} {y}" for x, y in map(position, corners))

    dots = "".join(
        f"<circle cx='{x}' cy='{y}' r='3' fill='{LINE if point.proven and not means else PAPER}'><title>"
        f"{new_words(point) if means else loss_words(point, has_losses=frontier.has_losses)} "
        f"at {escape(_cost(frontier, point))}</title></circle>"
        for point, (x, y) in zip(frontier, map(position, steps.loss.starts), strict=True)
    )
    axis_name, amount = _axis(frontier), frontier.instance.schema.wording.amount
    base, axis = HEIGHT - MARGIN, MARGIN
    shade = path([(0, 0), *steps.bound.corners, (steps.bound.right, 0)])
    return (
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' role='img' "
        f"aria-label='{axis_name} against max-cost' font-size='11' fill='currentColor' stroke='none'>"
        f"<path d='{shade}Z' opacity='{IMPOSSIBLE_OPACITY}'><title>{IMPOSSIBLE}</title></path>"
        f"<path d='M{axis} {MARGIN / 2}V{base}H{WIDTH - MARGIN}' fill='none' stroke='currentColor' opacity='.5'/>"
        f"<path d='{path(steps.loss.corners)}' fill='none' stroke='{LINE}' stroke-width='2'/>"
        f"<g stroke='{LINE}' stroke-width='1.5'>{dots}</g>"
        f"<text x='{axis - 5}' y='{MARGIN / 2 + 8}' text-anchor='end'>{_highest(frontier, top)}</text>"
        f"<text x='{axis - 5}' y='{base}' text-anchor='end'>0</text>"
        f"<text x='{WIDTH - MARGIN}' y='{base + 15}' text-anchor='end'>{escape(visible(amount(right)))}</text>"
        f"<text x='{WIDTH / 2}' y='{base + 30}' text-anchor='middle'>max-cost</text>"
        f"<text x='{axis}' y='{MARGIN / 2 - 8}'>{axis_name}</text></svg>"
    )


def draw_in_letters(frontier: Frontier, width: int = LETTERS_WIDE, height: int = LETTERS_HIGH) -> str:
    """Errors, or loss, against budget as steps: ● proven, ○ the best found, ░ where no tree can be.

    Of trees for new cases, where their error is known: that, and no bound.
    """
    steps, means, words = shown_steps(frontier), new_means(frontier), key_of(frontier)
    right = steps.loss.right or 1.0
    top = max(loss for _, loss in steps.loss.starts) or 1.0

    def row_of(loss: float) -> int:
        return round((1 - loss / top) * (height - 1))

    grid = [[" "] * width for _ in range(height)]
    above = row_of(steps.loss.starts[0][1])
    for column in range(width):
        budget = (column + 0.5) / (width - 1) * right  # half a column more: a point is in the column where it lies
        row, least = row_of(steps.loss.at(budget)), steps.bound.at(budget)
        if least > 0:
            for below in range(row_of(least) + 1, height):
                grid[below][column] = SHADE
        for between in range(above, row):
            grid[between][column] = CORNER if between == above else DROP
        for between in range(row + 1, above + 1):
            grid[between][column] = RISE if between == above else DROP
        grid[row][column] = LEVEL
        above = row
    for point, (budget, loss) in zip(frontier, steps.loss.starts, strict=True):
        grid[row_of(loss)][round(budget / right * (width - 1))] = POINT if point.proven and not means else OPEN_POINT
    names = {0: _highest(frontier, top), height - 1: "0"}
    margin = max(map(len, names.values()))
    lines = [f"{names.get(number, ''):>{margin}} ┤{''.join(row).rstrip()}" for number, row in enumerate(grid)]
    end = visible(frontier.instance.schema.wording.amount(right))
    lines += [f"{'':>{margin}} └{'─' * width}", f"{'':>{margin}}  0{'budget':^{width - 2 - len(end)}}{end}"]
    proof = "" if means else f"{POINT} {words.proven}, "
    shade = "" if means else f", {SHADE} {IMPOSSIBLE}"
    return "\n".join([f"{_axis(frontier)}; {proof}{OPEN_POINT} {words.found}{shade}", *lines])
