"""Whether there is a native core, and which: the one place that knows.

`core` is the module `budgetree._core`, or None where budgetree is installed as pure Python: without a C++ compiler, or
with BUDGETREE_PLAIN=1 in the environment. A core that is there but of no use (another version, another Python, sources
that have changed since) is an error, never a reason to fall back: nobody should wait for the plain twins by mistake.
"""

from __future__ import annotations

import os
import subprocess
import time
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from budgetree._version import __version__
from budgetree.errors import CoreError, PlainPythonWarning

NAME = "budgetree._core"
ROOT = Path(__file__).parents[2]  # of a checkout
REMEDY = (
    "install a C++ compiler (Debian: g++, Fedora: gcc-c++, macOS: xcode-select --install, Windows: Visual Studio Build "
    "Tools with clang-cl), then install budgetree again"
)


def load() -> ModuleType | None:
    """The native core; None where there is none."""
    if is_forced_plain():
        return None
    spec = find_spec(NAME)
    if spec is None:
        _refuse_foreign(import_module("budgetree").__path__)
        return None
    rebuild = getattr(spec.loader, "rebuild", None)  # an editable install has it
    if spec.origin is not None and rebuild is not None:
        _rebuild_if_changed(Path(spec.origin), rebuild)
    try:
        found = import_module(NAME)
    except ImportError as error:
        raise CoreError(f"the native core does not load: {error}. Install budgetree again.") from error
    if found.__version__ != __version__:
        raise CoreError(
            f"the native core is of version {found.__version__}, budgetree of {__version__}; they must be the same. "
            "Install budgetree again."
        )
    return found


def _refuse_foreign(folders: Iterable[str]) -> None:
    """A core whose file name says that it is another Python's is not found by import, but it is there."""
    for folder in folders:
        for file in Path(folder).glob("_core.*"):
            if file.suffix in (".so", ".pyd"):
                raise CoreError(f"{file.name} is not for this Python. Install budgetree again, with this Python's pip.")


def _rebuild_if_changed(built: Path, rebuild: Callable[[], None]) -> None:
    changed, start = changed_since(built), time.time()
    if changed is None:
        return
    try:
        rebuild()
    except (OSError, subprocess.CalledProcessError) as error:
        raise CoreError(
            f"{changed} has changed since the native core was built, and building it again failed. If the compiler did "
            "not say why, install budgetree again: pip install -e ."
        ) from error
    os.utime(built, (start, start))  # also where nothing had to be compiled


def changed_since(built: Path, root: Path = ROOT) -> str | None:
    """A source of the core that is newer than its file, in a checkout."""
    if not (root / "CMakeLists.txt").is_file():
        return None
    files = [root / "CMakeLists.txt", root / "src/budgetree/_version.py", *(root / "core").rglob("*.[ch]pp")]
    latest = max(files, key=lambda file: file.stat().st_mtime)
    return str(latest.relative_to(root)) if latest.stat().st_mtime > built.stat().st_mtime else None


def is_forced_plain() -> bool:
    """Whether BUDGETREE_PLAIN asks for the plain twins."""
    return os.environ.get("BUDGETREE_PLAIN", "0") not in ("", "0")


core = load()


def describe() -> str:
    """What runs, for `budgetree --version`."""
    if core is not None:
        return f"native core ({core.processor()})"
    return "plain Python: BUDGETREE_PLAIN is set" if is_forced_plain() else f"plain Python: no native core; {REMEDY}"


@cache
def say_once() -> None:
    """Called by the plain twins when they begin something long: that it is slow, and what to do."""
    if core is None and not is_forced_plain():
        warnings.warn(
            f"budgetree runs as plain Python, which is much slower. For its native core {REMEDY}.",
            PlainPythonWarning,
            stacklevel=3,
        )
