"""The theorems: compared with proven optima alone, and the bound agrees with the certificates'."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import budgetree as bt
from budgetree.reproduce import Reproduction, theory
from budgetree.reproduce.claims import NOTHING_PROVEN, Evidence
from budgetree.reproduce.theory import bound_at_root

ON_PROVEN_FRONTIERS = (theory.log_factor, theory.lower_bound, theory.embedding, theory.hinged_factor)


@pytest.mark.parametrize("name", ["house_votes", "mammographic"])
def test_the_bound_at_the_root_agrees_with_the_certificates_ratio(name: str) -> None:
    instance = bt.datasets.load(name, prices=1)
    bounds = bt.certify(instance, bt.grow(instance), progress=False).bounds
    assert float(bound_at_root(instance, bt.Pairs())) <= bounds["ratio"] + 1e-12
    assert bound_at_root(instance, bt.Pairs(), Fraction(bt.Pairs()(np.bincount(instance.labels)))) == 0


def test_a_frontier_that_is_not_proven_is_left_aside(hasty: Reproduction) -> None:
    for try_claim in ON_PROVEN_FRONTIERS[:2]:
        claim = try_claim(hasty.evidence)
        assert "dna" not in claim.result
        assert "house_votes" in claim.result


@pytest.mark.parametrize("try_claim", ON_PROVEN_FRONTIERS)
def test_without_any_proven_frontier_nothing_is_claimed(try_claim: object, hasty: Reproduction) -> None:
    found = hasty.evidence
    dna = [panel for panel in found.panels if panel.name == "dna"]
    claim = try_claim(Evidence(found.toy, found.sets, found.synthetic, dna))  # type: ignore[operator]
    assert (claim.result, claim.verdict) == NOTHING_PROVEN
