"""`budgetree check`: what is odd about a table is found and named."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from command_line import LEAVE_OUT, run

from budgetree.cli import main


def test_check_finds_what_will_go_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = 300
    frame = pd.DataFrame(
        {
            "number": range(1, rows + 1),
            "same": ["x"] * rows,
            "text": [f"text {i}" for i in range(rows)],
            "typo": ["l2" if i == 17 else str(i % 50) for i in range(rows)],
            "gaps": [None if i % 3 else i % 2 for i in range(rows)],
            "useful": [i % 2 for i in range(rows)],
            "answer": ["rare" if i == 3 else "even" if i % 4 else "odd" for i in range(rows)],
        }
    )
    frame.to_csv(tmp_path / "odd.csv", index=False)
    assert main(["check", str(tmp_path / "odd.csv"), "--target", "answer"]) == 1
    printed = capsys.readouterr().out
    assert "error: text: has 300 different texts; a test may have at most 255 outcomes" in printed
    assert "warning: number: seems to number the rows; leave it out: --drop 'number'" in printed
    assert "warning: same: has the same value in every row" in printed
    assert "warning: gaps: is blank in 200 of 300 rows" in printed
    assert "typo: is a number in 299 of 300 rows, but 'l2' in line 19" in printed
    leave = ["--drop", "text", "--drop", "number", "--missing", "l2"]
    printed = run(capsys, "check", str(tmp_path / "odd.csv"), "--target", "answer", *leave)
    assert "only one case is 'rare'" in printed
    assert "cases agree on every test with a case of another class" in printed
    assert "error" not in printed.replace("errors", "")


def test_prices_that_do_not_fit_are_found_by_check(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clinic / "falsch.toml").write_text("default = 1\n[tests]\nMRT = 300\n", encoding="utf-8")
    assert main(["check", "fälle.csv", "--target", "Befund", "--prices", "falsch.toml", *LEAVE_OUT]) == 1
    assert "error: falsch.toml: prices: no test is named 'MRT'" in capsys.readouterr().out


def test_numbers_written_oddly_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f'"{i},5",{i}.2 %,"{i} mg",{"PN"[i % 2]}' for i in range(40)]
    (tmp_path / "t.csv").write_text("comma,share,dose,y\n" + "\n".join(lines), encoding="utf-8")
    printed = run(capsys, "check", str(tmp_path / "t.csv"), "-t", "y")
    for column in ("comma", "share", "dose"):
        assert f"{column}: looks like numbers, such as" in printed
    assert "Leave it out" not in printed


def test_a_file_with_nothing_but_a_header_says_so_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("age,y\n", encoding="utf-8")
    assert main(["check", str(tmp_path / "t.csv"), "-t", "y"]) == 1
    assert capsys.readouterr().out == "error: there is a header, but no row below it; expected a row per case.\n"


def test_codes_that_are_numbers_are_offered_as_categories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{1 + i % 4},{[3, 6, 7][i % 3]},{i % 2},{i % 30 + 20},{'ab'[i % 2]}" for i in range(60)]
    (tmp_path / "t.csv").write_text("chestpain,thal,sex,age,y\n" + "\n".join(rows) + "\n")
    table = ["check", str(tmp_path / "t.csv"), "-t", "y"]
    printed = run(capsys, *table)
    assert "few different whole numbers: chestpain (1, 2, 3, 4), thal (3, 6, 7)." in printed
    assert "name those that are codes: --categories chestpain,thal." in printed
    assert "few different whole" not in run(capsys, *table, "--categories", "chestpain,thal")
    assert main([*table, "--categories", "pulse"]) == 1
    assert "categories: no test is named 'pulse'" in capsys.readouterr().out


def test_blank_classes_do_not_make_blanks_doubtful(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("x,z,y\n1,1,a\n2,1,b\n,2,\n,3,\n")
    assert main(["check", str(tmp_path / "t.csv"), "-t", "y"]) == 1
    assert "x: is blank in 2 of 4 rows. For new cases" in capsys.readouterr().out


def test_the_next_command_keeps_what_was_typed_and_leaves_out_what_cannot_be_a_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i};{i % 7},5;Text {i};{'ja' if i % 7 > 3 else 'nein'}" for i in range(300)]
    Path("t.csv").write_text("Nummer;Größe;Notiz;krank\n" + "\n".join(rows), encoding="cp1252")
    printed = run(capsys, "t.csv", "--encoding", "windows-1252")
    (command,) = [line.removeprefix("next: budgetree ") for line in printed.splitlines() if line.startswith("next:")]
    assert command == "fit t.csv --encoding windows-1252 --target krank --drop Nummer --drop Notiz --budget 3"
    assert "Größe" in run(capsys, *command.split())
    printed = run(capsys, "check", "t.csv", "--encoding", "windows-1252", "-t", "krank", "--drop", "Notiz")
    assert "next: budgetree frontier t.csv --encoding windows-1252 -t krank --drop Notiz" in printed


@pytest.mark.parametrize("content", ["a,b,y\n", "y\nill\nwell\n"])
def test_a_table_without_rows_or_tests_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    (tmp_path / "t.csv").write_text(content)
    assert "expected a row per case, a column per test and" in run(capsys, str(tmp_path / "t.csv"), code=1)


def test_of_many_findings_of_a_kind_some_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [[*range(i, i + 50), "ab"[i % 2]] for i in range(40)]
    names = [*(f"gene {i}" for i in range(50)), "y"]
    pd.DataFrame(rows, columns=names).sample(frac=1, random_state=0).to_csv(tmp_path / "t.csv", index=False)
    printed = run(capsys, "check", str(tmp_path / "t.csv"), "-t", "y")
    assert "and 30 more of this kind; --json lists all of them." in printed


def test_a_missing_price_list_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    assert main(["check", str(tmp_path / "t.csv"), "-t", "y", "--prices", "no.toml"]) == 1
    assert "error: no.toml: No such file or directory." in capsys.readouterr().out
