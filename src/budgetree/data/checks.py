"""What is odd about the columns of a table: IDs for measurements, amounts for classes, numbers for texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Coded, Column, first_word
from budgetree.data.encoders import MAX_OUTCOMES, BlankPlan, LevelPlan
from budgetree.data.table import Table
from budgetree.errors import TableError
from budgetree.services.words import listed, with_more

FEW_ROWS = 20  # below this, all different says nothing
MANY_CLASSES = 20  # numbers that are classes are fewer
MOSTLY = 0.8
UNLIKELY = 3.09  # standard deviations that chance exceeds once in a thousand times
FEW_NUMBERS = 5  # different ones, below which numbers may be codes as well
LONGEST_NUMBER = 40  # characters; the pattern is slow on longer texts, which are none
MAX_WORDS = 6  # named one by one
MANY_CODES = 7  # different whole numbers: with more they are amounts
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([ T].*)?")
# 3,5 or 1.250,00 or 5.2 % or 12 mg: what people read as a number, and we do not.
ODD_NUMBER = re.compile(r"[<>+-]?\s*\d[\d.,\s]*([,.]\d+|\s*%|\s*[a-zA-Zµ/]{1,6})")
# What people write where there is no result; beside nothing but numbers they are gaps, however many there are.
GAPS = frozenset({
    "?", "??", "-", "--", "–", "—", ".", "/", "x", "nil", "none", "unknown", "unk", "missing", "n.a.", "n.d.",
    "not done", "not known", "not measured", "unbekannt", "fehlt", "k.a.", "keine angabe",
})  # fmt: skip


class Severity(Enum):
    ERROR = "error"  # the table cannot be used
    WARNING = "warning"
    NOTE = "note"


class Oddity(Enum):
    AMOUNT_AS_CLASS = "amount as class"
    IDENTIFIER = "identifier"
    DATES = "dates"
    ODD_NUMBERS = "odd numbers"
    WORDS_AMONG_NUMBERS = "words among numbers"
    CENSORED = "censored"
    CODES = "codes"
    FEW_NUMBERS = "few whole numbers"
    SAME_VALUE = "same value"
    GAPS = "gaps"
    ROUNDED = "rounded"
    TOO_MANY_OUTCOMES = "too many outcomes"
    CLASSES = "classes"
    CASES = "cases"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Finding:
    severity: Severity
    oddity: Oddity
    column: str | None
    message: str

    def __str__(self) -> str:
        return self.message if self.column is None else f"{self.column}: {self.message}"


def find_suspects(
    table: Table, target: str | None, left_out: Collection[str] = (), *, knows_rows: bool = True
) -> Iterator[Finding]:
    """Columns that are probably not what they will be used as, what to do, and in which row, where that is known."""
    for column in table.without(left_out).columns:
        if column.name == target:
            yield from target_findings(column)
        elif column.numbers is not None:
            yield from _id_findings(column)
        else:
            for finding in _text_findings(column, _counts(column), table if knows_rows else None):
                if finding.oddity not in (Oddity.CODES, Oddity.TOO_MANY_OUTCOMES):
                    yield finding


def class_findings(classes: Sequence[str], has_one_row_per_class: bool) -> Iterator[Finding]:
    if len(classes) == 1:
        message = f"every case is {classes[0]!r}; there is nothing to predict."
        yield Finding(Severity.WARNING, Oddity.CLASSES, None, message)
    elif has_one_row_per_class:
        known = "a tree can tell these cases apart (--objective known), but nothing is known of other cases of a class."
        message = f"every class has one case, as in a troubleshooting table: {known}"
        yield Finding(Severity.WARNING, Oddity.CLASSES, None, message)


def target_findings(column: Column) -> Iterator[Finding]:
    """A target that looks like an amount."""
    if column.numbers is None:
        return
    n_classes = len(np.unique(column.numbers[~np.isnan(column.numbers)]))
    if n_classes > MANY_CLASSES:
        found = f"is the target and has {n_classes} different numbers, each of which is a class of its own"
        advice = "if it is an amount, write a few groups instead, such as 'below 50' and '50 or more'."
        yield Finding(Severity.WARNING, Oddity.AMOUNT_AS_CLASS, column.name, f"{found}; {advice}")


def column_findings(table: Table, column: Column, levels: LevelPlan) -> Iterator[Finding]:
    counts, name = _counts(column), column.name
    if len(counts) <= 1:
        message = "has the same value in every row, so it cannot tell cases apart."
        yield Finding(Severity.WARNING, Oddity.SAME_VALUE, name, message)
        return
    yield from _id_findings(column)
    if column.numbers is None:
        yield from _text_findings(column, counts, table)
    elif len(counts) > levels.count(name):
        how = "about as many rows each" if levels.binning == "quantile" else "equal widths"
        message = f"has {len(counts)} different numbers, which are cut into up to {levels.count(name)} levels of {how}."
        yield Finding(Severity.NOTE, Oddity.ROUNDED, name, message)


def code_findings(columns: Iterable[Column]) -> Iterator[Finding]:
    """Tests with few different whole numbers, which may be codes: one finding for all of them."""
    found: dict[str, list[int]] = {}
    for column in columns:
        numbers = np.unique(column.numbers[~column.is_absent]) if column.numbers is not None else np.empty(0)
        if 2 < len(numbers) <= MANY_CODES and len(column) >= FEW_ROWS and (numbers == np.rint(numbers)).all():
            found[column.name] = [int(number) for number in numbers]
    if found:
        shown = [f"{name} ({', '.join(map(str, numbers))})" for name, numbers in found.items()]
        named = with_more(shown[:MAX_WORDS], len(shown) - MAX_WORDS)
        option = f"--categories {quote(','.join(found))}"
        message = f"few different whole numbers: {named}. They are read as amounts, so that 2 is between 1 and 3;"
        yield Finding(Severity.NOTE, Oddity.FEW_NUMBERS, None, f"{message} name those that are codes: {option}.")


def blank_findings(column: Column, target: Column | None, blanks: BlankPlan) -> Iterator[Finding]:
    """How many cells of a test are empty, whether they go with the class, and what they are taken for."""
    is_blank = column.is_absent
    try:
        classes = None if target is None else target.coded()
    except TableError:  # lists and the like, which are refused later
        classes = None
    n_blank, n_rows = int(is_blank.sum()), len(column)
    if not 0 < n_blank < n_rows:
        return
    found, goes = f"is blank in {n_blank} of {n_rows} rows", False
    if classes is not None and classes.distinct:
        counts = [
            np.bincount(classes.positions[~classes.is_absent & (is_blank == one)], minlength=len(classes.distinct))
            for one in (False, True)
        ]
        goes = _depends(np.stack(counts))
    if goes and classes is not None:
        share = counts[1] / np.maximum(counts[0] + counts[1], 1)
        often, seldom = (f"{share[at]:.0%} of {classes.distinct[at]!r:.40}" for at in (share.argmax(), share.argmin()))
        found += f", and that depends on the class: {often}, {seldom}"
    reading = blanks.reading(column.name)
    taken = {
        "result": "A blank counts as a result like any other.",
        "unknown": "A blank counts as unknown: no tree branches on it.",
        None: "For new cases a blank is unknown, for known cases a result like any other.",
    }[reading]
    if goes and reading == "result":
        other = quote(f"{column.name}=unknown")
        taken += f" A pathway that orders the test will not meet it; if that is so, use --blanks {other}."
    elif goes and reading is None:
        taken += f" If new cases will have blanks for the same reason, use --blanks {quote(f'{column.name}=result')}."
    severity = Severity.WARNING if goes or n_blank > n_rows / 2 else Severity.NOTE
    yield Finding(severity, Oddity.GAPS, column.name, f"{found}. {taken}")


def _depends(counts: NDArray[np.int64]) -> bool:
    """Whether two rows of counts differ by more than chance would: Pearson's χ² beyond one in a thousand."""
    counts = counts[:, counts.sum(axis=0) > 0]
    n_free = counts.shape[1] - 1
    if n_free <= 0 or not counts.sum(axis=1).all():
        return False
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    squares = float(((counts - expected) ** 2 / expected).sum())
    # Wilson and Hilferty: the cube root of χ² over its degrees of freedom is nearly normal.
    part = 2 / (9 * n_free)
    return bool(((squares / n_free) ** (1 / 3) - (1 - part)) / part**0.5 > UNLIKELY)


