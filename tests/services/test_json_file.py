"""A JSON file is read, or refused in our words, whatever Python would say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from _support.refusals import refused
from budgetree.errors import ModelFileError
from budgetree.services.files import read_json


def test_what_json_holds_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": [1, 2.5, null, "\\u00e9"]}')
    assert read_json(path, ModelFileError) == {"a": [1, 2.5, None, "é"]}


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        (b"", {"line": 1}),
        (b'{"a": 1,\n', {"line": 2}),
        (b'"\xff"', {}),
        ("[]".encode("utf-16"), {}),
        (b"[" * 100_000, {}),
        (b'{"a":' * 100_000, {}),
        (b"9" * 5000, {}),
        (b'{"a": {"b": 1, "b": 1}}', {"subject": "b"}),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_wrong_is_said_in_our_words(data: bytes, fields: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(data)
    with refused(ModelFileError, expected="valid JSON", source=str(path), **fields) as caught:
        read_json(path, ModelFileError)
    assert "Python" not in str(caught.value)
    assert "sys." not in str(caught.value)
