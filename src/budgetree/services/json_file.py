"""Reading a JSON file that may come from anybody: what it holds, or what is wrong with it in words."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any


def read_json(path: str | PathLike[str]) -> Any:
    """What the file holds; a ValueError says why that is nothing, or could mean two things."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start:,} is no UTF-8") from None
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (json.JSONDecodeError, _TwiceError) as error:
        raise ValueError(str(error)) from None
    except ValueError:  # Python reads no more than 4300 digits
        raise ValueError("there is a whole number of thousands of digits") from None
    except RecursionError:
        raise ValueError("brackets within brackets without end") from None


class _TwiceError(ValueError):
    """Which of two entries would count is anybody's guess."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise _TwiceError("an entry is there twice")
    return content
