"""Parts: files and frames, read as often as asked, and a plan for all of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from budgetree.problem.tables.reading import Reading
from budgetree.shards.parts import FileParts, FrameParts, find_plan
from budgetree.shards.plan import CaseRequest


def test_a_csv_column_of_numbers_and_words_is_words_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetree.problem.tables.batches.BLOCK_BYTES", 40)
    lines = [f"{number},{number % 2},{'a' if number > 30 else number}" for number in range(40)]
    (tmp_path / "t.csv").write_text("size,kind,found\n" + "\n".join(lines) + "\n")
    parts = FileParts(str(tmp_path / "t.csv"), Reading(), drop=("size",))
    assert parts.has_texts
    plan, as_text = find_plan(parts, CaseRequest.of("found"))
    assert as_text == ("found",)
    assert plan.schema.class_names[:3] == ("0", "1", "10")
    assert plan.schema.test_names == ("kind",)
    tables = [table for _, table in parts.tables(as_text)]
    assert len(tables) > 1
    assert sum(map(len, tables)) == 40


def test_parts_are_named_in_messages(tmp_path: Path) -> None:
    frames = [pd.DataFrame({"a": [1, 2], "y": [0, 1]}), pd.DataFrame({"a": ["x"], "y": [0]})]
    with pytest.raises(ValueError, match=r"numbers in frame 0 \(1.0\) and text in frame 1 \('x'\)"):
        find_plan(FrameParts.of(frames, "y"), CaseRequest.of("y"))
    for number, frame in enumerate(frames):
        frame.to_parquet(tmp_path / f"{number}.parquet")
    with pytest.raises(ValueError, match=r"numbers in part 1 of .* and text in part 2 of"):
        find_plan(FileParts(str(tmp_path / "*.parquet"), Reading()), CaseRequest.of("y"))
