"""Numbers become codes where they lie: the core's coders against a line of Python, for every type and layout."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from bisect import bisect_right
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from budgetree import _core
from budgetree.data.column import Column
from budgetree.data.encoders import UNSEEN, Categories, ColumnEncoder, FineLevels, Levels, NumberCuts

BLOCK = 1024  # rows that the core codes at once
SUBNORMAL = 5e-324
EDGES = [math.nan, math.inf, -math.inf, 0.0, -0.0, SUBNORMAL, -SUBNORMAL, 1.7e308, -1.7e308, 2.0**53, 1 / 3]
TYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]

numbers = st.sampled_from(EDGES) | st.floats(width=32) | st.floats(-3, 3) | st.integers(-3, 3).map(float)
cuts_of = st.lists(numbers.filter(lambda number: number == number), max_size=40, unique=True).map(sorted)


def route(n_tests: int = 1, test: int = 0) -> _core.Route:
    """A tree that buys a test and has a leaf for every byte that a code can be, from node 2 on."""
    no_rule = np.full(258, -1, dtype=np.int32)
    return _core.Route(
        np.array([0, 1, *[3] * 256], dtype=np.uint8),
        np.array([test, test, *[-1] * 256], dtype=np.int32),
        np.array([0, 1, *[-1] * 256]),
        np.arange(1, 258, dtype=np.int32),
        np.array([0, -1, *[-1] * 256]),
        np.zeros(256, dtype=np.int64),
        no_rule,
        np.full(n_tests, 255, dtype=np.int32),
        [],
        [],
    )


def coded(column: np.ndarray, coder: _core.Coder, threads: int = 1) -> list[int]:
    """By the core, as a column of its own and as one of a table."""
    alone = route().walk_columns([column], [coder], _core.Clock(), threads)[0] - 2
    table = np.lib.stride_tricks.as_strided(column, (len(column), 1), (column.strides[0], column.itemsize))
    assert alone.tolist() == (route().walk_table(table, np.array([0]), [coder], _core.Clock(), threads)[0] - 2).tolist()
    return alone.tolist()


def reference(column: np.ndarray, cuts: list[float], codes: list[int], missing: int) -> list[int]:
    return [missing if x != x else codes[bisect_right(cuts, x)] for x in map(float, column.tolist())]


def coder_of(cuts: list[float], codes: list[int], missing: int) -> _core.Coder:
    return _core.Coder(np.array(cuts, dtype=np.float64), np.array(codes, dtype=np.uint8), missing)


@given(st.lists(numbers, max_size=70), cuts_of, st.booleans(), st.integers(0, 255))
@example(EDGES * 4, sorted(EDGES[1:]), False, 7)
@example([SUBNORMAL, 0.0, -0.0, -SUBNORMAL] * 8, [SUBNORMAL], True, 255)
def test_a_code_is_that_of_the_cuts_that_a_number_reaches(
    values: list[float], cuts: list[float], are_positions: bool, missing: int
) -> None:
    codes = [position if are_positions else position * 37 % 256 for position in range(len(cuts) + 1)]
    coder = coder_of(cuts, codes, missing)
    for dtype in ("f8", "f4"):
        with np.errstate(over="ignore"):
            column = np.array(values, dtype=dtype)
        assert coded(column, coder) == reference(column, cuts, codes, missing)


@pytest.mark.parametrize("n_cuts", [0, 1, 15, 16, 17, 31, 32, 253, 254, 255, 510])
@pytest.mark.parametrize("n_rows", [0, 1, 7, 16, 33, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_any_number_of_cuts_and_rows(n_cuts: int, n_rows: int) -> None:
    rng = np.random.default_rng(n_cuts + n_rows)
    cuts, codes = np.sort(rng.normal(size=n_cuts)).tolist(), rng.integers(0, 256, n_cuts + 1).tolist()
    column = rng.choice([*rng.normal(size=200), *cuts, np.nan], n_rows)
    assert coded(column, coder_of(cuts, codes, 3)) == reference(column, cuts, codes, 3)


@pytest.mark.parametrize("dtype", TYPES)
def test_cells_of_any_type(dtype: str) -> None:
    rng = np.random.default_rng(1)
    column = rng.integers(0, 2**64, 999, dtype=np.uint64).view("i8").astype(dtype)
    cuts = sorted({float(value) for value in rng.choice(column, 30)})
    codes = list(range(len(cuts) + 1))
    assert coded(column, coder_of(cuts, codes, 255)) == reference(column, cuts, codes, 255)


@pytest.mark.parametrize("dtype", TYPES)
def test_cells_in_any_layout_are_read_where_they_are(dtype: str) -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 9, (2 * BLOCK + 3, 7)).astype(dtype)
    cuts, codes = [1.0, 2.5, 4.0], [0, 1, 2, 3]
    coder = coder_of(cuts, codes, 255)
    read_only = table.copy()
    read_only.flags.writeable = False
    layouts = [table, np.asfortranarray(table), table[::3], table[::-1], table[:, ::-2], read_only, table[:0]]
    layouts.append(np.broadcast_to(table[:1], table.shape))
    for layout in layouts:
        width = layout.shape[1]
        for column in range(width):
            at = np.array([width - 1, column])
            found = route(2, test=1).walk_table(layout, at, [coder, coder], _core.Clock())[0] - 2
            expected = reference(layout[:, column], cuts, codes, 255)
            assert found.tolist() == expected
            assert coded(layout[:, column], coder) == expected


def test_codes_pass_as_they_are_beside_numbers() -> None:
    rng = np.random.default_rng(3)
    codes, column = rng.integers(0, 256, 2000, dtype=np.uint8), rng.normal(size=2000)
    coder = coder_of([0.0], [0, 1], 255)
    for cells in (codes, codes[::-2]):
        found = route(2, test=1).walk_columns([column[: len(cells)], cells], [coder, None], _core.Clock())[0] - 2
        assert found.tolist() == cells.tolist()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_code_alike(threads: int) -> None:
    column = np.random.default_rng(4).normal(size=200_000)
    cuts = [-1.0, 0.0, 1.0]
    expected = np.searchsorted(cuts, column, side="right")
    assert coded(column, coder_of(cuts, [0, 1, 2, 3], 255), threads) == expected.tolist()


@pytest.mark.parametrize(
    ("column", "are_small"),
    [
        ([1.0, math.nan, -(2.0**53 - 1)], True),
        ([1.0, 2.0**53], False),
        ([*[0.0] * 50, -math.inf, *[0.0] * 50], False),
        (np.array([0, 2**53]), False),
        (np.array([0, 2**53 - 1]), True),
        (np.array([2**64 - 1], dtype=np.uint64), False),
        ([], True),
    ],
)
def test_numbers_whose_digits_may_be_lost_are_reported(column: Any, are_small: bool) -> None:
    cells = np.asarray(column, dtype=getattr(column, "dtype", np.float64))
    assert route().walk_columns([cells], [coder_of([], [0], 1)], _core.Clock())[-1] is are_small


@pytest.mark.parametrize(
    ("cuts", "codes", "message"),
    [([1.0], [0], "one more than cuts"), ([2.0, 1.0], [0, 1, 2], "ascending"), ([math.nan], [0, 1], "ascending")],
)
def test_cuts_that_are_none_are_refused(cuts: list[float], codes: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        coder_of(cuts, codes, 0)


def test_tables_that_do_not_fit_are_refused() -> None:
    coder, cells, clock = coder_of([], [0], 1), np.zeros((3, 2)), _core.Clock()
    with pytest.raises(ValueError, match="columns of the table"):
        route().walk_table(cells, np.array([2]), [coder], clock)
    with pytest.raises(ValueError, match="coders: expected one for each test"):
        route().walk_table(cells, np.array([0]), [], clock)
    with pytest.raises(ValueError, match="bytes where they are codes"):
        route().walk_table(cells, np.array([0]), [None], clock)
    with pytest.raises(ValueError, match="at most 64 bits"):
        route().walk_table(cells.astype(complex), np.array([0]), [coder], clock)
    with pytest.raises(ValueError, match="equally many rows"):
        route(2).walk_columns([cells[:, 0], cells[:2, 0]], [coder, coder], clock)


def test_what_every_processor_understands_codes_alike() -> None:
    """The property test again, without AVX2."""
    environment = os.environ | {"BUDGETREE_BASELINE": "1"}
    this = f"{__file__}::{test_any_number_of_cuts_and_rows.__name__}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "-k", "255", this]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def by_arithmetic(encoder: Levels, numbers: np.ndarray) -> list[int]:
    """The paper's rounding."""
    span = encoder.high - encoder.low
    level = (np.clip(numbers, encoder.low, encoder.high) - encoder.low) / (span if span > 0 else 1)
    missing = encoder.levels if encoder.has_missing else UNSEEN
    return [missing if x != x else int(x) for x in np.rint(level * (encoder.levels - 1)).tolist()]


