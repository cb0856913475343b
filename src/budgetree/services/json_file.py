"""JSON files that may come from anyone: reading one, and the first entry that breaks its published schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from budgetree.errors import FileError, Where


def read_json(path: str | PathLike[str], kind: type[FileError]) -> Any:
    """What the file holds; an error of this kind where that is not JSON, or could mean two things."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return json.loads(text, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise _no_json(kind, f"byte {error.start:,} is not UTF-8", path) from None
    except json.JSONDecodeError as error:
        flaw = f"{error.msg}, column {error.colno}; the file may be truncated"
        raise _no_json(kind, flaw, path, line=error.lineno) from None
    except _TwiceError as error:
        raise _no_json(kind, f"the entry {error.key!r:.60} is there twice", path, subject=error.key) from None
    except ValueError:  # Python reads no more than 4300 digits
        raise _no_json(kind, "there is a whole number of thousands of digits", path) from None
    except RecursionError:
        raise _no_json(kind, "brackets are nested too deeply", path) from None


def _no_json(
    kind: type[FileError],
    flaw: str,
    path: str | PathLike[str],
    *,
    subject: str | None = None,
    line: int | None = None,
) -> FileError:
    where = Where(str(path), line)
    return kind(f"this is not valid JSON: {flaw}.", subject=subject, expected="valid JSON", where=where)


class _TwiceError(ValueError):
    """Two entries have one name, and only one of them could count."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise _TwiceError(key)
        content[key] = value
    return content


def check_schema(content: Any, package: str, schema_file: str, kind: type[FileError]) -> None:
    """An error of this kind, about the first entry that breaks the schema."""
    from fastjsonschema import JsonSchemaValueException  # its import waits until a file is read

    try:
        _validator(package, schema_file)(content)
    except JsonSchemaValueException as error:
        raise _flaw(error, kind) from None


@cache
def _validator(package: str, schema_file: str) -> Callable[[Any], Any]:
    import fastjsonschema

    schema = json.loads(files(package).joinpath(schema_file).read_text(encoding="utf-8"))
    validator: Callable[[Any], Any] = fastjsonschema.compile(schema)
    return validator


def _flaw(error: Any, kind: type[FileError]) -> FileError:
    entry = error.name.removeprefix("data").removeprefix(".")
    value, rule, wanted = error.value, error.rule, error.rule_definition
    where = Where(entry=entry) if entry else None
    if rule in ("required", "dependencies"):
        wanted = wanted if rule == "required" else [name for names in wanted.values() for name in names]
        absent = next(name for name in wanted if name not in value)
        return kind(f"{absent!r} is missing.", subject=absent, where=where)
    descriptions: dict[str, Callable[[], str]] = {
        "type": lambda: " or ".join(wanted) if isinstance(wanted, list) else wanted,
        "enum": lambda: " or ".join(map(repr, wanted)),
        "minimum": lambda: f"at least {wanted}",
        "maximum": lambda: f"at most {wanted}",
        "minItems": lambda: f"at least {wanted} entries",
        "maxItems": lambda: f"at most {wanted} entries, not {len(value)}",
        "maxLength": lambda: f"at most {wanted} characters, not {len(value)}",
        "pattern": lambda: 'an exact number as text, "p" or "p/q"',
    }
    expected = descriptions[rule]() if rule in descriptions else f"{rule} {wanted}"
    return kind(f"{value!r:.60} is not allowed; expected {expected}.", found=value, expected=wanted, where=where)
