"""The native core, if it is there: without it the plain twins answer the same, slower."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType


def _load() -> ModuleType | None:
    if os.environ.get("BUDGETREE_PLAIN", "0") not in ("", "0"):  # for tests: as where there is no compiler
        return None
    try:
        return import_module("budgetree._core")
    except ImportError:
        return None


core = _load()
