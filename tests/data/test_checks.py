"""Findings: what is odd about a column is a record, with the column and what was found."""

from __future__ import annotations

import numpy as np
import pytest

from budgetree.data.checks import (
    Oddity,
    Severity,
    _depends,
    blank_findings,
    class_findings,
    column_findings,
    find_suspects,
    target_findings,
)
from budgetree.data.column import Column, text_column
from budgetree.data.encoders import BlankPlan, LevelPlan
from budgetree.data.table import Table

N = 40


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([str(i + 1) for i in range(N)], {(Severity.WARNING, Oddity.IDENTIFIER), (Severity.NOTE, Oddity.ROUNDED)}),
        (["x"] * N, {(Severity.WARNING, Oddity.SAME_VALUE)}),
        ([None, None, "0", "1"] * 10, set()),
        ([f"2024-01-{1 + i % 28}" for i in range(N)], {(Severity.WARNING, Oddity.DATES)}),
        ([f"{i % 7} mg" for i in range(N)], {(Severity.WARNING, Oddity.ODD_NUMBERS)}),
        ([str(i % 7) if i else "l2" for i in range(N)], {(Severity.WARNING, Oddity.WORDS_AMONG_NUMBERS)}),
        *(
            ([str(i) if i % 10 >= tenths else word for i in range(100)], {(Severity.WARNING, oddity)})
            for tenths in (1, 3, 5, 8, 9)
            for word, oddity in (
                ("<5", Oddity.CENSORED),
                (">1000", Oddity.CENSORED),
                ("< 0.5", Oddity.CENSORED),
                ("neg.", Oddity.WORDS_AMONG_NUMBERS),
            )
        ),
        (["1", "2", "3", "low", "high"] * 8, set()),
        ([f"{i % 7:03d}" for i in range(N)], {(Severity.NOTE, Oddity.CODES)}),
        ([f"Dr. {i}" for i in range(N)], {(Severity.WARNING, Oddity.IDENTIFIER)}),
        ([f"word {i}" for i in range(300)], {(Severity.ERROR, Oddity.TOO_MANY_OUTCOMES)}),
        (["low", "high"] * 20, set()),
    ],
)
def test_a_column_that_is_odd_is_found(cells: list[str | None], expected: set[tuple[Severity, Oddity]]) -> None:
    table = Table("t.csv", (text_column("x", cells),), len(cells))
    found = list(column_findings(table, table.columns[0], LevelPlan()))
    assert {(finding.severity, finding.oddity) for finding in found} == expected
    assert {finding.column for finding in found} <= {"x"}
    serious = {oddity for severity, oddity in expected if severity is Severity.WARNING}
    named = {finding.oddity for finding in find_suspects(table, None, [])}
    assert named == serious - {Oddity.SAME_VALUE}
    assert list(find_suspects(table, None, ["x"])) == []


def test_classes_that_are_amounts_or_one_case_each_are_found() -> None:
    (finding,) = target_findings(Column("y", "number", numbers=np.arange(30.0)))
    assert (finding.oddity, finding.column) == (Oddity.AMOUNT_AS_CLASS, "y")
    assert list(target_findings(Column("y", "number", numbers=np.arange(30.0) % 5))) == []
    for classes, one_each in ((["ill"], False), (["a", "b"], True)):
        (finding,) = class_findings(classes, one_each)
        assert (finding.oddity, finding.column) == (Oddity.CLASSES, None)
    assert list(class_findings(["a", "b"], False)) == []


@pytest.mark.parametrize(
    ("cells", "severity", "said"),
    [
        ([None, "0", "1", "0"] * 20, Severity.NOTE, "is blank in 20 of 80 rows. For new"),
        ([None, None, None, "1"] * 20, Severity.WARNING, "is blank in 60 of 80 rows. For new"),
        ([None, "0"] * 40, Severity.WARNING, "depends on the class: 100% of 'ill', 0% of 'well'. For new"),
    ],
)
def test_blanks_are_counted_and_compared_with_the_class(cells: list[str | None], severity: Severity, said: str) -> None:
    target = text_column("y", ["ill", "well"] * 40 if "depends" in said else [*["ill"] * 40, *["well"] * 40])
    (finding,) = blank_findings(text_column("x", cells), target, BlankPlan())
    assert (finding.severity, finding.oddity, finding.column) == (severity, Oddity.GAPS, "x")
    assert said in finding.message
    assert list(blank_findings(text_column("x", ["0", "1"] * 40), target, BlankPlan())) == []
    for reading, taken in (("result", "counts as a result"), ("unknown", "counts as unknown")):
        (finding,) = blank_findings(text_column("x", cells), target, BlankPlan.of({"x": reading}))  # type: ignore[dict-item]
        assert taken in finding.message


def test_a_thousandth_of_the_tables_of_chance_seem_to_depend() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    for _ in range(300):
        counts = rng.multinomial(400, rng.dirichlet(np.ones(2 * rng.integers(2, 9)))).reshape(2, -1) + 5
        p = stats.chi2_contingency(counts, correction=False).pvalue
        assert _depends(counts) == (p < 0.001) or 0.0007 < p < 0.0014
