"""Tables, command lines and answers by way of the command line's `main`: exit 0, or 1 or 2 with words."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import zlib
from pathlib import Path
from random import Random
from unittest.mock import patch

from budgetree.cli import main

from . import examples
from .contract import Target, ViolationError, allowing
from .odd_values import odd_number, odd_text
from .tables import draw_csv, draw_parquet, draw_xlsx

WORDS_AT_LEAST = 12  # letters of a message
NO_MEMORY = "not enough memory"


def run(arguments: list[str], stdin: str = "") -> bool:
    """Whether it ended well; ViolationError where it ended otherwise than with words."""
    out, err = io.StringIO(), io.StringIO()
    with patch.multiple(sys, stdin=io.StringIO(stdin), stdout=out, stderr=err):
        code = main(arguments)
    return _ended(code, out.getvalue(), err.getvalue())


def _ended(code: int, out: str, err: str) -> bool:
    if code not in (0, 1, 2) or "Traceback" in err or "Warning:" in err or NO_MEMORY in err:
        raise ViolationError(f"exit {code}: {err[-1500:]}")
    if code and len((err + out).strip()) < WORDS_AT_LEAST:
        raise ViolationError(f"exit {code} without words: {err!r}")
    return code == 0


def prepare() -> None:
    """The files that command lines name, in the working folder."""
    import sklearn  # noqa: F401  which sets an environment variable

    Path("shards").mkdir(exist_ok=True)
    for number, text in enumerate(examples.models()):
        Path(f"model{number}.json").write_text(text, encoding="utf-8")
    text, _, _ = examples.certificates()[0]
    Path("certificate.json").write_text(text, encoding="utf-8")
    quiet = Random(1)
    lines = [examples.HEADER, *([("" if cell is None else str(cell)) for cell in row] for row in examples.rows())]
    with open("cases.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    Path("cases.parquet").write_bytes(
        next(data for data in iter(lambda: draw_parquet(quiet), b"") if data[:4] == b"PAR1")
    )
    Path("prices.toml").write_text("default = 1\n[tests]\nage = 2\n[shared.draw]\nfee = 1\ntests = ['dimer', 'ecg']\n")
    Path("losses.toml").write_text("[losses]\ninfarct = 50\n[answers]\nrefer = 4\n")


FIT = ["--budget", "3", "--objective", "known", "--method", "greedy", "--folds", "0", "-o", "learned.json"]
READERS = (
    ["check", "table", "--target", examples.TARGET],
    ["fit", "table", "--target", examples.TARGET, *FIT],
    ["predict", "model0.json", "table", "-o", "predicted.csv"],
)


def read_table(data: bytes) -> bool:
    """Examined, learned from, or predicted, whichever its bytes choose."""
    Path("table").write_bytes(data)
    return run(READERS[zlib.crc32(data) % len(READERS)])


JUDGED = ["--target", examples.TARGET, "--json", "--predictions", "judged.csv"]
EVALUATIONS = (
    ["evaluate", "model0.json", "table", *JUDGED],
    ["evaluate", "model3.json", "model6.json", "table", *JUDGED, "--by", "ecg", "--by", "age:40,60"],
    ["evaluate", "model4.json", "table", *JUDGED, "--prevalence", "0.1", "--worth", "3", "--positive", "infarct"],
    ["evaluate", "table", *FIT[:-2], "--folds", "2", "--repeats", "1", *JUDGED],
)


def read_evaluated(data: bytes) -> bool:
    """Cases to judge a pathway on, or to learn pathways from again and again; and what is written of each of them."""
    Path("table").write_bytes(data)
    if not run(EVALUATIONS[zlib.crc32(data) % len(EVALUATIONS)]):
        return False
    with open("judged.csv", encoding="utf-8", newline="") as file:
        if len({len(row) for row in csv.reader(file)}) != 1:
            raise ViolationError("the predictions have rows of different lengths")
    return True


FILES = ("cases.csv", "model0.json", "model3.json", "certificate.json", "prices.toml", "losses.toml", "cases.parquet")
OUTPUTS = ("out.json", "out.csv", "out.html", "folder", "no/such/folder/out.json", "cases.csv", ".", "\x00")
OPTIONS: dict[str, tuple[str, ...]] = {
    "--target": ("finding", "age", "nothing", ""),
    "--prices": ("prices.toml", "losses.toml", "cases.csv", "none.toml"),
    "--losses": ("losses.toml", "prices.toml", "none.toml"),
    "--levels": ("1", "2", "10", "255", "256", "-1", "0", "1e9"),
    "--drop": ("age", "ecg", "finding", "nothing"),
    "--missing": ("n/a", "", "normal"),
    "--decimal": (".", ","),
    "--thousands": (",", ".", " ", "'", "1", "", "\n"),
    "--encoding": ("utf-8", "latin-1", "utf-16", "rot13", "zip", "idna", "none", "base64", "\x00"),
    "--sheet": ("1", "0", "-1", "cases"),
    "--duplicates": ("keep", "merge", "drop"),
    "--binning": ("quantile", "uniform", "narrow"),
    "--budget": ("0", "1", "5", "30", "-1", "nan", "inf", "1e-400", "1e400", "1e31"),
    "--max-budget": ("0", "1", "30", "-1", "nan", "inf", "1e31"),
    "--max-error": ("0", "0.5", "1", "2", "-1", "nan"),
    "--method": ("exact", "greedy", "auto"),
    "--time-limit": ("0", "0.2", "-1", "nan", "inf", "1e-400", "1e400"),
    "--min-cases": ("1", "3", "0", "1000", "99999999999999999999"),
    "--objective": ("known", "new"),
    "--folds": ("0", "2", "1", "-1", "1000", "99999999999999999999"),
    "--groups": ("age", "visits", "finding", "nothing"),
    "--leaves": ("auto", "tree", "points", "model"),
    "--confidence": ("0.5", "1", "0", "nan"),
    "--certificate": ("certificate.json", "model0.json", "proof.json"),
    "--title": ("Chest pain", "<script>"),
    "--as": ("text", "rules", "python", "sql", "dot", "svg", "pdf"),
    "--max-depth": ("0", "1", "-1", "99999999999999999999"),
    "--limit": ("time=3", "tests=2", "tests=0", "time", "=", "nothing=1", "tests=1e400"),
    "--first": ("age", "ecg", "finding", "nothing"),
    "--without": ("age", "ecg", "nothing"),
    "--blanks": ("result", "unknown", "ecg=unknown", "nothing=result", "x"),
    "--categories": ("age", "visits,age", "nothing"),
    "--header-row": ("1", "2", "2-3", "3-2", "0", "1-99"),
    "--max-bytes": ("1", "10", "1000000", "0"),
    "--known": ("age=54", "ecg=odd", "ecg", "nothing=1", "age=x"),
    "--by": ("ecg", "age:40,60", "age:x", "nothing", "finding"),
    "--positive": ("infarct", "nothing"),
    "--prevalence": ("0.02", "0", "1", "nan"),
    "--worth": ("3", "-1", "nan", "1e400"),
    "--repeats": ("1", "0"),
    "--predictions": OUTPUTS,
    "--report": OUTPUTS,
    "--out": OUTPUTS,
    "-o": OUTPUTS,
    "-t": ("finding",),
}
FLAGS = ("--json", "--confusion", "--probabilities", "--force", "--help", "--version", "--", "-", "--no-such-option")
COMMANDS = {
    "check": ["cases.csv", "-t", "finding"],
    "fit": ["cases.csv", "-t", "finding", "--budget", "5", "-o", "out.json", "--objective", "known", "--folds", "0"],
    "frontier": ["cases.csv", "-t", "finding", "--max-budget", "5", "--folds", "0"],
    "predict": ["model0.json", "cases.csv"],
    "ask": ["model0.json"],
    "show": ["model1.json"],
    "report": ["model2.json", "-o", "out.html"],
    "datasets": [],
    "evaluate": ["model0.json", "cases.csv", "-t", "finding"],
}
MAX_SEARCH = ["--time-limit", "0.3"]


def draw_command(rng: Random) -> bytes:
    """A command line that would work, with words added, lost, replaced or in another order."""
    command = rng.choice(tuple(COMMANDS))
    words = list(COMMANDS[command])
    for _ in range(rng.randrange(5)):
        at = rng.randrange(len(words) + 1)
        match rng.randrange(6):
            case 0 | 1 | 2:
                option = rng.choice(tuple(OPTIONS))
                words[at:at] = [option, _value(rng, OPTIONS[option])]
            case 3:
                words[at : at + 1] = [_value(rng, FILES)]
            case 4:
                words.insert(at, rng.choice(FLAGS))
            case _:
                del words[at : at + 1]
    if command in ("fit", "frontier"):
        words = [*MAX_SEARCH, *words]
    words.insert(0, command if rng.random() < 0.98 else odd_text(rng))
    return json.dumps(words).encode()


def _value(rng: Random, usual: tuple[str, ...]) -> str:
    kind = rng.random()
    return rng.choice(usual) if kind < 0.8 else odd_text(rng)[:200] if kind < 0.9 else odd_number(rng)[:200]


def run_command(data: bytes) -> bool:
    return run(json.loads(data), stdin="normal\nno\n1\nquit\n")


def run_process(data: bytes) -> bool:
    """The same as a user runs it: a process of its own, whose input may be closed; a busy machine is waited for."""
    words = [word.replace("\x00", "") for word in json.loads(data)]
    words = [word.encode("utf-8", "replace").decode() for word in words]
    with allowing("subprocess.Popen", "os.posix_spawn", "os.fork"):
        ended = subprocess.run(
            [sys.executable, "-m", "budgetree", *words], input=b"1\nback\n\xff\n", capture_output=True, timeout=900
        )
    return _ended(ended.returncode, ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace"))


def draw_answers(rng: Random) -> bytes:
    """Answers to `ask`: the model's number, then a line each."""
    lines = [str(rng.randrange(6))]
    usual = (
        "normal",
        "odd",
        "missing",
        "45",
        "61,5",
        "1.2",
        "0",
        "1",
        "2",
        "unavailable",
        "back",
        "again",
        "list",
        "help",
    )
    for _ in range(rng.randrange(14)):
        lines.append(
            rng.choice(usual) if rng.random() < 0.7 else odd_text(rng) if rng.random() < 0.7 else odd_number(rng)
        )
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def run_ask(data: bytes) -> bool:
    model, _, answers = data.decode("utf-8", "surrogatepass").partition("\n")
    form = ["--json"] if len(answers) % 2 else []
    return run(["ask", f"model{model}.json", *form], stdin=answers)


TARGETS = (
    Target("csv", ".csv", draw_csv, read_table, cost=8),
    Target("workbooks", ".xlsx", draw_xlsx, read_table, cost=8),
    Target("parquet", ".parquet", draw_parquet, read_table, cost=8),
    Target("evaluations", ".csv", draw_csv, read_evaluated, cost=20),
    Target("commands", ".json", draw_command, run_command, cost=8),
    Target("processes", ".json", draw_command, run_process, cost=100),
    Target("ask", ".txt", draw_answers, run_ask, cost=2),
)
