"""The admissibility checker: what is admissible stands, and each property can be refuted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import ImpurityError, SettingError
from impurity.known import ALL, ErrorCount


@pytest.mark.parametrize("impurity", [impurity for impurity in ALL if impurity.admissible], ids=repr)
def test_admissible_impurities_are_not_refuted(impurity: bt.Impurity) -> None:
    assert bt.check_admissible(impurity, 3, 9) is None
    if not isinstance(impurity, bt.Polynomial):
        assert bt.check_admissible(impurity, 2, 25) is None
        assert bt.check_admissible(impurity, 4, 4) is None
        assert bt.check_admissible(impurity, 1, 4) is None


@pytest.mark.parametrize("alpha", [32, 100, 500, 2000, 10**6])
@pytest.mark.parametrize("family", [bt.HingedPairs, bt.HingedProduct])
def test_large_hinges_are_not_refuted_for_their_growth(family: type[bt.Impurity], alpha: int) -> None:
    assert bt.check_admissible(family(alpha), 2, 6) is None  # type: ignore[call-arg]


def test_supermodularity_as_printed_would_refute_pairs() -> None:
    """The paper asks for j outside of R only, so that j may be in G: then G gains nothing by it, and R does."""
    pairs, smaller, larger = bt.Pairs(), [1, 0], [1, 1]  # R; G, which is R with j
    assert pairs(larger) - pairs(larger) < pairs(larger) - pairs(smaller)
    assert bt.check_admissible(pairs, 2, 9) is None  # with j outside of G, as it must be meant


@pytest.mark.parametrize("impurity", [bt.Gini(), bt.Entropy(), ErrorCount()], ids=repr)
def test_the_usual_impurities_are_refuted(impurity: bt.Impurity) -> None:
    assert not impurity.admissible
    found = bt.check_admissible(impurity, 2, 5)
    assert found is not None
    assert found.property == "supermodularity"
    assert "raises F by" in str(found)
    smaller, larger = found.counts
    # The counterexample itself, computed by hand: some class whose addition gains less on the larger set.
    gains = [
        (impurity(_plus(larger, c)) - impurity(larger), impurity(_plus(smaller, c)) - impurity(smaller)) for c in (0, 1)
    ]
    assert any(on_larger < on_smaller for on_larger, on_smaller in gains)


def _plus(counts: tuple[int, ...], place: int) -> list[int]:
    return [count + (i == place) for i, count in enumerate(counts)]


@pytest.mark.parametrize(
    ("function", "broken"),
    [
        (lambda counts: -counts.sum(axis=-1), "non-negativity"),
        (lambda counts: counts.sum(axis=-1), "purity"),
        (lambda counts: np.where((counts > 0).all(axis=-1), 10 - counts.sum(axis=-1), 0), "monotonicity"),
        (lambda counts: 2 ** counts.sum(axis=-1) * (counts.min(axis=-1) > 0), "polynomial growth"),
    ],
)
def test_each_property_can_be_refuted(function: Any, broken: str) -> None:
    class Custom(bt.Impurity):
        exact = True

        def value(self, counts: Any) -> Any:
            return function(counts)

    found = bt.check_admissible(Custom(), 2, 4)
    assert found is not None
    assert found.property == broken


def test_an_impurity_that_is_not_a_number_is_refused() -> None:
    class Broken(bt.Impurity):
        def value(self, counts: Any) -> Any:
            return np.full(counts.shape[:-1], np.nan)

    with refused(ImpurityError, subject="Broken()"):
        bt.check_admissible(Broken(), 2, 3)
    with refused(ImpurityError, subject="impurity"):
        bt.grow(bt.datasets.load("figure1"), Broken())


@pytest.mark.parametrize(
    ("arguments", "subject"),
    [
        ((bt.Pairs(), 0, 3), "n_classes"),
        ((bt.Pairs(), 10, 50), "max_count"),
        ((bt.Pairs, 2, 3), "impurity"),
        ((bt.Pairs(), 2.5, 3), "n_classes"),
        ((bt.Pairs(), 2, 0), "max_count"),
    ],
)
def test_bad_requests_are_refused(arguments: Any, subject: str) -> None:
    names = dict(zip(("impurity", "n_classes", "max_count"), arguments, strict=True))
    with refused(SettingError, subject=subject, found=names[subject]):
        bt.check_admissible(**names)
