"""Words of messages that depend on a number."""

from __future__ import annotations

from budgetree.services.words import counted


def test_one_and_many_have_their_own_words() -> None:
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    assert [counted(n, "class", "classes") for n in (1, 3)] == ["1 class", "3 classes"]
