"""ARCHITECTURE.md names what exists, and a table's way through the code stays short."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "budgetree"


def test_every_path_in_the_text_exists() -> None:
    for path in re.findall(r"`((?:\w+/)+[\w.]+\.(?:py|pyi|cpp|hpp|js|toml|d\.ts))`", TEXT):
        tried = (ROOT / path, PACKAGE / path, PACKAGE.parent / path, PACKAGE / "report" / path)
        assert any(place.exists() for place in tried), path


def test_a_table_takes_at_most_ten_hops() -> None:
    walk = TEXT[TEXT.index("## One table's way") : TEXT.index("## Packages")]
    assert 0 < len(re.findall(r"^\d+\. ", walk, re.M)) <= 10


def test_no_module_is_called_like_a_function_that_it_defines() -> None:
    for file in PACKAGE.rglob("*.py"):
        if file.parent.name != "cli":  # a command's file is called like the command
            assert not re.search(rf"^def {file.stem}\(", file.read_text(encoding="utf-8"), re.M), file
