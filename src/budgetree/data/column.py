"""Column: numbers, or distinct values and the position of each row's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT, POINTS, NumberFormat
from budgetree.errors import TableError


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA: the values that are not equal to themselves."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA refuses to be a truth value; so does a whole column, which is none
        return type(value).__name__ == "NAType"


def int_if_whole(number: float) -> float | int:
    """3 rather than 3.0."""
    return int(number) if number.is_integer() and abs(number) < LARGEST_EXACT else number


def plain_decimal(number: Decimal | str) -> int | Decimal:
    """A whole number as an int, with all of its digits."""
    exact = Decimal(number)
    return int(exact) if exact == exact.to_integral_value() else exact


def plain_value(value: Any) -> Any:
    """Python's own kind of value, where NumPy's or pandas' was in a table of objects."""
    if isinstance(value, timedelta):  # as which all libraries write it alike, and Parquet files are read
        seconds = value.days * 86_400 + value.seconds
        return duration(seconds * 10**9 + value.microseconds * 1000 + getattr(value, "nanoseconds", 0))
    if isinstance(value, datetime) and value.tzinfo is not None and not getattr(value, "nanosecond", 0):
        moment = value.astimezone(UTC)
        return datetime.combine(moment.date(), moment.time(), UTC)
    return value.item() if isinstance(value, np.generic) and value.dtype.kind in "biufUS" else value


def duration(nanoseconds: int) -> timedelta | str:
    """Python's own kind of duration; a text where it is too fine for that."""
    microseconds, rest = divmod(nanoseconds, 1000)
    return f"{nanoseconds} ns" if rest else timedelta(microseconds=microseconds)


def same_text(value: object, text: str) -> bool:
    """Whether a value of another kind would be written like that: true for True, a date with or without its time."""
    if isinstance(value, date):
        try:
            return datetime.fromisoformat(str(value)) == datetime.fromisoformat(text)
        except (TypeError, ValueError):  # no date, or only one of them with a time zone
            return False
    return str(value).casefold() == text.casefold()


def sort_key(value: Any) -> tuple[str, Any]:
    """Numbers among numbers, texts among texts; anything else by its text."""
    if isinstance(value, (bool, int, float, np.number)):
        return ("", value)
    return (type(value).__name__, value if isinstance(value, str) else str(value))


ABSENT = -1  # the position of a missing value


