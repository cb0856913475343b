"""budgetree reproduce: the paper's own numbers come out, and docs/paper.md is what the command writes."""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

import budgetree as bt
from budgetree.cli import main
from budgetree.reproduce import Reproduction, reproduce
from budgetree.reproduce.theory import bound_at_root

mpl.use("Agg")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def whole() -> Reproduction:
    return reproduce(hard_seconds=25, progress=False)


@pytest.fixture(scope="module")
def small() -> Reproduction:
    return reproduce(names=["house_votes", "mammographic", "wdbc"], progress=False)


def test_the_document_is_what_the_command_writes(whole: Reproduction) -> None:
    assert (ROOT / "docs" / "paper.md").read_text(encoding="utf-8") == whole.document


def test_only_what_the_paper_overstates_does_not_hold(whole: Reproduction) -> None:
    verdicts = {claim.where: claim.verdict for claim in whole.claims}
    assert [where for where, verdict in verdicts.items() if verdict == "does not hold"] == [
        "Section 2, prices by outcome"
    ]
    assert [where for where, verdict in verdicts.items() if verdict == "holds in part"] == [
        "Appendix, data sets",
        "Section 5, first trend",
        "Section 5, second trend, large budgets",
    ]


def test_the_toy_has_the_papers_numbers(small: Reproduction) -> None:
    pairs, computed, printed = small.evidence.toy
    assert (pairs.whole, pairs.parts["t1"], pairs.parts["t2"]) == (900, (300, 0), (225, 225))
    assert pairs.ratios == {"t1": Fraction(1, 600), "t2": Fraction(1, 675)}
    assert (computed.whole, computed.parts["t1"], computed.parts["t2"]) == (484, (44, 0), (49, 49))
    assert computed.ratios == {"t1": Fraction(1, 440), "t2": Fraction(1, 435)}
    assert (printed.whole, printed.ratios["t1"]) == (420, printed.ratios["t2"])


def test_no_curve_passes_the_optimum(whole: Reproduction) -> None:
    for panel in whole.evidence.panels:
        for points in panel.curves.values():
            for cost, errors in points:
                assert errors >= panel.exact.best(budget=cost).lower_bound


def test_no_baseline_beats_the_proven_optimum(whole: Reproduction) -> None:
    best = {row.data: row for row in whole.baselines if row.method == "exact search"}
    assert len(best) == 8
    for row in whole.baselines:
        if row.data in best:
            assert row.max_cost >= best[row.data].max_cost
            assert all(mine >= least for mine, least in zip(row.errors, best[row.data].errors, strict=True))
    priced = [row for row in whole.baselines if row.data == "pima, real prices"]
    blind = next(row for row in priced if row.method == "entropy, prices ignored")
    assert all(row.max_cost < blind.max_cost for row in priced if row is not blind)


@pytest.mark.parametrize("name", ["house_votes", "sonar", "pima"])
def test_the_bound_at_the_root_agrees_with_the_certificates_ratio(name: str) -> None:
    instance = bt.datasets.load(name, prices=1)
    bounds = bt.certify(instance, bt.grow(instance), progress=False).bounds
    assert float(bound_at_root(instance, bt.Pairs())) <= bounds["ratio"] + 1e-12
    assert bound_at_root(instance, bt.Pairs(), Fraction(bt.Pairs()(np.bincount(instance.labels)))) == 0


def test_everything_is_written(tmp_path: Path, small: Reproduction) -> None:
    files = small.write(tmp_path / "out")
    names = {Path(path).name for path in files}
    expected = {"index.html", "paper.md", "baselines.csv", "data_sets.csv", "figure1.csv", "methods.csv"}
    expected |= {f"figure5{which}.{kind}" for which in ("", "_wdbc", "_house_votes") for kind in ("png", "svg")}
    expected |= {"synthetic.png", "synthetic.svg", "curves_wdbc.csv", "curves_synthetic.csv"}
    assert expected <= names
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    for claim in small.claims:
        assert claim.where in page
    assert page.count("<svg") == 2
    assert not re.search(r"(src|href)=[\"']?https?://", page.replace("http://www.w3.org", ""))
    ElementTree.parse(tmp_path / "out" / "figure5.svg")
    with open(tmp_path / "out" / "curves_wdbc.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["curve"] for row in rows} == {*(f"Powers({i})" for i in (2, 3, 4, 5)), "HingedPairs", "optimum"}
    assert all(row["lower_bound"] for row in rows if row["curve"] == "optimum")


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, small: Reproduction
) -> None:
    monkeypatch.setattr("budgetree.reproduce.reproduce", lambda **_: small)
    assert main(["reproduce", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "Theorem 2.2: holds" in printed
    assert "index.html in a browser" in printed
    assert main(["reproduce"]) == 0
    assert "--out DIR writes" in capsys.readouterr().out
