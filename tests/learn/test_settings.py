"""What several verbs are asked for: what goes, and what is refused with what was expected."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from budgetree.learn.settings import check_cache_bytes, check_instance, check_threads, check_time_limit


def test_what_is_asked_for_is_understood() -> None:
    assert check_threads(None) >= 1
    assert check_threads(np.int64(3)) == 3
    assert check_time_limit(None) is check_time_limit(math.inf) is None
    assert check_time_limit(0) == 0
    check_cache_bytes(0)


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (check_threads, 0, "threads is 0; expected None or a whole number of at least 1"),
        (check_threads, True, "threads is True"),
        (check_threads, 2.0, "threads is 2.0"),
        (check_time_limit, -1, "time_limit is -1; expected a number of seconds of at least 0"),
        (check_time_limit, math.nan, "time_limit is nan"),
        (check_cache_bytes, "1GB", "cache_bytes is '1GB'; expected a whole number of bytes"),
        (check_cache_bytes, -1, "cache_bytes is -1"),
        (check_instance, [[0, 1]], "expected an Instance, but got list; see Instance.from_frame"),
    ],
)
def test_anything_else_is_refused(check: Any, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(value)
