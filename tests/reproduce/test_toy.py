"""Figure 1: the paper's own numbers."""

from __future__ import annotations

from fractions import Fraction

from budgetree.reproduce.toy import toy_columns


def test_the_toy_has_the_papers_numbers() -> None:
    pairs, computed, printed = toy_columns()
    assert (pairs.whole, pairs.parts["t1"], pairs.parts["t2"]) == (900, (300, 0), (225, 225))
    assert pairs.ratios == {"t1": Fraction(1, 600), "t2": Fraction(1, 675)}
    assert (computed.whole, computed.parts["t1"], computed.parts["t2"]) == (484, (44, 0), (49, 49))
    assert computed.ratios == {"t1": Fraction(1, 440), "t2": Fraction(1, 435)}
    assert (printed.whole, printed.ratios["t1"]) == (420, printed.ratios["t2"])
    assert [column.chosen for column in (pairs, computed, printed)] == ["t2", "t1", "t1"]
