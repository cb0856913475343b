"""_core.pyi says what the core offers, no more and no less."""

from __future__ import annotations

import ast
from pathlib import Path

import budgetree
from budgetree._native import NAME, core


def offered(stub: str) -> dict[str, set[str]]:
    """The public names of a stub, and those of each class."""
    names: dict[str, set[str]] = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ClassDef):
            fields = {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}  # type: ignore[union-attr]
            names[node.name] = fields | {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = set()
    return names


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_the_stub_has_the_names_of_the_core() -> None:
    (stub,) = [path for folder in budgetree.__path__ for path in Path(folder).glob(f"{NAME.split('.')[1]}.pyi")]
    names = offered(stub.read_text(encoding="utf-8"))
    assert set(names) - {"__version__"} == public(core)
    for name in public(core):
        if isinstance(getattr(core, name), type):
            assert {each for each in names[name] if not each.startswith("_")} == public(getattr(core, name)), name
