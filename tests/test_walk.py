"""The walk over twenty odd tables says what is wrong, once, and what to type; and what it says to type works."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import walk
from budgetree.cli import main

GOES_THROUGH = ["check", "frontier", "fit", "ask", "report"]
REFUSED = ["check", "frontier"]
ADVISED = ["check", *GOES_THROUGH]

# The commands on the way, and sentences of which each is said by the first of them and by no other words.
ESSENTIALS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "good.csv": (GOES_THROUGH, ("note: 80 cases, 3 tests, 2 classes; every test costs 1.",)),
    "semicolons.csv": (GOES_THROUGH, ("note: 80 cases, 3 tests, 2 classes; every test costs 1.",)),
    "decimal_comma.csv": (GOES_THROUGH, ("note: 80 cases, 4 tests, 2 classes; every test costs 1.",)),
    "thousands.csv": (
        ADVISED,
        ("'1.500', which could be 1500 (use --decimal , --thousands .) or 1.500 (use --decimal .).",),
    ),
    "words.csv": (
        ADVISED,
        ("but '-', '?', 'unknown' in others (the first in line 3)", "--missing - --missing '?' --missing unknown."),
    ),
    "codes.csv": (GOES_THROUGH, ("note: icd: is taken as text, since whole numbers such as '007' begin with a zero",)),
    "ids.csv": (ADVISED, ("warning: patient: seems to number the rows; leave it out: --drop 'patient'.",)),
    "notes.csv": (GOES_THROUGH, ("warning: note: is different in nearly every row (80 of 80)",)),
    "gaps_in_target.csv": (REFUSED, ("'diagnosis' is empty in 2 rows (line 2, line 4); fill in what the case is",)),
    "header_only.csv": (REFUSED, ("error: there is a header, but no row below it; expected a row per case.",)),
    "empty.csv": (REFUSED, ("error: empty.csv: the file is empty; expected a header line and a row per case.",)),
    "ragged.csv": (REFUSED, ("error: ragged.csv, line 3: 6 cells, but the header has 4 columns.",)),
    "same_name_twice.csv": (REFUSED, ("column names must differ, but there is 'age' in columns 1, 2.",)),
    "one_class.csv": (GOES_THROUGH, ("warning: every case is 'well'; there is nothing to predict.",)),
    "other_target.csv": (REFUSED, ("error: there is no column 'diagnosis'.", "Did you mean 'Diagnosis'?")),
    "faults.csv": (GOES_THROUGH, ("warning: every class has one case, as in a troubleshooting table",)),
    "latin1.csv": (ADVISED, ("As Windows-1252 it reads 'age,sex,Übelkeit,diagnosis'", "--encoding windows-1252")),
    "utf16.csv": (GOES_THROUGH, ("note: 80 cases, 3 tests, 2 classes; every test costs 1.",)),
    "two_sheets.xlsx": (ADVISED, ("2 sheets hold something: 2023, 2024. Say which: --sheet '2023'.",)),
    "broken.csv.gz": (REFUSED, ("this gzip file is broken, perhaps truncated; copy it again",)),
}


@pytest.mark.parametrize("name", ESSENTIALS)
def test_a_table_is_used_or_refused_in_words(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(command: list[str], typed: str, folder: Path) -> tuple[int, str]:
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = main([*command, "--folds", "2"] if command[0] in ("frontier", "fit") else command)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    (stop,) = [stop for stop in walk.stops() if stop.name == name]
    said = list(walk.walk(stop, tmp_path, run))
    way, sentences = ESSENTIALS[name]
    assert [command.split()[0] for command, _, _ in said] == way
    first = said[0][2]
    for sentence in sentences:
        assert first.count(sentence) == 1, first
    for command, code, printed in said:
        assert code in (0, 1), command
        is_last = way == REFUSED or (way == ADVISED and command == said[0][0])
        assert code == 0 or is_last, printed
        lines = printed.splitlines()
        assert "Traceback" not in printed
        warnings = [line for line in lines if line.startswith(("error", "warning"))]
        assert len(warnings) == len(set(warnings)), printed
    if way == ADVISED:
        assert said[0][2] != said[1][2]


def test_every_table_of_the_walk_is_here() -> None:
    assert [stop.name for stop in walk.stops()] == list(ESSENTIALS)
    assert len(ESSENTIALS) == 20


def test_what_fit_says_of_a_tree_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(walk.GOOD, encoding="utf-8")
    assert main(["fit", "good.csv", "-t", "diagnosis", "--budget", "2", "--folds", "2", "-o", "m.json"]) == 0
    objective, cases, summary, prices, known, new, *_ = capsys.readouterr().out.splitlines()
    assert objective == "objective: new cases (80 rows of 2 classes)"
    assert cases == "cases: every row counts; numbers as they are"
    assert summary.startswith("80 cases, ")
    assert prices == "no price list: every test costs 1."
    assert known.endswith(" % wrong; not proven: Another tree may be cheaper or make fewer errors.")
    assert new.endswith(" wrong, cross-validated, 2 of 2 folds")
    assert new.count("new cases") == 1
