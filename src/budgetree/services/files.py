"""Files that are written whole, beside the target first, so that a crash leaves the old one as it was; and JSON.

    .budgetree-3f9c21d0-4711-88231-5c1e0f.part      machine, process, when it began, a number of its own

What a process left that was killed while it wrote is removed by the next; a process of this machine is known by its
number and by when it began, since numbers come again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

from budgetree.errors import FileError, Where

PART = re.compile(r"\.budgetree-([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-[0-9a-f]+\.part")


def check_place(path: str | Path) -> None:
    """An error if no file can be there; worth asking before long work."""
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "its folder does not exist", str(path))
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder, not a file", str(path))


def write_text(path: str | Path, content: str) -> None:
    with replacing(path) as file:
        file.write(content)


def write_bytes(path: str | Path, content: bytes) -> None:
    with replacing(path) as file:
        file.buffer.write(content)


def write_json(path: str | Path, content: Any, indent: int | None = None) -> None:
    write_text(path, json_text(content, indent))


def json_text(content: Any, indent: int | None = None) -> str:
    """Letters as they are, or escaped where one is none that a file can hold."""
    written = partial(json.dumps, content, indent=indent, separators=(",", ":") if indent is None else None)
    text = written(ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return written(ensure_ascii=True)
    return text


@contextmanager
def replacing(path: str | Path) -> Iterator[TextIO]:
    """A file to write to, which takes the place of the old one once it is complete."""
    check_place(path)
    target = Path(os.path.realpath(path))  # a link stays one
    if target.exists() and not target.is_file():
        with open(target, "w", encoding="utf-8") as file:  # a device or a pipe cannot be replaced
            yield file
        return
    remove_orphans(target.parent)
    temporary = target.with_name(part_name())
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a power cut could leave the new name on an empty file
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))  # who could not read the old one cannot read this
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def part_name() -> str:
    number = os.getpid()
    return f".budgetree-{_machine()}-{number}-{_began(number) or 0}-{secrets.token_hex(6)}.part"


def remove_orphans(folder: Path) -> None:
    """Remove what processes that are no more have left in a folder; what cannot be removed stays."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.startswith(".budgetree-")]
    except OSError:
        return
    for name in names:
        found = PART.fullmatch(name)
        if found is None or found[1] != _machine() or _is_alive(int(found[2]), int(found[3])):
            continue
        try:
            os.unlink(folder / name)
        except OSError:  # a folder, on every system
            shutil.rmtree(folder / name, ignore_errors=True)


def _is_alive(number: int, began: int) -> bool:
    """Whether it is or may be the process that began then."""
    if os.name != "posix":
        return True  # there, a signal to look whether a process lives would end it
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's, or not the number of a process
        pass
    now = _began(number)
    return not began or now is None or now == began


def _began(number: int) -> int | None:
    """When a process began, in ticks since the machine did; None where the system does not say it."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
        return int(fields.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


@cache
def _machine() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def read_json(path: str | PathLike[str], kind: type[FileError]) -> Any:
    """What the file holds, which may come from anyone; an error of this kind where it is not JSON, or is ambiguous."""
    line = subject = None
    try:
        return json.loads(Path(path).read_text(encoding="utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        flaw = f"byte {error.start:,} is not UTF-8"
    except json.JSONDecodeError as error:
        flaw, line = f"{error.msg}, column {error.colno}", error.lineno
    except _TwiceError as error:
        subject = error.args[0]
        flaw = f"the entry {subject!r:.60} is there twice"
    except ValueError:  # Python reads no more than 4300 digits
        flaw = "there is a whole number of thousands of digits"
    except RecursionError:
        flaw = "brackets are nested too deeply"
    message = f"this is not valid JSON: {flaw}; expected {kind.holds}."
    raise kind(message, subject=subject, expected="valid JSON", where=Where(str(path), line))


class _TwiceError(ValueError):
    """Two entries have this name, and only one of them could count."""


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
    validator: Callable[[Any], Any] = fastjsonschema.compile(_undescribed(schema))
    return validator


def _undescribed(schema: Any) -> Any:
    """The same rules without what people read, which takes time to compile."""
    if isinstance(schema, dict):
        rules = {key: rule for key, rule in schema.items() if key != "description" or isinstance(rule, dict)}
        return {key: _undescribed(rule) for key, rule in rules.items()}
    return [_undescribed(entry) for entry in schema] if isinstance(schema, list) else schema


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
