"""Words of messages that depend on a number."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """1 row, 2 rows; `many` where it is not the one with an s."""
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"
