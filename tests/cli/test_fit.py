"""budgetree fit: trees for known and for new cases, and what is told of both."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command_line import FIT_KNOWN, run

import budgetree as bt
from budgetree.cli import main
from budgetree.cli.fit import _with_time_for_proof
from budgetree.learn.exact.solver import Solver
from budgetree.learn.predictive.growth import Growth, Place
from budgetree.learn.settings import FitRequest
from budgetree.messages import EARLY


def test_blanks_are_unknown_unless_they_are_said_to_be_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 5},{'' if i % 2 else i % 3},{'ill' if i % 2 else 'well'}" for i in range(200)]
    Path("t.csv").write_text("age,lab,y\n" + "\n".join(rows), encoding="utf-8")
    asked = ["t.csv", "-t", "y", "--budget", "1", "-o", "m.json", "--folds", "0"]
    for options, text in (
        (["--objective", "new"], "200 cases, 1 leaf;"),
        (["--objective", "new", "--blanks", "unknown", "--blanks", "lab=result"], "0 errors"),
        (["--objective", "known"], "A blank is a result here, with a branch of its own: 'lab'."),
    ):
        assert text in run(capsys, "fit", *asked, *options)
    assert main(["fit", *asked, "--objective", "known", "--blanks", "lab=unknown"]) != 0
    assert "--blanks result, --objective new, or --drop the column" in capsys.readouterr().err
    for wrong in ("none", "=result", "lab=1"):
        assert main(["fit", *asked, "--blanks", wrong]) == 2
        assert "is not result, unknown, COL=result or COL=unknown" in capsys.readouterr().err
    assert main(["fit", *asked, "--blanks", "result", "--blanks", "unknown"]) == 2
    assert "result and unknown are both for all columns" in capsys.readouterr().err


def test_ctrl_c_in_a_search_gives_the_best_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = Solver.decide

    def stopped_at_three(self: Solver, budget: int, fewer_than: int) -> Any:
        if budget >= 3:
            raise KeyboardInterrupt
        return decide(self, budget, fewer_than)

    monkeypatch.setattr(Solver, "decide", stopped_at_three)
    printed = run(capsys, *FIT_KNOWN, "house_votes", "--budget", "5", "-o", str(tmp_path / "m.json"))
    assert "The search ended early; this is the best so far." in printed
    assert "a longer --time-limit lets the search go on." in printed
    assert bt.Tree.from_json(tmp_path / "m.json").max_cost <= 5


def test_leaves_of_several_cases_are_kept_or_the_remedy_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.json"
    few = ("house_votes", "--budget", "2", "--folds", "0", "-o", str(model))
    assert "at least 30 cases at every outcome" in run(capsys, "fit", *few, "--min-cases", "30")
    nodes = bt.Tree.from_json(model).nodes
    assert nodes.counts[nodes.is_reached].sum(axis=1).min() >= 30
    assert "fewer --levels or a smaller --min-cases help" in run(capsys, "fit", *few, "--min-cases", "300")


def test_a_column_that_has_to_go_is_dropped_by_an_option(capsys: Any, tmp_path: Path) -> None:
    rows = [f"p{number},{number % 2}" for number in range(300)]
    (tmp_path / "t.csv").write_text("\n".join(["id,y", *rows]), encoding="utf-8")
    words = run(capsys, "fit", str(tmp_path / "t.csv"), "-t", "y", "--budget", "1", "-o", "m.json", code=1)
    assert "column 'id' (text) has 300 different outcomes" in words
    assert "Leave it out (--drop COL) if it identifies the row" in words


@pytest.fixture
def patients(tmp_path: Path) -> str:
    """Two rows of each patient; the answer is the patient's, and no test says anything about it."""
    path = tmp_path / "patients.csv"
    rows = [f"{patient},{patient % 13},{patient * 7 % 11 % 2}" for patient in range(60) for _ in range(2)]
    path.write_text("\n".join(["patient,test,ill", *rows]))
    return str(path)


