"""The shape of a model file: the published JSON schema, and what a file that breaks it is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from budgetree.errors import ModelFileError

FORMAT = "budgetree"
VERSION = 3
SCHEMA_FILE = "model.schema.json"


def check_shape(content: Any) -> None:
    """An error that names the first entry that breaks the schema."""
    from fastjsonschema import JsonSchemaValueException  # its import waits until a file is read

    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError('this is not a budgetree model; expected an object with "format": "budgetree".')
    version = content.get("version")
    if isinstance(version, int) and version > VERSION:
        raise ModelFileError(
            f"format version {version} was written by a later budgetree; this one reads up to {VERSION}. Upgrade it."
        )
    try:
        _validator()(content)
    except JsonSchemaValueException as error:
        raise ModelFileError(_in_words(error)) from None


@cache
def _validator() -> Callable[[Any], Any]:
    import fastjsonschema

    schema = json.loads(files("budgetree.tree.model").joinpath(SCHEMA_FILE).read_text(encoding="utf-8"))
    validator: Callable[[Any], Any] = fastjsonschema.compile(schema)
    return validator


def _in_words(error: Any) -> str:
    place = error.name.removeprefix("data").removeprefix(".")
    value, rule, wanted = error.value, error.rule, error.rule_definition
    if rule == "required":
        absent = next(name for name in wanted if name not in value)
        return f"{place + ': ' if place else ''}{absent!r} is missing."
    if rule == "dependencies":
        return f"{place}: 'branches' is missing; a node with a test has a branch per outcome."
    expected: dict[str, Callable[[], str]] = {
        "type": lambda: " or ".join(wanted) if isinstance(wanted, list) else wanted,
        "enum": lambda: " or ".join(map(repr, wanted)),
        "minimum": lambda: f"at least {wanted}",
        "maximum": lambda: f"at most {wanted}",
        "minItems": lambda: f"at least {wanted} entries",
        "maxItems": lambda: f"at most {wanted} entries, not {len(value)}",
    }
    words = expected[rule]() if rule in expected else f"{rule} {wanted}"
    return f"{place} is {value!r:.60}; expected {words}."
