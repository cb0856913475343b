"""The shape of a model file: the published JSON schema, and what a file that breaks it is told."""

from __future__ import annotations

from typing import Any

from budgetree.errors import ModelFileError
from budgetree.services.json_shape import first_flaw

FORMAT = "budgetree"
VERSION = 6
SCHEMA_FILE = "model.schema.json"


def check_shape(content: Any) -> None:
    """An error that names the first entry that breaks the schema."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError('this is not a budgetree model; expected an object with "format": "budgetree".')
    version = content.get("version")
    if isinstance(version, int) and version > VERSION:
        raise ModelFileError(
            f"format version {version} was written by a later budgetree; this one reads up to {VERSION}. Upgrade it."
        )
    if (flaw := first_flaw(content, "budgetree.tree.model", SCHEMA_FILE)) is not None:
        raise ModelFileError(flaw)
