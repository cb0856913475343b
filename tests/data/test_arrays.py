"""Arrays as tables."""

from __future__ import annotations

import numpy as np
import pytest

from budgetree.data.frames import read_array


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, object])
def test_numbers_of_every_type_are_numbers(dtype: type) -> None:
    array = np.array([[0, 1], [1, 1], [1, 0]], dtype=dtype)
    table = read_array(array)
    assert (table.names, len(table)) == (["x0", "x1"], 3)
    numbers = [column.numbers for column in table.columns]
    assert [None if found is None else found.tolist() for found in numbers] == [[0, 1, 1], [1, 1, 0]]
    assert not any(np.shares_memory(found, array) for found in numbers)


def test_words_stay_words_and_long_numbers_keep_their_digits() -> None:
    words, long = read_array(np.array([["a", 2**60], [1, 2**60 + 1]], dtype=object)).columns
    assert words.numbers is None
    assert words.to_list() == ["a", 1]
    assert long.to_list() == [2**60, 2**60 + 1]
    assert read_array(np.array([[2**60], [2**60 + 1]])).columns[0].to_list() == [2**60, 2**60 + 1]
