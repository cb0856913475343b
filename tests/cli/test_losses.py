"""--losses: what wrong answers cost goes through every command, and errors name the file and the entry."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from command_line import run

import budgetree as bt

LOSSES = "[losses]\npos = 5\n[answers]\nrefer = 0.8\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "losses.toml").write_text(LOSSES)
    (tmp_path / "prices.toml").write_text(f"default = 2\n{LOSSES}")
    bt.datasets.frame("pima").to_csv("pima.csv", index=False)
    return tmp_path


def test_check_says_what_it_understood(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "check", "pima", "--losses", "losses.toml")
    assert "note: a case that is neg loses 1 by the answer pos, 0.8 by the answer refer." in printed
    assert "note: a case that is pos loses 5 by the answer neg, 0.8 by the answer refer." in printed
    assert "loses" not in run(capsys, "check", "pima")


def test_check_finds_an_answer_that_is_never_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.toml").write_text("[answers]\nwait = 2\nrefer = 0.4\n[answers.panic]\npos = 0.3\nneg = 0.5\n")
    printed = run(capsys, "check", "pima", "--losses", "odd.toml")
    assert "warning: the answer 'wait' never loses less than 'neg', so no tree gives it" in printed
    assert "'refer' never" not in printed
    assert "'panic' never" not in printed


def test_of_many_classes_not_every_loss_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("refer.toml").write_text("[answers]\nrefer = 0.25\n")
    assert "losses of up to 1; answers that are not classes: 'refer'." in run(
        capsys, "check", "soybean", "--losses", "refer.toml"
    )


@pytest.mark.parametrize("data", [("pima",), ("pima.csv", "--target", "diabetes")])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[losses.pos]\nnag = 5\n", "bad.toml: losses of class 'pos': no class is named 'nag'; the classes are"),
        ("[losses]\npos = -5\n", "bad.toml: losses: the loss of missing class 'pos' is -5"),
        ("[answers]\npos = 1\n", "bad.toml: losses: the answer 'pos' has the name of a class"),
        ("[prices]\npos = 1\n", "bad.toml: "),
    ],
)
def test_losses_that_do_not_fit_are_named_with_their_file(
    folder: Path, capsys: pytest.CaptureFixture[str], data: tuple[str, ...], text: str, message: str
) -> None:
    Path("bad.toml").write_text(text)
    assert message in run(capsys, "fit", *data, "--budget", "1", "--losses", "bad.toml", "-o", "m.json", code=1)
    assert not Path("m.json").exists()


@pytest.mark.parametrize("given", ["losses.toml", "prices.toml"])
def test_fit_minimises_loss_by_a_file_of_its_own_or_the_price_list(
    folder: Path, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    options = ["--losses", given] if given == "losses.toml" else ["--prices", given]
    options += ["--budget", "2", "--objective", "known", "--folds", "0", "-o", "m.json"]
    printed = run(capsys, "fit", "pima.csv", "--target", "diabetes", *options)
    tree = bt.Tree.from_json("m.json")
    assert tree.answer_names == ("neg", "pos", "refer")
    assert f"; loss {tree.loss:g} (" in printed
    assert f"known cases: a mean loss of {tree.loss / 768:.4g}, " in printed
    assert "proven: No tree within a budget of 2 loses less." in printed
    facts = json.loads(run(capsys, "show", "m.json", "--json"))
    assert (facts["loss"], facts["referred"]) == (tree.loss, tree.referred)


def test_the_frontier_is_one_of_loss(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--losses",
        "losses.toml",
        "--max-budget",
        "2",
        "--folds",
        "0",
        "--binning",
        "uniform",
        "--objective",
        "known",
    ]
    printed = run(capsys, "frontier", "pima", *options, "--out", "results")
    assert printed.splitlines()[3].split()[:4] == ["max-cost", "loss", "errors", "referred"]
    assert "loss; ● proven to be the least" in printed
    points = json.loads(run(capsys, "frontier", "pima", *options, "--json"))["points"]
    with open("results/frontier.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["loss"]) for row in rows] == [point["loss"] for point in points]
    assert all(float(row["referred"]) >= 0 for row in rows)
    assert "referred" not in json.loads(run(capsys, "frontier", "pima", "--max-budget", "1", "--json"))["points"][0]


def test_the_losses_are_no_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--budget", "1", "--losses", "losses.toml", "-o", "losses.toml"]
    assert "in use by the same command" in run(capsys, "fit", "pima", *options, code=1)


def test_leaves_have_at_least_so_many_cases(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = ["pima.csv", "--target", "diabetes", "--levels", "3"]
    run(capsys, "fit", *table, "--budget", "3", "--min-cases", "10", "--folds", "0", "-o", "m.json")
    tree = bt.Tree.from_json("m.json")
    assert tree.n_leaves > 1
    assert tree.nodes.counts[tree.nodes.is_reached].sum(axis=1).min() >= 10
    points = json.loads(run(capsys, "frontier", *table, "--min-cases", "10", "--max-budget", "3", "--json"))["points"]
    assert points[-1]["errors"] == tree.errors
    for command in (["fit", *table, "--budget", "3", "-o", "n.json"], ["frontier", *table]):
        refused = run(capsys, *command, "--min-cases", "10", "--objective", "new", code=2)
        assert "need" in refused
        assert "--objective known" in refused