def test_both_numbers_are_told(capsys: Any, tmp_path: Path) -> None:
    model = str(tmp_path / "m.json")
    known = ["fit", "soybean", "--budget", "6", "--objective", "known", "-o", model]
    printed = run(capsys, *known)
    assert "known cases: 0.0 % wrong; proven: No tree within a budget of 6" in printed
    assert "new cases: 45.0 % ± 4.3 wrong, cross-validated, 5 of 5 folds" in printed
    assert "overfitted; use --objective new, fewer levels or a smaller budget" in printed
    facts = json.loads(run(capsys, *known, "--json"))
    assert facts["error_rate"] == 0
    assert facts["new_error"] == pytest.approx(0.4495, abs=0.0001)
    assert facts["new_error_se"] == pytest.approx(0.043, abs=0.001)
    assert facts["overfitted"] is True
    without = run(capsys, *known, "--folds", "0")
    assert "new cases" not in without
    assert "overfitted" not in without


def test_new_cases_are_what_fit_is_for(capsys: Any, tmp_path: Path, learner: list[dict[str, Any]]) -> None:
    model = str(tmp_path / "m.json")
    settings = ["--leaves", "tree", "--confidence", "0.9", "--time-limit", "60"]
    facts = json.loads(run(capsys, "fit", "house_votes", "--budget", "2", "-o", model, "--json", *settings))
    assert facts["objective"] == "new"
    assert 0 < facts["new_error"] < 0.2
    assert [call["n_rows"] for call in learner] == [435, *[348] * 5]
    assert {(call["budget"], call["leaves"], call["confidence"]) for call in learner} == {(2, "tree", 0.9)}
    assert all(0 < call["time_limit"] <= 30 for call in learner[:1])
    learner.clear()
    run(capsys, "fit", "house_votes", "--budget", "2", "-o", model, "--folds", "0")
    assert [(call["leaves"], call["confidence"]) for call in learner] == [("auto", None)]


def test_what_is_about_known_cases_goes_with_them(capsys: Any, tmp_path: Path, learner: list[dict[str, Any]]) -> None:
    fit = ["fit", "figure1", "-o", str(tmp_path / "m.json"), "--folds", "0"]
    few = [*fit, "--budget", "1", "--min-cases", "2"]
    assert run(capsys, *few).startswith("objective: known cases (min_cases is about them)\n")
    assert run(capsys, *fit, "--max-error", "0.5", "--objective", "known").startswith(
        "objective: known cases (as asked)\n"
    )
    certified = [*fit, "--budget", "1", "--certificate", str(tmp_path / "c.json")]
    for command in (few, certified):
        assert "need --objective known" in run(capsys, *command, "--objective", "new", code=2)
    assert learner == []


def test_an_error_for_new_cases_names_the_best_where_none_is_so_good(capsys: Any, tmp_path: Path) -> None:
    fit = ["fit", "house_votes", "-o", str(tmp_path / "m.json"), "--folds", "2", "--max-error"]
    printed = run(capsys, *fit, "0.06")
    assert printed.startswith("objective: new cases (435 rows of 2 classes)\n")
    assert json.loads(run(capsys, *fit, "0.06", "--json"))["new_error"] <= 0.06
    assert "the lowest error on new cases is 0.0" in run(capsys, *fit, "0.001", code=1)


def test_a_search_that_ended_early_bounds_what_was_asked_for(capsys: Any, tmp_path: Path) -> None:
    fit = [*FIT_KNOWN, "dna", "--budget", "6", "--time-limit", "4", "--folds", "0", "-o", str(tmp_path / "m.json")]
    facts = json.loads(run(capsys, *fit, "--json"))
    assert (facts["proof_state"], facts["lower_bound_at"]) == ("bounded", 6)
    assert "Some tree within a budget of 6 might" in facts["statement"]


def test_budgets_that_are_named_are_lines(capsys: Any) -> None:
    named = ["frontier", "house_votes", "--objective", "known", "--folds", "0", "--budgets", "3,1,1.5", "--json"]
    facts = json.loads(run(capsys, *named))
    assert [point["budget"] for point in facts["points"]] == [0, 1, 1.5, 3]
    assert facts["objective"] == "known"
    assert "give either --budgets or --max-budget" in run(capsys, *named, "--max-budget", "2", code=2)
    assert "'much' is not a valid" in run(capsys, *named[:-2], "1,much", code=2)


