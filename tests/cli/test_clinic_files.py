"""The files that a clinic has: every trap is read rightly, or explained with its place and what to do."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import FIT_KNOWN, run
from workbooks import write_ods, write_xlsx

import budgetree as bt
from budgetree.data.source import Reading, ReadLimits

N_ROWS = 24
NAMES = ["Fall", "Leukozyten", "Größe", "Befund"]
CASES = [[f"F{i:03d}", 4500 + 10 * i, 1.5 + i / 100, "krank" if i % 3 else "gesund"] for i in range(N_ROWS)]
FIT = [*FIT_KNOWN, "--budget", "1", "--folds", "0", "--drop", "Fall", "-t", "Befund", "-o", "m.json", "--json"]


def german(number: float, thousands: str = "") -> str:
    text = f"{number:,.2f}" if number != round(number) else f"{number:,.0f}"
    return text.replace(",", "T").replace(".", ",").replace("T", thousands)


def text(delimiter: str, number: Callable[[float], str], end: str = "\r\n") -> str:
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator=end)
    writer.writerow(NAMES)
    writer.writerows([case, number(count), number(size), answer] for case, count, size, answer in CASES)
    return written.getvalue()


PLAIN = text(",", str)
FILES: dict[str, tuple[bytes, list[str]]] = {
    "plain.csv": (PLAIN.encode(), []),
    "bom.csv": (PLAIN.encode("utf-8-sig"), []),
    "unix.csv": (text(",", str, "\n").encode(), []),
    "old mac.csv": (text(",", str, "\r").encode(), []),
    "tabs.tsv": (text("\t", str).encode(), []),
    "utf16.txt": (text("\t", str).encode("utf-16"), []),
    "packed.csv.gz": (gzip.compress(PLAIN.encode()), []),
    "packed without its ending": (gzip.compress(text(";", german).encode("utf-8-sig")), []),
    "packed utf16": (gzip.compress(text("\t", str).encode("utf-16")), []),
    "komma.csv": (text(";", german).encode("utf-8-sig"), []),
    "excel deutsch.csv": (text(";", german).encode("windows-1252"), ["--encoding", "windows-1252"]),
    "tabs deutsch.txt": (text("\t", german).encode(), ["--decimal", ","]),
    "tausender.csv": (
        text(";", lambda number: german(number, ".")).encode(),
        ["--decimal", ",", "--thousands", "."],
    ),
    "thousands.csv": (text(",", lambda number: f"{number:,}").encode(), ["--thousands", ","]),
    "schweiz.csv": (text(";", lambda number: f"{number:,}".replace(",", "'")).encode(), ["--thousands", "'"]),
    "empty rows.csv": ((PLAIN + ",,,\r\n\r\n" * 3).encode(), []),
    "rows before.csv": (("\r\n\r\n" + PLAIN).encode(), []),
    "two line ends.csv": (PLAIN.replace("\r\n", "\n", 7).encode(), []),
    "comma at the end.csv": (PLAIN.replace("\r\n", ",\r\n").replace("Befund,", "Befund").encode(), []),
    "unknown.csv": ((PLAIN.replace("4510", "unbekannt")).encode(), ["--missing", "unbekannt"]),
    "gap.csv": ((PLAIN.replace("4510", " n/a ")).encode(), []),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def learned(capsys: pytest.CaptureFixture[str], data: str, *settings: str) -> tuple[Any, ...]:
    """What is known after a fit: how many cases, errors, and the numbers of the white cells."""
    facts = json.loads(run(capsys, *FIT, data, *settings))
    schema = bt.Tree.from_json("m.json").schema
    return facts["n_objects"], facts["errors"], schema.known_range("Leukozyten"), schema.known_range("Größe")


@pytest.mark.parametrize("name", FILES)
def test_the_same_table_in_every_file(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    content, settings = FILES[name]
    (folder / name).write_bytes(content)
    (folder / "expected.csv").write_bytes(PLAIN.encode())
    expected = learned(capsys, "expected.csv")
    assert expected[2:] == ((4500, 4730), (1.5, 1.73))
    found = learned(capsys, name, *settings)
    assert found[2:] == expected[2:]
    assert found[0] == N_ROWS
    if name not in ("unknown.csv", "gap.csv"):  # where a value is missing
        assert found == expected
    printed = run(capsys, "predict", "m.json", name, *settings)
    rows = [row for row in csv.DictReader(io.StringIO(printed)) if row["Fall"]]
    assert [row["Befund"] for row in rows] == [case[3] for case in CASES]
    run(capsys, "check", name, "-t", "Befund", "--drop", "Fall", *settings)


def test_the_same_table_in_workbooks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "expected.csv").write_bytes(PLAIN.encode())
    expected = learned(capsys, "expected.csv")
    write_xlsx(folder / "a.xlsx", {"Fälle": [NAMES, *CASES], "Notizen": [["nichts"]]})
    write_ods(folder / "a.ods", "Fälle", [NAMES, *CASES])
    assert learned(capsys, "a.xlsx", "--sheet", "Fälle") == learned(capsys, "a.ods") == expected
    said = run(capsys, "predict", "m.json", "a.xlsx", "--sheet", "1", "-o", "out.csv")
    assert said.startswith(f"{N_ROWS} rows;")
    assert "2 sheets hold something: Fälle, Notizen" in run(capsys, *FIT, "a.xlsx", code=1)


def test_a_folder_of_files_is_one_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = PLAIN.splitlines(keepends=True)
    for number, part in enumerate((lines[1:10], lines[10:]), start=1):
        (folder / f"teil{number}.csv").write_text(lines[0] + "".join(part), encoding="utf-8", newline="")
    (folder / "alles.csv").write_bytes(PLAIN.encode())
    assert learned(capsys, "teil*.csv") == learned(capsys, "alles.csv")
    assert len(json.loads(run(capsys, "predict", "m.json", "teil?.csv", "--json"))) == N_ROWS
    refused = run(capsys, "predict", "m.json", "teil*.csv", "-o", "teil2.csv", code=1)
    assert "teil2.csv: this file is in use by the same command" in refused
    assert "nichts*.csv: No such file, and none of this pattern" in run(capsys, *FIT, "nichts*.csv", code=1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "Wert;Befund\n4.500;a\n3;b\n",
            "t.csv, line 2: column 'Wert' has '4.500', which could be 4500 (use --decimal , --thousands .) or 4.500 "
            "(use --decimal .)",
        ),
        (
            "Wert;Befund\n3,5;a\n4.500;b\n",
            "line 3: column 'Wert' has '4.500', which could be 4500",
        ),
        (
            'Wert,Befund\n12,b\n"1,234",a\n',
            "line 3: column 'Wert' has '1,234', which could be 1234 (use --decimal . --thousands ,) or 1.234 "
            "(use --decimal ,)",
        ),
        (
            "Wert;Befund\n1,136;a\n392;b\n3,784;a\n",
            "t.csv, line 2: column 'Wert' has '1,136', which could be 1136 (use --decimal . --thousands ,) or 1.136 "
            "(use --decimal ,)",
        ),
        (
            "Wert,Befund\n392,a\n4.500,b\n",
            "line 3: column 'Wert' has '4.500', which could be 4500 (use --decimal , --thousands .) or 4.500 "
            "(use --decimal .)",
        ),
        ("Wert;Befund\n1.234,5;a\n2;b\n", "has '1.234,5', which could be 1234,5 (use --decimal , --thousands .). Say"),
    ],
)
def test_a_number_that_could_be_two_is_asked_about(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    (folder / "t.csv").write_text(content, encoding="utf-8")
    options = ["t.csv", "-t", "Befund"]
    assert message in run(capsys, *FIT_KNOWN, *options, "--budget", "1", "--folds", "0", "-o", "m.json", code=1)
    assert message in run(capsys, "frontier", *options, code=1)
    (folder / "plain.csv").write_text("Wert,Befund\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(30)), "utf-8")
    run(capsys, *FIT_KNOWN, "plain.csv", "-t", "Befund", "--budget", "1", "--folds", "0", "-o", "m.json")
    assert message in run(capsys, "predict", "m.json", "t.csv", code=1)


def test_a_comma_is_asked_about_where_another_column_has_decimal_points(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"{1 + i % 7},{200 + i};{i}.5;{'ab'[(i % 7 > 3) == (i > 75)]}\n" for i in range(150)]
    (folder / "t.csv").write_text("Wert;x;Befund\n" + "".join(rows), encoding="utf-8")
    message = "line 2: column 'Wert' has '1,200', which could be 1200 (use --decimal . --thousands ,) or 1.200"
    fit = [*FIT_KNOWN, "t.csv", "-t", "Befund", "--budget", "2", "--folds", "0", "-o", "m.json"]
    assert message in run(capsys, *fit, code=1)
    long = partial(Reading, limits=ReadLimits(sample_rows=120))
    monkeypatch.setattr("budgetree.cli.inputs.Reading", long)  # as in a long file
    assert message in run(capsys, *fit, code=1)
    run(capsys, *fit, "--thousands", ",")
    assert bt.Tree.from_json("m.json").schema.known_range("Wert") == (1200, 7346)
    assert bt.Tree.from_json("m.json").tests_used == {0, 1}
    assert message in run(capsys, "predict", "m.json", "t.csv", code=1)
    run(capsys, "predict", "m.json", "t.csv", "--thousands", ",")


def test_the_marks_of_other_columns_say_what_a_mark_means(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "t.csv").write_text("Wert;x;Befund\n1,136;2;a\n392;2,5;b\n", encoding="utf-8")
    run(capsys, *FIT_KNOWN, "t.csv", "-t", "Befund", "--budget", "1", "--folds", "0", "-o", "m.json", "--drop", "x")
    assert bt.Tree.from_json("m.json").schema.outcome_names == (("1.136", "392"),)


def test_a_long_file_is_asked_about_too(folder: Path) -> None:
    limits = ReadLimits(sample_rows=50)
    rows = "".join(f"{i};{'ab'[i % 2]}\n" for i in range(200))
    (folder / "t.csv").write_text(f"Wert;Befund\n{rows}1,136;a\n", encoding="utf-8")
    with pytest.raises(bt.errors.TableFileError, match="line 202: column 'Wert' has '1,136', which could be") as caught:
        bt.Instance.from_file("t.csv", "Befund", reading=Reading(limits=limits))
    assert caught.value.found == "1,136"
    read = bt.Instance.from_file("t.csv", "Befund", reading=Reading(limits=limits, decimal=","))
    assert read.n_objects == 201


def test_a_number_typed_as_text_in_a_workbook_is_asked_about(folder: Path) -> None:
    rows: list[list[Any]] = [["Wert", "Befund"], [1.136, "a"], [2.5, "b"]]
    write_xlsx(folder / "t.xlsx", {"one": rows})
    assert bt.Instance.from_file("t.xlsx", "Befund").n_objects == 2
    write_xlsx(folder / "t.xlsx", {"one": [*rows, ["4.500", "a"]]})
    with pytest.raises(bt.errors.TableFileError, match=r"'4\.500', which could be 4500"):
        bt.Instance.from_file("t.xlsx", "Befund")
    assert bt.Instance.from_file("t.xlsx", "Befund", reading=Reading(decimal=".")).n_objects == 3


def test_a_number_that_is_not_used_is_not_asked_about(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"4.{i:03d};{i % 2};{'ab'[i % 2]}\n" for i in range(10))
    (folder / "t.csv").write_text("Wert;x;Befund\n" + rows, encoding="utf-8")
    run(capsys, *FIT_KNOWN, "t.csv", "-t", "Befund", "--drop", "Wert", "--budget", "1", "--folds", "0", "-o", "m.json")
    run(capsys, "predict", "m.json", "t.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            PLAIN.encode("windows-1252"),
            "line 1: not UTF-8 text. As Windows-1252 it reads 'Fall,Leukozyten,Größe,Befund'",
        ),
        ((PLAIN + "1,2\r\n").encode(), f"line {N_ROWS + 2}: 2 cells, but the header has 4 columns"),
        ((PLAIN + '1,"2,3,4\r\n').encode(), "a quote may not be closed"),
        (PLAIN.replace("Größe", "Fall").encode(), "column names must differ, but there is 'Fall' in columns 1, 3"),
        (b"", "the file is empty"),
        (gzip.compress(PLAIN.encode())[:60], "this gzip file is broken"),
        (b"PAR1 and no more", "this Parquet file cannot be read"),
        (b"PK\x03\x04 and no more", "no sheet can be read"),
        (b"\xd0\xcf\x11\xe0 and no more", "no sheet can be read"),
    ],
    ids=["windows", "ragged", "quote", "names", "empty", "gzip", "parquet", "zip", "xls"],
)
def test_what_is_broken_is_explained(
    folder: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str
) -> None:
    (folder / "t").write_bytes(content)
    (folder / "good.csv").write_bytes(PLAIN.encode())
    learned(capsys, "good.csv")
    for command in (FIT, ["check", "-t", "Befund"], ["predict", "m.json"]):
        assert message in run(capsys, *command, "t", code=1)


def test_dates_of_a_workbook_are_those_of_a_file_of_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = [date(2024, 2, 28) + timedelta(days=i % 3) for i in range(N_ROWS)]
    rows = [[day, "spät" if day > date(2024, 2, 28) else "früh"] for day in days]
    write_xlsx(folder / "t.xlsx", {"one": [["Tag", "Befund"], *rows]})
    (folder / "t.csv").write_text("Tag,Befund\n" + "".join(f"{day},{answer}\n" for day, answer in rows), "utf-8")
    for learned_from, used_on in (("t.xlsx", "t.csv"), ("t.csv", "t.xlsx")):
        run(capsys, *FIT_KNOWN, learned_from, "-t", "Befund", "--budget", "1", "--folds", "0", "-o", "m.json")
        predicted = json.loads(run(capsys, "predict", "m.json", used_on, "--json"))
        assert [row["prediction"] for row in predicted] == [answer for _, answer in rows]
