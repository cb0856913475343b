"""Columns of text that are nearly numbers: written oddly, with words among them, or codes that begin with a zero."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from shlex import quote

from budgetree.data.column import Column
from budgetree.services.words import listed

MOSTLY = 0.8
# 3,5 or 1.250,00 or 5.2 % or 12 mg: what people read as a number, and we do not.
ODD_NUMBER = re.compile(r"[<>+-]?\s*\d[\d.,\s]*([,.]\d+|\s*%|\s*[a-zA-Zµ/]{1,6})")
LONGEST_NUMBER = 40  # characters; the pattern is slow on longer texts, which are none
MAX_WORDS = 6  # named one by one
# What people write where there is no result; beside nothing but numbers they are gaps, however many there are.
GAPS = frozenset({
    "?", "??", "-", "--", "–", "—", ".", "/", "x", "nil", "none", "unknown", "unk", "missing", "n.a.", "n.d.",
    "not done", "not known", "not measured", "unbekannt", "fehlt", "k.a.", "keine angabe",
})  # fmt: skip


def about_numbers(column: Column, counts: Mapping[str, int], first_word: Callable[[], str | None]) -> str | None:
    """What to say, in one sentence or two, of a column whose different texts are mostly numbers; else None.

    first_word says where the first text is that is no number, where that is known.
    """
    written = column.written
    plain = [text for text in counts if written.is_number(text)]
    odd = sorted(text for text in counts if not written.is_number(text) and ODD_NUMBER.fullmatch(text[:LONGEST_NUMBER]))
    words = sorted(set(counts) - {*plain, *odd})
    n_rows, n_plain = sum(counts.values()), sum(counts[text] for text in plain)
    n_numbers = n_plain + sum(counts[text] for text in odd)
    if n_numbers <= MOSTLY * n_rows and not (n_numbers and all(word.casefold() in GAPS for word in words)):
        return None
    if odd:
        means = f" If {_they_mean(words, listed(words, MAX_WORDS))}." if words else ""
        return (
            f"looks like numbers, such as {odd[0]!r:.40}, but is taken as text; write them as 3.5 (no %, no units), or "
            f"say how they are written: --decimal, --thousands.{means}"
        )
    if not words or column.texts is None:  # a typed file, whose texts nobody takes for numbers
        return None
    where = first_word()
    place = "in others" if where is None else f"in {where}" if len(words) == 1 else f"in others (the first in {where})"
    return (
        f"is a number in {n_plain} of {n_rows} rows, but {listed(words, MAX_WORDS)} {place}; so all are taken as text. "
        f"Correct {'it' if len(words) == 1 else 'them'}, or if "
        f"{_they_mean(words, 'it' if len(words) == 1 else 'they')}."
    )


def about_codes(column: Column, counts: Mapping[str, int]) -> str | None:
    """What to say of a column of whole numbers of which some begin with a zero; else None."""
    codes = sorted(text for text in counts if column.written.is_code(text))
    if not codes or not all(map(column.written.is_number, counts)):
        return None
    return (
        f"is taken as text, since whole numbers such as {codes[0]!r:.40} begin with a zero, as codes do; if they are "
        f"amounts: --levels {quote(column.name + '=10')}."
    )


def _they_mean(words: list[str], they: str) -> str:
    options = " ".join(f"--missing {quote(word)}" for word in words[:MAX_WORDS])
    more = " …" if len(words) > MAX_WORDS else ""
    return f"{they} mean{'s' if len(words) == 1 else ''} missing: {options}{more}"
