"""Classes weighted by what missing them may cost, for greedy growth: the rule itself knows counts, not losses.

    case      class    largest loss   counts in the growth as
      7      benign         1                1                   a test that separates cancer from the rest
      8      cancer        50               50                   removes fifty times as much impurity

Trees grown so are judged by their loss like all others. What the paper proves is about the weighted cases then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.distributed import AnyCases, DistributedCases
from budgetree.problem import LossTable
from budgetree.tree import Grown


@dataclass(frozen=True, slots=True, eq=False)
class ClassWeights:
    """A weighted instance, and the way back to the real one."""

    instance: AnyCases  # weighted
    factors: NDArray[np.int64]  # per class
    losses: LossTable  # by which the weighted cases lose what they do, times `scale`
    scale: int

    def real_nodes(self, nodes: Grown) -> Grown:
        """The same tree, which counts the real cases."""
        return replace(nodes, counts=nodes.counts // self.factors)


def weigh_classes(instance: AnyCases) -> ClassWeights | None:
    """None where that changes nothing, or leads beyond exact numbers."""
    losses = instance.schema.loss_table
    factors = np.maximum(losses.most, 1)  # a class that cannot be missed still counts
    divisor = math.gcd(*factors.tolist())
    factors = factors // divisor
    if (factors == factors[0]).all():
        return None
    scale = math.lcm(*factors.tolist())
    total = int(instance.class_order.total)
    if total * int(factors.max()) * scale * losses.largest >= LARGEST_EXACT:
        return None
    units = losses.units * (scale // factors)[:, None]
    if isinstance(instance, DistributedCases):
        weighted: AnyCases = instance.weighted_by_class(factors)
    else:
        weighted = instance.counted_by(instance.weight_units * factors[instance.labels], instance.schema.weight_scale)
    return ClassWeights(weighted, factors, LossTable(losses.answers, units, losses.scale * scale), scale)