def _counts(column: Column) -> dict[str, int]:
    """The different texts of a column, and how many rows have each."""
    try:
        coded = column.coded()
    except TableError:  # lists and the like, which are refused later
        coded = Coded.of(list(map(str, column.to_list())))
    counts: dict[str, int] = {}
    for value, count in zip(coded.distinct, coded.counts.tolist(), strict=False):
        if count:
            counts[str(value)] = counts.get(str(value), 0) + count
    return counts


def _id_findings(column: Column) -> Iterator[Finding]:
    """A column of whole numbers that all differ."""
    numbers = column.numbers
    if numbers is None or len(numbers) < FEW_ROWS or (numbers != np.rint(numbers)).any():  # NaN also differs
        return
    gaps = np.diff(np.sort(numbers))
    if (gaps == 0).any():
        return
    message = "is a whole number that differs in every row, as an ID does; if it names the case, leave it out: --drop"
    if (gaps == 1).all():
        message = "seems to number the rows; leave it out: --drop"
    yield Finding(Severity.WARNING, Oddity.IDENTIFIER, column.name, f"{message} {column.name!r}.")


def _text_findings(column: Column, counts: Mapping[str, int], table: Table | None = None) -> Iterator[Finding]:
    """Texts that are dates or numbers, or name the case; with their table, where a word stands."""
    n_rows, n_distinct, name = sum(counts.values()), len(counts), column.name
    drop = f"--drop {name!r}"
    if n_distinct > 1 and sum(counts[text] for text in counts if DATE.fullmatch(text)) > MOSTLY * n_rows:
        message = "holds dates, of which each is an outcome of its own; turn it into a number (days, an age) or"
        yield Finding(Severity.WARNING, Oddity.DATES, name, f"{message} leave it out: {drop}.")
    elif (found := _about_numbers(column, counts, table)) is not None:
        yield found
    elif n_rows >= FEW_ROWS and MOSTLY * n_rows < n_distinct <= MAX_OUTCOMES:
        why = "a test that identifies the case looks perfect and is useless for new ones"
        message = f"is different in nearly every row ({n_distinct} of {n_rows}): {why}. Leave it out: {drop}."
        yield Finding(Severity.WARNING, Oddity.IDENTIFIER, name, message)
    else:
        codes = sorted(text for text in counts if column.written.is_code(text))
        if codes and all(map(column.written.is_number, counts)):
            message = f"is taken as text, since whole numbers such as {codes[0]!r:.40} begin with a zero, as codes do;"
            amounts = f"if they are amounts: --levels {quote(name + '=10')}."
            yield Finding(Severity.NOTE, Oddity.CODES, name, f"{message} {amounts}")
    if n_distinct > MAX_OUTCOMES:
        message = f"has {n_distinct} different texts; a test may have at most {MAX_OUTCOMES} outcomes."
        advice = f"Leave it out ({drop}) or group its rare values."
        yield Finding(Severity.ERROR, Oddity.TOO_MANY_OUTCOMES, name, f"{message} {advice}")


