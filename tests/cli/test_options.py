"""Options that several commands share."""

from __future__ import annotations

import pytest
from command_line import run


@pytest.mark.parametrize("number", ["1e999", "1e-999", "-1e400", "0.001e-999999999999"])
@pytest.mark.parametrize("option", ["--max-budget", "--time-limit"])
def test_an_amount_beyond_floats_is_refused(capsys: pytest.CaptureFixture[str], option: str, number: str) -> None:
    printed = run(capsys, "frontier", "figure1", f"{option}={number}", code=2)
    assert "is beyond what can be computed; expected 0 or 1e-30 to 1e30" in printed


@pytest.mark.parametrize(("number", "code"), [("0e999", 0), ("inf", 0), ("2.0", 0), ("1e-40", 1), ("nan", 1), ("x", 2)])
def test_other_amounts_are_what_they_say(capsys: pytest.CaptureFixture[str], number: str, code: int) -> None:
    run(capsys, "frontier", "figure1", "--max-budget", number, code=code)
