"""Files are written whole: a failure leaves the old one as it was, and nothing beside it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from budgetree.services.files import check_place, write_json, write_text


def test_an_interrupted_write_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "model.json"
    write_text(target, "old")

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(KeyboardInterrupt):
        write_text(target, "new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("model.json", "old")]


def test_who_could_not_read_the_old_file_cannot_read_the_new_one(tmp_path: Path) -> None:
    target = tmp_path / "model.json"
    write_text(target, "old")
    target.chmod(0o600)
    write_text(target, "new")
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o600)


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        check_place(tmp_path / "nowhere" / "file")
    with pytest.raises(IsADirectoryError, match="this is a folder"):
        check_place(tmp_path)
    check_place(tmp_path / "file")


def test_what_is_no_letter_is_escaped_so_that_any_text_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_json(path, {"é": 1})
    assert path.read_text(encoding="utf-8") == '{"é":1}'
    write_json(path, ["é", "half \ud800"], indent=1)
    assert json.loads(path.read_text(encoding="utf-8")) == ["é", "half \ud800"]
