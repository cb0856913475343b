"""The compiled twin of routing.walk_plainly: one row after the other, down to where it ends."""

from __future__ import annotations

from typing import Any

from numba import njit

kernel: Any = njit(cache=True, nogil=True)


@kernel
def walk_rows(codes, test, first_branch, branches, n_outcomes, price, node, paid):
    """Fills node and paid, one entry per row of codes."""
    for row in range(codes.shape[0]):
        at = 0
        units = 0
        while test[at] >= 0:
            tested = test[at]
            outcome = int(codes[row, tested])
            if outcome >= n_outcomes[tested]:
                units += price[at, price.shape[1] - 1]
                break
            units += price[at, outcome]
            child = branches[first_branch[at] + outcome]
            if child < 0:
                break
            at = child
        node[row] = at
        paid[row] = units
