"""The data sets beside the paper's numbers."""

from __future__ import annotations

from budgetree.reproduce.sets import set_sizes


def test_all_but_two_sets_have_the_papers_numbers() -> None:
    sizes = {size.name: size for size in set_sizes()}
    assert len(sizes) == 9
    assert {name for name, size in sizes.items() if not size.agrees} == {"soybean", "mammographic"}
    assert sizes["house_votes"].ours == (435, 342, 16)
