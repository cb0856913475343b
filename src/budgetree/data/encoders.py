"""Encoders: how a column of raw values becomes outcome codes, and names a person can read."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Coded, Column, as_float, first_word, int_if_whole, number_column, same_text, sort_key
from budgetree.data.number_format import POINTS, NumberFormat
from budgetree.data.profile import ColumnProfile, NumberCounts, n_reached
from budgetree.data.table import Table, check_column, check_marks
from budgetree.errors import Remedy, SettingError, TableError, TableFileError
from budgetree.services.words import listed

MAX_OUTCOMES = 255  # codes are bytes, and the last byte value means "never seen"
UNSEEN = 255
MISSING = "missing"
FEW_VALUES = 10  # a number that has no more of them is cut at its values
MAX_LEVELS = MAX_OUTCOMES - 1  # one code is left for a missing value
DEFAULT_LEVELS = 10  # the paper's
FINE_GROUPS = 2**16  # of numbers that are counted together for fine levels, where there are more different ones
MAX_SHIFT = 0.4  # of a gap: how far from its middle it may be cut, for the sake of a short number
MANY_DIGITS = 6  # more than its lower neighbour has: a float that no one would write
# Where numbers are cut into levels: between the cases, as many in each as can be; or evenly spaced, as in the paper.
Binning = Literal["quantile", "uniform"]
# What an empty cell is: a result like any other, or one that is not known.
Blanks = Literal["result", "unknown"]


@dataclass(frozen=True, slots=True)
class BlankPlan:
    """What empty cells are, per column; None where nothing was given.

    >>> plan = BlankPlan.of({"chol": "result"})
    >>> plan.reading("chol"), plan.reading("age")
    ('result', None)
    """

    others: Blanks | None = None
    columns: Mapping[str, Blanks] = field(default_factory=dict)

    @classmethod
    def of(cls, blanks: BlankReading) -> BlankPlan:
        """What a user may give: a reading for all columns, or {column: reading} for some."""
        if isinstance(blanks, BlankPlan):
            return blanks
        columns = {str(name): reading for name, reading in blanks.items()} if isinstance(blanks, Mapping) else {}
        others = None if isinstance(blanks, Mapping) else blanks
        for found in (*columns.values(), *(() if others is None else (others,))):
            if found not in get_args(Blanks):
                expected = "'result', 'unknown', or {column: one of them}"
                raise SettingError.refusing("blanks", found, expected, get_args(Blanks))
        return cls(others, columns)

    def reading(self, column: str) -> Blanks | None:
        return self.columns.get(column, self.others)


BlankReading = Blanks | Mapping[str, Blanks] | BlankPlan | None


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """How many levels numbers are cut into, per column; one with no more different values is not cut.

    >>> LevelPlan(3, {"Ca": 4}).count("Ca"), LevelPlan(3, {"Ca": 4}).count("Age")
    (4, 3)
    """

    others: int = DEFAULT_LEVELS
    columns: Mapping[str, int] = field(default_factory=dict)
    always: bool = False  # the columns that are named are cut however few values they have
    binning: Binning = "quantile"
    order_of: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # per column named, its values in order
    blanks: BlankPlan = field(default_factory=BlankPlan)
    categories: Collection[str] = ()  # columns whose numbers are codes, each a value of its own without an order

    @classmethod
    def of(
        cls,
        levels: LevelCounts,
        binning: Binning = "quantile",
        blanks: BlankReading = None,
        categories: Collection[str] = (),
    ) -> LevelPlan:
        """What a user may give: a number for all columns, or {column: levels} for those that are always cut."""
        if isinstance(levels, LevelPlan):
            return levels
        if binning not in get_args(Binning):
            raise SettingError.refusing("binning", binning, "'quantile' or 'uniform'", get_args(Binning))
        others, columns = (DEFAULT_LEVELS, levels) if isinstance(levels, Mapping) else (levels, {})
        named, always = {str(name): count for name, count in columns.items()}, isinstance(levels, Mapping)
        plan, codes = BlankPlan.of(blanks), tuple(map(str, categories))
        return cls(others, named, always, binning, blanks=plan, categories=codes)

    def count(self, column: str) -> int:
        return self.columns.get(column, self.others)

    def check(self, test_names: Sequence[str]) -> None:
        """An error for a name of no test, or a number that levels cannot have."""
        named = {"levels": self.columns, "order_of": self.order_of, "blanks": self.blanks.columns}
        for subject, columns in (*named.items(), ("categories", self.categories)):
            for name in columns:
                if name not in test_names:
                    message = f"{subject}: no test is named {name!r}; the tests are {listed(test_names)}."
                    raise SettingError(message, subject=subject, found=name, expected=tuple(test_names))
        for count in (self.others, *self.columns.values()):
            is_whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
            if not is_whole or not 2 <= count < MAX_OUTCOMES:
                raise SettingError.refusing("levels", count, f"a whole number from 2 to {MAX_OUTCOMES - 1}")

    def as_planned(self, table: Table) -> Table:
        """The same table, its columns as the plan has them.

        Numbers of columns with levels that were taken for codes, such as 007, are numbers; those of columns with an
        order, and of categories, are values.
        """
        return replace(table, columns=tuple(map(self._as_planned, table.columns)))

    def _as_planned(self, column: Column) -> Column:
        name, order = column.name, self.order_of.get(column.name)
        if name in self.columns and column.numbers is None and column.texts and first_word(column) is None:
            return number_column(column)
        if order is None and name not in self.categories:
            return column
        values = column if column.numbers is None else column.as_values()
        return values if order is None else replace(values, order=tuple(order))


LevelCounts = int | Mapping[str, int] | LevelPlan


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers of neighbouring levels: ends in the fewest digits that tell them apart, None where there is none."""

    low: str | None = None
    high: str | None = None
    is_above: bool = False  # the low end itself is not in it
    is_within: bool = False  # the high end is in it, although the next one begins there
    level: int | None = None  # where levels are closer together than numbers can say

    def __str__(self) -> str:
        if self.level is not None:
            return f"level {self.level}"
        if self.low is None:
            return "any" if self.high is None else f"{'up to' if self.is_within else 'below'} {self.high}"
        if self.high is None:
            return f"above {self.low}" if self.is_above else f"{self.low} or more"
        above = "above " if self.is_above else ""
        return self.low if self.low == self.high else f"{above}{self.low} to {self.high}"


