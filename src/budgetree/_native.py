"""The native core, `from budgetree._native import core`: imported, checked, and built again where a source changed.

A core that is missing or of no use (of another version, for another Python) is a CoreError that names the remedy.
"""

from __future__ import annotations

import os
import subprocess
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from budgetree._version import __version__
from budgetree.errors import CoreError

NAME = "budgetree._core"
PACKAGE = Path(__file__).parent
ROOT = PACKAGE.parents[1]  # of a checkout


def load() -> ModuleType:
    """The module budgetree._core."""
    spec = find_spec(NAME)
    if spec is None:
        built = [file.name for file in PACKAGE.glob("_core.*") if file.suffix in (".so", ".pyd")]
        found = f"{built[0]} is not for this Python" if built else "the native core is missing"
        raise CoreError(f"{found}. Install budgetree again, with this Python's pip and a C++ compiler.")
    rebuild = getattr(spec.loader, "rebuild", None)  # an editable install has it
    changed = None if rebuild is None else changed_since(Path(str(spec.origin)))
    start = time.time()
    try:
        if rebuild is not None and changed is not None:
            rebuild()
            os.utime(str(spec.origin), (start, start))  # also where nothing had to be compiled
        core = import_module(NAME)
    except ImportError as error:
        raise CoreError(f"the native core does not load: {error}. Install budgetree again.") from error
    except (OSError, subprocess.CalledProcessError) as error:
        raise CoreError(
            f"{changed} has changed since the native core was built, and building it again failed. If the compiler did "
            "not say why, install budgetree again: pip install -e ."
        ) from error
    if core.__version__ != __version__:
        raise CoreError(
            f"the native core is of version {core.__version__}, budgetree of {__version__}; they must be the same. "
            "Install budgetree again."
        )
    return core


def changed_since(built: Path, root: Path = ROOT) -> str | None:
    """A source of the core that is newer than its file, in a checkout."""
    if not (root / "CMakeLists.txt").is_file():
        return None
    files = [root / "CMakeLists.txt", root / "src/budgetree/_version.py", *(root / "core").rglob("*.[ch]pp")]
    latest = max(files, key=lambda file: file.stat().st_mtime)
    return str(latest.relative_to(root)) if latest.stat().st_mtime > built.stat().st_mtime else None


core = load()
