"""Parts: what is being written beside its place, and the rest of a process that was killed while it wrote.

    .budgetree-3f9c21d0-4711-88231-5c1e0f.part      machine, process, when it began, a number of its own

Only what a dead process of this machine has left is removed. A process is known by its number and by when it began,
since numbers come again; a machine by its name and, on Linux, by the space in which its processes are numbered, since
folders may be shared with others and with containers.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
from functools import cache
from pathlib import Path

PART = re.compile(r"\.budgetree-([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-[0-9a-f]+\.part")


def part_name() -> str:
    """A name for a file or folder of this process, which nobody else has."""
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
    except (OSError, OverflowError):  # somebody else's, or no number of a process
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
    try:
        processes = os.readlink("/proc/self/ns/pid")
    except OSError:
        processes = ""
    return hashlib.sha256(f"{platform.node()}\n{processes}".encode()).hexdigest()[:8]