class _Cut:
    """A column of numbers that is cut into levels, and what these are called."""

    __slots__ = ()
    name: str
    levels: int
    has_missing: bool

    def encode(self: Any, column: Column) -> NDArray[np.uint8]:
        numbers = column.as_numbers()
        if numbers is None:
            message = f"column {self.name!r} was numeric when it was learned, but now holds {column.dtype}."
            raise TableError(message, subject=self.name, found=column.dtype)
        return NumberCuts.of(self).encode(numbers)

    def interval(self, first: int, last: int) -> Interval:
        """The numbers from one level to another."""
        raise NotImplementedError

    @property
    def outcome_names(self) -> tuple[str, ...]:
        names = tuple(str(self.interval(level, level)) for level in range(self.levels))
        return (*names, MISSING) if self.has_missing else names

    def range_names(self, outcomes: Sequence[int]) -> list[str]:
        """What outcomes are called together, neighbouring levels as one range.

        >>> FineLevels("age", (30.0, 40.0, 50.0), (25.0, 35.0, 45.0, 55.0), 20, 60, True).range_names([1, 2, 4])
        ['30 to 50', 'missing']
        """
        runs = list[tuple[int, int]]()
        for level in (outcome for outcome in outcomes if outcome < self.levels):
            if runs and runs[-1][1] == level - 1 and self.interval(level, level).level is None:
                runs[-1] = (runs[-1][0], level)
            else:
                runs.append((level, level))
        names = [str(self.interval(*run)) for run in runs]
        return [*names, MISSING] if self.levels in outcomes else names