@dataclass(frozen=True, slots=True, eq=False)
class Coded(Sequence[Any]):
    """A sequence of values, so that each different one is looked at once and the rows by vector operations.

    values    b  a  None  b         distinct  (b, a)       positions  0  1  -1  0
    """

    distinct: tuple[Any, ...]  # not all of them need have a row: some rows of a column keep all of its values
    positions: NDArray[np.signedinteger[Any]]  # in distinct; ABSENT where the value is missing

    @classmethod
    def of(cls, values: Sequence[Any]) -> Coded:
        """Any sequence of hashable values; TypeError where one is not."""
        if isinstance(values, Coded):
            return values
        known: dict[Any, int] = {}
        positions = np.empty(len(values), dtype=np.int32)
        for row, value in enumerate(values):
            positions[row] = ABSENT if is_missing(value) else known.setdefault(plain_value(value), len(known))
        return cls(tuple(known), positions)

    @classmethod
    def of_distinct(cls, distinct: Iterable[Any], positions: NDArray[np.signedinteger[Any]]) -> Coded:
        """From positions that another library found, where missing values may be among the distinct ones."""
        values = tuple(distinct)
        if not any(is_missing(value) for value in values):
            return cls(tuple(map(plain_value, values)), positions)
        return cls(values, positions).mapped(values)

    @classmethod
    def of_numbers(cls, numbers: NDArray[np.float64]) -> Coded:
        """Numbers as values to be told apart; whole ones as ints."""
        distinct, positions = np.unique(numbers, return_inverse=True, equal_nan=True)
        return cls.of_distinct(map(int_if_whole, distinct.tolist()), positions.astype(np.int32))

    def mapped(self, values: Sequence[Any]) -> Coded:
        """The same rows with other values, one for each distinct one; some may be missing, or the same."""
        other = Coded.of(values)
        return Coded(other.distinct, self.look_up(other.positions, ABSENT))

    def look_up(self, found: NDArray[Any], absent: Any) -> NDArray[Any]:
        """Per row, what was found for its value."""
        per_value: NDArray[Any] = np.append(found, np.asarray([absent], dtype=found.dtype))
        return np.asarray(per_value[self.positions])  # ABSENT is the last position

    @property
    def is_absent(self) -> NDArray[np.bool_]:
        return np.asarray(self.positions < 0)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each distinct value, and at the end, how many miss one."""
        counts: NDArray[np.int64] = np.bincount(self.positions.astype(np.int64) + 1, minlength=len(self.distinct) + 1)
        return np.roll(counts, -1)

    def present(self) -> list[Any]:
        """The different values that the rows do hold."""
        return [value for value, count in zip(self.distinct, self.counts.tolist(), strict=False) if count]

    def first_row(self, position: int) -> int:
        return int(np.argmax(self.positions == position))

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, row: int | slice | NDArray[np.int64]) -> Any:
        if isinstance(row, (slice, np.ndarray)):
            return Coded(self.distinct, self.positions[row])
        position = self.positions[row]
        return None if position < 0 else self.distinct[position]

    def __iter__(self) -> Iterator[Any]:
        values = (*self.distinct, None)
        return (values[position] for position in self.positions.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A raw column: numbers (NaN where missing), or plain values; both where numbers as floats lose digits."""

    name: str
    dtype: str  # as its reader calls it, for messages
    numbers: NDArray[np.float64] | None = None
    values: Sequence[Any] | None = None
    # As a file of text has it, None where missing: the same cell may be a number here and a word to a model.
    texts: Sequence[str | None] | None = None
    written: NumberFormat = POINTS  # how the texts write numbers
    order: tuple[Any, ...] | None = None  # of the values, from the least to the greatest; None where they have none
    censored: tuple[float, ...] = ()  # numbers that stand for all beyond a limit, such as <5

    def __len__(self) -> int:
        return len(self.values or ()) if self.numbers is None else len(self.numbers)

    def to_list(self) -> list[Any]:
        """The values; whole numbers as ints."""
        if self.values is not None or self.numbers is None:
            return list(self.values or ())
        return [int_if_whole(number) for number in self.numbers.tolist()]

    def as_numbers(self) -> NDArray[np.float64] | None:
        """The numbers; also where all values are numbers or missing, as in a table of objects. Else None."""
        if self.numbers is not None:
            return self.numbers
        if isinstance(self.values, Coded):
            numbers = Column(self.name, self.dtype, values=list(self.values.distinct)).as_numbers()
            return None if numbers is None else self.values.look_up(numbers, np.nan)
        values = self.values or ()
        kinds = {type(value) for value in values if not is_missing(value)}
        if not all(issubclass(kind, (int, float, np.number, Decimal)) and kind is not bool for kind in kinds):
            return None
        return np.array([np.nan if is_missing(value) else as_float(value) for value in values], dtype=np.float64)

    def as_values(self) -> Column:
        """The same column with its numbers as plain values, to be told apart rather than rounded."""
        return replace(self, numbers=None, values=self.coded())

    def coded(self) -> Coded:
        """The values, each different one once; lists and tables within a table cannot be told apart."""
        if self.values is None and self.numbers is not None:
            return Coded.of_numbers(self.numbers)
        try:
            return Coded.of(self.values or ())
        except TypeError as error:
            message = f"column {self.name!r} holds {self.dtype}; a test's outcomes must be plain values."
            raise TableError(message, subject=self.name, found=self.dtype) from error

    @property
    def is_absent(self) -> NDArray[np.bool_]:
        if self.numbers is not None:
            return np.isnan(self.numbers)
        if isinstance(self.values, Coded):
            return self.values.is_absent
        return np.fromiter(map(is_missing, self.values or ()), dtype=bool, count=len(self))

    def with_numbers(self) -> Column:
        """Objects as what they are: numbers where all of them are, with their digits where floats would lose some."""
        numbers = self.as_numbers()
        if numbers is None or len(numbers) == 0 or np.isnan(low := float(np.fmin.reduce(numbers))):
            return self
        largest = max(-low, float(np.fmax.reduce(numbers)))  # which overlooks NaN, as fmin does
        if np.isinf(largest):
            row = int(np.argmax(np.isinf(numbers)))
            message = f"column {self.name!r} is infinite in row {row}; use a finite number or a missing value."
            raise TableError(message, subject=self.name, found=row)
        return replace(self, numbers=numbers, values=None if largest < LARGEST_EXACT else self.values)

    def content(self) -> NDArray[np.uint64]:
        """Per row, a number that stands for its value: another for another value, whatever else there is."""
        if self.values is None and self.numbers is not None:
            return _float_bits(self.numbers)
        coded = self.coded()
        found = np.array([_digest(value) for value in coded.distinct], dtype=np.uint64)
        if len(np.unique(found)) < len(found):  # two values with one digest: rare beyond measure
            by_value = sorted(range(len(found)), key=lambda position: sort_key(coded.distinct[position]))
            found[by_value] = np.arange(len(found), dtype=np.uint64)
        return coded.look_up(found, _float_bits(np.array([np.nan]))[0])

    def owned(self) -> Column:
        """The same column, its numbers in no one else's memory."""
        if self.numbers is None or self.numbers.flags.owndata:
            return self
        return replace(self, numbers=self.numbers.copy())

    def take(self, positions: NDArray[np.int64]) -> Column:
        numbers, values, texts = (_taken(cells, positions) for cells in (self.numbers, self.values, self.texts))
        return replace(self, numbers=numbers, values=values, texts=texts)


