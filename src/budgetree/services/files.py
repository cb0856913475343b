"""Writing files whole: beside the target first, so that a crash leaves the old one as it was.

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
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, TextIO

PART = re.compile(r"\.budgetree-([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-[0-9a-f]+\.part")


def check_place(path: str | Path) -> None:
    """An error if no file can be there; worth asking before long work."""
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "its folder does not exist", str(path))
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder, not a file", str(path))


def write_text(path: str | Path, content: str) -> None:
    """Replace the file in one step."""
    with replacing(path) as file:
        file.write(content)


def write_json(path: str | Path, content: Any, indent: int | None = None) -> None:
    """Replace the file in one step."""
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
    """A name for a file or folder of this process, unlike any other."""
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
