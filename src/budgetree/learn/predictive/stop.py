"""Stopping early: a case whose answer is sure buys nothing more."""

from __future__ import annotations

from typing import Any

SURE = 0.95  # as good an answer on new cases, for a seventh less on average


def check_sure(sure: Any) -> float | None:
    """A probability, or None to spend the whole budget on everyone."""
    if sure is None:
        return None
    if isinstance(sure, bool) or not isinstance(sure, (int, float)) or not 0 < sure <= 1:
        raise ValueError(f"sure is {sure!r}; expected a probability above 0 and at most 1, or None to spend all.")
    return float(sure)
