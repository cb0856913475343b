"""KnownRows: the cases as rows to deal into folds, and which of them belong together.

table ─► MAX_ROWS rows ─┬─ four fifths: learned from
                        └─ one fifth: it judges what was learned
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import SettingError
from budgetree.learn.validation import FoldSettings, Groups, check_groups
from budgetree.problem import Instance, drawing
from budgetree.problem.duplicates import Copies
from budgetree.tree.provenance import Objective


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows:
    """Rows to hold out, and per row its group where some belong together.

    n_copies  rows of the table that repeat another, where that is why they belong together; 0 where groups are named
    n_raw     the rows of the table among which they are
    positions per row, its position among the rows of the cases; None where it is the same
    """

    instance: Instance
    groups: Groups | None = None
    n_copies: int = 0
    n_raw: int = 0
    positions: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, cases: AnyCases, objective: Objective = Objective.NEW, groups: Any = None) -> KnownRows:
        """Those that are looked at: all, or of a large table some that are drawn, wherever it lies.

        A row of a whole weight k is k equal rows. Groups that are named count, and else copies: rows that are equal and
        that chance does not explain. Merged rows are one case; to trees for new cases, which read numbers as they are,
        only those that are equal before they are coded.
        """
        is_new, named = objective is Objective.NEW, check_row_groups(cases, groups)
        known = cls(cases if isinstance(cases, Instance) else cases.drawn, named)
        if is_new:
            known = known.drawn()
        n_raw, source = known.instance.n_rows, known.instance.source
        is_merged = source is not None and source.duplicates == "merge"
        rows, positions = known.instance.unrolled(merged=is_merged and not is_new and named is None)
        raw = positions if known.positions is None else known.positions[positions]
        if named is not None:
            return cls(rows, known._groups_of(positions), n_raw=n_raw, positions=raw)
        copies = None if is_merged and not is_new else rows.copies(by_chance=not is_merged)
        if copies is None:
            return cls(rows, n_raw=n_raw, positions=raw)
        of_table = Copies(copies.group[np.unique(positions, return_index=True)[1]])  # a weight is not a row
        return cls(rows, tuple(copies.group.tolist()), of_table.n_copies, n_raw, raw)

    def take(self, positions: NDArray[np.int64]) -> KnownRows:
        """Only these, some perhaps several times, coded as they are."""
        raw = positions if self.positions is None else self.positions[positions]
        rows, groups = self.instance.recoded({}, positions), self._groups_of(positions)
        return KnownRows(rows, groups, self.n_copies, self.n_raw, raw)

    def drawn(self) -> KnownRows:
        """Those of a large table that are looked at, else all."""
        positions = drawing.drawn_rows(self.instance)
        return self if positions is None else self.take(positions)

    def learned_from(self) -> KnownRows:
        """All; where there are as many as are drawn of a large table, but for the fifth that judges what is learned."""
        if self.instance.n_rows < drawing.MAX_ROWS:
            return self
        return self.take(np.flatnonzero(FoldSettings(groups=self.groups).folds(self.instance) != 0))

    def _groups_of(self, positions: NDArray[np.int64]) -> Groups | None:
        return None if self.groups is None else tuple(self.groups[row] for row in positions.tolist())


def check_row_groups(cases: AnyCases, groups: Any) -> Groups | None:
    """Per row its group; an error for rows in partitions, which have no order that groups could have, too."""
    if groups is None:
        return None
    if isinstance(cases, DistributedCases):
        message = "groups: the cases are in shards, whose rows have no order; leave groups out."
        raise SettingError(message, subject="groups")
    return check_groups(groups, cases.n_rows)
