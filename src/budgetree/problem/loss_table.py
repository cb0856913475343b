"""LossTable: what each answer costs for each true class, in whole units, as leaves and searches read it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT

Amounts = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LossTable:
    """Losses in whole units, laid out for the classes of one instance.

        answers            benign  cancer  refer
        true class benign     0       1      4       what each answer costs, times scale
                   cancer    50       0      4

    Counts of classes become losses of answers by one product. Of answers that lose the same the first is given: the
    class that sorts first, then answers that are no class.
    """

    answers: tuple[Any, ...]  # the classes, then whatever else may be answered
    units: NDArray[np.int64]  # class × answer, without a common divisor
    scale: Fraction  # loss = units / scale

    def __post_init__(self) -> None:
        self.units.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @classmethod
    def plain(cls, class_names: Sequence[Any]) -> LossTable:
        """Every error costs 1."""
        n_classes = len(class_names)
        return cls(tuple(class_names), 1 - np.eye(n_classes, dtype=np.int64), Fraction(1))

    @classmethod
    def of(cls, answers: Sequence[Any], losses: Sequence[Sequence[Fraction]]) -> LossTable:
        """Exact losses, class × answer, in the largest unit that makes all of them whole."""
        common = math.lcm(*{loss.denominator for row in losses for loss in row})
        whole = [[int(loss * common) for loss in row] for row in losses]
        divisor = math.gcd(*{units for row in whole for units in row}) or 1
        largest = max(units for row in whole for units in row) // divisor
        if largest >= LARGEST_EXACT:
            exponent = round(largest.bit_length() * math.log10(2))
            raise ValueError(
                f"losses: in the largest unit that makes all of them whole, one is about 1e{exponent} units; "
                "expected less than 9e15. Round the losses to fewer digits."
            )
        units = np.array([[loss // divisor for loss in row] for row in whole], dtype=np.int64)
        return cls(tuple(answers), units, Fraction(common, divisor))

    @property
    def n_classes(self) -> int:
        return int(self.units.shape[0])

    @cached_property
    def is_plain(self) -> bool:
        """True when the least loss is the fewest errors: each costs the same, and every answer is a class."""
        return self.units.shape[1] == self.n_classes and bool((self.units == 1 - np.eye(self.n_classes)).all())

    @cached_property
    def most(self) -> NDArray[np.int64]:
        """Per class, the largest loss over the answers."""
        return np.asarray(self.units.max(axis=1), dtype=np.int64)

    @property
    def largest(self) -> int:
        """The largest loss of all."""
        return int(self.units.max())

    def of_counts(self, counts: Amounts) -> Amounts:
        """… × class amounts become … × answer losses: weight units give loss units, probabilities expected ones.

        Probabilities are added class by class: one row gets what it gets among many, and other programs can follow.
        """
        if counts.dtype.kind in "iu":
            most = int(np.max(counts.sum(axis=-1), initial=0)) * self.largest
            if most >= LARGEST_EXACT:
                return np.asarray(counts @ self.units, dtype=np.int64)
            # Every sum is a whole number that floats hold, and their product is many times as fast.
            return np.asarray(counts.astype(np.float64) @ self.units.astype(np.float64)).astype(np.int64)
        losses = np.zeros((*counts.shape[:-1], len(self.answers)))
        for true, units in enumerate(self.units):
            losses += counts[..., true, None] * units
        return losses

    def best(self, counts: Amounts) -> NDArray[np.int64]:
        """The position of the answer of least loss, for … × class amounts."""
        # The likeliest class, where that is the same: probabilities of it are compared as they are, without a sum.
        found = counts.argmax(axis=-1) if self.is_plain else self.of_counts(counts).argmin(axis=-1)
        return np.asarray(found, dtype=np.int64)

    def least(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The least loss that one answer for all of them has, for … × class weight units."""
        return np.asarray(self.of_counts(counts).min(axis=-1), dtype=np.int64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LossTable):
            return NotImplemented
        same_names = (self.answers, self.scale) == (other.answers, other.scale)
        return same_names and np.array_equal(self.units, other.units)

    def __hash__(self) -> int:
        return hash((self.scale, self.units.tobytes()))
