"""_native.py: a core that is missing, foreign or old is refused, and an editable install builds it again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import budgetree
from budgetree import _native
from budgetree.errors import CoreError


def pretend(monkeypatch: pytest.MonkeyPatch, found: ModuleType | None) -> None:
    """As if this, or nothing, were installed as budgetree._core."""
    spec = None if found is None else SimpleNamespace(origin="_core.so", loader=None)
    monkeypatch.setattr(_native, "find_spec", lambda name: spec)
    monkeypatch.setattr(_native, "import_module", lambda name: found)


def made(version: str) -> ModuleType:
    module = ModuleType("budgetree._core")
    module.__version__ = version  # type: ignore[attr-defined]
    return module


def test_a_core_of_this_version_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(budgetree.__version__)
    pretend(monkeypatch, found)
    assert _native.load() is found


def test_a_core_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, made("0.0.7"))
    with pytest.raises(CoreError, match=r"is of version 0\.0\.7, budgetree of .*Install budgetree again"):
        _native.load()


def test_a_core_that_is_missing_or_of_another_python_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pretend(monkeypatch, None)
    monkeypatch.setattr(_native, "PACKAGE", tmp_path)
    (tmp_path / "_core.pyi").touch()
    with pytest.raises(CoreError, match=r"the native core is missing\. Install budgetree again.*C\+\+ compiler"):
        _native.load()
    (tmp_path / "_core.cpython-399-x86_64-linux-gnu.so").touch()
    with pytest.raises(CoreError, match=r"_core\.cpython-399-x86_64-linux-gnu\.so is not for this Python"):
        _native.load()


def test_a_core_that_does_not_load_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> ModuleType:
        raise ImportError("undefined symbol: x")

    pretend(monkeypatch, made(budgetree.__version__))
    monkeypatch.setattr(_native, "import_module", fail)
    with pytest.raises(CoreError, match=r"does not load: undefined symbol: x\. Install budgetree again"):
        _native.load()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose core was built after its sources were written."""
    for name in ("CMakeLists.txt", "src/budgetree/_version.py", "core/clock.hpp", "core/bindings/module.cpp"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000, 1000))
    (tmp_path / "_core.so").touch()
    os.utime(tmp_path / "_core.so", (2000, 2000))
    return tmp_path


def test_a_source_that_is_newer_than_the_core_is_seen(checkout: Path) -> None:
    assert _native.changed_since(checkout / "_core.so", checkout) is None
    os.utime(checkout / "core/bindings/module.cpp", (3000, 3000))
    assert _native.changed_since(checkout / "_core.so", checkout) == str(Path("core/bindings/module.cpp"))
    (checkout / "CMakeLists.txt").unlink()  # not a checkout
    assert _native.changed_since(checkout / "_core.so", checkout) is None


def test_an_editable_install_is_built_again_when_a_source_changed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    loader = SimpleNamespace(rebuild=lambda: built.append("again"))
    pretend(monkeypatch, made(budgetree.__version__))
    monkeypatch.setattr(
        _native, "find_spec", lambda name: SimpleNamespace(origin=str(checkout / "_core.so"), loader=loader)
    )
    monkeypatch.setattr(_native, "changed_since", lambda built, change=_native.changed_since: change(built, checkout))
    _native.load()
    assert built == []
    os.utime(checkout / "core/clock.hpp", (3000, 3000))
    _native.load()
    _native.load()
    assert built == ["again"]

    def fail() -> None:
        raise FileNotFoundError("cmake")

    os.utime(checkout / "core/clock.hpp", (2**40, 2**40))
    loader.rebuild = fail
    with pytest.raises(CoreError, match=r"clock\.hpp has changed since the native core was built.*pip install -e"):
        _native.load()


def version(**environment: str) -> str:
    command = [sys.executable, "-m", "budgetree", "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment).stdout


def test_version_names_the_core() -> None:
    processor = _native.core.processor()
    assert version() == f"budgetree {budgetree.__version__}, native core ({processor})\n"
    baseline = "NEON" if "NEON" in processor else "baseline"
    assert version(BUDGETREE_BASELINE="1") == f"budgetree {budgetree.__version__}, native core ({baseline})\n"
