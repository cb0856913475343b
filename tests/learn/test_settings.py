"""What several verbs are asked for: what goes, and what is refused with what was expected."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.settings import check_cache_bytes, check_instance, check_min_cases, check_threads, check_time_limit


def test_what_is_asked_for_is_understood() -> None:
    assert check_threads(None) >= 1
    assert check_threads(np.int64(3)) == 3
    assert check_time_limit(None) is None
    assert check_time_limit(math.inf) == check_time_limit(Decimal("inf")) == math.inf
    assert check_time_limit(0) == 0
    check_cache_bytes(0)


@pytest.mark.parametrize(
    ("check", "value", "subject"),
    [
        (check_threads, 0, "threads"),
        (check_threads, True, "threads"),
        (check_threads, 2.0, "threads"),
        (check_min_cases, 0, "min_cases"),
        (check_time_limit, -1, "time_limit"),
        (check_time_limit, math.nan, "time_limit"),
        (check_cache_bytes, "1GB", "cache_bytes"),
        (check_cache_bytes, -1, "cache_bytes"),
    ],
)
def test_anything_else_is_refused(check: Any, value: Any, subject: str) -> None:
    with refused(SettingError, subject=subject, found=value):
        check(value)


def test_what_was_expected_is_said_in_words() -> None:
    with refused(SettingError, subject="threads") as caught:
        check_threads(0)
    assert str(caught.value) == "threads is 0; expected None or a whole number of at least 1."
    with refused(SettingError, subject="instance", found=list) as caught:
        check_instance([[0, 1]])
    assert str(caught.value) == "instance: expected an Instance, but got list; see Instance.from_frame."
