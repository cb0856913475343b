"""Stopping early: a case whose answer is sure buys nothing more."""

from __future__ import annotations

from typing import Any

import numpy as np

from budgetree.errors import SettingError
from budgetree.problem import LossTable

SURE = 0.95  # as good an answer on new cases, for a seventh less on average


def careful(sure: float | None, losses: LossTable) -> float | None:
    """The probability at which stopping risks as little as it does without losses.

    A case that stops at p loses at most (1 − p) × the largest loss on average; it may be (1 − sure) × the least loss of
    an error. With equal losses that is p = sure.

    >>> careful(0.95, LossTable.plain(["benign", "cancer"]))
    0.95
    """
    if sure is None or losses.is_plain:
        return sure
    errors = losses.units[:, : losses.n_classes][~np.eye(losses.n_classes, dtype=bool)]
    least = int(errors[errors > 0].min(initial=losses.largest or 1))
    return 1 - (1 - sure) * least / max(losses.largest, least)


def check_sure(sure: Any) -> float | None:
    """A probability, or None to spend the whole budget on everyone."""
    if sure is None:
        return None
    if isinstance(sure, bool) or not isinstance(sure, (int, float)) or not 0 < sure <= 1:
        message = f"sure is {sure!r}; expected a probability above 0 and at most 1, or None to spend all."
        raise SettingError(message, subject="sure", found=sure, expected=(0, 1))
    return float(sure)
