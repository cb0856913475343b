"""A walk over twenty odd and bad tables, as a new user takes it: check, frontier, fit, ask, report.

    python -m tests.walk [FOLDER]     the whole transcript, to be read by someone who has not seen the code

Every command is a process. Where `check` says what to type, the walk goes on as it says; it ends with the first command
that refuses the table.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, os.path.dirname(__file__))
from workbooks import write_xlsx

Run = Callable[
    [list[str], str, Path], tuple[int, str]
]  # a command, what is typed, the folder → how it ended, what it said


def _row(number: int) -> str:
    age, sex, pain = 30 + number * 7 % 23, "fm"[number % 5 < 2], number % 3
    is_ill = (age > 44) != (pain == 2) if number % 9 else sex == "m"
    return f"{age},{sex},{pain},{'ill' if is_ill else 'well'}\n"


GOOD = "age,sex,pain,diagnosis\n" + "".join(map(_row, range(80)))
PRICES = "default = 2\n[tests]\nage = 1\n"
TYPED = "what?\n40\n" + "unavailable\n" * 30


@dataclass(frozen=True)
class Stop:
    """A table, what is said on the command line about it, and what its messages ask to be said too."""

    name: str
    content: bytes
    target: str = "diagnosis"
    wish: tuple[str, ...] = ("--budget", "4")
    priced: tuple[str, ...] = ("--prices", "prices.toml")
    advice: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        return self.name.partition(".")[0]

    def commands(self) -> Iterator[list[str]]:
        table = [self.name, "--target", self.target]
        yield ["check", *table]
        if self.advice:
            yield ["check", *table, *self.advice]
        asked = [*table, *self.advice, *self.priced, "--time-limit", "2"]
        yield ["frontier", *asked]
        yield ["fit", *asked, *self.wish, "-o", f"{self.stem}.json"]
        yield ["ask", f"{self.stem}.json"]
        yield ["report", f"{self.stem}.json", "-o", f"{self.stem}.html"]


def _with(*cells: str) -> str:
    """The good table with one more column: its name, and the cells that take turns in it."""
    lines = GOOD.splitlines()
    more = [cells[0], *(cells[1 + row % (len(cells) - 1)] for row in range(len(lines) - 1))]
    return "\n".join(f"{first},{line}" for first, line in zip(more, lines, strict=True)) + "\n"


def _faults() -> str:
    header = ",".join(f"symptom {bit}" for bit in range(8))
    return f"{header},fault\n" + "".join(
        ",".join(str(fault >> bit & 1) for bit in range(8)) + f",part {fault}\n" for fault in range(60)
    )


def _workbook() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        sheets = {"2023": [line.split(",") for line in GOOD.splitlines()], "2024": [["a"], [1]]}
        return write_xlsx(Path(folder) / "t.xlsx", sheets).read_bytes()


def stops() -> list[Stop]:
    """The twenty tables."""
    comma = _with("crp", "3.5", "4.25", "12.0").replace(",", ";").replace(".", ",")
    thousands = _with("platelets", "1.500", "2.250", "3.125").replace(",", ";")
    words = _with("bmi", "22.5", "unknown", "31.0", "?", "27.4", "-")
    texts = [
        Stop("good.csv", GOOD.encode()),
        Stop("semicolons.csv", GOOD.replace(",", ";").encode()),
        Stop("decimal_comma.csv", comma.encode()),
        Stop("thousands.csv", thousands.encode(), advice=("--decimal", ",", "--thousands", ".")),
        Stop("words.csv", words.encode(), advice=("--missing", "-", "--missing", "?", "--missing", "unknown")),
        Stop("codes.csv", _with("icd", "007", "012", "101").encode()),
        Stop("ids.csv", _with("patient", *map(str, range(1000, 1080))).encode(), advice=("--drop", "patient")),
        Stop("notes.csv", _with("note", *(f"seen by Dr. {row}" for row in range(80))).encode()),
        Stop("gaps_in_target.csv", GOOD.replace(",ill\n", ",\n", 2).encode()),
        Stop("header_only.csv", (GOOD.splitlines()[0] + "\n").encode()),
        Stop("empty.csv", b""),
        Stop("ragged.csv", GOOD.replace("\n37,", "\n37,extra,cell,", 1).encode()),
        Stop("same_name_twice.csv", GOOD.replace("sex", "age", 1).encode()),
        Stop("one_class.csv", GOOD.replace("ill", "well").encode()),
        Stop("other_target.csv", GOOD.replace("diagnosis", "Diagnosis").encode()),
    ]
    return [
        *texts,
        Stop("faults.csv", _faults().encode(), "fault", ("--max-error", "0"), ()),
        Stop("latin1.csv", GOOD.replace("pain", "Übelkeit").encode("latin-1"), advice=("--encoding", "windows-1252")),
        Stop("utf16.csv", GOOD.encode("utf-16")),
        Stop("two_sheets.xlsx", _workbook(), advice=("--sheet", "2023")),
        Stop("broken.csv.gz", gzip.compress(GOOD.encode())[:60]),
    ]


def in_a_process(command: list[str], typed: str, folder: Path) -> tuple[int, str]:
    """As a user runs it; what goes to stderr stands where a terminal would show it."""
    ended = subprocess.run(
        [sys.executable, "-m", "budgetree", *command],
        cwd=folder,
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    return ended.returncode, ended.stdout


def walk(stop: Stop, folder: Path, run: Run = in_a_process) -> Iterator[tuple[str, int, str]]:
    """Each command on the way, how it ended, and what it printed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prices.toml").write_text(PRICES, encoding="utf-8")
    (folder / stop.name).write_bytes(stop.content)
    for command in stop.commands():
        code, printed = run(command, TYPED if command[0] == "ask" else "", folder)
        yield " ".join(command), code, printed
        if code and command[0] != "check":
            break


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    for stop in stops():
        for command, code, printed in walk(stop, folder):
            print(f"$ budgetree {command}\n{printed.rstrip()}\n(exit {code})\n", flush=True)


if __name__ == "__main__":
    main()