@dataclass(frozen=True, slots=True)
class Levels(_Cut):
    """A numeric column, each value rounded to the nearest of evenly spaced levels.

    As in the paper halves go to the even level, and values outside of the range to its ends.
    """

    name: str
    low: float
    high: float
    levels: int
    has_missing: bool

    def interval(self, first: int, last: int) -> Interval:
        edges = _edges(self.low, self.high, self.levels)
        if not edges or not edges[last + 1]:
            return Interval(level=first)
        return Interval(edges[first], edges[last + 1])

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Per level after the first, the least float that is rounded to it, or infinity where none is.

        `x < threshold` then says exactly what encode does, also in a language that rounds in another way.
        """
        return _thresholds(self.low, self.high, self.levels)


@dataclass(frozen=True, slots=True)
class FineLevels(_Cut):
    """A numeric column cut at given thresholds; a level stands for the mean of its known values.

    Unlike Levels, it cuts between the values that there are: each has a level of its own while they are few, and
    else as many cases as its neighbours. Thresholds are short decimals.
    """

    name: str
    thresholds: tuple[float, ...]  # per level after the first, the least number in it
    values: tuple[float, ...]  # per level, the mean of its known values
    low: float  # the known numbers run from here
    high: float  # to there
    has_missing: bool

    @property
    def levels(self) -> int:  # type: ignore[override]
        return len(self.values)

    def interval(self, first: int, last: int) -> Interval:
        texts = _texts(self.thresholds)
        low, is_above = texts[first - 1] if first > 0 else (None, False)
        high, is_within = texts[last] if last < len(texts) else (None, False)
        return Interval(low, high, is_above, is_within)


@dataclass(frozen=True, slots=True)
class Categories:
    """A column with one outcome per value."""

    name: str
    values: tuple[Any, ...]
    has_missing: bool
    is_ordered: bool = False  # from the least to the greatest, in words such as mild and severe

    @property
    def outcome_names(self) -> tuple[str, ...]:
        names = [str(value) for value in self.values]
        if len(set(names)) < len(names) or MISSING in names:
            # 1 and "1" in one column, or a text that says "missing": repr keeps them apart.
            names = [repr(value) for value in self.values]
        return (*names, MISSING) if self.has_missing else tuple(names)

    def encode(self, column: Column) -> NDArray[np.uint8]:
        if column.values is None and column.numbers is not None:
            return NumberCuts.of(self).encode(column.numbers)
        code, coded = {value: index for index, value in enumerate(self.values)}, column.coded()
        known = np.fromiter((self._code(value, code) for value in coded.distinct), np.uint8, len(coded.distinct))
        return coded.look_up(known, len(self.values) if self.has_missing else UNSEEN)

    def _code(self, value: Any, code: Mapping[Any, int]) -> int:
        """That of the value or, where a text is not known, of the number that it writes; 007 stays a text."""
        if value not in code and isinstance(value, str) and POINTS.is_number(value) and not POINTS.is_code(value):
            value = POINTS.number(value)
        return code.get(value, UNSEEN)


NumberEncoder = Levels | FineLevels  # both have thresholds
ColumnEncoder = NumberEncoder | Categories


@dataclass(frozen=True, slots=True, eq=False)
class NumberCuts:
    """What `encode` does to a column of numbers, as data: a number's code is that of how many cuts it reaches.

    The core reads columns by it where they lie.
    """

    cuts: NDArray[np.float64]  # ascending
    codes: NDArray[np.uint8]  # one more than cuts
    missing: int  # the code of NaN

    @classmethod
    def of(cls, encoder: ColumnEncoder) -> NumberCuts:
        """Of any encoder: one that knows no numbers has no cut."""
        if isinstance(encoder, Categories):
            missing = len(encoder.values) if encoder.has_missing else UNSEEN
            amounts: dict[float, int] = {}  # of those that are one float, the first
            for position, value in enumerate(encoder.values):
                if isinstance(value, (int, float, np.number, Decimal)):
                    amounts.setdefault(as_float(value), position)
            return cls._around(amounts, missing)
        is_one = encoder.low == encoder.high and isinstance(encoder, Levels)  # all numbers are rounded to it
        cuts = np.array(() if is_one else encoder.thresholds, dtype=np.float64)
        return cls(cuts, np.arange(len(cuts) + 1, dtype=np.uint8), encoder.levels if encoder.has_missing else UNSEEN)

    def encode(self, numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
        codes: NDArray[np.uint8] = self.codes[n_reached(self.cuts, numbers)]
        codes[np.isnan(numbers)] = self.missing
        return codes

    @classmethod
    def _around(cls, amounts: Mapping[float, int], missing: int) -> NumberCuts:
        """Each amount between two cuts: itself, and the next float."""
        cuts: list[float] = []
        codes = [UNSEEN]
        for amount in sorted(amounts):
            if cuts and cuts[-1] == amount:  # where the amount before is the next float to this one
                cuts.pop()
                codes.pop()
            cuts.append(amount)
            codes.append(amounts[amount])
            if amount < math.inf:
                cuts.append(math.nextafter(amount, math.inf))
                codes.append(UNSEEN)
        return cls(np.array(cuts, dtype=np.float64), np.array(codes, dtype=np.uint8), missing)


def fit_encoder(column: Column, levels: LevelCounts) -> ColumnEncoder:
    """Choose how to encode a column; a mapping of levels names the columns that are always cut."""
    plan = LevelPlan.of(levels)
    return encoder_for(ColumnProfile.of(column, plan.count(column.name)), plan)


def encoder_for(profile: ColumnProfile, levels: LevelCounts) -> ColumnEncoder:
    """The same for a profile that was found part by part."""
    plan = LevelPlan.of(levels)
    name, numbers = profile.name, profile.numbers
    if numbers is not None:
        low, high = float(numbers.low[0]), float(numbers.high[-1])
        if not math.isfinite(high - low):
            message = f"column {name!r} spans more than a float can hold; rescale it."
            raise TableError(message, subject=name, found=(low, high))
        if (name in plan.columns and plan.always) or profile.has_many_numbers or profile.censored:
            if plan.binning == "uniform":
                return Levels(name, low, high, plan.count(name), profile.has_missing)
            return quantile_levels(name, numbers, plan.count(name), profile.censored, has_missing=profile.has_missing)
    elif name in plan.columns and profile.values:
        message = f"levels: column {name!r} holds {profile.dtype}, not numbers, so it has no levels."
        raise TableError(message, subject=name, found=profile.dtype)
    values = sorted(profile.distinct, key=sort_key) if profile.order is None else _in_order(profile, profile.order)
    count = len(values) + profile.has_missing
    if count > MAX_OUTCOMES:
        other = "convert it to numbers (they are cut into levels), or group its rare values."
        advice = f"if it identifies the row, {other}"
        remedy = Remedy(f"Drop the column {advice}", f"Leave it out (--drop COL) {advice}")
        message = f"column {name!r} ({profile.dtype}) has {count} different outcomes; a test may have at most"
        raise TableError(f"{message} {MAX_OUTCOMES}.", subject=name, found=count, expected=MAX_OUTCOMES, remedy=remedy)
    return Categories(name, tuple(values), profile.has_missing, profile.order is not None)


def _in_order(profile: ColumnProfile, order: Sequence[Any]) -> list[Any]:
    """The values in the order listed, also those that no case has; an error where one is not listed, or twice."""
    names = [str(value) for value in order]
    expected = "every value of the column once"
    if repeated := [name for name in names if names.count(name) > 1]:
        message = f"column {profile.name!r}: its order lists {repeated[0]!r} twice; expected {expected}."
        raise TableError(message, subject=profile.name, found=repeated[0], expected=expected)
    found, free = list(order), dict(zip(names, range(len(names)), strict=True))
    for value in profile.distinct:
        name = next((name for name in free if order[free[name]] == value or same_text(value, name)), None)
        if name is None:
            message = f"column {profile.name!r} holds {value!r:.60}, which its order ({', '.join(names):.80}) does not"
            message += f" list; expected {expected}."
            raise TableError(message, subject=profile.name, found=value, expected=tuple(order))
        found[free.pop(name)] = value
    return found


def fit_fine_levels(column: Column, max_levels: int = MAX_LEVELS) -> FineLevels:
    """One level per value where there are at most max_levels, else as many cases in each as can be.

    They begin at the roundest numbers that they can; where there are few values, each at its value: from 56 on, rather
    than from 55.5 on.
    """
    assert column.numbers is not None
    absent = np.isnan(column.numbers)
    counts = NumberCounts.of(column.numbers[~absent], FINE_GROUPS)
    is_few = len(counts) <= FEW_VALUES and bool((counts.low == counts.high).all())
    between = (lambda _, above: above) if is_few else round_between
    has_missing = bool(absent.any())
    return quantile_levels(column.name, counts, max_levels, column.censored, between=between, has_missing=has_missing)


def quantile_levels(
    name: str,
    numbers: NumberCounts,
    max_levels: int,
    censored: Sequence[float] = (),
    *,
    between: Callable[[float, float], float] | None = None,
    has_missing: bool,
) -> FineLevels:
    """Levels that have as many cases each as can be, from how often each number occurs.

    The cases in a row, from the least number to the greatest, are cut into max_levels equal pieces; a number is in the
    piece where the middle one of its cases is, so that equal numbers stay together, and a piece without a number is
    left out. What is censored has a level of its own, beside the others, which ends at its limit.

    between  where a level begins, of the numbers around; by default a short decimal
    """
    between = between or short_between
    count = numbers.count
    level_of = np.arange(len(count))
    is_own = np.isin(numbers.high, censored) | np.isin(numbers.low, censored)
    if len(count) > max_levels:
        n_cut = max(2, max_levels - 2 * int(is_own.sum()))
        twice_middle = 2 * np.cumsum(count) - count
        level_of = np.unique(twice_middle * n_cut // (2 * int(count.sum())), return_inverse=True)[1]
        if is_own.sum() < max_levels / 2:  # limits beyond number are cut as numbers are
            is_new = (np.diff(level_of) != 0) | is_own[1:] | is_own[:-1]
            level_of = np.concatenate(([0], np.cumsum(is_new)))
    first = np.flatnonzero(np.diff(level_of)) + 1  # the first number of each level but the lowest
    gaps = zip(numbers.high[first - 1].tolist(), numbers.low[first].tolist(), strict=True)
    limits = ((_limit_between(*gap, censored) or between(*gap)) + 0.0 for gap in gaps)  # + 0.0: -0 is 0
    middle = numbers.low + (numbers.high - numbers.low) / 2
    share = count / np.bincount(level_of, weights=count)[level_of]
    values = np.bincount(level_of, weights=share * middle)
    low, high = float(numbers.low[0]), float(numbers.high[-1])
    return FineLevels(name, tuple(limits), tuple(values.tolist()), low, high, has_missing)


def _limit_between(below: float, above: float, censored: Sequence[float]) -> float | None:
    """Where a limit lies in a gap: 5 above <5, and the least number above 1000 below >1000."""
    if below in censored:
        return min(above, math.nextafter(below, math.inf))
    return above if above in censored else None


def short_between(below: float, above: float) -> float:
    """The shortest decimal in a gap, the one nearest to its middle; not in the outer tenths, and below < it <= above.

    >>> short_between(24.4837, 24.6102), short_between(1, 2), short_between(846, 1001)
    (24.5, 1.5, 900.0)
    """
    gap = above - below
    middle = below + gap / 2
    digits = -math.floor(math.log10(gap)) if 0 < gap < math.inf else 0
    for decimals in (digits - 1, digits, digits + 1):  # of the last, some number is near enough to the middle
        found = round(middle, decimals) + 0.0  # + 0.0: -0 is 0
        if below < found < above and abs(found - middle) <= MAX_SHIFT * gap:
            return found
    return middle if below < middle < above else above  # neighbouring floats


def round_between(below: float, above: float) -> float:
    """The roundest number in a gap: the multiple of the largest 1, 2, 5 · 10^k, nearest to its middle.

    It is greater than `below` and at most `above`.

    >>> round_between(55, 56), round_between(24.4837, 24.6102), round_between(146, 158), round_between(-3, 2)
    (56.0, 24.5, 150.0, 0.0)
    """
    if below < 0 <= above:
        return 0.0
    middle = below + (above - below) / 2
    largest = max(abs(below), abs(above))
    if not 0 < largest < 1e15:
        return short_between(below, above)
    exponent = math.floor(math.log10(largest)) + 1
    for power in range(exponent, exponent - 18, -1):
        for digit in (5, 2, 1):
            # As quotients of whole numbers they are the floats that their decimals are read as.
            up, down = (digit * 10**power, 1) if power >= 0 else (digit, 10**-power)
            near = round(middle * down / up)
            for times in (near, near + 1, near - 1):
                found = times * up / down
                if below < found <= above:
                    return found
    return above


def as_learned(table: Table, encoders: Sequence[ColumnEncoder]) -> Table:
    """Each encoder's column, in the values that it was learned from: a cell may be a number here and a word there."""
    check_marks(table)
    return replace(table, columns=tuple(_as_learned(table, table.column(e.name), e) for e in encoders))


