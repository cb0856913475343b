"""The appendix's table of data sets, beside what the bundled data are."""

from __future__ import annotations

from dataclasses import dataclass

from budgetree import datasets

# Rows, unique objects and tests as the paper's text has them; None where it says nothing.
PAPER = {
    "house_votes": (435, 342, 16),
    "sonar": (208, None, 60),
    "ionosphere": (351, 350, 34),
    "dna": (3186, 3001, 180),
    "boston": (506, 469, 13),
    "soybean": (307, 303, 34),
    "pima": (768, 753, 8),
    "wdbc": (569, None, 30),
    "mammographic": (830, None, 6),
}


@dataclass(frozen=True, slots=True)
class SetSize:
    """One data set: the paper's numbers and ours, in the order rows, unique objects, tests."""

    name: str
    paper: tuple[int | None, int | None, int | None]
    ours: tuple[int, int, int]
    n_classes: int

    @property
    def agrees(self) -> bool:
        return all(theirs in (None, mine) for theirs, mine in zip(self.paper, self.ours, strict=True))


def set_sizes() -> list[SetSize]:
    """The nine sets in the paper's order."""
    found = []
    for name, paper in PAPER.items():
        instance = datasets.load(name)
        ours = (len(datasets.table(name)), instance.n_objects, instance.n_tests)
        found.append(SetSize(name, paper, ours, instance.n_classes))
    return found
