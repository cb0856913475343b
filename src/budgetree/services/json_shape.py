"""What a JSON document that breaks its published schema is told, for models and certificates alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any


def first_flaw(content: Any, package: str, schema_file: str) -> str | None:
    """The first entry that breaks the schema, in words; None where nothing does."""
    from fastjsonschema import JsonSchemaValueException  # its import waits until a file is read

    try:
        _validator(package, schema_file)(content)
    except JsonSchemaValueException as error:
        return _in_words(error)
    return None


@cache
def _validator(package: str, schema_file: str) -> Callable[[Any], Any]:
    import fastjsonschema

    schema = json.loads(files(package).joinpath(schema_file).read_text(encoding="utf-8"))
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
        "maxLength": lambda: f"at most {wanted} characters, not {len(value)}",
        "pattern": lambda: 'an exact number as text, "p" or "p/q"',
    }
    words = expected[rule]() if rule in expected else f"{rule} {wanted}"
    return f"{place} is {value!r:.60}; expected {words}."