def _about_numbers(column: Column, counts: Mapping[str, int], table: Table | None) -> Finding | None:
    """A column whose different texts are mostly numbers: written oddly, or with words among them."""
    written = column.written
    plain = {text for text in counts if written.is_number(text)}
    odd = sorted(text for text in counts if text not in plain and ODD_NUMBER.fullmatch(text[:LONGEST_NUMBER]))
    limits = sorted(filter(written.is_limit, set(counts) - plain))
    odd = [text for text in odd if text not in limits]
    words = sorted(set(counts) - plain - set(odd) - set(limits))
    n_rows, n_plain = sum(counts.values()), sum(counts[text] for text in plain)
    n_numbers = n_plain + sum(counts[text] for text in (*odd, *limits))
    are_gaps = all(word.casefold() in GAPS for word in words)
    is_measured = len(plain) >= FEW_NUMBERS and len(words) <= len(plain) / 2  # whatever share of the rows has a word
    if not (n_numbers > MOSTLY * n_rows or (n_numbers and (are_gaps or limits)) or is_measured):
        return None
    if limits and column.texts is not None:
        found = (
            f"is a number in {n_plain} of {n_rows} rows, but {listed(limits, MAX_WORDS)} in others; so all are taken"
        )
        way = "below" if limits[0][0] in "<≤" else "above"
        advice = f"--censored reads {limits[0]!r:.40} as a number {way} that limit, with a level of its own"
        means = f" If {_they_mean(words, listed(words, MAX_WORDS))}." if words else ""
        return Finding(Severity.WARNING, Oddity.CENSORED, column.name, f"{found} as text. {advice}.{means}")
    if odd:
        means = f" If {_they_mean(words, listed(words, MAX_WORDS))}." if words else ""
        message = f"looks like numbers, such as {odd[0]!r:.40}, but is taken as text;"
        advice = f"write them as 3.5 (no %, no units), or say how they are written: --decimal, --thousands.{means}"
        return Finding(Severity.WARNING, Oddity.ODD_NUMBERS, column.name, f"{message} {advice}")
    if not words or column.texts is None:  # a typed file, whose texts are not taken for numbers
        return None
    row, is_one = first_word(column), len(words) == 1
    where = None if row is None or table is None else table.place(row)
    place = "in others" if where is None else f"in {where}" if is_one else f"in others (the first in {where})"
    found = f"is a number in {n_plain} of {n_rows} rows, but {listed(words, MAX_WORDS)} {place};"
    them, they = ("it", "it") if is_one else ("them", "they")
    advice = f"so all are taken as text. Correct {them}, or if {_they_mean(words, they)}."
    return Finding(Severity.WARNING, Oddity.WORDS_AMONG_NUMBERS, column.name, f"{found} {advice}")


def _they_mean(words: list[str], they: str) -> str:
    options = " ".join(f"--missing {quote(word)}" for word in words[:MAX_WORDS])
    more = " …" if len(words) > MAX_WORDS else ""
    return f"{they} mean{'s' if len(words) == 1 else ''} missing: {options}{more}"
