"""A tree for other programs: FORMATS lists what there is, which `tree.export` and the command line use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from budgetree.errors import SettingError
from budgetree.services.words import no_such

# By name, the module below `show` whose function `to_NAME` writes it, loaded when it is needed.
FORMATS = {
    "text": "text",
    "stages": "text",
    "rules": "export.rules",
    "python": "export.python",
    "javascript": "export.javascript",
    "sql": "export.sql",
    "pmml": "export.pmml",
    "onnx": "export.onnx",
    "dot": "export.dot",
    "svg": "svg",
}


def export(tree: Any, format: str, **options: Any) -> Any:  # noqa: A002 - what users call it
    """The tree in one of FORMATS: a text, but for ONNX."""
    if format not in FORMATS:
        message, known = f"export: {no_such('format', format, tuple(FORMATS))}", tuple(FORMATS)
        raise SettingError(message, subject="format", found=format, expected=known)
    return getattr(import_module(f"budgetree.show.{FORMATS[format]}"), f"to_{format}")(tree, **options)
