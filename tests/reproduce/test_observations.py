"""Observations: "proven" is said of what exact search has proven, and of nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

from budgetree.reproduce import Reproduction
from budgetree.reproduce.claims import Evidence
from budgetree.reproduce.observations import FEW_TESTS, few_tests, synthetic
from budgetree.reproduce.panels import Panel


def unproven(panel: Panel) -> Panel:
    """The panel of a search that ended before it had proven anything."""
    points = tuple(replace(point, proven=False, lower_bound=0) for point in panel.exact)
    return replace(panel, exact=replace(panel.exact, points=points, complete=False, n_searched=0))


def test_in_a_hurry_what_is_not_proven_has_a_star(hasty: Reproduction) -> None:
    panels = {panel.name: panel for panel in hasty.evidence.panels}
    assert not panels["dna"].is_proven(FEW_TESTS[-1])  # far more than a hundredth of a second
    (claim,) = [claim for claim in hasty.claims if claim.where == "Section 5, first trend"]
    shares = re.search(r"dna ((?:[\d.]+%\*?(?:, )?)+)", claim.result)
    assert shares is not None
    for tests, share in zip(FEW_TESTS, shares[1].split(", "), strict=True):
        assert share.endswith("*") is not panels["dna"].is_proven(tests)
    assert "proven but for the best found so far, which has a star" in claim.result
    assert claim.verdict == "not settled"


def test_in_a_hurry_an_open_optimum_is_called_open(hasty: Reproduction) -> None:
    (claim,) = [claim for claim in hasty.claims if claim.where == "Section 3, choice of the impurity"]
    assert re.search(r"dna [^;]*, open\b", claim.result)
    assert claim.result.count("open") == 1


def test_what_is_proven_is_called_proven(small: Reproduction) -> None:
    claim = few_tests(small.evidence)
    assert "tests, proven: " in claim.result
    assert "*" not in claim.result


def test_nothing_proven_is_called_proven(small: Reproduction) -> None:
    panels = [unproven(panel) for panel in small.evidence.panels]
    claim = few_tests(Evidence(small.evidence.toy, small.evidence.sets, small.evidence.synthetic, panels))
    assert claim.result.count("%*") == len(FEW_TESTS) * 2
    assert "tests, proven: " not in claim.result


def test_the_synthetic_claim_holds_only_with_its_proof(small: Reproduction) -> None:
    assert synthetic(small.evidence.synthetic).verdict == "holds"
    begun = synthetic(unproven(small.evidence.synthetic))
    assert begun.verdict == "does not hold"
    assert "no tree makes fewer than 0 " in begun.result
