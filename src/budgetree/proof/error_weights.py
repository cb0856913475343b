"""Error weights: with losses, the weights by which every tree that loses little makes few errors.

Each answer spares one class. Let l(c) be the least loss of class c over all answers, and the error weight of class c
the least of loss(c, a) − l(c) over the answers a that spare another class. Every tree loses at least U, the sum of
weight · l(c) over all cases. Take one that loses at most L, and let it answer the class that its answer spares: a case
that is wrong then lost at least its weight · error weight beyond the least, so the errors, counted by weight · error
weight, are at most L − U.

So every bound for trees with few errors holds for trees with little loss, with these weights and with L − U errors.

    loss                benign  cancer  refer
    benign                 0       1      4      error weight 1 (where cancer is answered, 1; where refer is, 4)
    cancer                50       0      4      error weight 50 (where benign is answered)
    spares              benign  cancer  cancer
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Instance, LossTable
from budgetree.tree import Tree

MAX_CELLS = 400  # of a loss table, for which better classes to spare are looked for


@dataclass(frozen=True, slots=True)
class ErrorWeights:
    """An instance whose errors bound losses from below."""

    instance: Instance  # each case counts its weight · error weight
    errors: Fraction  # that a tree with the loss in question makes there at most
    spared: tuple[int, ...] | None  # per answer, the position of a class; None where an error costs 1


def error_weights_of(instance: Instance, tree: Tree) -> ErrorWeights | None:
    """For trees that lose no more than this; None where fewer than two classes that occur have an error weight."""
    table, loss = instance.schema.loss_table, tree.exact_loss
    if table.is_plain:
        return ErrorWeights(instance, tree.exact_errors, None)
    spared = spared_classes(table, instance.class_order.counts)
    least = table.units.min(axis=1)
    error_weight = _error_weights(table.units - least[:, None], spared)
    if np.count_nonzero(instance.class_order.counts * error_weight) < 2:
        return None
    units = instance.weight_units * error_weight[instance.labels]
    scale = instance.schema.weight_scale * table.scale
    unavoidable = Fraction(int(instance.class_order.counts @ least)) / scale
    return ErrorWeights(instance.counted_by(units, scale), loss - unavoidable, tuple(spared.tolist()))


def spared_classes(table: LossTable, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Per answer the class that it spares, so that error weights are large.

    An answer holds down the error weights of all other classes: it spares the one whose it would lower the most.
    Answers are gone through twice, because what one lowers depends on what the others spare.
    """
    excess = table.units - table.units.min(axis=1, keepdims=True)
    present = counts > 0
    spared = np.where(present[:, None], excess, np.iinfo(np.int64).max).argmin(axis=0)
    for _ in range(2 if excess.size <= MAX_CELLS else 0):
        for answer in range(excess.shape[1]):
            best, best_value = int(spared[answer]), (-1, -1)
            for true in np.flatnonzero(present).tolist():
                spared[answer] = true
                error_weight = _error_weights(excess, spared)[present]
                # First that as many classes as possible have an error weight, then that these are large.
                value = (int(np.count_nonzero(error_weight)), sum(map(int, error_weight)))
                if value > best_value:
                    best, best_value = true, value
            spared[answer] = best
    return np.asarray(spared, dtype=np.int64)


def _error_weights(excess: NDArray[np.int64], spared: NDArray[np.int64]) -> NDArray[np.int64]:
    others = spared[None, :] != np.arange(len(excess))[:, None]
    held = np.where(others, excess, np.iinfo(np.int64).max).min(axis=1)
    return np.where(others.any(axis=1), held, 0)