@st.composite
def encoders(draw: st.DrawFn) -> ColumnEncoder:
    has_missing = draw(st.booleans())
    some = sorted(draw(st.lists(st.floats(-1e6, 1e6) | st.integers(-9, 9).map(float), min_size=2, unique=True)))
    kind = draw(st.sampled_from(["levels", "one level", "fine", "values", "words"]))
    if kind == "levels":
        return Levels("x", some[0], some[-1], draw(st.integers(2, 20)), has_missing)
    if kind == "one level":
        return Levels("x", some[0], some[0], draw(st.integers(2, 20)), has_missing)
    if kind == "fine":
        return FineLevels("x", tuple(some[1:]), tuple(some), some[0], some[-1], has_missing)
    others = ["a", True, math.inf, -math.inf, 10**400, 2**53, 2**53 + 1, Decimal("0.1"), 0.1, SUBNORMAL, -SUBNORMAL]
    words = draw(st.lists(st.sampled_from(others), unique=True))
    return Categories("x", tuple(dict.fromkeys(words if kind == "words" else [*some, *words])), has_missing)


@given(encoders(), st.lists(numbers, max_size=20))
def test_cuts_do_what_an_encoder_does(encoder: ColumnEncoder, others: list[float]) -> None:
    given_cuts = NumberCuts.of(encoder)
    near = [math.nextafter(cut, way) for cut in given_cuts.cuts.tolist() for way in (-math.inf, cut, math.inf)]
    column = np.array([*EDGES, *others, *near])
    found = coded(column, coder_of(given_cuts.cuts.tolist(), given_cuts.codes.tolist(), given_cuts.missing))
    assert found == encoder.encode(Column("x", "number", numbers=column)).tolist()
    if isinstance(encoder, Levels):
        assert found == by_arithmetic(encoder, column)
