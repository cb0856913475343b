"""Price lists in TOML: `default`, a table [tests] and tables [shared.NAME] with `fee` and `tests`.

A price list may also say what answers cost, in the tables [losses] and [answers] (problem/loss_file.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from budgetree.problem.toml_file import read_toml


@dataclass(frozen=True, slots=True)
class PriceFile:
    """What a price list says, as Prices takes it; its amounts are not yet checked."""

    tests: Mapping[str, Any]
    shared: Mapping[str, tuple[Any, Any]]
    default: Any


def read_price_file(path: str | Path) -> PriceFile:
    """The file's content, decimals with all their digits; what is no price list is refused."""
    content = read_toml(path, "price list")
    shared = {name: _shared_table(path, name, entry) for name, entry in content.get("shared", {}).items()}
    return PriceFile(content.get("tests", {}), shared, content.get("default"))


def _shared_table(path: str | Path, name: str, entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, dict) or set(entry) != {"fee", "tests"}:
        raise ValueError(f"{path}: [shared.{name}] must hold exactly `fee` and `tests`.")
    return entry["fee"], entry["tests"]
