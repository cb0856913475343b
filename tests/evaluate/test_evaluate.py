"""Both forms of the verb: what is learned again in folds, and a fixed pathway on other cases."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

import budgetree as bt
from budgetree.errors import BudgetreeError
from budgetree.learn.predictive.trees import PredictiveTrees
from budgetree.learn.validation import KnownRows, refit_folds


def table(n: int, seed: int = 0, n_classes: int = 2) -> pd.DataFrame:
    """Three tests, the first of which tells most."""
    random = np.random.default_rng(seed)
    label = random.integers(0, n_classes, n)
    tests = {f"t{test}": label + random.integers(0, 2 + test, n) for test in range(3)}
    return pd.DataFrame(tests).assign(y=[f"c{number}" for number in label])


def cases(n: int = 80, seed: int = 0, n_classes: int = 2, **settings: Any) -> bt.Instance:
    return bt.Instance.from_frame(table(n, seed, n_classes), "y", **settings)


def judge(known: bt.Instance, **settings: Any) -> bt.Evaluation:
    return bt.evaluate(known, **({"budget": 2, "repeats": 1, "objective": "new"} | settings))


def without_words(found: bt.Evaluation) -> dict[str, Any]:
    """Every number; no NaN or infinity may be among them."""
    content = found.to_dict()
    json.dumps(content, allow_nan=False)
    assert found.to_text()
    assert len(found.to_frame()) == len(found.figures())
    return {name: value for name, value in content.items() if name not in ("notes", "methods")}


def test_the_procedure_is_judged_by_the_folds_of_fit() -> None:
    known = bt.datasets.load("pima")
    found, fitted = judge(known), bt.fit(known, budget=2)
    assert found.overall.error.value == pytest.approx(fitted.estimate.new_error.error)
    assert found.cost.mean.value == pytest.approx(fitted.point.new_cost)
    assert [of.sensitivity.value for of in found.overall.by_class] == pytest.approx(fitted.point.new_recalls)
    assert found.tree == fitted.tree
    assert found.refits.same_answers == pytest.approx(fitted.estimate.stability.same_answers)


def test_repeats_deal_other_folds_and_learn_no_more_than_they_must(monkeypatch: pytest.MonkeyPatch) -> None:
    learned = []
    tree_of = PredictiveTrees.tree
    monkeypatch.setattr(
        PredictiveTrees,
        "tree",
        lambda self, *arguments, **named: learned.append(1) or tree_of(self, *arguments, **named),
    )
    found = judge(cases(), repeats=2)
    assert len(learned) == 5 * 2 + 1
    assert found.refits.n_refits == 10
    known = cases()
    first, second = (KnownRows(known).folds(repeat=repeat) for repeat in (0, 1))
    assert (first != second).any()
    assert sorted(np.bincount(first)) == sorted(np.bincount(second))
    assert found.overall.n == 80
    assert sum(map(sum, found.overall.confusion)) == pytest.approx(80)


def test_rows_in_another_order_give_the_same_numbers() -> None:
    frame = table(60)
    shuffled = frame.sample(frac=1, random_state=1)[["t2", "y", "t0", "t1"]]
    first, second = (
        judge(bt.Instance.from_frame(rows, "y"), repeats=2, by="t0", worth=10) for rows in (frame, shuffled)
    )
    assert without_words(first) == without_words(second)


def test_predictions_say_of_every_case_what_was_answered_without_it() -> None:
    frame = table(60)
    found = judge(bt.Instance.from_frame(frame, "y"), repeats=2)
    rows = pd.DataFrame(found.predictions())
    assert list(rows.columns) == [
        "row",
        "repeat",
        "class",
        "answer",
        "probability of c0",
        "probability of c1",
        "cost",
        "tests",
    ]
    assert rows["row"].tolist() == [row for row in range(1, 61) for _ in range(2)]
    assert rows["class"].tolist() == [label for label in frame["y"] for _ in range(2)]
    wrong = (rows["class"] != rows["answer"]).mean()
    assert found.overall.error.value == pytest.approx(wrong)
    assert rows["cost"].tolist() == [len(tests.split("; ")) if tests else 0 for tests in rows["tests"]]


def test_a_weight_of_k_is_k_rows() -> None:
    random = np.random.default_rng(1)
    codes, weights = random.integers(0, 3, (40, 3)), random.integers(1, 4, 40)
    labels = (codes[:, 0] + random.integers(0, 2, 40) > 1).astype(int)
    weighted = judge(bt.Instance(codes, labels, weights=weights))
    repeated = judge(bt.Instance(np.repeat(codes, weights, axis=0), np.repeat(labels, weights)))
    assert without_words(weighted) == without_words(repeated)
    half = judge(bt.Instance(codes, labels, weights=weights / 2))
    assert half.overall.n == weights.sum() / 2
    tree = weighted.tree
    fixed = [bt.evaluate(tree, bt.Instance(codes, labels, weights=weights))]
    fixed.append(bt.evaluate(tree, bt.Instance(np.repeat(codes, weights, axis=0), np.repeat(labels, weights))))
    assert fixed[0].overall.by_class == fixed[1].overall.by_class


def test_cases_of_a_group_are_held_out_together() -> None:
    known = cases(60)
    groups = [row % 20 for row in range(60)]
    found = judge(known, groups=groups)
    fold_of = {}
    for case, fold in zip(found.rows[found.judged.case].tolist(), found.judged.fold.tolist(), strict=True):
        assert fold_of.setdefault(groups[case], fold) == fold
    assert found.setup.n_groups == 20
    assert "cases of one group (20 groups) were kept together" in found.methods
    copies = judge(bt.Instance.from_frame(pd.concat([bt.datasets.frame("wdbc")[:60]] * 2), "diagnosis"))
    assert copies.setup.n_copies == 60
    assert "60 rows are copies of another" in copies.to_text()


def test_a_class_that_a_fold_lacks_and_referrals_have_their_place() -> None:
    frame = table(60)
    frame.loc[:1, "y"] = "rare"
    rare = judge(bt.Instance.from_frame(frame, "y"))
    without_words(rare)
    assert rare.positive is None
    assert rare.overall.by_class[2].sensitivity.value == 0
    assert "every class against all others" in rare.to_text()
    losses = bt.Losses({"c1": 5}, answers={"refer": 0.6})
    found = judge(cases(120, losses=losses))
    content = without_words(found)
    assert (found.positive, found.positive_why) == (1, "loss")
    assert content["answers"] == ["c0", "c1", "refer"]
    assert sum(content["confusion"][2]) > 0
    one, (no, yes, referred) = found.overall.by_class[1], found.overall.confusion
    assert one.sensitivity.value == pytest.approx(yes[1] / (no[1] + yes[1] + referred[1]))
    assert one.specificity.value == pytest.approx(no[0] / (no[0] + yes[0] + referred[0]))
    assert one.npv.value == pytest.approx(no[0] / (no[0] + no[1]))
    assert found.overall.loss.value == pytest.approx((5 * no[1] + yes[0] + 0.6 * sum(referred)) / 120)
    assert "neither found nor cleared" in found.to_text().replace("\n  ", " ")


@pytest.mark.parametrize("n", [3, 10])
def test_few_cases_get_an_answer_with_a_warning(n: int) -> None:
    found = judge(cases(n, seed=2))
    without_words(found)
    assert "fewer than 10 cases" in found.to_text()
    found = judge(bt.Instance.from_frame(table(n).assign(y="a"), "y"))
    assert without_words(found)["by_class"][0]["specificity"] is None


def test_a_fixed_pathway_is_judged_on_other_cases() -> None:
    tree = bt.grow(cases(200), budget=2)
    frame = table(90, seed=5).assign(sex=["m", "f", None] * 30)
    frame.loc[:4, "y"] = None
    found = bt.evaluate(tree, frame, target="y", by=["sex", "t0:1,2"])
    said = frame.dropna(subset="y")
    expected = confusion_matrix(said["y"], tree.predict(said), labels=["c0", "c1"])
    assert np.array(found.overall.confusion).T.tolist() == expected.tolist()
    assert found.cost.mean.value == pytest.approx(tree.walk(said).cost.mean())
    assert "5 rows say nothing about what is right" in found.to_text()
    groups = {(group.by, group.group): group.measures for group in found.subgroups}
    assert [name for name, _ in groups] == ["sex"] * 3 + ["t0"] * 3
    assert [group for _, group in groups] == ["f", "m", "not known", "below 1", "1 to below 2", "2 or more"]
    women = said[said["sex"] == "f"]
    assert groups["sex", "f"].n == len(women)
    assert groups["sex", "f"].error.value == pytest.approx((tree.predict(women) != women["y"]).mean())
    assert (
        found.to_frame().query("group == 'below 1' and measure == 'n'")["value"].tolist()[0] == (said["t0"] < 1).sum()
    )
    assert found.refits is None


def test_two_pathways_are_compared_case_by_case() -> None:
    first, second = bt.grow(cases(200), budget=2), bt.grow(cases(200, seed=1), budget=1)
    frame = table(90, seed=5)
    found = bt.evaluate(first, frame, target="y", other=second, worth=20)
    wrong = [(tree.predict(frame) != frame["y"]).to_numpy().astype(float) for tree in (first, second)]
    difference, versus = wrong[1] - wrong[0], found.comparison
    se = difference.std(ddof=1) / np.sqrt(90)
    assert versus.error.value == pytest.approx(difference.mean())
    assert versus.error.high - versus.error.value == pytest.approx(se * 1.987, rel=1e-3)
    assert versus.cost.value == pytest.approx((second.walk(frame).cost - first.walk(frame).cost).mean())
    assert versus.n_changed == (first.predict(frame) != second.predict(frame)).sum()
    at = {of.threshold: of.difference.value for of in versus.net_benefit}
    alone = bt.evaluate(second, frame, target="y", worth=20).decision_curve
    assert at[0.2] == pytest.approx(alone.at(0.2).value - found.decision_curve.at(0.2).value)
    assert "answer of the other" in found.predictions()
    without_words(found)


@pytest.mark.parametrize(
    ("settings", "subject"),
    [
        ({"positive": "c9"}, "positive"),
        ({"prevalence": 2}, "prevalence"),
        ({"worth": 0}, "worth"),
        ({"by": "t9"}, "by"),
        ({"by": "t0:2,1"}, "by"),
        ({"by": "t0:x"}, "by"),
        ({"by": {"id": range(80)}}, "by"),
        ({"by": {"id": [1]}}, "by"),
        ({"folds": 0}, "folds"),
        ({"repeats": 0}, "repeats"),
        ({"max_error": 0.2}, "max_error"),
        ({"time_limit": 0.0}, "time_limit"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_words(settings: dict[str, Any], subject: str) -> None:
    with pytest.raises(BudgetreeError) as refused:
        judge(cases(), **settings)
    assert refused.value.subject == subject


def test_a_pathway_is_judged_by_cases_that_fit_it() -> None:
    tree, frame = bt.grow(cases(200), budget=2), table(30, seed=5)
    for settings, subject in [
        ({"cases": None}, "cases"),
        ({"cases": frame}, "target"),
        ({"cases": frame, "target": "z"}, "z"),
        ({"cases": frame.assign(y="other"), "target": "y"}, "other"),
        ({"cases": frame.assign(y=None), "target": "y"}, "y"),
        ({"cases": frame.drop(columns="t0"), "target": "y"}, "t0"),
        ({"cases": frame, "target": "y", "budget": 3}, "budget"),
        (
            {
                "cases": frame,
                "target": "y",
                "other": bt.datasets.load("figure1") and bt.grow(bt.datasets.load("figure1")),
            },
            "other",
        ),
    ]:
        with pytest.raises(BudgetreeError) as refused:
            bt.evaluate(tree, settings.pop("cases"), **settings)
        assert refused.value.subject == subject


def test_of_many_classes_a_decision_curve_needs_a_positive_one() -> None:
    known = cases(120, n_classes=3)
    assert judge(known).decision_curve is None
    with pytest.raises(BudgetreeError, match="positive is missing"):
        judge(known, prevalence=0.1)
    found = judge(known, positive="c2", prevalence=0.1)
    assert found.decision_curve is not None
    assert "positive: c2 (as asked)" in found.to_text()
    assert "at a prevalence of 10 %" in found.to_text()


def test_the_two_figures_show_the_curves() -> None:
    found = judge(cases(120))
    calibration, decision = found.plot(), found.plot("decision curve")
    points = found.positive_measures.curve
    assert calibration.lines[1].get_xdata().tolist() == [point.predicted for point in points]
    assert decision.lines[0].get_ydata().tolist() == [value.value for value in found.decision_curve.net_benefit]
    assert decision.lines[1].get_ydata().tolist() == list(found.decision_curve.treat_all)
    with pytest.raises(BudgetreeError):
        found.plot("roc")
    with pytest.raises(BudgetreeError):
        judge(cases(120, n_classes=3)).plot()


def test_a_refit_has_not_seen_what_it_judges() -> None:
    known, seen = cases(50), []

    def learn(part: bt.Instance, _groups: Any, _clock: Any) -> Any:
        seen.append(part.n_rows)
        return lambda budget: bt.grow(part, budget=budget)

    from budgetree.services.clock import Clock

    refits = list(refit_folds(KnownRows(known), learn, [1], 5, Clock(None)))
    assert seen == [40] * 5
    assert sorted(np.concatenate([refit.rows for refit in refits]).tolist()) == list(range(50))


@pytest.mark.parametrize("n_classes", [2, 50])
def test_a_notebook_shows_every_figure_in_its_own_colours(n_classes: int) -> None:
    frame = table(80).assign(t0="<b>")
    many = bt.Instance.from_frame(table(400, n_classes=n_classes), "y") if n_classes > 2 else None
    found = judge(many or bt.Instance.from_frame(frame, "y"), budget=1)
    html = found._repr_html_()
    assert len(html.encode()) < 60_000
    assert not re.search("http|color|<script|<b>", html)
    cells = set(re.findall("<td[^>]*>([^<]*)</td>", html))
    error, log_loss = found.overall.error.numbers[0], found.overall.log_loss.numbers[0]
    assert {f"{error} %", log_loss} <= cells
    assert found.methods[:60] in html
    assert ("… and 10 more" in html) == (n_classes == 50)
