"""Whatever comes into the core from Python: an error in words, never a crash."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from budgetree import _core


def cases(**changed: Any) -> Any:
    arrays = {
        "codes": np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint8),
        "labels": np.array([0, 1, 1], dtype=np.int32),
        "weights": np.array([1, 2, 3], dtype=np.int64),
        "n_outcomes": np.array([2, 2], dtype=np.int32),
        "n_classes": 2,
    }
    return _core.Cases(**(arrays | changed))


def costs(**changed: Any) -> Any:
    arrays = {
        "amounts": np.ones((1, 2, 2), dtype=np.int64),
        "flag_amounts": np.array([[1]], dtype=np.int64),
        "pays": np.array([1, 0], dtype=np.uint64),
        "needs": np.zeros(2, dtype=np.uint64),
        "sets": np.array([[1, 1, 1], [0, 0, 0]], dtype=np.uint64),
        "limits": np.array([9], dtype=np.int64),
    }
    return _core.CostModel(**(arrays | changed))


def prices(n_tests: int, width: int) -> Any:
    """One each, without fees."""
    nothing = np.zeros(n_tests, dtype=np.uint64)
    sets = np.zeros((n_tests, width + 1), dtype=np.uint64)
    return costs(amounts=np.ones((1, n_tests, width), dtype=np.int64), pays=nothing, needs=nothing, sets=sets)


def search(**changed: Any) -> Any:
    given = {
        "cases": cases(),
        "costs": costs(),
        "policy": _core.LeafPolicy(None, 2),
        "unavoidable": np.zeros(3, dtype=np.int64),
        "cache_bytes": 0,
    }
    return _core.Search(**(given | changed))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("codes", np.array([[0, 2], [1, 0], [1, 1]], dtype=np.uint8)),
        ("codes", np.zeros((0, 2), dtype=np.uint8)),
        ("labels", np.array([0, 1, 2], dtype=np.int32)),
        ("labels", np.array([0, -1, 1], dtype=np.int32)),
        ("labels", np.array([0, 1], dtype=np.int32)),
        ("weights", np.array([1, -1, 1], dtype=np.int64)),
        ("weights", np.array([2**62, 2**62, 2**62], dtype=np.int64)),
        ("n_outcomes", np.array([0, 2], dtype=np.int32)),
        ("n_outcomes", np.array([2, 300], dtype=np.int32)),
        ("n_classes", 0),
    ],
)
def test_cases_that_do_not_fit_together(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        cases(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("amounts", np.full((1, 2, 2), -1, dtype=np.int64)),
        ("amounts", np.full((1, 2, 2), 2**62, dtype=np.int64)),
        ("flag_amounts", np.array([[-1]], dtype=np.int64)),
        ("pays", np.array([2, 0], dtype=np.uint64)),
        ("pays", np.array([1], dtype=np.uint64)),
        ("pays", np.array([1, 1], dtype=np.uint64)),  # and the second test does not set it
        ("needs", np.array([2, 0], dtype=np.uint64)),
        ("sets", np.full((2, 3), 2, dtype=np.uint64)),
        ("sets", np.ones((2, 2), dtype=np.uint64)),
        ("limits", np.array([-1], dtype=np.int64)),
        ("limits", np.array([1, 1], dtype=np.int64)),
    ],
)
def test_prices_that_nobody_has(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        costs(**{name: value})


def test_prices_of_other_tests() -> None:
    three, narrow = prices(3, 2), prices(2, 1)
    table = _core.PackedTable(cases(), _core.Clock())
    zero = bytes(128)
    settings = _core.GrowthSettings(_core.IntegerImpurity.powers(2, 2), zero, 0.0, 2, True)
    for wrong in (three, narrow):
        with pytest.raises(ValueError, match="costs: expected"):
            search(costs=wrong)
        with pytest.raises(ValueError, match="costs: expected"):
            _core.grow(table, wrong, settings, 1, _core.Clock())
        with pytest.raises(ValueError, match="costs: expected"):
            _core.Pool(table, wrong, _core.LeafPolicy(None, 2), 0)


@pytest.mark.parametrize("unavoidable", [[0, 0], [-1, 0, 0], [2, 0, 0]])
def test_unavoidable_errors_of_other_cases(unavoidable: list[int]) -> None:
    with pytest.raises(ValueError, match="unavoidable: expected"):
        search(unavoidable=np.array(unavoidable, dtype=np.int64))


def test_questions_that_make_no_sense() -> None:
    searcher = search()
    for question in (_core.Question(2, _core.NEVER, 2), _core.Question(2, _core.NEVER, -7), _core.Question(0, 9, 0)):
        for ask in (searcher.ask, searcher.tree):
            with pytest.raises(ValueError, match="only: expected"):
                ask(question, _core.Clock())
    with pytest.raises(ValueError, match="budget: expected"):
        searcher.ask(_core.Question(2**63 - 1), _core.Clock())
    with pytest.raises(ValueError, match="threads: expected"):
        searcher.search_in_parallel(_core.Question(2), _core.Clock(), 10**9)
    assert searcher.ask(_core.Question(-5), _core.Clock()).value == 1  # a leaf
    assert searcher.ask(_core.Question(2, -5), _core.Clock()).value == 0  # not below what is unavoidable
    assert searcher.ask(_core.Question(_core.NEVER - 1), _core.Clock()).value == 0


def test_a_clock_that_was_interrupted_is_over_and_has_no_error_left() -> None:
    def fail(done: int, total: int) -> None:
        raise RuntimeError("no terminal")

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (400, 60)).astype(np.uint8)
    many = cases(
        codes=codes,
        labels=np.sort(rng.integers(0, 2, 400)).astype(np.int32),
        weights=None,
        n_outcomes=np.full(60, 2, dtype=np.int32),
    )
    searcher = search(cases=many, costs=prices(60, 2), unavoidable=np.zeros(400, dtype=np.int64))
    clock = _core.Clock(None, fail)
    with pytest.raises(RuntimeError, match="no terminal"):
        searcher.ask(_core.Question(6), clock)
    assert searcher.ask(_core.Question(6), clock) is None
    assert _core.PackedTable(many, clock) is not None
