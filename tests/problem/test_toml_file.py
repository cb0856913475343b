"""The TOML file of a user: what is read, and what may stand in it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from budgetree.problem.toml_file import read_toml


def test_numbers_keep_their_digits_and_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("default = 0.100\n[answers]\nrefer = 2", encoding="utf-8-sig")
    assert read_toml(path, "price list") == {"default": Decimal("0.100"), "answers": {"refer": 2}}


@pytest.mark.parametrize("kind", ["price list", "losses file"])
def test_what_is_no_such_file_is_called_by_what_was_expected(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(f"default = {'[' * 100_000}")
    with pytest.raises(ValueError, match=f"not a {kind}: brackets"):
        read_toml(path, kind)  # type: ignore[arg-type]
