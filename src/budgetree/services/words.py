"""Numbers and names for display: short, and safe to print."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

MAX_CLASSES = 5  # that are listed where there are many
MAX_NAMES = 30  # of columns, where one is not there
JOINERS = "\u200c\u200d"  # Persian words and emoji are written with them; they move nothing else


def show_number(amount: Fraction | float) -> str:
    """A short text: 2, 17.61, 0.3333, 193457.2."""
    try:
        number = float(amount)
    except OverflowError:  # a whole number that no float reaches
        return f"{Decimal(int(amount)):.4e}"
    if float(f"{number:.10g}") == number:
        return f"{number:.10g}"
    return f"{number:.4g}" if abs(number) < 1000 else f"{number:.1f}"


def counted(number: Fraction | float, one: str, many: str | None = None) -> str:
    """How many there are, with the word for one or for many; `many` where it is not the one with an s.

    >>> counted(1, "leaf", "leaves"), counted(0.5, "error")
    ('1 leaf', '0.5 errors')
    """
    return f"{show_number(number)} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[object], max_shown: int = 8) -> str:
    """'a', 'b' and 7 more: a list that stays readable when there are hundreds."""
    shown = ", ".join(repr(str(name)) for name in names[:max_shown])
    return shown if len(names) <= max_shown else f"{shown} and {len(names) - max_shown} more"


def no_such(kind: str, name: str, names: Sequence[str]) -> str:
    """That a name is not there, what there is, and which of it was probably meant.

    >>> no_such("column", "Sex", ["age", "sex"])
    "there is no column 'Sex'. There are: age, sex. Did you mean 'sex'?"
    """
    from difflib import get_close_matches

    folded = {other.casefold(): other for other in reversed(names)}
    meant = get_close_matches(name.casefold(), folded, n=1, cutoff=0.8)
    hint = f" Did you mean {folded[meant[0]]!r}?" if meant else ""
    return f"there is no {kind} {name!r}. There are: {some_of(names)}.{hint}"


def largest(sizes: Iterable[float], max_shown: int = MAX_CLASSES) -> tuple[list[int], int]:
    """Where the largest sizes stand, the largest first, and how many more there are above 0.

    Where all of them fit, they keep their order.

    >>> largest([3, 0, 7], max_shown=2), largest([3, 5, 7], max_shown=2)
    (([0, 2], 0), ([2, 1], 1))
    """
    found = [(-size, index) for index, size in enumerate(sizes) if size > 0]
    n_more = max(len(found) - max_shown, 0)
    return [index for _, index in (sorted(found)[:max_shown] if n_more else found)], n_more


def with_more(shown: Iterable[str], n_more: int) -> str:
    """A list that ends with how many are not in it.

    >>> with_more(["ill 3", "well 2"], 195)
    'ill 3, well 2 and 195 more'
    """
    return ", ".join(shown) + (f" and {n_more:,} more" if n_more > 0 else "")


def joined(parts: Iterable[str]) -> str:
    """Parts in words.

    >>> joined(["$40"]), joined(["$40", "25 min", "3 tests"])
    ('$40', '$40, 25 min and 3 tests')
    """
    *some, last = parts
    return f"{', '.join(some)} and {last}" if some else last


def some_of(names: Sequence[str]) -> str:
    return with_more(names[:MAX_NAMES], len(names) - MAX_NAMES)


def visible(text: str) -> str:
    """A name on one line, as what it is: letters that move the cursor, turn the line round or hide are escaped.

    >>> print(visible("a\\x1b[2J b\\nc \\u202e"))
    a\\x1b[2J b\\nc \\u202e
    """
    return text if text.isprintable() else "".join(map(_visible_letter, text))


def visible_lines(text: str) -> str:
    """The same for a text of several lines, and with tabs: these are not of the names in it, but ours."""
    return text if text.isprintable() else "".join(c if c in "\n\t" else _visible_letter(c) for c in text)


def _visible_letter(letter: str) -> str:
    if letter.isprintable() or letter in JOINERS or unicodedata.category(letter) == "Zs":
        return letter
    return letter.encode("unicode_escape").decode("ascii")
