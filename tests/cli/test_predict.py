"""`budgetree predict`: rows of other tables, and unknown values."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from command_line import FIT_KNOWN, run

import budgetree as bt
from budgetree.cli import main
from budgetree.data.source import Reading, ReadLimits

SMALL_BLOCKS = partial(Reading, limits=ReadLimits(block_bytes=50))


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
    assert run(capsys, "predict", model, str(tmp_path / "new.csv"), "-o", "-") == printed
    (tmp_path / "other.csv").write_text("id,b\n7,2\n", encoding="utf-8")
    complaint = run(capsys, "predict", model, str(tmp_path / "other.csv"), code=1)
    assert "there is no column 'a', which the pathway may ask for. There are: id, b" in complaint


def test_predict_says_what_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "known.csv").write_text("a,y\n" + "0,P\n1,N\n2,Q\n" * 10, encoding="utf-8")
    model, new = str(tmp_path / "m.json"), tmp_path / "new.csv"
    run(capsys, *FIT_KNOWN, str(tmp_path / "known.csv"), "--target", "y", "--budget", "2", "-o", model)
    new.write_text("a,y\n0,P\n1,N\n2,P\nx,N\n,\n7,Q\n", encoding="utf-8")
    assert main(["predict", model, str(new), "--json"]) == 0
    printed = capsys.readouterr()
    assert [row["prediction"] for row in json.loads(printed.out)] == ["P", "N", "Q", "N", "N", "N"]
    assert "2 rows have a value of 'a' that no known case had" in printed.err
    assert "1 row has no result of 'a'; the answer is by the other tests." in printed.err
    assert "warning: 33% of the rows have a category of 'a' that the model does not know" in printed.err


def test_batches_do_not_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"{i % 5},{'uvw'[i % 3]},{'PN'[i % 5 > 2]}\n" for i in range(60)]
    (tmp_path / "known.csv").write_text("a,b,y\n" + "".join(lines), encoding="utf-8")
    lines[33] = "9,u,P\n"  # a value that no known case had
    model, new = str(tmp_path / "m.json"), str(tmp_path / "new.csv")
    (tmp_path / "new.csv").write_text("a,b,y\n" + "".join(lines), encoding="utf-8")
    run(capsys, *FIT_KNOWN, str(tmp_path / "known.csv"), "-t", "y", "--budget", "2", "--folds", "0", "-o", model)
    for options in ([], ["--json"], ["--probabilities"], ["--probabilities", "--json"]):
        with monkeypatch.context() as patched:
            assert main(["predict", model, new, *options]) == 0
            whole = capsys.readouterr()
            patched.setattr("budgetree.data.source.Reading", SMALL_BLOCKS)
            assert main(["predict", model, new, *options]) == 0
            assert capsys.readouterr() == whole
    assert "1 row has a value of 'a' that no known case had" in whole.err
    rows = json.loads(whole.out)
    assert rows[0]["probabilities"] == {"N": 0, "P": 1}
    assert all(sum(row["probabilities"].values()) == pytest.approx(1) for row in rows)


def test_probabilities_have_a_column_for_each_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "known.csv").write_text("a,y\n" + "0,P\n0,P\n0,N\n1,N\n" * 5, encoding="utf-8")
    model, out = str(tmp_path / "m.json"), str(tmp_path / "out.csv")
    known = str(tmp_path / "known.csv")
    run(capsys, *FIT_KNOWN, known, "-t", "y", "--budget", "1", "--folds", "0", "-o", model)
    said = run(capsys, "predict", model, known, "--probabilities", "-o", out)
    assert said == f"20 rows; costliest 1, mean 1; written to {out}\n"
    written = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert written[0] == "a,y,prediction,cost,tests,probability of N,probability of P"
    assert written[1] == "0,P,P,1,a,0.333333,0.666667"
    assert written[4] == "1,N,N,1,a,1,0"
    facts = json.loads(run(capsys, "predict", model, known, "-o", out, "--json"))
    assert facts == {"rows": 20, "costliest": 1, "mean_cost": 1, "file": out}


def test_costs_have_their_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame({"a": [0, 1] * 5, "class": [0, 1] * 5})
    cases = bt.Instance.from_frame(frame, "class", prices={"a": 2.5}).with_labels(bt.Labels(unit="€"))
    bt.grow(cases).to_json(tmp_path / "m.json")
    frame.to_csv(tmp_path / "t.csv", index=False)
    said = run(capsys, "predict", str(tmp_path / "m.json"), str(tmp_path / "t.csv"), "-o", str(tmp_path / "out.csv"))
    assert said.startswith("10 rows; costliest 2.50 €, mean 2.50 €; written to ")


def test_a_file_without_rows_has_a_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "known.csv").write_text("a,y\n0,P\n1,N\n", encoding="utf-8")
    (tmp_path / "none.csv").write_text("a,y\n", encoding="utf-8")
    model, none = str(tmp_path / "m.json"), str(tmp_path / "none.csv")
    run(capsys, *FIT_KNOWN, str(tmp_path / "known.csv"), "-t", "y", "--budget", "1", "--folds", "0", "-o", model)
    assert run(capsys, "predict", model, none) == "a,y,prediction,cost,tests\n"
    assert json.loads(run(capsys, "predict", model, none, "--json")) == []


def test_nothing_is_written_where_a_later_row_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("budgetree.data.source.Reading", SMALL_BLOCKS)
    (tmp_path / "known.csv").write_text(
        "a,y\n" + "".join(f"{i},{'PN'[i // 20]}\n" for i in range(40)), encoding="utf-8"
    )
    (tmp_path / "new.csv").write_text("a,y\n" + "1,P\n" * 40 + "x,P\n", encoding="utf-8")
    model, out = str(tmp_path / "m.json"), tmp_path / "out.csv"
    run(capsys, *FIT_KNOWN, str(tmp_path / "known.csv"), "-t", "y", "--budget", "1", "--folds", "0", "-o", model)
    out.write_text("old", encoding="utf-8")
    complaint = run(capsys, "predict", model, str(tmp_path / "new.csv"), "-o", str(out), code=1)
    assert "new.csv, line 42: 'a' is 'x'; the model knows it as a number" in complaint
    assert out.read_text(encoding="utf-8") == "old"


def test_a_mark_that_may_be_two_numbers_stops_it_also_where_few_numbers_are_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, model, new = tmp_path / "few.csv", tmp_path / "few.json", tmp_path / "new.csv"
    rows = [f"{dose},{'ill' if dose > 1000 else 'ok'}" for dose in (1, 2, 1000, 1500, 2000) for _ in range(4)]
    table.write_text("dose,d\n" + "\n".join(rows))
    run(capsys, "fit", str(table), "-t", "d", "--budget", "1", "--objective", "known", "--folds", "0", "-o", str(model))
    new.write_text('dose,b\n"1,500",x\n"2,000",x\n')
    assert main(["predict", str(model), str(new)]) == 1
    assert "1,500" in capsys.readouterr().err
    printed = run(capsys, "predict", str(model), str(new), "--thousands", ",")
    assert printed.count("ill") == 2