def text_column(
    name: str, texts: Sequence[str | None], written: NumberFormat = POINTS, typed: Sequence[str] | None = None
) -> Column:
    """Numbers where every cell is one and none is a code such as 007, else texts; None stands for a missing value.

    The texts that were typed, by default all of them, show what the marks in numbers mean.
    """
    coded = Coded.of(texts)
    present = coded.present()
    written = written.settled(present if typed is None else typed)
    column = Column(name, "text", values=coded, texts=coded, written=written)
    are_numbers = bool(present) and all(map(written.is_number, present)) and not any(map(written.is_code, present))
    return number_column(column) if are_numbers else column


def number_column(column: Column) -> Column:
    """The column's texts as numbers, which all of them must be."""
    texts, written = Coded.of(column.texts or ()), column.written
    numbers = [written.number(text) if written.is_number(text) else np.nan for text in texts.distinct]
    cells = zip(texts.distinct, numbers, strict=True)
    censored = sorted({number for text, number in cells if written.is_beyond(text)})
    found = texts.look_up(np.array(numbers, np.float64), np.nan)
    return Column(column.name, "number", found, None, texts, written, censored=tuple(censored))


def first_word(column: Column) -> int | None:
    return first_row(column, lambda text: not column.written.is_number(text))


def first_row(column: Column, is_wanted: Callable[[str], bool]) -> int | None:
    texts = Coded.of(column.texts or ())
    wanted = np.array([is_wanted(text) for text in texts.distinct], dtype=bool)
    is_found = texts.look_up(wanted, False) if wanted.any() else wanted
    return int(is_found.argmax()) if is_found.any() else None


def are_exact(numbers: NDArray[np.float64]) -> bool:
    """Whether all are small enough to be the whole numbers that they were."""
    return not bool((np.abs(numbers) >= LARGEST_EXACT).any())  # which NaN is not


def _float_bits(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """The same for equal numbers: there is one 0 and one NaN."""
    return np.where(np.isnan(numbers), np.nan, numbers + 0.0).view(np.uint64)


def _digest(value: Any) -> int:
    """A number for a value; that of a number does not depend on the library that holds it."""
    if isinstance(value, (bool, int, float, np.number, Decimal)) and as_float(value) == value:
        return int(_float_bits(np.array([as_float(value)]))[0])
    value = plain_decimal(value) if isinstance(value, Decimal) else value
    text = repr(sort_key(value)).encode("utf-8", "backslashreplace")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def _taken(cells: Any, positions: NDArray[np.int64]) -> Any:
    if cells is None or isinstance(cells, (Coded, np.ndarray)):
        return None if cells is None else cells[positions]
    return [cells[row] for row in positions.tolist()]


def as_float(value: Any) -> float:
    """The nearest float; infinity if it is missing."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
