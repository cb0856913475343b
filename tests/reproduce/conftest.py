"""One reproduction that several files read: two small sets whose frontiers are proven, and dna in a hurry."""

from __future__ import annotations

from dataclasses import replace

import pytest

from budgetree.reproduce import Reproduction, reproduce


@pytest.fixture(scope="session")
def hasty() -> Reproduction:
    """As with --time-limit 0.01: dna's frontier is hardly begun."""
    return reproduce(names=["house_votes", "mammographic", "dna"], hard_seconds=0.01, progress=False)


@pytest.fixture(scope="session")
def small(hasty: Reproduction) -> Reproduction:
    """The part of it that is proven."""
    evidence = replace(hasty.evidence, panels=hasty.evidence.proven)
    return replace(hasty, evidence=evidence, baselines=[row for row in hasty.baselines if row.data != "dna"])
