"""The examples show what they claim, and the README what its commands print."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pytest

import budgetree as bt

ROOT = Path(__file__).parent.parent


def output(name: str, *arguments: str) -> str:
    command = [sys.executable, ROOT / "examples" / name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_every_example_is_tried_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'output("{path.name}"' in source for path in (ROOT / "examples").glob("*.py"))


def test_certificates_bound_the_worst_case_from_below_and_are_checked() -> None:
    lines = output("certificates.py", "20", "house_votes", "mammographic").splitlines()[1:]
    for line, name in zip(lines, ["house_votes", "mammographic"], strict=True):
        shown, worst, least, ratio, _, _, checked = line.split()
        assert (shown, checked) == (name, "yes")
        assert 0 < float(least) <= float(worst)
        assert float(ratio) == pytest.approx(float(worst) / float(least), abs=0.005)


def test_the_classifier_keeps_its_budget_on_new_patients() -> None:
    printed = output("classifier.py")
    chosen = re.search(r"chosen: a budget of ([\d.]+);.*\nthe costliest cost ([\d.]+), the mean ([\d.]+);", printed)
    assert chosen is not None
    budget, costliest, mean = map(float, chosen.groups())
    assert 0 < mean <= costliest <= budget
    spent = re.search(r"→ (?:neg|pos) .*, spent ([\d.]+)", printed)
    assert spent is not None
    assert float(spent[1]) <= budget


def test_no_greedy_tree_beats_the_optimal_one() -> None:
    printed = output("optimal.py", "20", "house_votes", "mammographic")
    assert len(re.findall(r": (\d+) of \1 points proven", printed)) == 2
    rows = [line.split() for line in printed.splitlines() if line.endswith("proven")]
    assert len(rows) > 8
    assert all(int(optimal) <= int(greedy) for _, greedy, optimal, _ in rows)


def test_the_pictures_are_drawn(tmp_path: Path) -> None:
    assert str(tmp_path) in output("pictures.py", str(tmp_path))
    for name in ("frontier.png", "tree.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_pathway_for_pima_needs_no_blood_sample() -> None:
    frontier, pathway = output("pima.py").split("\nThe pathway for a budget of 2, without a blood sample:\n")
    assert not re.search("glucose|insulin|blood draw", pathway)
    assert max(float(cost) for cost in re.findall(r"spent ([\d.]+)", pathway)) <= 2
    assert "exact search" in frontier


def test_fewer_misses_cost_false_alarms_and_referrals(tmp_path: Path) -> None:
    picture = tmp_path / "referral.png"
    lines = output("referral.py", str(picture), "3").splitlines()
    rows = [list(map(float, line.split())) for line in lines if re.fullmatch(r"[\d. ]+", line)]
    assert picture.read_bytes().startswith(b"\x89PNG")
    misses, missed, _, referred, *_ = zip(*rows, strict=True)
    assert list(misses) == sorted(misses)
    assert missed[-1] < missed[0] / 10
    assert referred[0] < referred[-1]
    assert rows[-1][4] < rows[-1][7]  # a referral is what makes a costly miss bearable


def test_scikit_learn_finds_nothing_wrong() -> None:
    printed = output("scikit_checks.py")
    assert re.search(r"known cases, \d\d checks: \d+ passed, \d+ skipped, 0 xfail, 0 failed", printed)
    assert re.search(r"new cases, \d\d checks: \d+ passed, \d+ skipped, [01] xfail, 0 failed", printed)


def test_the_trends_are_counted_as_they_are_shown() -> None:
    *tables, small, large = output("trends.py", "house_votes", "wdbc").strip().splitlines()
    exceptions: dict[str, list[str]] = {"small": [], "large": []}
    for name, powers, hinged, ahead in zip(tables[0::4], tables[1::4], tables[2::4], tables[3::4], strict=False):
        pairs = zip(powers.split()[1:], hinged.split()[1:], strict=True)
        letters = ["=" if p == h else "H" if int(h) < int(p) else "P" for p, h in pairs]
        assert ahead.split()[1:] == letters
        decided = [letter for letter in letters if letter != "="]
        exceptions["small"] += [name.split()[0]] * (decided[0] != "H")
        exceptions["large"] += [name.split()[0]] * (decided[-1] != "P")
    assert small.partition("all sets but: ")[2] == (", ".join(exceptions["small"]) or "none")
    assert large.partition("all sets but: ")[2] == (", ".join(exceptions["large"]) or "none")
    assert exceptions["large"] == ["wdbc"]


def test_the_readmes_own_impurity_is_refuted_as_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M)
    block = next(block for block in blocks if "check_admissible" in block)
    exec(block, {"bt": bt})
    assert f"# {capsys.readouterr().out.strip()}" in block


def test_the_readmes_first_python_lines_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M)
    rows = [
        ("low", "yes", "clear", "up", "no"),
        ("high", "no", "unclear", "up", "yes"),
        ("low", "no", "clear", "down", "no"),
    ]
    table = pd.DataFrame(rows * 2, columns=["troponin", "ecg", "mri", "ddimer", "diagnosis"])
    with contextlib.chdir(tempfile.mkdtemp()):
        exec(blocks[0], {"table": table, "new_table": table})
        assert Path("pathway.json").exists()


def test_the_readmes_other_python_lines_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M)
    X = pd.DataFrame({"ecg": ["up", "down"] * 3, "mri": ["clear", "unclear", "clear"] * 2})  # noqa: N806
    names = {"X": X, "y": X["ecg"], "prices": {"ecg": 40, "mri": 250}, "bt": bt}
    exec(next(block for block in blocks if "BudgetTreeClassifier" in block), names)
    cases = bt.Instance.from_frame(X.assign(y=X["ecg"] + X["mri"]), "y", prices={"ecg": 400, "mri": 250})
    names |= {"tree": bt.grow(cases), "fetch": {"ecg": "up", "mri": "clear"}.__getitem__}
    exec(next(block for block in blocks if "Consultation" in block), names)


def test_the_oracle_never_imports_the_library() -> None:
    assert "import budgetree" not in (ROOT / "tests" / "reference.py").read_text(encoding="utf-8")


def test_the_readme_shows_what_its_first_commands_print(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.findall(r"^```bash\n(.*?)^```", readme, re.S | re.M)[0]
    commands = [line for line in block.splitlines() if line.startswith("budgetree ")]
    assert len(commands) == 3
    for command in commands:
        arguments = command.split()[1:]
        ended = subprocess.run(
            [sys.executable, "-m", "budgetree", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert ended.returncode == 0
        assert ended.stdout.strip() in readme
