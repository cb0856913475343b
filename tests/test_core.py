"""core.py: whether there is a native core, and what is said where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import budgetree
from budgetree import core as knows
from budgetree.errors import CoreError, PlainPythonWarning


def pretend(monkeypatch: pytest.MonkeyPatch, found: ModuleType | None) -> None:
    """As if this, or nothing, were installed as budgetree._core."""
    monkeypatch.delenv("BUDGETREE_PLAIN", raising=False)
    spec = None if found is None else SimpleNamespace(origin="_core.so", loader=None)
    modules = {"budgetree": budgetree, knows.NAME: found}
    monkeypatch.setattr(knows, "find_spec", lambda name: spec)
    monkeypatch.setattr(knows, "import_module", modules.__getitem__)
    monkeypatch.setattr(budgetree, "__path__", [])


def made(version: str) -> ModuleType:
    module = ModuleType("budgetree._core")
    module.__version__ = version  # type: ignore[attr-defined]
    module.processor = lambda: "AVX2"  # type: ignore[attr-defined]
    return module


def test_a_core_of_this_version_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(budgetree.__version__)
    pretend(monkeypatch, found)
    assert knows.load() is found
    monkeypatch.setattr(knows, "core", found)
    assert knows.describe() == "native core (AVX2)"


def test_a_core_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, made("0.0.7"))
    with pytest.raises(CoreError, match=r"is of version 0\.0\.7, budgetree of .*Install budgetree again"):
        knows.load()


def test_without_a_core_it_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, None)
    assert knows.load() is None


@pytest.mark.parametrize(("value", "is_forced"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_environment_forces_plain_python(monkeypatch: pytest.MonkeyPatch, value: str, is_forced: bool) -> None:
    pretend(monkeypatch, made(budgetree.__version__))
    monkeypatch.setenv("BUDGETREE_PLAIN", value)
    assert (knows.load() is None) is is_forced


def test_a_core_of_another_python_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, None)
    monkeypatch.setattr(budgetree, "__path__", [str(tmp_path)])
    (tmp_path / "_core.pyi").touch()
    assert knows.load() is None
    (tmp_path / "_core.cpython-399-x86_64-linux-gnu.so").touch()
    with pytest.raises(CoreError, match=r"_core\.cpython-399-x86_64-linux-gnu\.so is not for this Python"):
        knows.load()


def test_a_core_that_does_not_load_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> ModuleType:
        raise ImportError("undefined symbol: x")

    pretend(monkeypatch, made(budgetree.__version__))
    monkeypatch.setattr(knows, "import_module", fail)
    with pytest.raises(CoreError, match=r"does not load: undefined symbol: x\. Install budgetree again"):
        knows.load()


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
    assert knows.changed_since(checkout / "_core.so", checkout) is None
    os.utime(checkout / "core/bindings/module.cpp", (3000, 3000))
    assert knows.changed_since(checkout / "_core.so", checkout) == str(Path("core/bindings/module.cpp"))
    (checkout / "CMakeLists.txt").unlink()  # not a checkout
    assert knows.changed_since(checkout / "_core.so", checkout) is None


def test_an_editable_install_is_built_again_when_a_source_changed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    loader = SimpleNamespace(rebuild=lambda: built.append("again"))
    pretend(monkeypatch, made(budgetree.__version__))
    monkeypatch.setattr(
        knows, "find_spec", lambda name: SimpleNamespace(origin=str(checkout / "_core.so"), loader=loader)
    )
    monkeypatch.setattr(knows, "changed_since", lambda built, change=knows.changed_since: change(built, checkout))
    knows.load()
    assert built == []
    os.utime(checkout / "core/clock.hpp", (3000, 3000))
    knows.load()
    knows.load()
    assert built == ["again"]

    def fail() -> None:
        raise FileNotFoundError("cmake")

    os.utime(checkout / "core/clock.hpp", (2**40, 2**40))
    loader.rebuild = fail
    with pytest.raises(CoreError, match=r"clock\.hpp has changed since the native core was built.*pip install -e"):
        knows.load()


def test_plain_python_says_so_once_and_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knows, "core", None)
    monkeypatch.delenv("BUDGETREE_PLAIN", raising=False)
    knows.say_once.cache_clear()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        knows.say_once()
        knows.say_once()
    assert [warning.category for warning in said] == [PlainPythonWarning]
    for text in (str(said[0].message), knows.describe()):
        for word in ("plain Python", "g++", "gcc-c++", "xcode-select --install", "clang-cl", "install budgetree again"):
            assert word in text
    knows.say_once.cache_clear()


def test_who_asked_for_plain_python_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knows, "core", None)
    monkeypatch.setenv("BUDGETREE_PLAIN", "1")
    knows.say_once.cache_clear()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        knows.say_once()
    assert said == []
    assert knows.describe() == "plain Python: BUDGETREE_PLAIN is set"
    knows.say_once.cache_clear()


def version(**environment: str) -> str:
    command = [sys.executable, "-m", "budgetree", "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment).stdout


@pytest.mark.core
def test_version_names_the_core() -> None:
    assert version(BUDGETREE_PLAIN="") == f"budgetree {budgetree.__version__}, {knows.describe()}\n"
    baseline = "NEON" if "NEON" in knows.describe() else "baseline"
    assert version(BUDGETREE_BASELINE="1") == f"budgetree {budgetree.__version__}, native core ({baseline})\n"


def test_version_says_that_plain_python_was_asked_for() -> None:
    said = version(BUDGETREE_PLAIN="1")
    assert said == f"budgetree {budgetree.__version__}, plain Python: BUDGETREE_PLAIN is set\n"


def test_the_command_line_says_it_as_a_note(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import click

    from budgetree.cli.main import cli, main

    @click.command()
    def slow() -> None:
        warnings.warn("slower", PlainPythonWarning, stacklevel=1)
        warnings.warn("of a library", RuntimeWarning, stacklevel=1)

    monkeypatch.setitem(cli.commands, "slow", slow)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["slow"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("note: slower\n")
    assert "RuntimeWarning: of a library" in said
