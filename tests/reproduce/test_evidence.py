"""What the claims are tried on: the paper's own numbers, and only what is proven is called so."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import budgetree as bt
from _support.points import open_point
from budgetree.reproduce import Reproduction
from budgetree.reproduce.evidence import BASELINES, set_sizes, toy_columns


def test_no_curve_passes_the_optimum(hasty: Reproduction) -> None:
    for panel in hasty.evidence.panels:
        for points in panel.curves.values():
            for cost, errors in points:
                assert errors >= panel.least(cost)


def test_what_is_proven_is_the_optimum(small: Reproduction) -> None:
    panel = small.evidence.panels[0]
    for budget in (0, 1, 2.5, 3):
        assert panel.is_proven(budget)
        assert panel.least(budget) == bt.optimal(panel.instance, budget=budget).errors


def test_nothing_is_proven_where_the_search_has_proven_nothing(small: Reproduction) -> None:
    panel = small.evidence.panels[0]
    points = tuple(open_point(point, 0) for point in panel.exact)
    begun = replace(panel, exact=replace(panel.exact, points=points, complete=False, n_searched=0))
    assert not any(begun.is_proven(budget) for budget in (0, 1, 2, 3))


def test_the_toy_has_the_papers_numbers() -> None:
    pairs, computed, printed = toy_columns()
    assert (pairs.whole, pairs.parts["t1"], pairs.parts["t2"]) == (900, (300, 0), (225, 225))
    assert pairs.ratios == {"t1": Fraction(1, 600), "t2": Fraction(1, 675)}
    assert (computed.whole, computed.parts["t1"], computed.parts["t2"]) == (484, (44, 0), (49, 49))
    assert computed.ratios == {"t1": Fraction(1, 440), "t2": Fraction(1, 435)}
    assert (printed.whole, printed.ratios["t1"]) == (840, printed.ratios["t2"])
    assert [column.chosen for column in (pairs, computed, printed)] == ["t2", "t1", "t1"]


def test_all_but_two_sets_have_the_papers_numbers() -> None:
    sizes = {size.name: size for size in set_sizes()}
    assert len(sizes) == 9
    assert {name for name, size in sizes.items() if size.differences} == {"soybean", "mammographic"}
    assert [ours for _, ours in sizes["house_votes"].numbers.values()] == [435, 342, 16]


def test_no_baseline_beats_the_proven_optimum(small: Reproduction) -> None:
    best = {row.data: row for row in small.baselines if row.method == "exact search"}
    assert set(best) == {"house_votes", "mammographic"}
    for row in small.baselines:
        if row.data in best:
            assert row.max_cost >= best[row.data].max_cost
            assert all(mine >= least for mine, least in zip(row.errors, best[row.data].errors, strict=True))


def test_who_ignores_prices_pays_most(small: Reproduction) -> None:
    priced = {row.method: row for row in small.baselines if row.data == "pima, real prices"}
    assert list(priced) == list(BASELINES)
    blind = priced["entropy, prices ignored"]
    assert all(row.max_cost < blind.max_cost for row in priced.values() if row is not blind)


def test_a_search_that_ended_early_says_so(hasty: Reproduction) -> None:
    is_open = {row.data: row.is_open for row in hasty.baselines if row.method not in BASELINES}
    assert is_open == {"house_votes": False, "mammographic": False, "dna": True}
    assert [row.method for row in hasty.baselines if row.is_open] == ["exact search, ended early"]
