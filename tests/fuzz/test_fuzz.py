"""A fixed number of broken inputs for each reader; `python -m tests.fuzz --minutes N` tries more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from operator import getitem
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import budgetree as bt

from . import contract, examples
from .commands import prepare
from .contract import Target, ViolationError, judge
from .targets import TARGETS

EXAMPLES = 160  # of the cheapest targets


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that command lines name."""
    folder = tmp_path_factory.mktemp("fuzz")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        prepare()
    return folder


@pytest.mark.parametrize("name", TARGETS)
def test_every_input_is_accepted_or_refused_in_words(
    name: str, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = TARGETS[name]
    monkeypatch.chdir(prepared)

    @settings(
        max_examples=max(2, EXAMPLES // target.cost),
        derandomize=True,
        database=None,
        phases=[Phase.generate],  # a smaller seed is no smaller input
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**32))
    def keeps_the_contract(seed: int) -> None:
        verdict = judge(target, target.draw(Random(seed)))
        assert verdict.failure is None, verdict.failure

    keeps_the_contract()


@pytest.mark.parametrize(
    "cell", ["9" * 60_000 + "x", "9" * 60_000, "1," * 30_000, "+" + "9." * 30_000, "1" * 60_000 + "e"]
)
def test_a_long_cell_is_read_in_time(cell: str, prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(prepared)
    rows = "".join(f"{age};{'normal' if age % 3 else cell};{'ill' if age % 2 else 'well'}\n" for age in range(40))
    failure = judge(TARGETS["csv"], f"age;ecg;finding\n{rows}".encode()).failure
    assert failure is None, failure


def test_no_whole_number_may_be_a_float_that_breaks_something(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """1.0 is an integer to JSON's schemas: each such entry of models and certificates, once."""
    monkeypatch.chdir(prepared)
    documents = {"models": examples.models(), "certificates": [text for text, _, _ in examples.certificates()]}
    for name, texts in documents.items():
        tried: set[tuple[str, ...]] = set()
        for text in texts:
            for place in _whole_numbers(json.loads(text)):
                entry = tuple("*" if isinstance(step, int) else step for step in place)
                if entry in tried:
                    continue
                tried.add(entry)
                *above, last = place
                document = json.loads(text)
                holder = reduce(getitem, above, document)
                holder[last] = float(holder[last])
                failure = judge(TARGETS[name], json.dumps(document).encode()).failure
                assert failure is None, (entry, failure)
        assert len(tried) > 10


def _whole_numbers(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where they are."""
    if type(content) is int:
        yield place
    if isinstance(content, (dict, list)):
        for step, inner in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _whole_numbers(inner, (*place, step))


def a_target(attempt: object) -> Target:
    return Target("any", ".txt", lambda _: b"", attempt)  # type: ignore[arg-type]


def test_what_is_no_refusal_in_words_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def raising(error: Exception) -> object:
        def attempt(_: bytes) -> bool:
            raise error

        return attempt

    for error in (
        KeyError("counts"),
        ValueError(""),
        ValueError("not raised by budgetree"),
        ViolationError("exit 70"),
        MemoryError(),
    ):
        assert judge(a_target(raising(error)), b"").failure is not None


def test_what_an_input_may_not_do_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import subprocess

    monkeypatch.chdir(tmp_path)
    outside = tmp_path.parent / "outside"
    here = tmp_path / "here"
    here.write_text("x")
    for forbidden in (
        lambda: os.system("true"),
        lambda: subprocess.run(["true"]),
        lambda: outside.write_text("x"),
        lambda: outside.mkdir(),
        lambda: here.rename(outside),
        lambda: outside.symlink_to(here),
        lambda: tmp_path.parent.chmod(0o700),
    ):

        def attempt(data: bytes, forbidden: object = forbidden) -> bool:
            with suppress(OSError):
                forbidden()  # type: ignore[operator]
            return bool(bt.Prices(-1 if data else 1))  # refused in words, or accepted

        for data in (b"", b"refused"):
            assert "forbidden" in str(judge(a_target(attempt), data).failure)
    assert not outside.exists()
    (tmp_path / "there").mkdir()
    assert judge(a_target(lambda _: here.rename(tmp_path / "there" / "x") is not None), b"").failure is None


def test_code_that_a_module_of_ours_runs_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for run in ("eval(data)", "exec(data)", "compile(data, '', 'eval')"):
        names: dict[str, Any] = {}
        exec(compile(f"def attempt(data):\n    return bool({run})", f"{contract.OURS}/reader.py", "exec"), names)
        verdict = judge(a_target(names["attempt"]), b"1 + 1")
        assert "forbidden" in str(verdict.failure) or "no input may do this" in str(verdict.failure)


def test_an_input_that_hangs_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contract, "MAX_SECONDS", 0.05)

    def endless(_: bytes) -> bool:
        while True:
            pass

    assert "hang" in str(judge(a_target(endless), b"").failure)


def test_an_input_that_takes_much_memory_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contract, "MAX_MEGABYTES", 30.0)
    assert "large" in str(judge(a_target(lambda _: len(bytearray(b"x" * (60 << 20))) > 0), b"").failure)
