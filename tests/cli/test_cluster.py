"""`budgetree fit --engine dask`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run
from distributed import Client

import budgetree as bt
from budgetree.cli import main
from budgetree.distributed import dask_client as cluster

# Sockets that Dask leaves open.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket"),
]
ROWS = "\n".join(f"{i % 5},{'ab'[i % 2]},{'yes' if (i % 5 > 2) ^ (i % 2) else 'no'}" for i in range(60))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(f"size,kind,found\n{ROWS}\n")

    @contextmanager
    def in_process(address: str | None) -> Iterator[Client]:
        with Client(processes=False, n_workers=1, dashboard_address="127.0.0.1:0") as client:
            yield client

    monkeypatch.setattr(cluster, "connect", in_process)
    return str(tmp_path / "*.csv")


def test_the_tree_is_that_of_memory(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.json"
    printed = run(capsys, "fit", data, "--target", "found", "--engine", "dask", "--budget", "2", "-o", str(model))
    assert "120 cases" in printed
    assert "next: budgetree show" in printed
    there = tmp_path / "there.json"
    run(capsys, "fit", data, "--target", "found", "--budget", "2", "-o", str(there))
    assert model.read_bytes() == there.read_bytes()
    run(
        capsys,
        "fit",
        data,
        "--target",
        "found",
        "--engine",
        "dask",
        "--objective",
        "known",
        "--budget",
        "2",
        "-o",
        str(model),
    )
    shards = bt.Shards.from_files(data, "found", tmp_path / "shards", duplicates="keep")
    assert bt.Tree.from_json(model).to_dict() == bt.grow(shards, budget=2).to_dict()
    known = ("--objective", "known", "--method", "greedy", "--folds", "0")
    for asked in (("--budget", "1"), ("--max-error", "0.1")):
        there = run(capsys, "fit", data, "--target", "found", *known, *asked, "--json", "-o", str(model))
        tree = bt.Tree.from_json(model)
        on_dask = (*known, *asked, "--json", "--engine", "dask")
        here = run(capsys, "fit", data, "--target", "found", *on_dask, "-o", str(model))
        assert bt.Tree.from_json(model).to_dict() == tree.to_dict()
        assert '"engine": "dask"' in here
        assert '"engine"' not in there


def test_what_is_left_out_is_left_out_there_too(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prices, model = tmp_path / "prices.toml", tmp_path / "m.json"
    prices.write_text("default = 1\n[order]\nmore = { after = ['size'] }\n")
    rows = "\n".join(f"{i % 7},{row}" for i, row in enumerate(ROWS.splitlines()))
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(f"more,size,kind,found\n{rows}\n")
    command = ("fit", data, "--target", "found", "--prices", str(prices), "--without", "size", "--budget", "2")
    run(capsys, *command, "--engine", "dask", "-o", str(model))
    assert bt.Tree.from_json(model).test_names == ("kind",)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--engine", "dask", "--certificate", "c.json"], 2, "--certificate needs the rows in memory"),
        (["--scheduler", "tcp://127.0.0.1:1"], 2, "it needs --engine dask"),
        (["--engine", "dask", "--drop", "colour"], 1, "there is no column 'colour'. There are: size, kind, found"),
        (["--engine", "dask", "--drop", "found"], 1, "that is the target"),
    ],
)
def test_what_is_wrong_is_said(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, message: str
) -> None:
    arguments = ["fit", data, "--target", "found", "--budget", "2", "-o", str(tmp_path / "m.json"), *options]
    assert message in run(capsys, *arguments, code=code)


def test_prices_are_read_as_in_memory(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, prices = tmp_path / "m.json", tmp_path / "prices" / "list.csv"
    prices.parent.mkdir()
    prices.write_text("test,price\nsize,3\n")
    command = ("fit", data, "--target", "found", "--budget", "4", "--prices", str(prices), "-o", str(model))
    known = ("--objective", "known", "--method", "greedy", "--folds", "0")
    refused = run(capsys, *command, "--engine", "dask", code=1)
    assert f"{prices}: prices: no price for 'kind'. Add a line for each" in refused
    run(capsys, *command, *known, "--default-price", "0.5")
    tree = bt.Tree.from_json(model)
    run(capsys, *command, *known, "--default-price", "0.5", "--engine", "dask")
    assert bt.Tree.from_json(model).to_dict() == tree.to_dict()
    assert bt.Tree.from_json(model).max_cost == 3.5


def test_a_broken_price_list_needs_no_cluster(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "connect", lambda address: pytest.fail("a cluster was started"))
    (tmp_path / "prices.toml").write_text("[nonsense]\n")
    command = ("fit", data, "--target", "found", "--budget", "4", "--prices", str(tmp_path / "prices.toml"))
    assert "unknown entry 'nonsense'" in run(capsys, *command, "--engine", "dask", "-o", "m.json", code=1)


def warned(capsys: pytest.CaptureFixture[str], *command: str) -> list[str]:
    assert main([*command, "-o", "m.json"]) == 0
    return sorted(line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: "))


@pytest.mark.parametrize("kind", ["csv", "semicolons", "parquet"])
def test_columns_are_warned_of_as_in_memory(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    pattern = f"part*.{'parquet' if kind == 'parquet' else 'csv'}"
    words = [word.replace(".", ",") if kind == "semicolons" else word for word in ("3.5", "2", "7.25", "1", "9")]
    frame = pd.DataFrame({
        "seen": [f"2024-01-{1 + i % 28:02}" for i in range(80)],
        "day": pd.date_range("2024-01-01", periods=80).date,
        "bmi": ["unknown" if i % 4 == 0 else words[i % 5] for i in range(80)],
        "dose": [f"{i % 6} mg" for i in range(80)],
        "level": ["low", "high"] * 40,
        "grade": ["1st", "2nd", "poor", "good"] * 20,
        "size": [1, 2] * 40,
        "y": ["a", "b"] * 40,
        "amount": [i % 30 for i in range(80)],
    })  # fmt: skip
    for number, part in enumerate((frame.iloc[:50], frame.iloc[50:])):
        if kind == "parquet":
            part.to_parquet(f"part{number}.parquet")
        else:
            part.to_csv(f"part{number}.csv", index=False, sep=";" if kind == "semicolons" else ",")
    known = ("--objective", "known", "--method", "greedy", "--folds", "0")
    for target, other in (("y", "amount"), ("amount", "y")):
        command = ("fit", pattern, "-t", target, "--drop", other, "--budget", "1")
        here, there = warned(capsys, *command, *known), warned(capsys, *command, "--engine", "dask")
        assert [re.sub(r" \'unknown\' in .*?;", " 'unknown' in others;", line) for line in here] == there
        named = ["day", "dose", "seen", *(["bmi"] if kind != "parquet" else []), *(["amount"] if other == "y" else [])]
        assert [line.split(":")[1].strip() for line in there] == sorted(named)


def test_a_single_class_is_told_as_in_memory(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,y\n1,P\n2,P\n3,P\n", encoding="utf-8")
    command = ("fit", "t.csv", "-t", "y", "--budget", "1", "--engine", "dask")
    assert warned(capsys, *command) == ["warning: every case is 'P'; there is nothing to predict."]


def test_bundled_sets_are_for_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: Any) -> None:
    arguments = [
        "fit",
        "pima",
        "--target",
        "class",
        "--budget",
        "2",
        "--engine",
        "dask",
        "-o",
        str(tmp_path / "m.json"),
    ]
    assert "fits into memory; leave --engine dask out" in run(capsys, *arguments, code=1)
