"""Claims: compared with proven optima alone, and "proven" is said of what exact search has proven, of nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import budgetree as bt
from _support.points import open_point
from budgetree.reproduce import Reproduction, Verdict
from budgetree.reproduce.claims import (
    FEW_TESTS,
    NOTHING_PROVEN,
    ON_PROVEN_FRONTIERS,
    bound_at_root,
    few_tests,
    synthetic,
    tried,
)
from budgetree.reproduce.evidence import Panel


def unproven(panel: Panel) -> Panel:
    """The panel of a search that ended before it had proven anything."""
    points = tuple(open_point(point, 0) for point in panel.exact)
    return replace(panel, exact=replace(panel.exact, points=points, complete=False, n_searched=0))


@pytest.mark.parametrize("name", ["house_votes", "mammographic"])
def test_the_bound_at_the_root_agrees_with_the_certificates_ratio(name: str) -> None:
    instance = bt.datasets.load(name, prices=1)
    bounds = bt.certify(instance, bt.grow(instance), progress=False).bounds
    assert float(bound_at_root(instance, bt.Pairs())) <= bounds["ratio"] + 1e-12
    assert bound_at_root(instance, bt.Pairs(), Fraction(bt.Pairs()(np.bincount(instance.labels)))) == 0


def test_a_frontier_that_is_not_proven_is_left_aside(hasty: Reproduction) -> None:
    for trial in ON_PROVEN_FRONTIERS[:2]:
        pairs = tried(trial, hasty.evidence).facts["pairs"]
        assert "dna" not in pairs
        assert "house_votes" in pairs


@pytest.mark.parametrize("trial", ON_PROVEN_FRONTIERS)
def test_without_any_proven_frontier_nothing_is_claimed(trial: object, hasty: Reproduction) -> None:
    dna = [panel for panel in hasty.evidence.panels if panel.name == "dna"]
    claim = tried(trial, replace(hasty.evidence, panels=dna))  # type: ignore[arg-type]
    assert (claim.result, claim.verdict) == (NOTHING_PROVEN, Verdict.NOT_SETTLED)


def test_in_a_hurry_what_is_not_proven_has_a_star(hasty: Reproduction) -> None:
    panels = {panel.name: panel for panel in hasty.evidence.panels}
    assert not panels["dna"].is_proven(FEW_TESTS[-1])  # far more than a hundredth of a second
    claim = tried(few_tests, hasty.evidence)
    shares = re.search(r"dna ((?:[\d.]+%\*?(?:, )?)+)", claim.facts["named"])
    assert shares is not None
    for tests, share in zip(FEW_TESTS, shares[1].split(", "), strict=True):
        assert share.endswith("*") is not panels["dna"].is_proven(tests)
    assert not claim.facts["all_proven"]
    assert claim.verdict is Verdict.NOT_SETTLED
    assert claim in hasty.claims


def test_in_a_hurry_an_open_optimum_is_called_open(hasty: Reproduction) -> None:
    (claim,) = [claim for claim in hasty.claims if claim.where == "Section 3, choice of the impurity"]
    assert re.search(r"dna [^;]*, open\b", claim.result)
    assert claim.result.count("open") == 1


def test_what_is_proven_is_called_proven(small: Reproduction) -> None:
    claim = tried(few_tests, small.evidence)
    assert claim.facts["all_proven"]
    assert "tests, proven: " in claim.result
    assert "*" not in claim.result


def test_nothing_proven_is_called_proven(small: Reproduction) -> None:
    panels = [unproven(panel) for panel in small.evidence.panels]
    claim = tried(few_tests, replace(small.evidence, panels=panels))
    assert claim.result.count("%*") == len(FEW_TESTS) * 2
    assert not claim.facts["all_proven"]
    assert "tests, proven: " not in claim.result


def test_the_synthetic_claim_holds_only_with_its_proof(small: Reproduction) -> None:
    assert tried(synthetic, small.evidence).verdict is Verdict.HOLDS
    begun = tried(synthetic, replace(small.evidence, synthetic=unproven(small.evidence.synthetic)))
    assert begun.verdict is Verdict.FAILS
    assert begun.facts["least"] == 0
