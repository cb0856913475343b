"""The reference: every public name is in it, and its docstring says what there is to say, as numpydoc reads it."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import budgetree as bt
from budgetree.errors import BudgetreeError

INDEX = Path(__file__).parent.parent / "docs/reference/index.rst"
PROPERTY = (property, cached_property)
UNTYPED = (inspect.Signature.empty, "Any", "None")
RULES = {
    "GL06": "a section that numpydoc does not know",
    "GL07": "sections in another order than numpydoc's",
    "GL08": "no docstring",
    "SS03": "a first line that does not end with a period",
    "PR01": "a parameter that is not documented",
    "PR02": "a documented parameter that does not exist",
    "PR03": "parameters in another order than in the signature",
    "PR04": "a parameter without a type",
    "PR07": "a parameter without a description",
    "PR10": "a parameter without a space before its colon",
    "RT01": "no Returns",
    "RT03": "a return value without a description",
    "EX01": "no Examples",
}


def listed() -> list[str]:
    """What the page lists, below budgetree."""
    return re.findall(r"^   ([A-Za-z_][\w.]*)$", INDEX.read_text(encoding="utf-8"), re.M)


def found(name: str) -> Any:
    module, _, attribute = f"budgetree.{name}".rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def members(cls: type) -> dict[str, Any]:
    """The methods and properties of our own that are not marked as private in their docstring."""
    ours = [owner for owner in reversed(cls.__mro__) if owner.__module__.startswith("budgetree")]
    return {
        name: member
        for owner in ours
        for name, member in vars(owner).items()
        if not name.startswith("_")
        and (isinstance(member, (*PROPERTY, classmethod)) or inspect.isfunction(member))
        and ":meta private:" not in documentation(member)
    }


def documentation(thing: Any) -> str:
    return getattr(thing, "__doc__", None) or ""


def flaws_of(name: str) -> dict[str, str]:
    return {code: text for code, text in validate(f"budgetree.{name}")["errors"] if code in RULES}


def test_the_page_lists_every_public_name() -> None:
    missing = {name for name in bt.__all__ if name not in ("__version__", "datasets")} - set(listed())
    assert not missing
    assert {f"datasets.{name}" for name in bt.datasets.__all__} <= set(listed())


@pytest.mark.parametrize("name", listed())
def test_a_docstring_says_what_numpydoc_asks_for(name: str) -> None:
    thing, flaws = found(name), flaws_of(name)
    if dataclasses.is_dataclass(thing):
        flaws.pop("PR01", None)
        fields = {field.name for field in dataclasses.fields(thing) if not field.name.startswith("_")}
        described = {name for cls in thing.__mro__ if cls is not object for name in attributes(cls)}
        assert not fields - described, "fields that are not documented"
    if inspect.isclass(thing) and issubclass(thing, BudgetreeError):  # who catches one reads its attributes
        flaws.pop("PR01", None)
        assert set(attributes(BudgetreeError)) == {"message", "subject", "found", "expected", "where", "remedy"}
    assert not flaws


@pytest.mark.parametrize("name", [name for name in listed() if inspect.isclass(found(name))])
def test_so_do_the_docstrings_of_methods_and_properties(name: str) -> None:
    flaws = {}
    for member, thing in members(found(name)).items():
        if inspect.isfunction(thing) and not documentation(thing):
            assert inspect.getdoc(getattr(found(name), member)), f"{member} has no docstring, nor do the base classes"
            continue
        of_member = flaws_of(f"{name}.{member}")
        if isinstance(thing, PROPERTY) or f".{member}(" in examples(found(name)):
            of_member.pop("EX01", None)  # the examples of the class do
        if "RT01" in of_member and inspect.signature(getattr(found(name), member)).return_annotation not in UNTYPED:
            del of_member["RT01"]  # the first line says what is returned, and the signature of which type it is
        flaws |= {member: of_member} if of_member else {}
    assert not flaws


@pytest.mark.parametrize("name", listed())
def test_who_raises_says_so(name: str) -> None:
    """What its own lines raise; what they call may raise more, which a reader of the docstring is told as well."""
    thing = found(name)
    functions = {f"{name}.{member}": each for member, each in members(thing).items()} if inspect.isclass(thing) else {}
    silent = []
    for place, each in {name: thing, **functions}.items():
        function = getattr(each, "__func__", each)
        if inspect.isfunction(function) and re.search(r"\braise \w|check_is_fitted\(", inspect.getsource(function)):
            silent += [] if NumpyDocString(inspect.cleandoc(documentation(function)))["Raises"] else [place]
    assert not silent


def examples(cls: type) -> str:
    """What the docstring of a class, or of a base class that has the method, shows."""
    return "\n".join(
        "\n".join(NumpyDocString(inspect.cleandoc(cls.__doc__ or ""))["Examples"]) for cls in cls.__mro__[:-1]
    )


def attributes(cls: type) -> list[str]:
    """What the docstring of a record describes."""
    sections = NumpyDocString(inspect.cleandoc(documentation(cls)))
    entries = [*sections["Attributes"], *sections["Parameters"]]
    return [name for entry in entries for name in entry.name.split(", ")]
