"""CITATION.cff: this software as it is, and the paper as its page names it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import budgetree as bt

ROOT = Path(__file__).parent.parent
LINES = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()


def entries(indent: str = "") -> dict[str, str]:
    """The lines "key: value" that begin with this; YAML's other forms do not occur in this file."""
    found = (re.fullmatch(rf"{indent}([a-z-]+): ?(.*)", line) for line in LINES)
    return {match[1]: match[2].strip('"') for match in found if match}


def test_the_software_is_this_one() -> None:
    about = entries()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert about["cff-version"] == "1.2.0"
    assert about["type"] == "software"
    assert about["message"]
    assert (about["version"], about["license"]) == (bt.__version__, project["license"])
    assert about["title"].startswith(project["name"])
    assert [f"  - name: {author['name']}" for author in project["authors"]] == [
        line for line in LINES if line.startswith("  - name:")
    ]


def test_the_paper_is_the_one_that_is_reproduced() -> None:
    reference = entries(r"  [ -] ")
    opening = (ROOT / "docs/paper.md").read_text(encoding="utf-8")[:500].replace("\n", " ")
    names = [line.split(": ")[1] for line in LINES if "family-names" in line]
    assert reference["type"] == "conference-paper"
    assert f"*{reference['title']}* ({', '.join(names)}, AISTATS {reference['year']})" in opening
