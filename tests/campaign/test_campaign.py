"""A few cases beside brute force, the same in every run; `python -m tests.campaign --minutes N` compares more."""

from __future__ import annotations

import json
from random import Random

import pytest

from .cases import Case, draw
from .checks import CHECKS, DifferenceError
from .pathways import differences
from .search import Figures, Found, compare, smallest

CASES = 12


def test_brute_force_agrees_with_everything() -> None:
    figures = Figures()
    for number in range(CASES):
        found = compare(19, number, figures)
        assert found is None, f"{found.check}: {found.message}\n{json.dumps(found.case.to_json(), ensure_ascii=False)}"
    assert figures.refused < CASES / 4
    assert set(figures.made) == set(CHECKS)


def test_a_case_is_the_same_after_json() -> None:
    for seed in range(20):
        case = draw(Random(seed))
        assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case


def test_cases_have_everything_that_makes_trouble() -> None:
    cases = [draw(Random(seed)) for seed in range(200)]
    prices = [price for case in cases for own in case.problem.prices for price in own if price]
    assert min(prices) < 1e-8
    assert max(prices) > 1e12
    assert any(None in names for case in cases for names in case.outcomes)
    assert any(len(set(case.problem.weights)) > 1 for case in cases)
    assert any(case.problem.fees for case in cases)
    assert any(case.answers for case in cases)
    assert any("'" in name for case in cases for name in case.tests)


def test_the_smallest_case_that_differs_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is wrong wherever there are two tests is caught on two tests and two rows."""

    def wrong(built: object, rng: Random) -> None:
        if built.instance.n_tests >= 2:  # type: ignore[attr-defined]
            raise DifferenceError("two tests")

    monkeypatch.setitem(CHECKS, "optimal", wrong)
    large = next(case for case in (draw(Random(seed)) for seed in range(100)) if len(case.tests) == 4)
    found = smallest(Found("optimal", "two tests", large))
    assert len(found.case.tests) == 2
    assert len(found.case.problem.rows) <= max(3, found.case.problem.n_classes)
    assert found.case.problem.fees == ()
    assert found.case.tests == ("t0", "t1")


def test_no_order_and_no_thread_changes_a_pathway() -> None:
    assert [text for number in (0, 1, 7) for text in differences(number)] == []  # the last has zeros of either sign