def test_no_budget_is_recommended_where_none_helps_on_new_cases(capsys: Any) -> None:
    printed = run(capsys, "frontier", "pima", "--objective", "known", "--max-budget", "2")
    assert printed.startswith("objective: known cases (as asked)\n")
    assert "recommended: none, as no budget is significantly better on new cases than no test" in printed
    assert "use --objective new" in printed


@pytest.mark.parametrize(
    "command",
    [["frontier", "--json", "--objective", "known"], ["fit", "--budget", "1", "--json", "--objective", "known"]],
)
def test_rows_of_a_group_are_held_out_together_and_the_column_is_no_test(
    command: list[str], capsys: Any, tmp_path: Path, patients: str
) -> None:
    out = ["-o", str(tmp_path / "m.json")] if command[0] == "fit" else []
    arguments = [command[0], patients, *command[1:], *out, "--target", "ill", "--groups"]
    facts = json.loads(run(capsys, *arguments, "patient"))
    last = facts["points"][-1] if command[0] == "frontier" else facts
    assert last["max_cost"] == 1  # one test
    assert last["new_error"] is not None
    assert "there is no column 'doctor'" in run(capsys, *arguments, "doctor", code=1)


def test_a_bundled_set_is_a_table_like_any_other(capsys: Any, tmp_path: Path) -> None:
    frame, out = bt.datasets.frame("pima"), str(tmp_path / "m.json")
    prices = bt.datasets.load("pima").prices
    expected = bt.optimal(bt.Instance.from_frame(frame, "diabetes", prices=prices), budget=2)
    options = ["--budget", "2", "--folds", "0", "-o", out]
    assert "768 cases" in run(capsys, *FIT_KNOWN, "pima", *options)
    assert bt.Tree.from_json(out).errors == expected.errors
    points = json.loads(run(capsys, "frontier", "pima", "--objective", "known", "--max-budget", "2", "--json"))[
        "points"
    ]
    assert points[-1]["errors"] == expected.errors  # the same rows, counted alike
    as_in_paper = ["--duplicates", "merge", "--binning", "uniform"]
    assert "753 cases" in run(capsys, *FIT_KNOWN, "pima", *options, *as_in_paper)
    assert bt.Tree.from_json(out).errors == bt.optimal(bt.datasets.load("pima"), budget=2).errors
    few = ["--target", "diabetes", "--drop", "glucose", "--groups", "pregnant", "--levels", "2"]
    run(capsys, *FIT_KNOWN, "pima", *few, "--budget", "1", "-o", out)
    assert "glucose" not in bt.Tree.from_json(out).test_names


def test_the_frontier_tells_what_new_cases_recommend(
    capsys: Any, tmp_path: Path, learner: list[dict[str, Any]]
) -> None:
    folder = tmp_path / "out"
    printed = run(capsys, "frontier", "soybean", "--objective", "known", "--out", str(folder))
    assert "new error ± se" in printed
    assert "recommended: a budget of 3, new cases 18.2 % ± 3.3 wrong, among these trees for known cases" in printed
    assert (folder / "frontier.csv").read_text().startswith("max_cost,errors,error_rate,new_error,new_error_se,")
    facts = json.loads(run(capsys, "frontier", "soybean", "--objective", "known", "--json", "--folds", "0"))
    assert facts["recommended"] == facts["points"][-1]["max_cost"]
    assert facts["points"][-1]["new_error"] is None
    assert learner == []
    run(capsys, "frontier", "figure1", "--objective", "new")
    assert learner


