"""Writing files whole: beside the target first, so that a crash leaves the old one as it was."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from budgetree.services.parts import part_name, remove_orphans


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
