"""`budgetree predict`: rows of other tables, unknown values, and how many are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import FIT_KNOWN, run

from budgetree.cli import main


def test_a_model_may_be_used_on_a_table_with_other_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "known.csv").write_text("a,b,y\n1,1,p\n2,1,q\n1,2,p\n2,2,q\n", encoding="utf-8")
    model = str(tmp_path / "m.json")
    run(capsys, *FIT_KNOWN, str(tmp_path / "known.csv"), "--target", "y", "--budget", "1", "-o", model)
    (tmp_path / "new.csv").write_text("id,cost,a\n7,x,2\n8,y,\n9,z,5\n", encoding="utf-8")
    printed = run(capsys, "predict", model, str(tmp_path / "new.csv"))
    assert printed.splitlines() == [
        "id,cost,a,prediction,budgetree cost,tests",
        "7,x,2,q,1,a",
        "8,y,,p,1,a",
        "9,z,5,p,1,a",
    ]
    (tmp_path / "other.csv").write_text("id,b\n7,2\n", encoding="utf-8")
    complaint = run(capsys, "predict", model, str(tmp_path / "other.csv"), code=1)
    assert "there is no column 'a', which the model may ask for. There are: id, b" in complaint


def test_predict_says_what_is_unknown_and_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "known.csv").write_text("a,y\n" + "0,P\n1,N\n2,Q\n" * 10, encoding="utf-8")
    model, new = str(tmp_path / "m.json"), tmp_path / "new.csv"
    run(capsys, *FIT_KNOWN, str(tmp_path / "known.csv"), "--target", "y", "--budget", "2", "-o", model)
    new.write_text("a,y\n0,P\n1,N\n2,P\nx,N\n,\n7,Q\n", encoding="utf-8")
    assert main(["predict", model, str(new), "--target", "y", "--json"]) == 0
    printed = capsys.readouterr()
    assert [row["prediction"] for row in json.loads(printed.out)] == ["P", "N", "Q", "N", "N", "N"]
    assert "3 rows have a value of 'a' that no known case had" in printed.err
    assert "3 of 6 predictions are wrong (50.0%)" in printed.err
    assert "P: 1 of 2 missed" in printed.err
    assert "there is no column 'z'" in run(capsys, "predict", model, str(new), "--target", "z", code=1)
