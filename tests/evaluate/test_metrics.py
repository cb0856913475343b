"""The figures are those of the packages that people trust, on ten tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from budgetree.evaluation import metrics
from budgetree.evaluation.metrics import Sample
from evaluate.ten_tables import TABLES, judged


def sample_of(n: int, fold: Any = 0) -> Sample:
    return Sample(np.ones(n), np.arange(n), np.arange(n), np.zeros(n, dtype=np.int64) + fold)


@pytest.mark.parametrize("name", TABLES)
def test_auc_brier_and_log_loss_are_scikit_learns(name: str) -> None:
    table = judged(name)
    assert table.one.auc.value == pytest.approx(roc_auc_score(table.is_class, table.chances))
    assert table.one.brier.value == pytest.approx(brier_score_loss(table.is_class, table.chances))
    found = table.found
    expected = log_loss(found.judged.labels, found.judged.chances, labels=range(len(found.tree.class_names)))
    assert found.overall.log_loss.value == pytest.approx(expected)
    if len(found.tree.class_names) > 2:
        onehot = np.eye(len(found.tree.class_names))[found.judged.labels]
        assert found.overall.brier.value == pytest.approx(((found.judged.chances - onehot) ** 2).sum(axis=1).mean())


@pytest.mark.parametrize("name", TABLES)
def test_the_calibration_curve_is_scikit_learns(name: str) -> None:
    table = judged(name)
    observed, predicted = calibration_curve(table.is_class, table.chances, n_bins=10, strategy="quantile")
    assert [point.predicted for point in table.one.curve] == pytest.approx(predicted.tolist())
    assert [point.observed.value for point in table.one.curve] == pytest.approx(observed.tolist())
    assert sum(point.n for point in table.one.curve) == len(table.is_class)


@pytest.mark.parametrize("name", TABLES)
def test_wilsons_intervals_are_those_of_statsmodels(name: str) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    table = judged(name)
    is_class, says = table.is_class, table.says_class
    pairs = {
        "sensitivity": (is_class & says, is_class),
        "specificity": (~is_class & ~says, ~is_class),
        "ppv": (is_class & says, says),
        "npv": (~is_class & ~says, ~says),
    }
    for rate, (hits, among) in pairs.items():
        measured = getattr(table.one, rate)
        if not among.any():
            assert measured is None
            continue
        low, high = proportion.proportion_confint(hits.sum(), among.sum(), method="wilson")
        assert (measured.value, measured.low, measured.high) == pytest.approx((hits.sum() / among.sum(), low, high))


@pytest.mark.parametrize("worth", [None, 250.0])
@pytest.mark.parametrize("name", TABLES)
def test_the_decision_curve_is_that_of_dcurves(name: str, worth: float | None) -> None:
    dcurves = pytest.importorskip("dcurves")
    pandas = pytest.importorskip("pandas")
    table = judged(name, worth)
    harm = 0.0 if worth is None else float(table.cost.mean()) / worth
    frame = pandas.DataFrame({"y": table.is_class.astype(int), "pathway": table.chances})
    theirs = dcurves.dca(
        data=frame, outcome="y", modelnames=["pathway"], thresholds=metrics.THRESHOLDS, harm={"pathway": harm}
    )
    curve = table.found.decision_curve
    assert curve.harm == pytest.approx(harm)
    for model, ours in (("pathway", [value.value for value in curve.net_benefit]), ("all", list(curve.treat_all))):
        expected = theirs[theirs["model"] == model].sort_values("threshold")["net_benefit"]
        assert ours == pytest.approx(expected.tolist(), abs=1e-9)


def test_calibration_slope_and_intercept_are_those_of_statsmodels() -> None:
    api = pytest.importorskip("statsmodels.api")
    random = np.random.default_rng(3)
    chances = np.clip(random.random(400), 0.02, 0.98)
    is_class = random.random(400) < chances**1.4
    logits = np.log(chances / (1 - chances))
    slope, intercept = metrics.calibration(sample_of(400), is_class, chances)
    family = api.families.Binomial()
    theirs = api.GLM(is_class, api.add_constant(logits), family=family).fit(cov_type="HC0")
    assert (slope.value, slope.low, slope.high) == pytest.approx((theirs.params[1], *theirs.conf_int()[1]), abs=1e-6)
    theirs = api.GLM(is_class, np.ones((400, 1)), family=family, offset=logits).fit(cov_type="HC0")
    assert (intercept.value, intercept.low) == pytest.approx((theirs.params[0], theirs.conf_int()[0][0]), abs=1e-6)


def test_the_variance_of_the_auc_is_delongs() -> None:
    random = np.random.default_rng(4)
    is_class, chances = random.random(60) < 0.5, random.random(60).round(1)
    chances[is_class] += 0.2
    of_pairs = np.array(
        [[(p > n) + 0.5 * (p == n) for n in chances[~is_class]] for p in chances[is_class]]
    )  # every pair by itself
    area = of_pairs.mean()
    variance = (
        of_pairs.mean(axis=1).var(ddof=1) / is_class.sum() + of_pairs.mean(axis=0).var(ddof=1) / (~is_class).sum()
    )
    half = 1.959963984540054 * math.sqrt(variance) / (area * (1 - area))
    logit = math.log(area / (1 - area))
    found = metrics.auc(sample_of(60), is_class, chances)
    assert found.value == pytest.approx(area)
    assert (found.low, found.high) == pytest.approx(tuple(1 / (1 + math.exp(-logit - s * half)) for s in (-1, 1)))


def test_the_auc_compares_cases_that_one_pathway_judged_and_needs_both_classes() -> None:
    is_class, chances = np.array([True, False, True, False]), np.array([0.9, 0.8, 0.3, 0.1])
    folds = np.array([0, 0, 1, 1])
    assert metrics.auc(sample_of(4, folds), is_class, chances).value == 1  # 0.3 is not compared with 0.8
    assert metrics.auc(sample_of(4), is_class, chances).value == 0.75
    assert metrics.auc(sample_of(4, np.arange(4)), is_class, chances) is None
    sure = metrics.auc(sample_of(4, folds), is_class, chances)
    assert sure.high == 1
    assert sure.low < 0.5  # two pairs prove little


def test_at_its_own_prevalence_ppv_is_what_it_was() -> None:
    random = np.random.default_rng(5)
    is_class = random.random(500) < 0.3
    found = np.where(is_class, random.random(500) < 0.8, random.random(500) < 0.1)
    ppv, npv = metrics.at_prevalence(sample_of(500), is_class, found, ~found, float(is_class.mean()))
    assert ppv.value == pytest.approx(is_class[found].mean())
    assert npv.value == pytest.approx((~is_class)[~found].mean())
    rare, _ = metrics.at_prevalence(sample_of(500), is_class, found, ~found, 0.02)
    sensitivity, false_alarms = found[is_class].mean(), found[~is_class].mean()
    assert rare.value == pytest.approx(0.02 * sensitivity / (0.02 * sensitivity + 0.98 * false_alarms))
    assert rare.low < rare.value < rare.high
    nothing = np.zeros(500, dtype=bool)
    assert metrics.at_prevalence(sample_of(500), is_class, nothing, nothing, 0.1) == (None, None)


def test_what_cannot_be_calibrated_has_no_slope() -> None:
    is_class = np.array([True] * 10 + [False] * 10)
    alike = metrics.calibration(sample_of(20), is_class, np.full(20, 0.4))
    assert alike[0] is None
    assert alike[1].value == pytest.approx(math.log(0.5 / 0.5) - math.log(0.4 / 0.6))
    assert metrics.calibration(sample_of(20), is_class, np.where(is_class, 1.0, 0.0))[0] is None  # separated
    assert metrics.calibration(sample_of(20), np.ones(20, dtype=bool), np.linspace(0.1, 0.9, 20)) == (None, None)