def test_the_shortest_way_to_tell_faults_apart_is_known_without_a_search(capsys: Any, tmp_path: Path) -> None:
    lines = [",".join([*format(fault, "08b"), f"F{fault}"]) for fault in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,d,e,f,g,h,fault", *lines]), encoding="utf-8")
    model = str(tmp_path / "m.json")
    fit = ["fit", str(tmp_path / "t.csv"), "-t", "fault", "--method", "greedy", "--folds", "0", "-o", model]
    least = "proven: No tree without errors costs less than 8 in the worst case."
    assert least in run(capsys, *fit, "--max-error", "0")
    assert least in run(capsys, "show", model, "--max-depth", "1")
    printed = run(capsys, *fit, "--max-error", "0.36")
    assert "proven: No tree with at most 36 % wrong costs less than 7 in the worst case." in printed


def test_where_the_search_settles_nothing_a_certificate_bounds_the_cost(capsys: Any, tmp_path: Path) -> None:
    fit = ["fit", "house_votes", "--folds", "0", "--max-error", "0", "--json", "-o", str(tmp_path / "m.json")]
    exact = json.loads(run(capsys, *fit))
    assert exact["proven"] is True
    greedy = json.loads(run(capsys, *fit, "--method", "greedy", "--time-limit", "8"))
    assert 1 < greedy["cost_lower_bound"] <= exact["max_cost"] <= greedy["max_cost"]
    known = json.loads(run(capsys, *fit, "--method", "greedy", "--certificate", str(tmp_path / "c.json")))
    proof = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    least = Fraction(proof["lower_bound"])
    assert least <= known["cost_lower_bound"] < least + 1  # the next that a path of tests for 1 each can cost


def test_a_tree_for_new_cases_that_ended_early_says_so_wherever_it_is_shown(capsys: Any, tmp_path: Path) -> None:
    model, page = str(tmp_path / "m.json"), tmp_path / "page.html"
    fit = ["fit", "soybean", "--budget", "4", "--objective", "new", "--folds", "0", "-o", model]
    words = "The search ended early; this is the best so far."
    printed = run(capsys, *fit, "--time-limit", "0")
    assert words in printed
    assert "a longer --time-limit lets the search go on." in printed
    assert words in run(capsys, "show", model)
    run(capsys, "report", model, "-o", str(page))
    assert bt.Tree.from_json(model).statement.sentences[-1] == words
    content = page.read_text(encoding="utf-8").partition('id="content">')[2].partition("</script>")[0]
    assert {"kind": "early"} in json.loads(content)["trees"][0]["statement"]["facts"]
    printed = run(capsys, *fit)
    assert "ended early" not in printed
    assert "--time-limit" not in printed


def test_also_one_without_errors_says_so_and_never_that_it_is_proven(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"{number % 2},{number % 3},{'ill' if number % 2 else 'well'}" for number in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,class", *rows]), encoding="utf-8")
    model, page = str(tmp_path / "m.json"), tmp_path / "page.html"
    fit = ["fit", str(tmp_path / "t.csv"), "-t", "class", "--budget", "2", "--time-limit", "60", "-o", model]
    assert "ended early" not in run(capsys, *fit)
    grow = Growth.grow

    def end_early(growth: Growth, *given: Any, **settings: Any) -> Place:
        root = grow(growth, *given, **settings)
        growth.judge.clock.end()
        return root

    monkeypatch.setattr(Growth, "grow", end_early)
    printed = run(capsys, *fit)
    sentences = ["Another tree may be cheaper or make fewer errors.", EARLY]
    words = " ".join(["not proven:", *sentences])
    assert f"known cases: 0.0 % wrong; {words}" in printed
    assert "a longer --time-limit lets the search go on." in printed
    assert words in run(capsys, "show", model)
    run(capsys, "report", model, "-o", str(page))
    content = page.read_text(encoding="utf-8").partition('id="content">')[2].partition("</script>")[0]
    statement = json.loads(content)["trees"][0]["statement"]
    assert statement == {"proven": False, "facts": [{"kind": "open"}, {"kind": "early"}]}


def seconds_of_search(max_error: int | None, certificate: str | None, time_limit: float | None) -> float | None:
    share = None if max_error is None else Fraction(max_error)
    return _with_time_for_proof(FitRequest(max_error=share, time_limit=time_limit), certificate).time_limit


@pytest.mark.parametrize(("max_error", "certificate"), [(None, "c.json"), (0, None), (0, "c.json")])
def test_search_and_certificate_share_the_time_limit(max_error: int | None, certificate: str | None) -> None:
    assert seconds_of_search(max_error, certificate, 8.0) == 4
    assert seconds_of_search(max_error, certificate, None) is None


def test_without_a_certificate_the_search_has_all_of_the_time() -> None:
    assert seconds_of_search(None, None, 8.0) == 8
    assert seconds_of_search(1, None, 8.0) == 8
