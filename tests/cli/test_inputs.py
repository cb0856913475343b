"""From DATA to an instance or to codes: files of every kind, bundled sets, and what cannot be used."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import FIT_KNOWN, TABLE, run

import budgetree as bt
from budgetree.cli import inputs, main


def test_three_columns_of_one_name_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("puls,alter,puls,befund,puls\n1,2,3,a,4\n", encoding="utf-8")
    for command in (["check"], ["frontier"], ["fit", "--budget", "3", "-o", "x.json"]):
        printed = run(capsys, command[0], str(path), "--target", "befund", *command[1:], code=1)
        assert "line 1: column names must differ, but there is 'puls' in columns 1, 3, 5" in printed


def test_an_empty_answer_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("a,b\n1,x\n2,\n3,y\n4,n/a\n", encoding="utf-8")
    printed = run(capsys, "frontier", str(path), "--target", "b", code=1)
    assert "'b' is empty in 2 rows (line 3, line 5); fill in what the case is, or delete the rows." in printed
    assert main(["check", str(path), "--target", "b"]) == 1
    assert "error: 'b' is empty in 2 rows" in capsys.readouterr().out


def test_parquet_and_bundled_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = bt.datasets.frame("pima")
    frame.to_parquet(tmp_path / "pima.parquet")
    model = str(tmp_path / "m.json")
    run(capsys, *FIT_KNOWN, str(tmp_path / "pima.parquet"), "--target", "diabetes", "--budget", "2", "-o", model)
    from_parquet = run(capsys, "predict", model, str(tmp_path / "pima.parquet"), "--json")
    frame.to_csv(tmp_path / "pima.csv", index=False)
    assert run(capsys, "predict", model, str(tmp_path / "pima.csv"), "--json") == from_parquet
    assert run(capsys, "predict", model, "pima", "--json") == from_parquet
    every = {name: [1.0, None] for name in frame.columns[:-1]}
    pd.DataFrame(every).to_parquet(tmp_path / "gaps.parquet")
    assert run(capsys, "predict", model, str(tmp_path / "gaps.parquet")).splitlines()[2].startswith(",,")
    (tmp_path / "sheet.xlsx").write_bytes(b"PK\x03\x04 and more")
    assert "Save the table as CSV" in run(capsys, "predict", model, str(tmp_path / "sheet.xlsx"), code=1)


@pytest.mark.parametrize("name", ["synthetic", "figure1", "soybean"])
def test_every_bundled_set_goes_round(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    model = str(tmp_path / "m.json")
    run(capsys, *FIT_KNOWN, name, "--max-error", "0.3", "--method", "greedy", "-o", model)
    rows = json.loads(run(capsys, "predict", model, name, "--json"))
    truth = bt.datasets.table(name).columns[-1].to_list()
    wrong = np.mean([row["prediction"] != answer for row, answer in zip(rows, truth, strict=True)])
    assert wrong <= 0.35


def test_outputs_never_replace_inputs(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, *FIT_KNOWN, *TABLE, "--budget", "2", "-o", "m.json")
    before = {name: (clinic / name).read_bytes() for name in os.listdir(clinic)}
    for arguments in (
        ["fit", *TABLE, "--budget", "2", "-o", "fälle.csv"],
        ["fit", *TABLE, "--budget", "2", "-o", "./preise.toml"],
        ["fit", *TABLE, "--budget", "2", "-o", "new.json", "--certificate", "new.json"],
        ["report", "m.json", "-o", "m.json"],
        ["predict", "m.json", "fälle.csv", "-o", "m.json"],
        ["predict", "m.json", "fälle.csv", "-o", "fälle.csv"],
    ):
        assert "in use by the same command" in run(capsys, *arguments, code=1)
    refused = run(capsys, "fit", "pima", "--budget", "2", "-o", "-", code=1)
    assert "-: the output is a file, not the terminal" in refused
    assert {name: (clinic / name).read_bytes() for name in os.listdir(clinic)} == before


def test_models_carry_between_kinds_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = pd.to_datetime(["2024-02-29", "2024-03-01"] * 10)
    frame = pd.DataFrame({"flag": [True, False] * 10, "day": days, "y": ["P", "N"] * 10})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for column in ("flag", "day"):
        for learned, used in (("csv", "parquet"), ("parquet", "csv")):
            model = str(tmp_path / "m.json")
            other = "day" if column == "flag" else "flag"
            data = str(tmp_path / f"t.{learned}")
            run(capsys, *FIT_KNOWN, data, "--target", "y", "--drop", other, "--budget", "1", "-o", model)
            rows = json.loads(run(capsys, "predict", model, str(tmp_path / f"t.{used}"), "--json"))
            assert [row["prediction"] for row in rows] == ["P", "N"] * 10, (column, learned)


def test_empty_rows_are_no_known_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,P\n,\n2,N\n,\n", encoding="utf-8")
    facts = json.loads(
        run(
            capsys, *FIT_KNOWN, str(tmp_path / "t.csv"), "-t", "y", "--budget", "1", "-o", str(tmp_path / "m"), "--json"
        )
    )
    assert facts["n_objects"] == 2
    assert "2 cases, 1 test, 2 classes" in run(capsys, "check", str(tmp_path / "t.csv"), "-t", "y")


def test_a_table_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("y\na\nb\n")
    assert main(["fit", str(tmp_path / "t.csv"), "--target", "y", "--budget", "1", "-o", str(tmp_path / "m")]) == 1
    assert capsys.readouterr().err.count("t.csv") == 1


@pytest.mark.parametrize("learner", ["budgetree.learn._fit.make_request", "budgetree.learn.frontier"])
def test_reading_counts_in_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], learner: str
) -> None:
    really, opened, limits = resolve_name(learner.replace(".learn.", ".learn:")), inputs.open_data, list[float]()

    def slow(*given: Any) -> Any:
        time.sleep(0.3)
        return opened(*given)

    def asked(*given: Any, **settings: Any) -> Any:
        limits.append(settings["time_limit"])
        return really(*given, **settings)

    monkeypatch.setattr(inputs, "open_data", slow)
    monkeypatch.setattr(learner, asked)
    command = ["frontier", "--max-budget", "1"] if "frontier" in learner else ["fit", "--budget", "1", "-o"]
    command += [] if "frontier" in learner else [str(tmp_path / "m.json")]
    for limit in ("0.2", "500", "-1"):
        code = 1 if limit == "-1" else 0
        run(capsys, *command, "figure1", "--objective", "known", "--folds", "0", "--time-limit", limit, code=code)
    assert limits[0] == 0
    assert limits[1] < 499.7
    assert limits[2] == -1  # and refused as that
