"""NumberFormat: how a file writes numbers, and which of its cells could be one of two numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

LIMIT = re.compile(r"\s*(<=|>=|[<>≤≥])\s*")
LIMIT_SIGNS = {"<": -math.inf, ">": math.inf}  # beyond the limit; <= and >= are taken for the limit itself
SHORT = 16  # digits: a whole number of fewer is exact
LARGEST_EXACT = 2**53  # float64 holds every whole number up to here, so sums below it are exact everywhere


@dataclass(frozen=True)
class NumberFormat:
    """The marks in numbers.

        decimal "."                3.5      "1,234" could be 1234 or, mistakenly, 1.234
        decimal ","                3,5      "4.500" could be 4500 or 4.5
        decimal ",", thousands "." 1.234,5  "4.500" is 4500

    A decimal comma that was guessed, because semicolons separate the cells, lets points be decimal too where they
    cannot stand between thousands: 3.5. A mark that was guessed and that no cell shows to be decimal, as 3,5 and 0,125
    do, may stand between thousands itself: 1,136.
    """

    decimal: str = "."
    thousands: str | None = None
    is_guess: bool = False
    is_shown: bool = False  # some cell shows that the guess is right
    censored: bool = False  # <5 is a number, too: the greatest below 5; >1000 is the least above 1000

    def is_number(self, text: str) -> bool:
        """Whether a cell is a number; whole numbers that floats cannot tell apart are names, not amounts."""
        if text.isascii() and text.isdigit() and len(text) < SHORT:  # as most are
            return True
        plain = self.plain(self._limit(text)[1])
        if plain is None or math.isinf(float(plain)):
            return False
        whole, point, _ = plain.lstrip("+-").partition(".")
        if "e" in plain.lower() or int(whole[:40] or 0) <= LARGEST_EXACT:
            return True
        return bool(point) and Decimal(plain) == Decimal(float(plain))

    def number(self, text: str) -> float:
        """The number that a cell is, which it must be."""
        if text.isascii() and text.isdigit() and len(text) < SHORT:
            return float(text)
        sign, limit = self._limit(text)
        number = float(self.plain(limit) or math.nan)
        return math.nextafter(number, LIMIT_SIGNS[sign]) if sign in LIMIT_SIGNS else number

    def is_limit(self, text: str) -> bool:
        """Whether a cell says that a number is below or above a limit, whether or not it is read as one."""
        sign, limit = replace(self, censored=True)._limit(text)
        return sign != "" and self.is_number(limit)

    def is_beyond(self, text: str) -> bool:
        """Whether a cell is read as a number beyond its limit."""
        return self._limit(text)[0] in LIMIT_SIGNS and self.is_number(text)

    def _limit(self, text: str) -> tuple[str, str]:
        """The sign before a number, and the number: of <5, < and 5."""
        sign = LIMIT.match(text) if self.censored else None
        return ("", text) if sign is None else (sign[1], text[sign.end() :])

    def plain(self, text: str) -> str | None:
        """A number as Python writes it; None where the cell is none, or could be two."""
        if self.is_open and self.is_ambiguous(text):
            return None
        if self._number.fullmatch(text) is not None:
            return text.replace(self.decimal, ".")
        if self.thousands is not None and self._grouped.fullmatch(text) is not None:
            return text.replace(self.thousands, "").replace(self.decimal, ".")
        if self.is_guess and self.decimal == "," and not self.is_ambiguous(text):
            return NumberFormat(".", self.thousands).plain(text)
        return None

    def is_code(self, text: str) -> bool:
        """Whether the cell is a whole number that begins with a zero, as codes do: 007 is not 7.

        >>> [NumberFormat().is_code(text) for text in ("007", "0", "0.5", "7")]
        [True, False, False, False]
        """
        return len(text) > 1 and text[0] == "0" and text.isascii() and text.isdigit()

    def is_ambiguous(self, text: str) -> bool:
        """Whether the cell may have a thousands mark that was not given."""
        return self.thousands is None and self.mark_between(text) is not None

    def mark_between(self, text: str) -> str | None:
        """The mark that may stand between the cell's thousands; None if it is missing."""
        if self._grouped.fullmatch(text) is not None:
            return self.other
        return self.decimal if self.is_open and self._swapped._grouped.fullmatch(text) is not None else None

    @property
    def is_open(self) -> bool:
        """Whether the decimal mark may be another one."""
        return self.is_guess and not self.is_shown and self.thousands is None

    def shown_by(self, texts: Iterable[str]) -> NumberFormat:
        """The same, where one of the cells shows that the mark is decimal, known to be right."""
        if not self.is_open or not any(self.decimal in text and self.is_number(text) for text in texts):
            return self
        return replace(self, is_shown=True)

    def settled(self, texts: Iterable[str]) -> NumberFormat:
        """The format of one column: where a mark must be decimal in some cells, it is so in all."""
        if not self.is_guess or self.thousands is not None:
            return self
        known = list(texts)
        if self.decimal == "." or any(self.decimal in text for text in known):
            return self.shown_by(known)
        points = (text for text in known if "." in text and POINTS._number.fullmatch(text))
        return self if all(map(self.is_ambiguous, points)) else replace(POINTS, censored=self.censored)

    @property
    def other(self) -> str:
        """The mark that may stand between thousands."""
        return self.thousands or ("," if self.decimal == "." else ".")

    @cached_property
    def _swapped(self) -> NumberFormat:
        return NumberFormat(self.other)

    @cached_property
    def _number(self) -> re.Pattern[str]:
        mark = re.escape(self.decimal)
        return re.compile(rf"[+-]?(\d+({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?", re.ASCII)

    @cached_property
    def _grouped(self) -> re.Pattern[str]:
        between, mark = re.escape(self.other), re.escape(self.decimal)
        return re.compile(rf"[+-]?[1-9]\d{{0,2}}({between}\d{{3}})+({mark}\d*)?", re.ASCII)


POINTS = NumberFormat()  # as programs write numbers
