"""Columns that are nearly numbers get one warning, which names what is not a number and what to type."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from command_line import run

from budgetree.cli import main


def warnings_about(path: Path, capsys: pytest.CaptureFixture[str], cells: list[str], *options: str) -> list[str]:
    lines = [f'"{cell}",{"PN"[row % 2]},{row % 3}' for row, cell in enumerate(cells)]
    path.write_text("\n".join(["x,y,z", *lines, ""]), encoding="utf-8")
    printed = run(capsys, "check", str(path), "-t", "y", *options)
    return [line for line in printed.splitlines() if ": x: " in line]


def test_an_example_of_numbers_is_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = ["unknown", *(f"{i % 7} mg" for i in range(40))]
    (warning,) = warnings_about(tmp_path / "t.csv", capsys, cells)
    assert "looks like numbers, such as '0 mg', but is taken as text" in warning
    assert warning.endswith("If 'unknown' means missing: --missing unknown.")


@pytest.mark.parametrize("number", ["{}", "{}.5"])
def test_all_words_among_numbers_are_named_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    words = ["-", "?", "not done", "unknown"]
    cells = [*words, *(number.format(i % 9) for i in range(60))]
    (warning,) = warnings_about(tmp_path / "t.csv", capsys, cells)
    assert (
        "is a number in 60 of 64 rows, but '-', '?', 'not done', 'unknown' in others (the first in line 2)" in warning
    )
    advice = warning.rpartition("or if they mean missing: ")[2].removesuffix(".")
    assert shlex.split(advice) == [part for word in words for part in ("--missing", word)]
    (note,) = warnings_about(tmp_path / "t.csv", capsys, cells, *shlex.split(advice))
    assert note.startswith("note: x: is blank in 4 of 64 rows.")


def test_words_for_no_result_are_named_however_many_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (warning,) = warnings_about(tmp_path / "t.csv", capsys, ["22.5", "Unknown", "31.0", "?", "27.4", "-"] * 5)
    assert "is a number in 15 of 30 rows, but '-', '?', 'Unknown' in others (the first in line 3)" in warning
    assert warnings_about(tmp_path / "t.csv", capsys, ["22.5", "low", "31.0", "high"] * 5) == []
    assert warnings_about(tmp_path / "t.csv", capsys, ["?", "-"] * 5) == []


def test_of_a_column_that_could_be_two_numbers_one_thing_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "".join(f"1.{500 + i};{'PN'[i % 2]}\n" for i in range(9))
    (tmp_path / "t.csv").write_text(f"x;y\n{lines}", encoding="utf-8")
    assert main(["check", str(tmp_path / "t.csv"), "-t", "y"]) == 1
    printed = capsys.readouterr().out
    assert "which could be 1500 (use --decimal , --thousands .) or 1.500 (use --decimal .)" in printed
    assert "Say which, or write the numbers without '.'." in printed
    assert printed.count("1.500") == 2, printed


def test_many_words_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [*"abcdefgh", *(str(i % 9) for i in range(60))]
    (warning,) = warnings_about(tmp_path / "t.csv", capsys, cells)
    assert "'a', 'b', 'c', 'd', 'e', 'f' and 2 more in others" in warning
    assert warning.endswith("--missing f ….")


def test_one_word_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (warning,) = warnings_about(tmp_path / "t.csv", capsys, [*(str(i % 9) for i in range(30)), "l2"])
    assert "but 'l2' in line 32; so all are taken as text. Correct it, or if it means missing: --missing l2." in warning


def test_codes_are_remarked_and_may_be_amounts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [f"{i % 15:03d}" for i in range(60)]
    (note,) = warnings_about(tmp_path / "t.csv", capsys, cells)
    assert note.startswith("note: x: is taken as text, since whole numbers such as '000' begin with a zero")
    assert note.endswith("if they are amounts: --levels x=10.")
    (note,) = warnings_about(tmp_path / "t.csv", capsys, cells, "--levels", "x=10")
    assert note == "note: x: has 15 different numbers, which are cut into up to 10 levels of about as many rows each."
    (note,) = warnings_about(tmp_path / "t.csv", capsys, cells, "--levels", "x=10", "--binning", "uniform")
    assert note == "note: x: has 15 different numbers, which are cut into up to 10 levels of equal widths."


def test_words_alone_are_no_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert warnings_about(tmp_path / "t.csv", capsys, ["low", "high", "12 mg"] * 9) == []
