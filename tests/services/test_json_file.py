"""A JSON file is read, or refused in our words, whatever Python would say of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetree.services.json_file import read_json


def test_what_json_holds_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": [1, 2.5, null, "\\u00e9"]}')
    assert read_json(path) == {"a": [1, 2.5, None, "é"]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "Expecting value: line 1 column 1"),
        (b'{"a": 1,', "line 1 column"),
        (b'"\xff"', "byte 1 is no UTF-8"),
        ("[]".encode("utf-16"), "byte 0 is no UTF-8"),
        (b"[" * 100_000, "brackets within brackets without end"),
        (b'{"a":' * 100_000, "brackets within brackets without end"),
        (b"9" * 5000, "there is a whole number of thousands of digits"),
        (b'{"a": {"b": 1, "b": 1}}', "an entry is there twice"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_wrong_is_said_in_our_words(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=words) as caught:
        read_json(path)
    assert "Python" not in str(caught.value)
    assert "sys." not in str(caught.value)
