"""The baselines: none beats what is proven, and prices pay."""

from __future__ import annotations

from budgetree.reproduce import Reproduction
from budgetree.reproduce.baselines import BASELINES


def test_no_baseline_beats_the_proven_optimum(small: Reproduction) -> None:
    best = {row.data: row for row in small.baselines if row.method == "exact search"}
    assert set(best) == {"house_votes", "mammographic"}
    for row in small.baselines:
        if row.data in best:
            assert row.max_cost >= best[row.data].max_cost
            assert all(mine >= least for mine, least in zip(row.errors, best[row.data].errors, strict=True))


def test_who_ignores_prices_pays_most(small: Reproduction) -> None:
    priced = [row for row in small.baselines if row.data == "pima, real prices"]
    assert len(priced) == len(BASELINES)
    blind = next(row for row in priced if row.method == "entropy, prices ignored")
    assert all(row.max_cost < blind.max_cost for row in priced if row is not blind)


def test_a_search_that_ended_early_says_so(hasty: Reproduction) -> None:
    ended = {row.data: row.ended_early for row in hasty.baselines if row.method.startswith("exact search")}
    assert ended["dna"]
    assert not ended["house_votes"]
    assert [row.method for row in hasty.baselines if row.ended_early] == ["exact search, ended early"]
