"""Numbers in messages, and the words that depend on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


def show_number(amount: Fraction | float) -> str:
    """A short text: 2, 17.61, 0.3333, 193457.2."""
    number = float(amount)
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
