"""Writing files whole: beside the target first, so that a crash leaves the old one as it was."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path


def write_text(path: str | Path, content: str) -> None:
    """Replace the file in one step."""
    target = Path(path)
    if not target.parent.is_dir():  # else the error would name the file beside it
        raise FileNotFoundError(errno.ENOENT, "its folder does not exist", str(target))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # else a power cut could leave the new name on an empty file
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