def _as_learned(table: Table, column: Column, encoder: ColumnEncoder) -> Column:
    if isinstance(encoder, Categories):
        return _as_known_values(table, column, encoder)
    if column.texts is None:
        return column
    check_column(table, column)
    row = first_word(column)
    if row is not None:
        cell = column.texts[row] or ""
        remedy = Remedy(*["Correct the cell, or leave it empty."] * 2)
        if column.written.is_limit(cell):
            remedy = Remedy("Read it with censored=True.", "Use --censored to read it as a number beyond its limit.")
        message = f"{encoder.name!r} is {cell!r:.40}; the model knows it as a number."
        raise TableFileError(message, subject=encoder.name, found=cell, where=table.where(row), remedy=remedy)
    return number_column(column)


def _as_known_values(table: Table, column: Column, encoder: Categories) -> Column:
    """Value by value, those of the encoder: one cell that is not a number does not make texts of the others."""
    knows_texts = all(isinstance(value, str) for value in encoder.values)
    if column.texts is None:  # a typed file: the text that a value would be written as
        values = column.coded() if knows_texts else None
        if values is None or all(isinstance(value, str) for value in values.distinct):
            return column
        known = [_only([text for text in encoder.values if same_text(v, text)], v) for v in values.distinct]
        return replace(column, numbers=None, values=values.mapped(known))
    if knows_texts:
        return replace(column, dtype="text", numbers=None, values=column.texts)
    if not any(isinstance(value, str) for value in encoder.values):
        check_column(table, column)  # 1,500 where numbers are known is one of two
    texts = Coded.of(column.texts)
    values = texts.mapped([_known_value(text, encoder, column.written) for text in texts.distinct])
    return replace(column, dtype="value", numbers=None, values=values)


