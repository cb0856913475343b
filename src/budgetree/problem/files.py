"""Writing files whole: beside the target first, so that a crash leaves the old one as it was."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_text(target: Path, content: str) -> None:
    """Replace the file in one step."""
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
