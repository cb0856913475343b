"""ARCHITECTURE.md names what exists, in the order in which it runs, on two screens."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import walk
from budgetree.cli import main

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "budgetree"
HOP = re.compile(r"`([\w/]+\.py)` `([\w.]+)`")


def test_every_path_in_the_text_exists() -> None:
    paths = re.findall(r"`((?:\w+/)+(?:[\w.]+\.(?:pyi?|cpp|hpp|js|json|toml|md))?)`", TEXT)
    assert len(paths) > 40
    for path in paths:
        tried = (ROOT / path, PACKAGE / path, ROOT / "core" / path)
        assert any(place.exists() for place in tried), path


def test_it_is_two_screens() -> None:
    assert len(TEXT.splitlines()) <= 110


def test_the_data_flow_is_what_a_tracer_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = TEXT[TEXT.index("## Data flow") : TEXT.index("## Packages")]
    steps = re.findall(r"^\d+\. (.+)$", section, re.M)
    hops = [hop for step in steps for hop in HOP.findall(step)]
    assert len(steps) <= 15
    monkeypatch.chdir(tmp_path)
    Path("cases.csv").write_text(walk.GOOD, encoding="utf-8")
    (commands,) = re.findall(r"`budgetree (fit .*?)`, then `budgetree\s+(report .*?)`", section, re.S)
    entered: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            entered[frame.f_code.co_filename, frame.f_code.co_qualname] = None

    sys.setprofile(note)
    try:
        codes = [main(command.split()) for command in commands]
    finally:
        sys.setprofile(None)
    assert codes == [0, 0]
    seen = list(entered)  # in the order of the first call
    found = [seen.index((str(PACKAGE / path), name)) for path, name in hops]
    assert found == sorted(found), [hop for _, hop in sorted(zip(found, hops, strict=True))]


def test_no_module_is_called_like_a_function_that_it_defines() -> None:
    for file in PACKAGE.rglob("*.py"):
        if file.parent.name != "cli":  # a command's file is called like the command
            assert not re.search(rf"^def {file.stem}\(", file.read_text(encoding="utf-8"), re.M), file


# Whatever names a panel, an order or a beginning knows a rule; everything else asks CostModel, and sees resources and
# flags. The page's tab panels and the panels of the paper's figure are other things.
RULE = re.compile(
    r"(?<![-\w])panel(?!-)|\bRuleKind\.(PANELS|ORDER|LIMITS)\b|\b(costs|prices|facts|schema)\.(first|order)\b", re.I
)
KNOW_RULES = {
    "core/cost/cost_model.hpp",
    "src/budgetree/cli/inputs.py",  # --first
    "src/budgetree/problem/cost_model.py",
    "src/budgetree/problem/prices.py",
    "src/budgetree/proof/check/exhaust.py",
    "src/budgetree/proof/check/facts.py",
    "src/budgetree/proof/entries.py",
    "src/budgetree/report/page/model.js",
    "src/budgetree/report/page/types.d.ts",
    "src/budgetree/report/summary.py",
    "src/budgetree/tree/model/encoding.py",
    "src/budgetree/tree/model/model.schema.json",
}


def test_rules_of_pathways_are_known_to_a_dozen_files() -> None:
    found = set()
    for path in [*(ROOT / "core").rglob("*.?pp"), *(ROOT / "src/budgetree").rglob("*")]:
        if path.suffix in {".cpp", ".hpp", ".py", ".json", ".js", ".ts", ".sql"} and "reproduce" not in path.parts:
            found |= {path.relative_to(ROOT).as_posix()} if RULE.search(path.read_text(encoding="utf-8")) else set()
    assert found == KNOW_RULES
    assert len(KNOW_RULES) <= 12