def _known_value(text: str, encoder: Categories, written: NumberFormat) -> Any:
    """The value that a cell of text stands for, of those that the encoder knows; else a number or the text itself."""
    if text in encoder.values:
        return text
    if written.is_number(text):
        return written.number(text)
    return _only([value for value in encoder.values if same_text(value, text)], text)


def _only(found: list[Any], otherwise: Any) -> Any:
    return found[0] if len(found) == 1 else otherwise


@lru_cache(maxsize=10_000)  # a tree asks for the same column's in many nodes
def _thresholds(low: float, high: float, levels: int) -> tuple[float, ...]:
    span = high - low
    if span == 0:
        return (math.inf,) * (levels - 1)
    found = []
    for level in range(1, levels):
        below, at = low, high
        while below < (middle := below + (at - below) / 2) < at:
            # As in encode: Python's round also sends halves to the even number.
            if round((middle - low) / span * (levels - 1)) >= level:
                at = middle
            else:
                below = middle
        found.append(at)
    return tuple(found)


@lru_cache(maxsize=1_000)
def _edges(low: float, high: float, levels: int) -> tuple[str, ...]:
    """Where levels begin, and the last ends; "" where that is not told: by the only value, or nowhere."""
    step = (high - low) / (levels - 1)
    if not step > 0:
        return (_number(low, 6), _number(low, 6), *[""] * (levels - 1))
    edges = [low, *(low + (level + 0.5) * step for level in range(levels - 1)), high]
    decimals = 1 - math.floor(math.log10(step))
    texts = tuple(_number(edge, decimals) for edge in edges)
    if len(set(texts)) < len(texts):
        texts = tuple(map(repr, edges))
    return texts if len(set(texts)) == len(texts) else ()  # levels closer together than floats are


def _number(value: float, decimals: int) -> str:
    if decimals > 12 or abs(value) >= 1e15:
        return f"{value:.8g}"
    text = f"{value:.{max(decimals, 0)}f}"
    return text.removeprefix("-") if float(text) == 0 else text


@lru_cache(maxsize=1_000)
def _texts(thresholds: tuple[float, ...]) -> list[tuple[str, bool]]:
    """Each in the fewest digits that say which float it is; the least float above 1000 is 1000, and True."""
    before = (math.nextafter(threshold, -math.inf) for threshold in thresholds)
    return [
        (str(int_if_whole(lower)), True)
        if len(repr(lower)) + MANY_DIGITS < len(repr(threshold))
        else (str(int_if_whole(threshold)), False)
        for lower, threshold in zip(before, thresholds, strict=True)
    ]
