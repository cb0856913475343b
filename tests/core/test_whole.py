"""Whole numbers of up to 1,024 bits, against Python's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from budgetree._core import parts

wholes = st.one_of(st.integers(0, 2**70), st.integers(0, 2**500), st.sampled_from([0, 1, 2**64 - 1, 2**64, 2**511]))


def to_bytes(number: int) -> bytes:
    return number.to_bytes(128, "little")


def calculate(operation: str, a: int, b: int) -> int:
    return int.from_bytes(parts.calculate(operation, to_bytes(a), to_bytes(b)), "little")


@given(a=wholes, b=wholes)
def test_whole_numbers_are_pythons(a: int, b: int) -> None:
    assert calculate("+", a, b) == a + b
    assert calculate("-", a, b) == max(a - b, 0)
    assert calculate("*", a, b) == a * b
    assert parts.compare(to_bytes(a), to_bytes(b)) == (a > b) - (a < b)
    assert parts.compare(to_bytes(a), to_bytes(a)) == 0


@given(a=wholes, b=wholes, c=wholes)
def test_borrowing_goes_through_every_limb(a: int, b: int, c: int) -> None:
    total = a + b + c
    assert calculate("-", total, b) == a + c
    assert calculate("-", calculate("+", total, 2**900), total) == 2**900
